package mapping

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

func TestRanks(t *testing.T) {
	for _, test := range []struct{ row, want []float64 }{
		{[]float64{3, 1, 2}, []float64{2, 0, 1}},
		{[]float64{5, 5}, []float64{0.5, 0.5}},
		{[]float64{1, 0, 1, 2, 1}, []float64{2, 0, 2, 4, 2}},
		{[]float64{0, math.Copysign(0, -1), -1}, []float64{1.5, 1.5, 0}},
	} {
		if got := quantile.Ranks(test.row); !slices.Equal(got, test.want) {
			t.Errorf("ranks(%v) = %v, want %v", test.row, got, test.want)
		}
	}
}

func TestGaussianise(t *testing.T) {
	// The normal distribution's quartile and its quantiles at 7/8 and 5/8, from
	// R's qnorm.
	const quartile, q78, q58 = 0.6744897501960817, 1.1503493803760079, 0.3186393639643752
	for _, test := range []struct {
		x, want []float64
	}{
		{[]float64{10, -3}, []float64{quartile, -quartile}},
		{[]float64{4, 1, 2, 3}, []float64{q78, -q78, -q58, q58}},
		{[]float64{0, 0, 5, 5}, []float64{-quartile, -quartile, quartile, quartile}},
	} {
		got, err := apply(mat.NewDense(1, len(test.x), test.x), Gaussianise)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got, mat.NewDense(1, len(test.want), test.want), 1e-14) {
			t.Errorf("gaussianise %v = %v, want %v", test.x, got.RawRowView(0), test.want)
		}
	}
}

func TestGaussianiseIgnoresMonotoneTransforms(t *testing.T) {
	x := ar7(rand.New(rand.NewPCG(17, 18)), 2, 100)
	var distorted mat.Dense
	distorted.Apply(func(_, _ int, v float64) float64 { return math.Exp(3 * v) }, x)
	want, err := apply(x, Gaussianise)
	if err != nil {
		t.Fatal(err)
	}
	got, err := apply(&distorted, Gaussianise)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got, want) {
		t.Error("a monotone transform of x changed its normal quantiles")
	}
}
