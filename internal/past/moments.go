package past

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// blockLength is the number of positions handled at a time, to stay in the first-level cache: 8
// KiB. It affects no result.
const blockLength = 1024

// PredictionError sets r, [N], to the signal y, [n], at the positions with a complete past, minus
// its prediction by the weights from the first len(weights) values of the past.
func (p *Past) PredictionError(r, y, weights []float64) {
	for _, run := range p.Runs {
		for first := run.First; first < run.End; first += blockLength {
			end := min(first+blockLength, run.End)
			block := r[:end-first]
			copy(block, y[first:end])
			for k, w := range weights {
				lag := p.Lags[k]
				floats.AddScaled(block, -w, y[first-lag:end-lag])
			}
			r = r[end-first:]
		}
	}
}

// Adjoint sets a, [n], such that its inner product with any signal equals that of psi, [N], with
// the signal's PredictionError.
func (p *Past) Adjoint(a, psi, weights []float64) {
	set := 0 // number of entries set so far
	for _, run := range p.Runs {
		clear(a[set:run.First])
		set = run.End
		for first := run.First; first < run.End; first += blockLength {
			end := min(first+blockLength, run.End)
			block := psi[:end-first]
			copy(a[first:end], block)
			for k, w := range weights {
				lag := p.Lags[k]
				floats.AddScaled(a[first-lag:end-lag], -w, block)
			}
			psi = psi[end-first:]
		}
	}
	clear(a[set:])
}

// Moments are the second moments of signals z and their past. The moments of any mixture b·z follow
// without another pass over the positions.
type Moments struct {
	past *Past
	// For a sequence, cov[l] is the mean of z_t·z_{t−l}ᵀ. Otherwise cov has the moments of all
	// pairs k ≤ l of 0 (the position itself) and 1…P, row by row.
	cov []*mat.Dense
}

// Up to directLags + directTime/d lags of d signals, or below directProducts positions times lags,
// moments are computed as sums over the positions, and beyond by LaggedProducts, which is then
// faster. The product of two signals at one lag takes 0.22 ns per position, LaggedProducts 33 ns
// for each signal and 2.1 ns for each pair (one core of an Intel Xeon). The constants affect only
// time.
const directLags, directTime, directProducts = 10, 150, 1 << 15

// NewMoments returns the moments of the signals z, d×n. It stops with ctx's error when ctx
// ends.
func NewMoments(ctx context.Context, p *Past, z *mat.Dense) (*Moments, error) {
	lags := append([]int{0}, p.Lags...)
	d, _ := z.Dims()
	if p.Sequence() && len(lags) > directLags+directTime/d && p.N*len(lags) >= directProducts {
		products := NewLaggedProducts(d, len(p.Lags))
		for _, run := range p.Runs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			products.Add(z, run.First, run.End)
		}
		m := &Moments{past: p, cov: products.Sums()}
		for _, c := range m.cov {
			c.Scale(1/float64(p.N), c)
		}
		return m, nil
	}
	var pairs [][2]int // of lags
	for k, before := range lags {
		for _, after := range lags[k:] {
			pairs = append(pairs, [2]int{before, after})
		}
		if p.Sequence() {
			break
		}
	}
	return p.direct(ctx, z, pairs)
}

// direct returns the means of z_{t−before}·z_{t−after}ᵀ, d×d, for the pairs (before, after).
func (p *Past) direct(ctx context.Context, z *mat.Dense, pairs [][2]int) (*Moments, error) {
	d, _ := z.Dims()
	m := &Moments{past: p, cov: make([]*mat.Dense, len(pairs))}
	for k := range pairs {
		m.cov[k] = mat.NewDense(d, d, nil)
	}
	raw := z.RawMatrix()
	for _, run := range p.Runs {
		for first := run.First; first < run.End; first += blockLength {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			a, b := raw, raw
			a.Cols = min(blockLength, run.End-first)
			b.Cols = a.Cols
			for k, lags := range pairs {
				a.Data, b.Data = raw.Data[first-lags[0]:], raw.Data[first-lags[1]:]
				if d == 1 { // takes a third of the time
					sum := floats.Dot(a.Data[:a.Cols], b.Data[:b.Cols])
					m.cov[k].Set(0, 0, m.cov[k].At(0, 0)+sum/float64(p.N))
					continue
				}
				signal.AddProducts(m.cov[k].RawMatrix(), 1/float64(p.N), a, b)
			}
		}
	}
	return m, nil
}

// Between returns the moments, d×d, of the k-th and the l-th value of the past, k ≤ l; value 0 is
// the position itself. In a sequence they are exact up to edge effects.
func (m *Moments) Between(k, l int) *mat.Dense {
	if m.past.Sequence() {
		return m.cov[l-k]
	}
	size := len(m.past.Lags) + 1
	return m.cov[k*size-k*(k-1)/2+l-k]
}

// Mixed returns the moments of the k mixtures b·z, where b is k×d.
func (m *Moments) Mixed(b *mat.Dense) *Moments {
	mixed := &Moments{past: m.past, cov: make([]*mat.Dense, len(m.cov))}
	var half mat.Dense
	for l, c := range m.cov {
		half.Mul(b, c)
		mixed.cov[l] = new(mat.Dense)
		mixed.cov[l].Mul(&half, b.T())
	}
	return mixed
}

// Pair returns the moments of the i-th and the j-th signal alone.
func (m *Moments) Pair(i, j int) *Moments {
	pair := &Moments{past: m.past, cov: make([]*mat.Dense, len(m.cov))}
	for l, c := range m.cov {
		pair.cov[l] = mat.NewDense(2, 2, []float64{c.At(i, i), c.At(i, j), c.At(j, i), c.At(j, j)})
	}
	return pair
}

// Mixture sets q, [P+1, P+1], to the second moments of the signal y = b·z, [n], and its past.
func (m *Moments) Mixture(q, b, y []float64) {
	size := len(m.past.Lags) + 1
	weights := blas64.Vector{N: len(b), Inc: 1, Data: b}
	product := blas64.Vector{N: len(b), Inc: 1, Data: make([]float64, len(b))}
	quadratic := func(c *mat.Dense) float64 {
		blas64.Gemv(blas.NoTrans, 1, c.RawMatrix(), weights, 0, product)
		return floats.Dot(product.Data, b)
	}
	if !m.past.Sequence() {
		place := 0
		for k := range size {
			for l := k; l < size; l++ {
				v := quadratic(m.cov[place])
				q[k*size+l], q[l*size+k] = v, v
				place++
			}
		}
		return
	}
	for l := range size {
		q[l] = quadratic(m.cov[l])
		q[l*size] = q[l]
	}
	// One step further back, each run gains the product before its first position and loses the
	// product at its last.
	for k := range size - 1 {
		for l := k; l < size-1; l++ {
			v := 0.0
			for _, r := range m.past.Runs {
				v += y[r.First-1-k]*y[r.First-1-l] - y[r.End-1-k]*y[r.End-1-l]
			}
			v = q[k*size+l] + v/float64(m.past.N)
			q[(k+1)*size+l+1], q[(l+1)*size+k+1] = v, v
		}
	}
}

// SelfMoments returns the moments of one signal y and its past, [P+1, P+1].
func SelfMoments(ctx context.Context, p *Past, y []float64) ([]float64, error) {
	m, err := NewMoments(ctx, p, mat.NewDense(1, len(y), y))
	if err != nil {
		return nil, err
	}
	q := make([]float64, (len(p.Lags)+1)*(len(p.Lags)+1))
	m.Mixture(q, []float64{1}, y)
	return q, nil
}
