package rival

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

func TestCheckStart(t *testing.T) {
	for _, good := range []*mat.Dense{
		nil, rotation.Identity(2), mat.NewDense(2, 2, []float64{0, 1e200, -1e200, 3}),
	} {
		if err := CheckStart(good, 2); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		start *mat.Dense
		want  string
	}{
		{rotation.Identity(3), "Start: is 3×3; must be 2×2 for 2 signals"},
		{mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1}), "the value in row 2, column 1 is NaN"},
		{mat.NewDense(2, 2, []float64{1, 2, 2, 4}), "singular"},
		{mat.NewDense(2, 2, nil), "singular"},
	} {
		if err := CheckStart(test.start, 2); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}
