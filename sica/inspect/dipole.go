package inspect

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dipole"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// minElectrodes is the smallest number of electrodes for a dipole fit: a dipole has six parameters,
// and a pattern against its mean has one value less than electrodes.
const minElectrodes = 8

// ResidualVariances returns for each pattern, a column of d×k, the share of its variance over the
// electrodes that the best single dipole in a spherical head leaves over, 0 to 1. It is small for a
// component of one patch of cortex, below 0.05 or 0.1 for a near-dipolar one (A. Delorme and
// others, "Independent EEG sources are dipolar", PLoS ONE 7(2), 2012). Places are 6 mm apart, in a
// brain within fluid, skull and scalp. The reference of the channels has no effect.
//
// Rows are channels. Those whose name isn't of the 10–20 or the 10–10 system, such as EOG1, are
// left out. It is an error if there isn't a name for each row, if fewer than 8 electrodes are left,
// or if a value isn't finite.
func ResidualVariances(channels []string, patterns *mat.Dense) ([]float64, error) {
	if patterns == nil || patterns.IsEmpty() {
		return nil, errors.New("inspect: patterns: are empty; must be at least one column")
	}
	if d, _ := patterns.Dims(); len(channels) != d {
		return nil, fmt.Errorf("inspect: channels: are %d names; must be %d, one for each row "+
			"of the patterns", len(channels), d)
	}
	for i, name := range channels {
		if !signal.Finite(floats.Sum(patterns.RawRowView(i))) {
			return nil, fmt.Errorf("inspect: patterns: those of channel %s aren't finite; "+
				"must be finite", name)
		}
	}
	montage := dipole.NewMontage(channels)
	if n := len(montage.Channels); n < minElectrodes {
		return nil, fmt.Errorf("inspect: channels: %d have names of the 10–10 system, such as "+
			"Fp1; must be at least %d", n, minElectrodes)
	}
	return montage.Residuals(patterns), nil
}
