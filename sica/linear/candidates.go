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
	"github.com/seed-47b1e431/gosica/sica/pca"
)

const (
	// fastICAIterations bounds FastICA's iterations for a candidate, whose end only has to lie in
	// the right basin. More costs time only.
	fastICAIterations = 100
	// briefIterations bounds them for more than fewSignals signals with minBriefPositions each,
	// after FastICA of the innovations has converged, and where FastICA doesn't find the sources
	// anyway.
	briefIterations = 30
	// minHopefulPositions is how many positions each of manySignals or more must have for FastICA
	// to find the sources.
	minHopefulPositions, manySignals = 16, 64
	// fastICATolerance ends FastICA's iterations: scikit-learn's default. Twice of it is an angle
	// of a degree, which a descent corrects in a step.
	fastICATolerance = 1e-4
	// maxPredictors bounds the values that the innovations of all signals together are predicted
	// from, d for each lag. More takes time and memory (512² moments), less shortens the pasts of
	// many signals.
	maxPredictors = 512
	// firstValues is how many values of each signal's past are tried first. More takes time, less
	// misses pasts that begin late. It is a choice.
	firstValues = 8
	// maxSweeps and sweepTolerance (radians) end joint diagonalisation. A candidate's angle
	// only has to be right to some degrees.
	maxSweeps, sweepTolerance = 30, 1e-4
)

// spectraLags are the lags whose covariances the candidate from spectra makes diagonal: the
// nearest, and some that reach further (A. Belouchrani, K. Abed-Meraim, J.-F. Cardoso, E.
// Moulines, IEEE Trans. Signal Processing 45(2), 1997).
var spectraLags = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 100}

// varianceBlocks are into how many blocks the candidate from variances cuts the positions.
var varianceBlocks = []int{8, 32}

// A candidate is a demixing that a descent begins with. It only has to lie in the basin of the best
// demixing. Each candidate uses one way in which sources differ.
type candidate struct {
	name string
	b    *mat.Dense // d×d, of the white signals
}

// Names of candidates.
const (
	whiteningName     = "whitening"
	ofInnovationsName = "FastICA of innovations"
)

// candidates are the demixings of the white signals that descents begin with.
type candidates struct {
	all         []candidate
	skipped     []Skipped  // those that failed
	innovations *mat.Dense // of the white signals; nil if there is one signal
	converged   bool       // whether FastICA of them did
}

// candidates returns the candidates for the white signals except those of addFurther.
func (s *separator) candidates(ctx context.Context) (*candidates, error) {
	c := &candidates{all: []candidate{{name: whiteningName, b: rotation.Identity(s.d)}}}
	if s.d == 1 {
		return c, nil
	}
	c.innovations = s.innovations()
	if len(s.past.Lags) > 0 {
		err := c.add(ctx, "spectra", func() (*mat.Dense, error) { return s.spectra(ctx) })
		if err != nil {
			return nil, err
		}
	}
	if c.innovations == s.z {
		return c, nil
	}
	return c, c.add(ctx, ofInnovationsName, func() (b *mat.Dense, err error) {
		b, c.converged, err = fastICA(ctx, c.innovations, s.seed, s.fastICALimit())
		return b, err
	})
}

// addFurther adds FastICA's demixing of the white signals z of s, and the one whose innovations have
// diagonal covariances in blocks of positions.
func (c *candidates) addFurther(ctx context.Context, s *separator) error {
	if s.d == 1 {
		return nil
	}
	limit := s.fastICALimit()
	if s.d > fewSignals && c.converged {
		limit = min(limit, briefIterations)
	}
	err := c.add(ctx, "FastICA", func() (*mat.Dense, error) {
		b, _, err := fastICA(ctx, s.z, s.seed, limit)
		return b, err
	})
	if err != nil {
		return err
	}
	return c.add(ctx, "variances", func() (*mat.Dense, error) {
		return varianceDemixing(ctx, c.innovations)
	})
}

// add adds a candidate by its demixing, if there is one. It is an error if ctx ends.
func (c *candidates) add(
	ctx context.Context, name string, demix func() (*mat.Dense, error),
) error {
	b, err := demix()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("candidate %s: %w", name, ctx.Err())
	case err != nil:
		c.skipped = append(c.skipped, Skipped{name, err.Error()})
	case b != nil:
		c.all = append(c.all, candidate{name: name, b: b})
	}
	return nil
}

// spectra returns the rotation that makes the covariances with the past as diagonal as
// possible, nil for too few positions.
func (s *separator) spectra(ctx context.Context) (*mat.Dense, error) {
	_, positions := s.z.Dims()
	lags := spectraLags
	if !s.past.Sequence() {
		lags = s.past.Lags
	}
	var all []*mat.SymDense
	for _, lag := range lags {
		switch k := slices.Index(s.past.Lags, lag); {
		case lag >= positions/4: // too few products
		case k >= 0:
			all = append(all, symmetric(s.moments.Between(0, k+1), 1))
		default:
			all = append(all, covariance(s.z, 0, lag, positions-lag))
		}
	}
	return diagonalise(ctx, all)
}

// fastICALimit returns the most iterations of FastICA for a candidate.
func (s *separator) fastICALimit() int {
	perSignal := s.past.N / s.d
	if s.d > fewSignals && perSignal >= minBriefPositions ||
		s.d >= manySignals && perSignal < minHopefulPositions {
		return briefIterations
	}
	return fastICAIterations
}

// fastICA returns FastICA's demixing of z, and whether it converged.
func fastICA(
	ctx context.Context, z *mat.Dense, seed uint64, maxIterations int,
) (unmixing *mat.Dense, converged bool, err error) {
	white, err := pca.Whiten(z)
	if err != nil {
		return nil, false, err
	}
	d, _ := z.Dims()
	w := fastica.Start(seed, d)
	converged, err = iterateFastICA(ctx, white.White, w, maxIterations, false)
	if err != nil {
		return nil, false, err
	}
	unmixing = new(mat.Dense)
	unmixing.Mul(w, white.Matrix)
	return unmixing, converged, nil
}

