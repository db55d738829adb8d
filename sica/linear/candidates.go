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
	// fastICAIterations bounds the iterations of FastICA for a candidate, which only has to reach
	// the right basin. More costs time only.
	fastICAIterations = 100
	// briefIterations bounds the iterations of FastICA for more than fewSignals signals: with
	// minBriefPositions positions each, after FastICA of the innovations has converged, or where
	// FastICA doesn't find the sources anyway.
	briefIterations = 30
	// minHopefulPositions is the least number of positions per signal with which FastICA finds the
	// sources of manySignals or more signals.
	minHopefulPositions, manySignals = 16, 64
	// fastICATolerance ends the iterations of FastICA: scikit-learn's default. Twice as much is an
	// angle of a degree, which a descent corrects in a step.
	fastICATolerance = 1e-4
	// maxPredictors bounds the number of past values, d for each lag, in the joint prediction of
	// all signals. More takes time and memory (512² moments), less shortens the pasts of many
	// signals.
	maxPredictors = 512
	// firstValues is the number of past values of each signal that the joint prediction tries
	// first. More takes time, less misses dependence that begins at larger lags. It is a choice.
	firstValues = 8
	// maxSweeps and sweepTolerance (radians) end joint diagonalisation. The angles of a candidate
	// only have to be right to some degrees.
	maxSweeps, sweepTolerance = 30, 1e-4
)

// spectraLags are the lags of the covariances that the candidate "spectra" diagonalises: the
// nearest lags, and some that reach further (A. Belouchrani, K. Abed-Meraim, J.-F. Cardoso, E.
// Moulines, IEEE Trans. Signal Processing 45(2), 1997).
var spectraLags = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 100}

// varianceBlocks are the numbers of blocks into which the candidate "variances" divides the
// positions.
var varianceBlocks = []int{8, 32}

// A candidate is a demixing from which a descent begins. It only has to lie in the basin of the
// best demixing. Each candidate uses one way in which sources differ.
type candidate struct {
	name string
	b    *mat.Dense // d×d, of the white signals
}

// Names of candidates.
const (
	whiteningName     = "whitening"
	ofInnovationsName = "FastICA of innovations"
)

// candidates are the demixings of the white signals from which descents begin.
type candidates struct {
	all         []candidate
	skipped     []Skipped  // those that failed
	innovations *mat.Dense // of the white signals; nil for a single signal
	converged   bool       // whether FastICA of the innovations converged
}

// candidates returns all candidates for the white signals except those of addFurther.
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

// addFurther adds two candidates: FastICA's demixing of the white signals s.z, and the demixing
// whose innovations have diagonal covariances in blocks of positions.
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

// add adds the candidate that demix returns, unless it is nil. A failed candidate is listed as
// skipped; only the end of ctx is an error.
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

// spectra returns the rotation that makes the lagged covariances as diagonal as possible; nil for
// too few positions.
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

// fastICALimit returns the largest number of FastICA iterations for a candidate.
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

// iterateFastICA replaces the demixing w of the white signals by FastICA's, after at most
// maxIterations, and reports whether FastICA converged. A part of a long sequence is demixed first,
// after whitening, since FastICA may not converge for signals that aren't quite white.
//
// If the part converges, iterations with all positions start close to their end. If not, the
// contrast is nearly the same in all directions, as for Gaussian signals, and all positions would
// only give another arbitrary demixing. Under noise this can be true of the part alone, so
// persistent iterates with all positions in any case. If the part can't be whitened, all iterations
// use all positions.
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

// innovationBlock is the number of positions that innovations handles at a time, to stay in the
// processor's cache.
const innovationBlock = 192

// innovations returns the errors of predicting z from the past of all signals together, at the
// scored positions; z itself if the past predicts nothing. With too many weights the errors look
// Gaussian, so Akaike's criterion limits the number.
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

// jointPrediction returns the weights, [order·d, d], that predict z from the nearest past values of
// all signals, as ar.JointPrediction does; nil if there are none. The number of past values tried
// doubles as long as the order is more than half of it. An image uses all neighbours, since these
// come in shells.
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

// predictionFrom returns the weights of jointPrediction for at most limit past values of each
// signal.
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

// covariance returns the symmetric part of the mean of z_t·z_{t+lag}ᵀ over the n positions t from
// first on.
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

// diagonalise returns the rotation that makes the covariances jointly as diagonal as possible; nil
// if there are none.
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
// diagonal as possible (D.-T. Pham, J.-F. Cardoso, IEEE Trans. Signal Processing 49(9), 2001), nil
// for too few positions.
func varianceDemixing(ctx context.Context, innovations *mat.Dense) (*mat.Dense, error) {
	d, n := innovations.Dims()
	e := newEigen(covariance(innovations, 0, 0, n))
	if e == nil || e.values[0] <= 0 {
		return nil, nil
	}
	white := mat.NewDense(d, d, nil) // the demixing that whitens the innovations
	white.Apply(func(i, _ int, v float64) float64 { return v / math.Sqrt(e.values[i]) }, e.vectors.T())
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
