package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

const (
	maxLags       = 24 // values of a sequence's past: a resolution, three times the order of the paper's AR(7)
	maxNeighbours = 18 // of an image's or a video's: complete shells around the position up to it

	// A prediction of p values for d signals has p·d weights to choose from, and p
	// for each alone: this many positions are wanted for each. A prior.
	positionsPerLag, positionsPerWeight = 12, 3

	blockLength = 1024 // positions worked on at a time, which stay in the fastest cache
)

// A past says which values come before a position. The k-th of the position with
// row-major index t is that at t − lags[k], nearest first: of a sequence the values
// before, of an image or video the half of the neighbourhood that comes earlier
// in row-major order.
//
// Only positions with a complete past are scored. A likelihood that is conditional
// on the first values makes no statement about where a signal began: the paper's
// AR(7) begins ten times larger than it goes on.
type past struct {
	lags     []int
	distance []float64 // of those values
	runs     []run     // of positions that are scored, in order
	n        int       // how many those are
	sides    []int     // of the box that they fill, row-major
}

// A run is the positions from first to before end.
type run struct{ first, end int }

// newPast returns the past of d signals with positions of the given shape.
func newPast(shape []int, d int) past {
	total := grid.Product(shape)
	most := maxLags
	if len(shape) > 1 {
		most = maxNeighbours
	}
	return pastOf(shape, min(most, total/positionsPerLag, total/(positionsPerWeight*d)))
}

// pastOf returns the past of at most the given number of values: of an image or
// video in complete shells.
func pastOf(shape []int, limit int) past {
	total := grid.Product(shape)
	if len(shape) == 1 {
		return sequencePast(limit, total)
	}
	offsets := earlier(shape, limit)
	reach := make([]int, len(shape)) // along each side
	p := past{sides: make([]int, len(shape))}
	for _, o := range offsets {
		lag := 0
		for a, v := range o {
			lag = lag*shape[a] - v
			reach[a] = max(reach[a], v, -v)
		}
		p.lags = append(p.lags, lag)
		p.distance = append(p.distance, math.Sqrt(float64(squared(o))))
	}
	p.n = 1
	for a, side := range shape {
		p.sides[a] = side - 2*reach[a]
		if a == 0 { // nothing comes from further down
			p.sides[a] = side - reach[a]
		}
		p.n *= p.sides[a]
	}
	// Runs along the last side.
	last := len(shape) - 1
	index := make([]int, last)
	for range p.n / p.sides[last] {
		first := 0
		for a := range index {
			first = first*shape[a] + index[a] + reach[a]
		}
		first = first*shape[last] + reach[last]
		p.runs = append(p.runs, run{first, first + p.sides[last]})
		for a := last - 1; a >= 0; a-- {
			if index[a]++; index[a] < p.sides[a] {
				break
			}
			index[a] = 0
		}
	}
	return p
}

// sequencePast is the past of p values of a sequence.
func sequencePast(p, positions int) past {
	p = min(p, positions-1)
	s := past{runs: []run{{p, positions}}, n: positions - p, sides: []int{positions - p}}
	for k := 1; k <= p; k++ {
		s.lags = append(s.lags, k)
		s.distance = append(s.distance, float64(k))
	}
	return s
}

// earlier returns the offsets of the neighbours that come before a position,
// nearest first, in complete shells of one distance up to limit in all, none
// further than a fourth of the side.
func earlier(shape []int, limit int) [][]int {
	const reach = 3 // 18 neighbours of an image lie within √10
	all := [][]int{nil}
	for _, side := range shape {
		var longer [][]int
		for _, o := range all {
			for v := -min(reach, side/4); v <= min(reach, side/4); v++ {
				longer = append(longer, append(slices.Clone(o), v))
			}
		}
		all = longer
	}
	all = all[:len(all)/2] // those before the origin, which is in the middle
	slices.SortStableFunc(all, func(a, b []int) int { return cmp.Compare(squared(a), squared(b)) })
	if limit < len(all) {
		for limit > 0 && squared(all[limit-1]) == squared(all[limit]) {
			limit--
		}
		all = all[:limit]
	}
	return all
}

