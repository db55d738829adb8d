package fastica

import "gonum.org/v1/gonum/mat"

// A generator is Knuth's 64-bit linear congruential generator (MMIX). It, mixed
// and start are those of scripts/baselines/problem.py, to the last bit.
type generator struct{ state uint64 }

// uniform returns a number from [−1, 1).
func (g *generator) uniform() float64 {
	g.state = g.state*6364136223846793005 + 1442695040888963407
	return float64(g.state>>11)*0x1p-52 - 1
}

func (g *generator) matrix(rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return g.uniform() }, m)
	return m
}

// mixed is d signals at n positions, mixed by a. Every other source is uniform;
// the rest are fifth powers of that, which have heavier tails than a Gaussian.
func mixed(d, n int) (x, a *mat.Dense) {
	g := &generator{uint64(d)}
	s := g.matrix(d, n)
	a = g.matrix(d, d)
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
func start(d int, seed uint64) *mat.Dense { return (&generator{1000 + seed}).matrix(d, d) }
