package baselinetest

import "gonum.org/v1/gonum/mat"

// Problem is that of mixed in scripts/baselines/problem.py, to rounding: signals
// x = a·s, d×n, of uniform sources, or fifth powers of those where heavy says so
// of a source, which have heavier tails than a Gaussian.
func Problem(d, n int, heavy func(i int) bool) (s, a, x *mat.Dense) {
	g := Generator(d)
	s, a = g.Matrix(d, n), g.Matrix(d, d)
	for i := range d {
		if !heavy(i) {
			continue
		}
		row := s.RawRowView(i)
		for t, v := range row {
			row[t] = v * v * v * v * v
		}
	}
	x = mat.NewDense(d, n, nil)
	x.Mul(a, s)
	return s, a, x
}

// Odd is true for every second source.
func Odd(i int) bool { return i%2 == 1 }

// Start is the d×d matrix that iterations begin with, as there.
func Start(d int, seed uint64) *mat.Dense {
	g := Generator(1000 + seed)
	return g.Matrix(d, d)
}
