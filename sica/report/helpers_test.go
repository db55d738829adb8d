package report

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// noise are d×n independent values.
func noise(r *rand.Rand, d, n int, value func(*rand.Rand) float64) *mat.Dense {
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return value(r) }, z)
	return z
}

// rotated2 returns the two signals z rotated by an angle.
func rotated2(z *mat.Dense, angle float64) *mat.Dense {
	out := new(mat.Dense)
	out.Mul(rotation.Plane(angle), z)
	return out
}

// index is that of positions of a shape.
func index(t *testing.T, shape ...int) *grid.Grid {
	t.Helper()
	g, err := grid.New(shape, grid.Product(shape))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func fit(t *testing.T, b compute.Backend, x *mat.Dense, cfg sica.Config) *sica.Result {
	t.Helper()
	result, err := sica.Fit(context.Background(), x, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return result
}

// wholeOf returns the signals z as a recording that isn't a part of another; without a shape it is a
// sequence.
func wholeOf(z *mat.Dense, shape ...int) recording {
	_, n := z.Dims()
	if shape == nil {
		shape = []int{n}
	}
	return recording{z, grid.Range(n), shape}
}
