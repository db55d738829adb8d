package baselinetest

import "gonum.org/v1/gonum/mat"

// A Generator is the state of Knuth's 64-bit linear congruential generator (MMIX). It draws the
// same numbers, to the last bit, as the generator of scripts/baselines/problem.py.
type Generator uint64

// Values returns n numbers from [−1, 1).
func (g *Generator) Values(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		*g = *g*6364136223846793005 + 1442695040888963407
		values[i] = float64(*g>>11)*0x1p-52 - 1
	}
	return values
}

// Matrix returns a matrix of numbers from [−1, 1), drawn row by row.
func (g *Generator) Matrix(rows, columns int) *mat.Dense {
	return mat.NewDense(rows, columns, g.Values(rows*columns))
}

// Problem returns the problem of mixed in scripts/baselines/problem.py, up to rounding: signals x =
// a·s, d×n, of uniform sources. Sources for which heavy is true are fifth powers of uniform draws,
// which have heavier tails than a Gaussian.
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

// Odd reports whether i is odd, for every second source of a Problem.
func Odd(i int) bool { return i%2 == 1 }

// Autoregressive returns the problem of scripts/baselines/sobi_oracle.py: uniform draws through
// one-pole filters, which give the sources s different spectra, and their mixture x, d×n.
func Autoregressive(d, n int) (s, x *mat.Dense) {
	g := Generator(d)
	s, a := g.Matrix(d, n), g.Matrix(d, d)
	for i := range d {
		row := s.RawRowView(i)
		for t := 1; t < n; t++ {
			row[t] += float64(2*i+1-d) / float64(d) * row[t-1]
		}
	}
	x = mat.NewDense(d, n, nil)
	x.Mul(a, s)
	return s, x
}

// Start returns an initial d×d matrix for iterations, as scripts/baselines/problem.py does.
func Start(d int, seed uint64) *mat.Dense {
	g := Generator(1000 + seed)
	return g.Matrix(d, d)
}
