package fastica_test

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// mixed and start are those of scripts/baselines/problem.py, to the last bit.

// mixed is d signals at n positions, mixed by a. Every other source is uniform;
// the rest are fifth powers of that, which have heavier tails than a Gaussian.
func mixed(d, n int) (x, a *mat.Dense) {
	g := baselinetest.Generator(d)
	s := g.Matrix(d, n)
	a = g.Matrix(d, d)
	for i := 1; i < d; i += 2 {
		row := s.RawRowView(i)
		for t, v := range row {
			row[t] = v * v * v * v * v
		}
	}
	x = mat.NewDense(d, n, nil)
	x.Mul(a, s)
	return x, a
}

// start is the d×d matrix to begin with.
func start(d int, seed uint64) *mat.Dense {
	g := baselinetest.Generator(1000 + seed)
	return g.Matrix(d, d)
}
