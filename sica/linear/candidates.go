package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/fastica"
	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A candidate is a demixing that a descent begins with. Each knows one way in which sources
// differ, and only has to lie in the basin of the best demixing.
type candidate struct {
	name     string
	b        *mat.Dense // d×d, of the white signals
	textbook bool       // whether it is that of a textbook method: FastICA, or SOBI with few lags
}

// candidates returns those for the white signals, and those that failed.
func (s *separator) candidates(
	ctx context.Context, seed uint64,
) (all []candidate, skipped []Skipped, err error) {
	all = []candidate{{name: "whitening", b: rotation.Identity(s.d)}}
	if s.d == 1 {
		return all, nil, nil
	}
	innovations := s.innovations()
	for _, c := range []struct {
		name     string
		applies  bool
		textbook bool
		demix    func() (*mat.Dense, error)
	}{
		{"spectra", len(s.past.Lags) > 0, true,
			func() (*mat.Dense, error) { return s.spectra(ctx) }},
		{"FastICA", true, true, func() (*mat.Dense, error) { return fastICA(ctx, s.z, seed) }},
		{"FastICA of innovations", innovations != s.z, false,
			func() (*mat.Dense, error) { return fastICA(ctx, innovations, seed) }},
		{"variances", true, false,
			func() (*mat.Dense, error) { return varianceDemixing(ctx, innovations) }},
	} {
		if !c.applies {
			continue
		}
		b, err := c.demix()
		switch {
		case ctx.Err() != nil:
			return nil, nil, fmt.Errorf("candidate %s: %w", c.name, ctx.Err())
		case err != nil:
			skipped = append(skipped, Skipped{c.name, err.Error()})
		case b != nil:
			all = append(all, candidate{name: c.name, b: b, textbook: c.textbook})
		}
	}
	return all, skipped, nil
}

// spectra returns the rotation that makes the covariances with the past as diagonal as
// possible, nil for too few positions.
func (s *separator) spectra(ctx context.Context) (*mat.Dense, error) {
	_, positions := s.z.Dims()
	lags := spectraLags
	if !s.past.Sequence() {
		lags = s.past.Lags
	}
	lags = slices.DeleteFunc(slices.Clone(lags), func(lag int) bool { return lag >= positions/4 })
	return diagonalise(ctx, laggedCovariances(s.z, lags))
}

// fastICA returns FastICA's demixing of z.
func fastICA(ctx context.Context, z *mat.Dense, seed uint64) (*mat.Dense, error) {
	white, err := signal.Whiten(z)
	if err != nil {
		return nil, err
	}
	d, _ := z.Dims()
	w := fastica.Start(seed, d)
	if err := iterateFastICA(ctx, white.White, w, fastICAIterations); err != nil {
		return nil, err
	}
	var unmixing mat.Dense
	unmixing.Mul(w, white.Matrix)
	return &unmixing, nil
}

// iterateFastICA replaces the demixing w of the white signals by that of FastICA, after at most
// maxIterations. Of long sequences a part is demixed first, after whitening it: signals that aren't
// quite white can keep FastICA from converging. Iterations with all positions follow if those
// converge: they begin close to their end. Otherwise the contrast is nearly the same in all
// directions, as for Gaussian signals, and all positions would take as many iterations for another
// arbitrary demixing. If the part can't be whitened, all iterations are with all positions.
func iterateFastICA(ctx context.Context, white, w *mat.Dense, maxIterations int) error {
	if part := signal.Part(white); part != white {
		if whitening, err := signal.Whiten(part); err == nil {
			_, converged, err := fastica.Iterate(ctx, whitening.White, w, fastICATolerance, maxIterations)
			if err != nil {
				return err
			}
			w.Mul(w, whitening.Matrix)
			if !converged {
				return nil
			}
		}
	}
	_, _, err := fastica.Iterate(ctx, white, w, fastICATolerance, maxIterations)
	return err
}

// innovationBlock is how many positions innovations works on at a time, so that they stay in the
// processor's cache. Twice and half of it cost time only.
const innovationBlock = 192

