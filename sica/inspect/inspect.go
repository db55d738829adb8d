// Package inspect describes each recovered signal of a recording: how much of the channels'
// variance it explains and where, how its values are distributed, and what rhythm it has. It also
// measures how similar the signal is to a reference channel, such as that of the heart or of the
// eyes.
//
// Components returns a Component for each recovered signal of mixed signals in memory, and
// Recording of a recording of any length. A Removal measures what was taken out of each channel.
//
// The pattern of a component is its column of the mixing matrix, as in the forward models of S.
// Haufe et al., NeuroImage 87, 2014: with the signs of the recovered signals. After a nonlinear
// demixing it is by least squares. Coherence follows P. D.
// Welch, IEEE Trans. Audio and Electroacoustics 15(2), 1967.
package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

// A Component describes one recovered signal.
type Component struct {
	// Signal is its row, counted from 0.
	Signal int `json:"signal"`
	// Share is the share of the channels' variance that goes if it alone is removed, after each
	// channel is scaled to variance 1. Of a nonlinear result it is what the Pattern explains.
	Share float64 `json:"share"`
	// Pattern is what a value of 1 of the recovered signal adds to each channel, in the channel's
	// units: its column of [sica.Result.Patterns], with the sign and the scale of the signal. Of a
	// nonlinear result, which has no such matrix, it is its coefficients in the regression of the
	// channels on all recovered signals of the recording.
	Pattern []float64 `json:"pattern"`
	// Channel is the channel that loses the largest share of its variance if it alone is removed,
	// counted from 0, and ChannelShare that share.
	Channel      int     `json:"channel"`
	ChannelShare float64 `json:"channel_share"`
	// Kurtosis is the excess kurtosis: 0 for Gaussian values, and positive for rare large ones.
	Kurtosis float64 `json:"excess_kurtosis"`
	// Period is that of its strongest rhythm, in positions, and Rhythm is the autocorrelation
	// at that lag, at most a quarter of the longest stretch without a gap. Both are 0 if there is
	// no rhythm.
	Period float64 `json:"period"`
	Rhythm float64 `json:"rhythm"`
	// Correlation is that with the reference. Coherence is the share of the reference's
	// variance that a filter of the component explains. Both are 0 without a reference.
	Correlation float64 `json:"correlation"`
	Coherence   float64 `json:"coherence"`
	// Proposed is whether it is one to remove, by [Rule], if the reference records what
	// shouldn't be in the channels. It is false without a reference.
	Proposed bool `json:"proposed"`
	// Spectrum is the power in bands of equal width from 0 to half of the rate, as shares of all
	// power: at most 129, of which band k has its middle at k/(2·(len−1)) of the rate.
	Spectrum []float64 `json:"spectrum"`
	// Label is what it looks like, which [Labels] says; the zero Label from others.
	Label Label `json:"label,omitzero"`
}

// Rule is how components are proposed for removal, in words.
const Rule = "the size of the correlation, or the coherence, is at least 0.5"

// minShared is the correlation and the coherence from which a component is proposed. With less,
// other components than artefacts are proposed; with more, artefacts are missed
// (TestBlinksAreProposed).
const minShared = 0.5

const (
	// MinPositions is the smallest number of positions: a rhythm is looked for up to a quarter of
	// them.
	MinPositions = 16
	// blockSize is the number of positions that are analysed together. In a longer recording
	// rhythms and coherences are averages over blocks. More takes more memory, 0.5 MB a signal now.
	// The slowest rhythm that is found has a period of a quarter of it.
	blockSize = 1 << 16
)

// Components describes the recovered signals of the mixed signals x, d×n: those that the result was
// made from, or others of their kind. Outliers of a sequence, such as the click of an electrode,
// belong to no component: they are interpolated. The reference has a value for each position, such
// as the channel of an electrode near the eye; it is nil for none. The order is that of decreasing
// Coherence with a reference, and that of the signals without. The shape of the positions is for
// results that aren't pointwise, as that of [sica.Result.Transform].
//
// The error says if x doesn't fit the result or has fewer than 16 positions, if the reference has
// another length, or if the recovered signals are linearly dependent.
func Components(r *sica.Result, x *mat.Dense, reference []float64, shape ...int) ([]Component, error) {
	if reference == nil {
		return describe(r, blockwise.InMemory{Dense: x}, nil, shape)
	}
	if len(reference) == 0 {
		return nil, errors.New("inspect: reference: has no positions; must have those of x, or " +
			"be nil")
	}
	row := mat.NewDense(1, len(reference), reference)
	return describe(r, blockwise.InMemory{Dense: x}, blockwise.InMemory{Dense: row}, shape)
}

