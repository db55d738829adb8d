package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// evidenceBlocks are the parts of the positions that description lengths are kept of.
const evidenceBlocks = 16

// A gain in description length, in nats, says which of two demixings is likelier. It
// counts as evidence, which is said to the caller, by what is left of it without the
// sixteenth of the positions that speaks most for it: a few outliers are no evidence.
type gain struct{ all, evidence float64 }

// gained is the gain of after over before, whose values stand for parts of the positions.
func gained(before, after []float64) gain {
	parts := make([]float64, len(before))
	floats.SubTo(parts, before, after)
	all := floats.Sum(parts)
	return gain{all, all - floats.Max(parts)}
}

// lengths are the description lengths of sixteenths of the positions.
func (m *demixing) lengths() []float64 {
	nats := make([]float64, evidenceBlocks)
	logDet, _ := mat.LogDet(m.b)
	for i := range m.sources {
		m.sources[i].lengths(nats)
	}
	floats.AddConst(-logDet*float64(len(m.sources[0].u))/evidenceBlocks, nats)
	return nats
}

// turned returns what each pair of the recovered signals gains by being where it is, in
// the order (1, 0), (2, 0), (2, 1), …: what turning it by 45°, where it would be most wrong,
// and fitting new models to it costs. Signals are turned in the scale of their innovations.
func (s *separator) turned(ctx context.Context, m *demixing, p *derivatives) ([]gain, error) {
	own := make([][]float64, s.d)
	for i := range own {
		own[i] = make([]float64, evidenceBlocks)
		m.sources[i].lengths(own[i])
	}
	_, positions := s.z.Dims()
	size := len(s.past.lags) + 1
	var pairs [][2]int
	for i := range s.d {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	gains := make([]gain, len(pairs))
	err := s.each(ctx, len(pairs), func(c *coder, k int) {
		i, j := pairs[k][0], pairs[k][1]
		c.turned = resize(c.turned, positions)
		source := source{q: make([]float64, size*size)}
		b := make([]float64, s.d)
		before, after := make([]float64, evidenceBlocks), make([]float64, evidenceBlocks)
		ratio := math.Sqrt(p.scores[j].square / p.scores[i].square) // of the scale of i over that of j
		for _, side := range []struct {
			of, other int
			add       float64
		}{{i, j, -ratio}, {j, i, 1 / ratio}} {
			mix(c.turned, m.y.RawRowView(side.of), m.y.RawRowView(side.other), side.add)
			mix(b, m.b.RawRowView(side.of), m.b.RawRowView(side.other), side.add)
			s.moments.of(source.q, b, c.turned)
			c.choose(&source, c.turned)
			source.lengths(after)
		}
		floats.AddTo(before, own[i], own[j])
		gains[k] = gained(after, before)
	})
	return gains, err
}

// mix sets y to (a + share·b)/√2.
func mix(y, a, b []float64, share float64) {
	for t, v := range a {
		y[t] = (v + share*b[t]) * math.Sqrt2 / 2
	}
}

// groups joins the signals of pairs with less evidence than enough, and returns
// each group's signals in order.
func groups(evidence *mat.SymDense, enough float64) [][]int {
	d := evidence.SymmetricDim()
	label := make([]int, d)
	for i := range label {
		label[i] = i
	}
	for i := range d {
		for j := range i {
			if from, to := label[i], label[j]; from != to && evidence.At(i, j) < enough {
				for k := range label {
					if label[k] == from {
						label[k] = to
					}
				}
			}
		}
	}
	var all [][]int
	for l := range d {
		var group []int
		for i, v := range label {
			if v == l {
				group = append(group, i)
			}
		}
		if group != nil {
			all = append(all, group)
		}
	}
	return all
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
		return s.overAlike(m, g...).evidence
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
	weight := make([]float64, d)
	for _, i := range group {
		for j := range d {
			weight[j] += shares.At(i, j) * shares.At(i, j)
		}
	}
	index := make([]int, d)
	floats.Argsort(weight, index)
	part := mat.NewDense(len(group), len(group), nil)
	for a, i := range group {
		for c, j := range index[d-len(group):] {
			part.Set(a, c, shares.At(i, j))
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
