package iterate

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGrowthStopsDivergingFlows(t *testing.T) {
	var nan = math.NaN()
	for _, test := range []struct {
		name        string
		divergences []float64
		sizes       []float64
		stop, good  int
	}{
		{"as of digits", []float64{.025, .16, .149, .088, .08, .09}, []float64{1, 1, 1, 1, 1, 1}, 0, 0},
		{"growing", []float64{.2, .1, .3, .8, .9, 1}, []float64{1, 1, 1, 1, 1, 1}, 6, 1},
		{"a leap and back", []float64{.2, .1, .9, .9, .1, .9}, []float64{1, 1, 1, 1, 1, 1}, 0, 0},
		{"measured late", []float64{nan, .2, .3, .8, .9, 1, 1.1}, []float64{1, 1, 1, 1, 1, 1, 1}, 0, 0},
		{"growing, measured late", []float64{nan, .1, .3, .8, .9, 1}, []float64{1, 1, 1, 1, 1, 1}, 6, 1},
		{"signals grow", []float64{nan, nan, nan, nan, nan}, []float64{1, 2e6, 3e6, 4e6, 5e6}, 4, 1},
	} {
		g := growth{Size: 1}
		stop, good := 0, 0
		for k, divergence := range test.divergences {
			if why, at := g.observe(k+1, divergence, test.sizes[k]); why != "" {
				stop, good = k+1, at
				break
			}
		}
		if stop != test.stop || good != test.good {
			t.Errorf("%s: stopped at %d, back to %d; want %d and %d", test.name, stop, good, test.stop, test.good)
		}
	}
}

// The error names the number that is not finite.
func TestNonFiniteNumbersAreNamed(t *testing.T) {
	move := mat.NewDense(1, 2, []float64{1, 2})
	cfg := Config{Folds: 2}
	for _, test := range []struct {
		loss, divergence, move float64
		want                   string
	}{
		{1, .5, 1, ""}, {math.NaN(), .5, 1, "loss"}, {math.Inf(1), .5, 1, "loss"},
		{1, math.NaN(), 1, "divergence"}, {1, .5, math.Inf(-1), "velocity"}, {1, .5, math.NaN(), "velocity"},
	} {
		move.Set(0, 0, test.move)
		err := cfg.checkFinite(Estimate{Loss: test.loss, Divergence: test.divergence, Move: move})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// A move that is affine in the signals is its own projection. The remainder of any move is
// orthogonal to the signals.
func TestProjectLinearIsLeastSquares(t *testing.T) {
	x := noise(2, 300)
	b := mat.NewDense(2, 2, []float64{1, -2, 0.5, 3})
	var affine mat.Dense
	affine.Mul(b, x)
	affine.Apply(func(i, _ int, v float64) float64 { return v + float64(i) + 1 }, &affine)
	got, _, err := projectLinear(&affine, x)
	if err != nil || largestDifference(got, &affine) > 1e-9 {
		t.Errorf("an affine move changed by %g, %v", largestDifference(got, &affine), err)
	}

	curved := mat.NewDense(2, 300, nil)
	curved.Apply(func(i, k int, _ float64) float64 { return math.Sin(float64(1+i) * x.At(i, k)) }, curved)
	if got, _, err = projectLinear(curved, x); err != nil {
		t.Fatal(err)
	}
	var rest, correlation mat.Dense
	rest.Sub(curved, got)
	correlation.Mul(&rest, x.T())
	sums := []float64{mat.Sum(rest.RowView(0)), mat.Sum(rest.RowView(1)), mat.Norm(&correlation, 2)}
	for _, v := range sums {
		if math.Abs(v) > 1e-8 {
			t.Errorf("the rest still has the moments %v", sums)
		}
	}

	dependent := mat.NewDense(2, 3, []float64{1, 2, 3, 2, 4, 6})
	if _, _, err := projectLinear(dependent, dependent); err == nil {
		t.Error("dependent signals gave no error")
	}
}

func largestDifference(a, b *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return max(mat.Max(&diff), -mat.Min(&diff))
}