// Recording is Components for a recording that may be longer than memory, which it reads twice. The
// reference is a recording of one signal, or nil. Unless x is blockwise.InMemory, the error for a
// result that isn't pointwise wraps [sica.ErrNotPointwise].
func Recording(r *sica.Result, x, reference blockwise.Source) ([]Component, error) {
	if x == nil {
		return nil, errors.New("inspect: x is nil; must be a recording")
	}
	return describe(r, x, reference, nil)
}

// Shares returns the Share of each recovered signal of the mixed signals x, d×n, in their order. It
// costs less than Components, and has its errors.
func Shares(r *sica.Result, x *mat.Dense, shape ...int) ([]float64, error) {
	s, err := newSubject(r, blockwise.InMemory{Dense: x}, nil, shape)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	shares := make([]float64, len(s.moments.z))
	for i := range shares {
		c := s.component(i)
		shares[i] = c.Share
	}
	return shares, nil
}

// A subject is a recording that was read once.
type subject struct {
	demix        func(x *mat.Dense) (z *mat.Dense, err error)
	patterns     *mat.Dense
	x, reference blockwise.Source
	size         int // positions of a block: all of them if the result isn't pointwise
	moments      allMoments
	only         *block // the only block once it was read; nil of several
}

func newSubject(r *sica.Result, x, reference blockwise.Source, shape []int) (s *subject, err error) {
	if r == nil {
		return nil, errors.New("result: must not be nil; make one with sica.Fit or sica.Load")
	}
	if err := checkSizes(x, reference); err != nil {
		return nil, err
	}
	s = &subject{x: x, reference: reference, size: blockSize}
	demixing, err := r.Demixing()
	switch {
	case err == nil:
		s.demix = func(x *mat.Dense) (*mat.Dense, error) { return demixed(demixing, x) }
		if s.patterns, err = r.Patterns(); err != nil {
			return nil, err
		}
	case !errors.Is(err, sica.ErrNotLinear):
		return nil, err
	default:
		if err := r.CheckPointwise(); err == nil {
			shape = nil // blocks have another
		} else if _, isInMemory := x.(blockwise.InMemory); !isInMemory {
			return nil, err
		} else {
			_, s.size = x.Dims()
		}
		s.demix = func(x *mat.Dense) (*mat.Dense, error) { return r.Transform(x, shape...) }
	}
	if len(r.Shape) < 2 {
		s.x = &mended{x, s.fitOutliers(r)}
	}
	if err := s.measureMoments(); err != nil {
		return nil, err
	}
	if s.patterns == nil {
		s.patterns, err = s.moments.regression()
	}
	return s, err
}

// demixed returns the recovered signals of a block.
func demixed(d *ica.Demixing, x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(d.Mean)); err != nil {
		return nil, err
	}
	z := new(mat.Dense)
	z.Mul(d.Unmixing, signal.Added(x, d.Mean, -1))
	return z, nil
}

// component returns what follows of signal i from the moments.
func (s *subject) component(i int) Component {
	c := Component{Signal: i, Pattern: mat.Col(nil, i, s.patterns)}
	c.setShare(s.moments.z[i].Deviation(), s.moments.x)
	return c
}

func describe(r *sica.Result, x, reference blockwise.Source, shape []int) ([]Component, error) {
	s, err := newSubject(r, x, reference, shape)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	statistics, err := s.measureStatistics()
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	components := make([]Component, len(statistics))
	for i := range components {
		c := s.component(i)
		statistics[i].describe(&c)
		c.Proposed = max(math.Abs(c.Correlation), c.Coherence) >= minShared
		components[i] = c
	}
	if reference != nil {
		slices.SortStableFunc(components, func(a, b Component) int {
			return cmp.Compare(b.Coherence, a.Coherence)
		})
	}
	return components, nil
}

