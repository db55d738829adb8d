package baseline_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

var _ baseline.Model = (*baseline.LinearModel)(nil)

// byHand is z₁ = (x₁ − 1) + (x₂ + 2), z₂ = (x₂ + 2)/2.
func byHand() *baseline.LinearModel {
	return baseline.NewLinearModel([]float64{1, -2},
		mat.NewDense(2, 2, []float64{1, 1, 0, 0.5}), mat.NewDense(2, 2, []float64{1, -2, 0, 2}),
		mat.NewDense(2, 1, nil), baseline.Convergence{})
}

func TestLinearModelByHand(t *testing.T) {
	m := byHand()
	x, z := mat.NewDense(2, 3, []float64{1, 2, 4, -2, 0, 6}), mat.NewDense(2, 3, []float64{0, 3, 11, 0, 1, 4})
	if got, err := m.Transform(x); err != nil || !mat.Equal(got, z) {
		t.Errorf("transform %v, error %v, want %v", got, err, z)
	}
	if got, err := m.InverseTransform(z); err != nil || !mat.Equal(got, x) {
		t.Errorf("inverse transform %v, error %v, want %v", got, err, x)
	}
}

func TestLinearModelErrors(t *testing.T) {
	m := byHand()
	m.Unmixing.Scale(1e200, m.Unmixing)
	m.Mixing.Scale(1e200, m.Mixing)
	for _, test := range []struct {
		signals *mat.Dense
		want    string
	}{
		{nil, "is empty"},
		{mat.NewDense(3, 2, nil), "has 3 signals; it must have 2"},
		{mat.NewDense(2, 1, []float64{0, math.NaN()}), "the value NaN at position 1"},
		{mat.NewDense(2, 1, []float64{1e100, 1}), "within ±1e+150"}, // of what it becomes
	} {
		if z, err := m.Transform(test.signals); err == nil || !strings.HasPrefix(err.Error(), "baseline: transform: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("transform %v, error %v, want one with %q", z, err, test.want)
		}
		if x, err := m.InverseTransform(test.signals); err == nil || !strings.HasPrefix(err.Error(), "baseline: inverse transform: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("inverse transform %v, error %v, want one with %q", x, err, test.want)
		}
	}
}
