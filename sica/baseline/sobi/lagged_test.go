package sobi

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// The covariances equal their definitions in plain loops, over several blocks and for lags longer
// than one.
func TestLaggedCovariancesAreTheirDefinitions(t *testing.T) {
	const d, n = 3, 2*blockWidth + 100
	g := baselinetest.Generator(1)
	z := g.Matrix(d, n)
	lags := []int{1, 2, 99, blockWidth + 7, n - 1}
	got, err := laggedCovariances(t.Context(), z, lags)
	if err != nil {
		t.Fatal(err)
	}
	for k, lag := range lags {
		want := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				sum := 0.0
				for p := range n - lag {
					sum += z.At(i, p)*z.At(j, p+lag) + z.At(j, p)*z.At(i, p+lag)
				}
				want.SetSym(i, j, sum/2/float64(n-lag))
			}
		}
		if !mat.EqualApprox(got[k], want, 1e-13) {
			t.Errorf("lag %d:\n%v, want\n%v", lag, mat.Formatted(got[k]), mat.Formatted(want))
		}
	}
}

func TestDefaultLags(t *testing.T) {
	for n, last := range map[int]int{2: 1, 3: 1, 4: 2, 30: 10, 31: 11, 299: 100, 1_000_000: 100} {
		lags := Default().lags(n)
		if !slices.IsSorted(lags) || lags[0] != 1 || lags[len(lags)-1] != last ||
			len(lags) != last {
			t.Errorf("%d positions: lags %v, want 1 to %d", n, lags, last)
		}
		cfg := Default()
		cfg.Lags = lags
		if err := cfg.validate(1, n); err != nil {
			t.Errorf("%d positions: %v", n, err)
		}
	}
}