// innovations are what the past of all signals together doesn't tell about z, at
// the scored positions; z itself if there is no past.
func (s *separator) innovations() *mat.Dense {
	_, positions := s.z.Dims()
	order := min(len(s.past.Lags), positions/(positionsPerWeight*s.d), maxPredictors/s.d)
	if len(s.past.Lags) > 0 {
		order = max(order, 1)
	}
	if order == 0 {
		return s.z
	}
	size := order * s.d
	gram, cross := mat.NewSymDense(size, nil), mat.NewDense(size, s.d, nil)
	for k := range order {
		copyBlock(cross, k*s.d, 0, s.moments.Between(0, k+1).T())
		for l := k; l < order; l++ {
			c := s.moments.Between(k+1, l+1)
			for i := range s.d {
				for j := range s.d {
					if k*s.d+i <= l*s.d+j {
						gram.SetSym(k*s.d+i, l*s.d+j, c.At(i, j))
					}
				}
			}
		}
	}
	weights := ar.Solve(gram, cross, ar.MomentRidge) // [order·d, d]; z has variance 1
	if weights == nil {
		return s.z
	}
	r := mat.NewDense(s.d, s.past.N, nil)
	at := 0
	for _, run := range s.past.Runs {
		for first := run.First; first < run.End; first += innovationBlock {
			block := blas64.General{Rows: s.d, Cols: min(innovationBlock, run.End-first),
				Stride: s.past.N, Data: r.RawMatrix().Data[at:]}
			before := s.z.RawMatrix()
			before.Cols = block.Cols
			for i := range s.d {
				copy(block.Data[i*block.Stride:][:block.Cols], s.z.RawRowView(i)[first:])
			}
			for k := range order {
				w := weights.RawMatrix()
				w.Rows, w.Data = s.d, w.Data[k*s.d*w.Stride:]
				before.Data = s.z.RawMatrix().Data[first-s.past.Lags[k]:]
				blas64.Gemm(blas.Trans, blas.NoTrans, -1, w, before, 1, block)
			}
			at += block.Cols
		}
	}
	return r
}

func copyBlock(to *mat.Dense, i, j int, from mat.Matrix) {
	r, c := from.Dims()
	to.Slice(i, i+r, j, j+c).(*mat.Dense).Copy(from)
}

// covariance is the mean of z_t·z_{t+lag}ᵀ, made symmetric, from first on.
func covariance(z *mat.Dense, first, lag, n int) *mat.SymDense {
	d, _ := z.Dims()
	a := z.RawMatrix()
	b := a
	a.Cols, b.Cols = n, n
	a.Data, b.Data = a.Data[first:], b.Data[first+lag:]
	c := mat.NewDense(d, d, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1/float64(n), a, b, 0, c.RawMatrix())
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2)
		}
	}
	return sym
}

// laggedCovariances returns covariance(z, 0, lag, n−lag) for each of the lags, up to rounding.
func laggedCovariances(z *mat.Dense, lags []int) []*mat.SymDense {
	if len(lags) == 0 {
		return nil
	}
	d, n := z.Dims()
	p := past.NewLaggedProducts(d, slices.Max(lags))
	p.Add(z, 0, n)
	sums := p.Sums()
	var all []*mat.SymDense
	for _, lag := range lags {
		c, sum := mat.NewSymDense(d, nil), sums[lag]
		for i := range d {
			for j := range i + 1 {
				c.SetSym(i, j, (sum.At(i, j)+sum.At(j, i))/2/float64(n-lag))
			}
		}
		all = append(all, c)
	}
	return all
}

// diagonalise returns the rotation that makes all of the covariances as diagonal as one can,
// nil if there are none.
func diagonalise(ctx context.Context, all []*mat.SymDense) (*mat.Dense, error) {
	if len(all) == 0 {
		return nil, nil
	}
	r, err := jointdiag.Orthogonal(ctx, all, sweepTolerance, maxSweeps)
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(r.V.T()), nil
}

// varianceDemixing returns the demixing that makes the covariances of blocks of positions as
// diagonal as one can (D.-T. Pham, J.-F. Cardoso, IEEE Trans. Signal Processing 49(9), 2001),
// nil for too few positions.
func varianceDemixing(ctx context.Context, innovations *mat.Dense) (*mat.Dense, error) {
	d, n := innovations.Dims()
	whole := covariance(innovations, 0, 0, n)
	var eigen mat.EigenSym
	if !eigen.Factorize(whole, true) {
		return nil, nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	white := mat.NewDense(d, d, nil)
	for i, v := range eigen.Values(nil) {
		if v <= 0 {
			return nil, nil
		}
		for j := range d {
			white.Set(i, j, vectors.At(j, i)/math.Sqrt(v))
		}
	}
	var all []*mat.SymDense
	for _, blocks := range varianceBlocks {
		length := n / blocks
		if length < 4*d {
			continue
		}
		for b := range blocks {
			var c mat.Dense
			c.Product(white, covariance(innovations, b*length, 0, length), white.T())
			trace := mat.Trace(&c) / float64(d)
			sym := mat.NewSymDense(d, nil)
			for i := range d {
				for j := range i + 1 {
					sym.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2/trace)
				}
			}
			all = append(all, sym)
		}
	}
	v, err := diagonalise(ctx, all)
	if v == nil || err != nil {
		return nil, err
	}
	var b mat.Dense
	b.Mul(v, white)
	return &b, nil
}