// squared is the squared length of an offset.
func squared(offset []int) (sum int) {
	for _, v := range offset {
		sum += v * v
	}
	return sum
}

// predictionError sets r, [n], to the signal y, [T], at the scored positions less
// what the weights make of the values before.
func (p *past) predictionError(r, y, weights []float64) {
	for _, run := range p.runs {
		for first := run.first; first < run.end; first += blockLength {
			end := min(first+blockLength, run.end)
			block := r[:end-first]
			copy(block, y[first:end])
			for k, w := range weights {
				lag := p.lags[k]
				floats.AddScaled(block, -w, y[first-lag:end-lag])
			}
			r = r[end-first:]
		}
	}
}

// adjoint sets a, [T], so that its product with any signal is that of psi, [n],
// with the signal's prediction error.
func (p *past) adjoint(a, psi, weights []float64) {
	clear(a)
	for _, run := range p.runs {
		for first := run.first; first < run.end; first += blockLength {
			end := min(first+blockLength, run.end)
			block := psi[:end-first]
			floats.Add(a[first:end], block)
			for k, w := range weights {
				lag := p.lags[k]
				floats.AddScaled(a[first-lag:end-lag], -w, block)
			}
			psi = psi[end-first:]
		}
	}
}

// moments are the second moments of signals z and their past. Those of any mixture
// b·z follow without going through the positions again.
type moments struct {
	past *past
	// Of a sequence cov[l] is the mean of z_t·z_{t−l}ᵀ. Otherwise they are those of
	// all pairs k ≤ l of 0 (the position itself) and 1…P, row by row.
	cov []*mat.Dense
}

func (p *past) sequence() bool { return len(p.sides) == 1 }

// newMoments goes through the signals z, d×T.
func newMoments(ctx context.Context, p *past, z *mat.Dense) (*moments, error) {
	m := &moments{past: p}
	d, _ := z.Dims()
	add := func(before, after int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := mat.NewDense(d, d, nil)
		raw := z.RawMatrix()
		for _, run := range p.runs {
			for first := run.first; first < run.end; first += 1 << 16 {
				a, b := raw, raw
				a.Cols = min(1<<16, run.end-first)
				b.Cols = a.Cols
				a.Data = raw.Data[first-before:]
				b.Data = raw.Data[first-after:]
				blas64.Gemm(blas.NoTrans, blas.Trans, 1/float64(p.n), a, b, 1, c.RawMatrix())
			}
		}
		m.cov = append(m.cov, c)
		return nil
	}
	lags := append([]int{0}, p.lags...)
	for k, before := range lags {
		for _, after := range lags[k:] {
			if err := add(before, after); err != nil {
				return nil, err
			}
		}
		if p.sequence() {
			break
		}
	}
	return m, nil
}

// of sets q, [P+1, P+1], to the second moments of the signal y = b·z, [T], and its
// past.
func (m *moments) of(q, b, y []float64) {
	size := len(m.past.lags) + 1
	quadratic := func(c *mat.Dense) (sum float64) {
		raw := c.RawMatrix()
		for i, v := range b {
			if v != 0 {
				sum += v * floats.Dot(raw.Data[i*raw.Stride:][:len(b)], b)
			}
		}
		return sum
	}
	if !m.past.sequence() {
		at := 0
		for k := range size {
			for l := k; l < size; l++ {
				v := quadratic(m.cov[at])
				q[k*size+l], q[l*size+k] = v, v
				at++
			}
		}
		return
	}
	for l := range size {
		q[l] = quadratic(m.cov[l])
		q[l*size] = q[l]
	}
	// Going one step further back, each run gains the product before its first
	// position and loses that at its last.
	for k := range size - 1 {
		for l := k; l < size-1; l++ {
			v := 0.0
			for _, r := range m.past.runs {
				v += y[r.first-1-k]*y[r.first-1-l] - y[r.end-1-k]*y[r.end-1-l]
			}
			v = q[k*size+l] + v/float64(m.past.n)
			q[(k+1)*size+l+1], q[(l+1)*size+k+1] = v, v
		}
	}
}
