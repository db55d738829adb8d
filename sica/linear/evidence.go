package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// lengths are the description lengths of sixteenths of the positions.
func (m *demixing) lengths() []float64 {
	nats := make([]float64, evidence.Blocks)
	logDet, _ := mat.LogDet(m.b)
	for i := range m.sources {
		m.sources[i].lengths(nats)
	}
	floats.AddConst(-logDet*float64(len(m.sources[0].u))/evidence.Blocks, nats)
	return nats
}

// turned returns what each pair of the recovered signals gains by being where it is, in
// the order (1, 0), (2, 0), (2, 1), …: what turning it by 45°, where it would be most wrong,
// and fitting new models to it costs. Signals are turned in the scale of their innovations.
func (s *separator) turned(ctx context.Context, m *demixing, p *derivatives) ([]evidence.Gain, error) {
	own := make([][]float64, s.d)
	for i := range own {
		own[i] = make([]float64, evidence.Blocks)
		m.sources[i].lengths(own[i])
	}
	_, positions := s.z.Dims()
	size := len(s.past.Lags) + 1
	var pairs [][2]int
	for i := range s.d {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	gains := make([]evidence.Gain, len(pairs))
	err := s.each(ctx, len(pairs), func(c *coder, k int) {
		i, j := pairs[k][0], pairs[k][1]
		c.turned = resize(c.turned, positions)
		source := source{q: make([]float64, size*size)}
		b := make([]float64, s.d)
		before, after := make([]float64, evidence.Blocks), make([]float64, evidence.Blocks)
		ratio := math.Sqrt(p.scores[j].square / p.scores[i].square) // of the scale of i over that of j
		for _, side := range []struct {
			of, other int
			add       float64
		}{{i, j, -ratio}, {j, i, 1 / ratio}} {
			evidence.Rotate(c.turned, m.y.RawRowView(side.of), m.y.RawRowView(side.other), side.add)
			evidence.Rotate(b, m.b.RawRowView(side.of), m.b.RawRowView(side.other), side.add)
			s.moments.Mixture(source.q, b, c.turned)
			c.choose(&source, c.turned)
			source.lengths(after)
		}
		floats.AddTo(before, own[i], own[j])
		gains[k] = evidence.NewGain(after, before)
	})
	return gains, err
}

// joined returns the groups of signals whose pairs have less evidence than enough.
func joined(pairs *mat.SymDense, enough float64) [][]int {
	return evidence.Groups(pairs.SymmetricDim(), func(i, j int) bool { return pairs.At(i, j) < enough })
}

// join adds to each group of several signals of m those groups that, together with
// it, are hardly less alike than it is alone. Among many alike signals chance finds
// one that seems different from each other one: its angles with all of them, which
// cost what cost says, were chosen for that.
func (s *separator) join(ctx context.Context, m *demixing, groups [][]int, cost *mat.SymDense) ([][]int, error) {
	within := func(g []int) float64 {
		if len(g) == 1 {
			return 0
		}
		return s.overAlike(m, g...).Evidence
	}
	for k := 0; k < len(groups); k++ {
		g := groups[k]
		for l, other := range groups {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if l == k || len(g) == 1 {
				continue
			}
			both := slices.Sorted(slices.Values(slices.Concat(g, other)))
			gain := within(both) - within(g) - within(other)
			for _, i := range g {
				for _, j := range other {
					gain -= cost.At(i, j)
				}
			}
			if gain <= identified {
				groups[k] = both
				groups = slices.Delete(groups, l, l+1)
				k = -1 // from the first again
				break
			}
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return groups, nil
}

// orient turns the rows of b that form a group towards those of whitening: within a
// group nothing else is known. Both have rows in the scale of the innovations.
func orient(b, whitening *mat.Dense, group []int) {
	d, _ := b.Dims()
	var inverse, shares mat.Dense
	if inverse.Inverse(whitening) != nil {
		return
	}
	shares.Mul(b, &inverse) // of the whitened signals in the recovered ones
	of := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		of.SetRow(a, shares.RawRowView(i))
	}
	part := mat.NewDense(len(group), len(group), nil)
	for c, j := range evidence.Closest(of, len(group)) {
		for a := range group {
			part.Set(a, c, of.At(a, j))
		}
	}
	nearest, ok := rotation.Nearest(part)
	if !ok {
		return
	}
	var turned mat.Dense
	rows := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		rows.SetRow(a, b.RawRowView(i))
	}
	turned.Mul(nearest.T(), rows)
	for a, i := range group {
		b.SetRow(i, turned.RawRowView(a))
	}
}