func checkSizes(x, reference blockwise.Source) error {
	_, n := x.Dims()
	if n < MinPositions {
		return fmt.Errorf("x: has %d positions; must have at least %d", n, MinPositions)
	}
	if reference == nil {
		return nil
	}
	switch d, length := reference.Dims(); {
	case d != 1:
		return fmt.Errorf("reference: has %d signals; must have one", d)
	case length != n:
		return fmt.Errorf("reference: has %d positions; must have %d, as x", length, n)
	}
	return nil
}

// setShare sets the Share of the component, which has this standard deviation, and the Channel.
func (c *Component) setShare(deviation float64, channels []stats.Moments) {
	for j, v := range c.Pattern {
		if sd := channels[j].Deviation(); sd > 0 {
			share := math.Pow(v*deviation/sd, 2)
			c.Share += share / float64(len(channels))
			if share > c.ChannelShare {
				c.ChannelShare, c.Channel = share, j
			}
		}
	}
}

// allMoments are those of the mixed signals, of the recovered ones and of the reference, if any.
type allMoments struct {
	x, z, reference []stats.Moments
	n, longest      int // positions, and those of the longest block
	// zz and zx are the sums of z·zᵀ and z·xᵀ; nil if the patterns are known without them.
	zz, zx *mat.Dense
}

// measureMoments reads the recording a first time.
func (s *subject) measureMoments() error {
	m := &s.moments
	m.reference = make([]stats.Moments, 1)
	for b, err := range s.blocks() {
		if err != nil {
			return err
		}
		if m.x == nil {
			m.x, m.z = make([]stats.Moments, b.x.RawMatrix().Rows), make([]stats.Moments, b.z.RawMatrix().Rows)
		}
		n := b.x.RawMatrix().Cols
		m.n, m.longest = m.n+n, max(m.longest, n)
		addMoments(m.x, b.x)
		addMoments(m.z, b.z)
		if b.reference != nil {
			addMoments(m.reference, b.reference)
		}
		if s.patterns == nil {
			m.addProducts(b)
		}
		s.only = &b
	}
	if m.n > m.longest {
		s.only = nil
	}
	if m.n == 0 {
		return fmt.Errorf("x: %w", io.ErrUnexpectedEOF)
	}
	if s.reference != nil && !(m.reference[0].Deviation() > 0) {
		return errors.New("reference: has the same value at every position; must vary")
	}
	for i := range m.z {
		if !(m.z[i].Deviation() > 0) {
			return fmt.Errorf("x: its recovered signal %d is constant; must vary", i+1)
		}
	}
	return nil
}

// addProducts adds those of a block to zz and zx.
func (m *allMoments) addProducts(b block) {
	var zz, zx mat.Dense
	zz.Mul(b.z, b.z.T())
	zx.Mul(b.z, b.x.T())
	if m.zz == nil {
		m.zz, m.zx = &zz, &zx
		return
	}
	m.zz.Add(m.zz, &zz)
	m.zx.Add(m.zx, &zx)
}

// regression returns the patterns of a nonlinear result, d×k: the coefficients of the recovered
// signals in the regression of the mixed signals on all of them.
func (m *allMoments) regression() (*mat.Dense, error) {
	zMeans, xMeans := means(m.z), means(m.x)
	m.zz.RankOne(m.zz, -float64(m.n), zMeans, zMeans)
	m.zx.RankOne(m.zx, -float64(m.n), zMeans, xMeans)
	var coefficients mat.Dense
	err := coefficients.Solve(m.zz, m.zx)
	if condition := mat.Condition(0); errors.As(err, &condition) && !math.IsInf(float64(condition), 1) {
		err = nil // good enough
	}
	if err != nil {
		return nil, fmt.Errorf("x: its recovered signals are linearly dependent: %w", err)
	}
	return mat.DenseCopyOf(coefficients.T()), nil
}

func means(all []stats.Moments) *mat.VecDense {
	v := mat.NewVecDense(len(all), nil)
	for i, m := range all {
		v.SetVec(i, m.Mean())
	}
	return v
}

