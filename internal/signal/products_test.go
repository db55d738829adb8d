package signal_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Mixtures and products in blocks are those of whole matrices.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	random := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	for _, n := range []int{1, 192, 500} {
		x, b := random(3, n), random(2, 3)
		y, want := random(2, n), new(mat.Dense)
		signal.Mix(y, b, x)
		if want.Mul(b, x); !mat.EqualApprox(y, want, 1e-13) {
			t.Errorf("mixtures at %d positions are %v, want %v", n, y, want)
		}
		c, product := random(2, 3), new(mat.Dense)
		signal.Products(c, y, x)
		if product.Mul(y, x.T()); !mat.EqualApprox(c, product, 1e-11) {
			t.Errorf("products at %d positions are %v, want %v", n, c, product)
		}
	}
}
