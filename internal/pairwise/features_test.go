package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// Correlation with a shift is the correlation of features that were shifted before.
func TestCorrelationShiftsSecondSignal(t *testing.T) {
	r, table := newRand(7), newFeatureTable(50)
	a := table.features(quantile.Ranks(noise(r, 1, 50, datasets.Normal).RawRowView(0)))
	b := table.features(quantile.Ranks(noise(r, 1, 50, datasets.Normal).RawRowView(0)))
	const shift = 13
	want := 0.0
	for _, u := range a {
		for _, v := range b {
			c := 0.0
			for k := range u {
				c += u[k] * v[(k+shift)%50] / 50
			}
			want += c * c
		}
	}
	if got := correlation(a, b, shift); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	// sin u, the fullest feature of itself, correlates fully.
	if got := correlation(a[:1], a[:1], 0); math.Abs(got-1) > 1e-12 {
		t.Errorf("of a feature with itself %g, want 1", got)
	}
}

// Features are sines and cosines of normal quantiles, with mean 0 and mean square 1; equal values
// have equal features.
func TestFeaturesAreStandardised(t *testing.T) {
	// The ranks 1½, 0, 1½ and 3 of 4, at probabilities of ½, ⅛, ½ and ⅞.
	const q = 1.1503493803760079 // the normal quantile of ⅞, by scipy.stats.norm.ppf
	want := []float64{0, -1, 0, 1}
	got := newFeatureTable(4).features(quantile.Ranks([]float64{7, -2, 7, 9}))
	for k := range want {
		want[k] *= math.Sqrt2 // of a variance of ½
		if math.Abs(got[0][k]-want[k]) > 1e-12 {
			t.Errorf("sin u: %.4f, want %.4f", got[0], want)
		}
	}
	// cos 2u has the values 1 and cos 2q, twice each: standardised ±1.
	for k, want := range []float64{1, -1, 1, -1} {
		if math.Abs(got[3][k]-want) > 1e-12 {
			t.Errorf("cos 2u: %.4f at position %d, want %g", got[3], k, want)
		}
	}
	if table := newFeatureTable(4); math.Abs(table[6][0]-math.Sin(q)) > 1e-12 || table[3][0] != 0 {
		t.Errorf("sin u of ranks 3 and 1½: %.15f and %.15f, want %.15f and 0", table[6][0], table[3][0], math.Sin(q))
	}
}

// noise are d×n independent values.
func noise(r *rand.Rand, d, n int, value func(*rand.Rand) float64) *mat.Dense {
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return value(r) }, z)
	return z
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
