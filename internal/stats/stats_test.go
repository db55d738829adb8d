package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/stats"
)

func Example() {
	values := []float64{4, 1, 3, 2}
	mean, se := stats.MeanSE(values)
	fmt.Printf("%.2f (SE %.2f), median %.1f\n", mean, se, stats.Quantile(0.5, values))
	// Output: 2.50 (SE 0.65), median 2.0
}

func TestQuantile(t *testing.T) {
	values := []float64{10, 0, 5, 20}
	for p, want := range map[float64]float64{0: 0, 0.25: 0, 0.375: 2.5, 0.5: 5, 1: 20} {
		if got := stats.Quantile(p, values); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
	if !math.IsNaN(stats.Quantile(0.5, nil)) || values[0] != 10 {
		t.Error("no values, or the values were sorted")
	}
	if _, se := stats.MeanSE([]float64{1}); !math.IsNaN(se) {
		t.Errorf("the error of one value is %g", se)
	}
}

// Quantiles are those of gonum, to the bit.
func TestQuantileOfSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for n := 1; n < 40; n++ {
		values := make([]float64, n)
		for k := range values {
			values[k] = rng.NormFloat64()
		}
		slices.Sort(values)
		for _, p := range []float64{0, 1e-9, 0.25, 0.5, rng.Float64(), 1 - 1e-9, 1} {
			want := stat.Quantile(p, stat.LinInterp, values, nil)
			if got := stats.QuantileOfSorted(p, values); got != want {
				t.Errorf("%d values, p = %g: %g, want %g", n, p, got, want)
			}
		}
	}
}

// Moments of blocks are those of all values together, far from 0 too.
func TestMoments(t *testing.T) {
	values := []float64{1e6, 1e6 + 1, 1e6 - 3, 1e6 + 4, 1e6 + 2}
	var m stats.Moments
	m.Add(values[:2])
	var rest stats.Moments
	rest.Add(values[2:])
	m.Merge(rest)
	if got := m.MeanSquare(m.Mean() + 2); math.Abs(got-9.36) > 1e-9 {
		t.Errorf("mean square about 2 beside the mean: %g, want 9.36", got)
	}
	if got, want := m.Variance(), 5.36; math.Abs(got-want) > 1e-9 {
		t.Errorf("variance %g, want %g", got, want)
	}
	if got, want := m.Standardised(values)[1], 0.2/math.Sqrt(5.36); math.Abs(got-want) > 1e-9 {
		t.Errorf("standardised to %g, want %g", got, want)
	}
}