// measureStatistics reads the recording a second time, if it is of several blocks.
func (s *subject) measureStatistics() ([]statistics, error) {
	m := &s.moments
	all := make([]statistics, len(m.z))
	for i := range all {
		all[i] = newStatistics(m.longest)
	}
	for b, err := range s.blocks() {
		if err != nil {
			return nil, err
		}
		var values []float64
		if b.reference != nil {
			values = m.reference[0].Standardised(b.reference.RawRowView(0))
		}
		for i := range all {
			all[i].add(m.z[i].Standardised(b.z.RawRowView(i)), values)
		}
	}
	return all, nil
}

// block is a block of the mixed signals, the recovered ones and the reference, if any.
type block struct{ x, z, reference *mat.Dense }

// blocks returns the blocks of x with the signals that are recovered from them, and those of the
// reference, nil for none.
func (s *subject) blocks() iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		if s.only != nil {
			yield(*s.only, nil)
			return
		}
		nextReference := func() (*mat.Dense, error, bool) { return nil, nil, true }
		if s.reference != nil {
			next, stop := iter.Pull2(s.reference.Blocks(s.size))
			defer stop()
			nextReference = next
		}
		for xBlock, err := range s.x.Blocks(s.size) {
			var b block
			if err == nil {
				b, err = s.recoverBlock(xBlock, nextReference)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// recoverBlock returns a block of x with its recovered signals and the next block of the reference.
func (s *subject) recoverBlock(
	x *mat.Dense, nextReference func() (*mat.Dense, error, bool),
) (block, error) {
	z, err := s.demix(x)
	if err != nil {
		return block{}, err
	}
	reference, err, more := nextReference()
	if err != nil {
		return block{}, fmt.Errorf("reference: %w", err)
	}
	if !more {
		return block{}, fmt.Errorf("reference: %w", io.ErrUnexpectedEOF)
	}
	if reference != nil {
		if err := signal.CheckNew("reference", reference, 1); err != nil {
			return block{}, err
		}
	}
	return block{x, z, reference}, nil
}

// fitOutliers returns the outliers of the fit by block, if x is the recording in memory that the
// result was made from: if it gives the recovered signals Z, up to signs. It is nil otherwise.
func (s *subject) fitOutliers(r *sica.Result) [][]int {
	memory, ok := s.x.(blockwise.InMemory)
	if !ok || r.Z == nil {
		return nil
	}
	k, n := r.Z.Dims()
	if memory.Dense.RawMatrix().Cols != n {
		return nil
	}
	if len(r.Outliers) > 0 && slices.Max(r.Outliers) >= n {
		return nil // x is a part of the recording that they are positions of
	}
	z, err := s.demix(memory.Dense)
	if err != nil {
		return nil // as blocks will say
	}
	for i := range k { // signals have variance 1
		for t, v := range z.RawRowView(i) {
			if !(math.Abs(math.Abs(v)-math.Abs(r.Z.At(i, t))) < sameValue) {
				return nil
			}
		}
	}
	blocks := make([][]int, (n+s.size-1)/s.size)
	for _, t := range r.Outliers {
		blocks[t/s.size] = append(blocks[t/s.size], t%s.size)
	}
	return blocks
}

// sameValue is how near [sica.Result.Transform] comes to the fit's Z.
const sameValue = 1e-5

// mended is a sequence whose outliers are interpolated. With one of them all recovered signals
// would depend on each other, and their shares would add up to more than the channels' variance.
type mended struct {
	blockwise.Source
	outliers [][]int // positions in each block, once that was read
}

// Blocks implements blockwise.Source. All calls must have the same n.
func (m *mended) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		k := 0
		for x, err := range m.Source.Blocks(n) {
			if err == nil {
				x, err = m.mend(k, x)
			}
			if !yield(x, err) || err != nil {
				return
			}
			k++
		}
	}
}

// mend returns block k without its outliers.
func (m *mended) mend(k int, x *mat.Dense) (*mat.Dense, error) {
	if k == len(m.outliers) {
		_, n := x.Dims()
		g, err := grid.New(nil, n)
		if err != nil {
			return nil, err
		}
		m.outliers = append(m.outliers, outlier.Find(x, g))
	}
	return outlier.Mend(x, m.outliers[k]), nil
}

// addMoments adds row i of a block to moments i.
func addMoments(all []stats.Moments, block *mat.Dense) {
	for i := range all {
		all[i].Add(block.RawRowView(i))
	}
}