// iterateFastICA replaces the demixing w of the white signals by that of FastICA, after at most
// maxIterations. Of long sequences a part is demixed first, after whitening it: signals that aren't
// quite white can keep FastICA from converging. Iterations with all positions follow if those
// converge: they begin close to their end. Otherwise the contrast is nearly the same in all
// directions, as for Gaussian signals, and all positions would take as many iterations for another
// arbitrary demixing. With noise it can be so for the part only; with persistent they follow in any
// case. If the part can't be whitened, all iterations are with all positions.
func iterateFastICA(
	ctx context.Context, white, w *mat.Dense, maxIterations int, persistent bool,
) (converged bool, err error) {
	if part := signal.Part(white); part != white {
		if whitening, err := pca.Whiten(part); err == nil {
			_, converged, err := fastica.Iterate(ctx, whitening.White, w, fastICATolerance, maxIterations)
			if err != nil {
				return false, err
			}
			w.Mul(w, whitening.Matrix)
			if !converged && !persistent {
				return false, nil
			}
		}
	}
	_, converged, err = fastica.Iterate(ctx, white, w, fastICATolerance, maxIterations)
	return converged, err
}

// innovationBlock is how many positions innovations works on at a time, so that they stay in the
// processor's cache.
const innovationBlock = 192

// innovations returns the errors of the prediction of z from the past of all signals together, at
// the scored positions; z itself if the past predicts nothing. With too many weights they look
// Gaussian. So Akaike's criterion says how many there are.
func (s *separator) innovations() *mat.Dense {
	weights := s.jointPrediction() // [order·d, d]
	if weights == nil {
		return s.z
	}
	size, _ := weights.Dims()
	r := mat.NewDense(s.d, s.past.N, nil)
	scored := 0 // positions before the block
	for _, run := range s.past.Runs {
		for first := run.First; first < run.End; first += innovationBlock {
			length := min(innovationBlock, run.End-first)
			for i := range s.d {
				copy(r.RawRowView(i)[scored:][:length], s.z.RawRowView(i)[first:])
			}
			for k := range size / s.d {
				lagged := s.z.RawMatrix() // the block one of the lags earlier
				lagged.Cols, lagged.Data = length, lagged.Data[first-s.past.Lags[k]:]
				w := weights.RawMatrix()
				for i := range s.d { // rᵢ −= laggedᵀ·w with the weights of signal i at the lag
					errors := blas64.Vector{N: length, Inc: 1, Data: r.RawRowView(i)[scored:]}
					column := blas64.Vector{N: s.d, Inc: w.Stride, Data: w.Data[k*s.d*w.Stride+i:]}
					blas64.Gemv(blas.Trans, -1, lagged, column, 1, errors)
				}
			}
			scored += length
		}
	}
	return r
}

// jointPrediction returns the weights of the prediction of z from the nearest values of all signals'
// past, [order·d, d], as ar.JointPrediction does; nil if there are none. More values are tried as long
// as the order is more than half of those tried. Those of an image are from all neighbours, which come
// in shells.
func (s *separator) jointPrediction() *mat.Dense {
	_, positions := s.z.Dims()
	limit := min(len(s.past.Lags), positions/(positionsPerWeight*s.d), maxPredictors/s.d)
	if len(s.past.Lags) > 0 {
		limit = max(limit, 1)
	}
	if limit == 0 {
		return nil
	}
	if !s.past.Sequence() {
		return s.predictionFrom(limit)
	}
	for values := min(firstValues, limit); ; values = min(2*values, limit) {
		weights := s.predictionFrom(values)
		order := 0
		if weights != nil {
			order = weights.RawMatrix().Rows / s.d
		}
		if values == limit || 2*order <= values {
			return weights
		}
	}
}

// predictionFrom is jointPrediction from at most limit values of each signal's past.
func (s *separator) predictionFrom(limit int) *mat.Dense {
	size := limit * s.d
	gram, cross := mat.NewSymDense(size, nil), mat.NewDense(size, s.d, nil)
	for k := range limit {
		block := cross.Slice(k*s.d, (k+1)*s.d, 0, s.d).(*mat.Dense)
		block.Copy(s.moments.Between(0, k+1).T())
		for l := k; l < limit; l++ {
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
	// z has variance 1.
	if !s.past.Sequence() {
		return ar.Solve(gram, cross, ar.MomentRidge)
	}
	return ar.JointPrediction(gram, cross, s.moments.Between(0, 0), s.past.N)
}

// covariance is the mean of z_t·z_{t+lag}ᵀ, made symmetric, from first on.
func covariance(z *mat.Dense, first, lag, n int) *mat.SymDense {
	d, _ := z.Dims()
	slice := func(first int) *mat.Dense { return z.Slice(0, d, first, first+n).(*mat.Dense) }
	c := mat.NewDense(d, d, nil)
	signal.Products(c, slice(first), slice(first+lag))
	return symmetric(c, float64(n))
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
		all = append(all, symmetric(sums[lag], float64(n-lag)))
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
	e := newEigen(covariance(innovations, 0, 0, n))
	if e == nil {
		return nil, nil
	}
	white := mat.NewDense(d, d, nil) // the demixing that whitens the innovations
	for i, v := range e.values {
		if v <= 0 {
			return nil, nil
		}
		for j := range d {
			white.Set(i, j, e.vectors.At(j, i)/math.Sqrt(v))
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
			all = append(all, symmetric(&c, mat.Trace(&c)/float64(d)))
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
