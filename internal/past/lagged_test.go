package past

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The products by Fourier transforms are those of the positions.
func TestLaggedProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	z := mat.NewDense(3, 1500, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	for _, reach := range []int{0, 1, 24, 300} {
		runs := []Run{{0, 40}, {40, 512}, {700, 1500}}
		p := NewLaggedProducts(3, reach)
		for _, r := range runs {
			p.Add(z, r.First, r.End)
		}
		for lag, got := range p.Sums() {
			want := mat.NewDense(3, 3, nil)
			for _, r := range runs {
				for at := max(r.First, lag); at < r.End; at++ {
					var product mat.Dense
					product.Outer(1, z.ColView(at), z.ColView(at-lag))
					want.Add(want, &product)
				}
			}
			if !mat.EqualApprox(got, want, 1e-10) {
				t.Fatalf("reach %d, lag %d: %v, want %v", reach, lag, mat.Formatted(got),
					mat.Formatted(want))
			}
		}
	}
}

// Moments by Fourier transforms are sums over the positions.
func TestMomentsOfManyPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	shape := []int{4000}
	p := New(shape, Nearest(shape, 24)).Blocks(1000)
	z := mat.NewDense(16, shape[0], nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	transformed, err := NewMoments(t.Context(), p, z)
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]int
	for lag := range len(p.Lags) + 1 {
		pairs = append(pairs, [2]int{0, lag})
	}
	sums, err := p.direct(t.Context(), z, pairs)
	if err != nil {
		t.Fatal(err)
	}
	for lag, want := range sums.cov {
		if got := transformed.cov[lag]; !mat.EqualApprox(got, want, 1e-13) {
			t.Errorf("lag %d: %v, want %v", lag, mat.Formatted(got), mat.Formatted(want))
		}
	}
	if mat.Equal(transformed.cov[1], sums.cov[1]) {
		t.Error("both are the same to the last bit: nothing was transformed")
	}
}
