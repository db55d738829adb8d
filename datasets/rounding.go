package datasets

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rounding"
)

// Rounding returns the step to which the values of each of the signals x, d×n, were rounded when
// they were recorded or written, such as the quantisation step of an EDF file. A fit finds
// combinations of other channels, such as those of an average reference, above that step. After a
// [Filter] the step can't be detected: set sica.Config.Rounding to the Rounding of the signals
// before the filter.
//
// It is the largest of three steps: the quantisation step, if it is below a tenth of the standard
// deviation; the step of float32 or of at most 12 significant digits, if all values have it; and
// the step of float64. It is an error if x isn't finite.
func Rounding(x *mat.Dense) ([]float64, error) {
	d, _, err := checkSignals(x)
	if err != nil {
		return nil, fmt.Errorf("datasets: rounding: %w", err)
	}
	steps := make([]float64, d)
	for i := range steps {
		steps[i] = rounding.Step(x.RawRowView(i))
	}
	return steps, nil
}
