package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/fastica"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

const (
	// minPositions is the least number of positions at a time scale: five for each of the 24 past
	// values. More leaves out coarse scales, which noise misleads least.
	minPositions = 120
	// fastICAStarts is the number of initial axes from which FastICA finds candidates, as its
	// contrast has several maxima. It is a choice.
	fastICAStarts = 2
	// correctionRounds is how often the mixing of a textbook method is corrected for the noise that
	// it implies. More change it little.
	correctionRounds = 3
	// distinct is the least absolute correlation of signals that count as the same. Nearer to 1
	// costs time only.
	distinct = 0.9999
	// mostNoiseShare is the variance of the strongest noise that is tried, as a share of the
	// variance of the weakest principal component. More leaves next to nothing of that component,
	// less tries too little noise.
	mostNoiseShare = 0.9
)

// timeScales are the numbers of positions that become one. The best one depends on the sources.
// Each costs half as much as the one before.
var timeScales = []int{1, 2, 4, 8, 16}

// channels are the mixed signals as cosine transforms, each divided by its standard deviation. So
// the results don't depend on the scales and offsets of the mixed signals.
type channels struct {
	d          int
	sd         []float64 // of each channel
	covariance *mat.SymDense
	white      *pca.Whitening
	scales     []int           // time scales
	clean      func() *cosine  // channels without the noise of the resolution
	noisy      *cosine         // channels with that noise
	x          []*mat.Dense    // noisy channels at each scale; nil until needed
	spectrum   *spectrum       // of noisy
	parts      []*spectrum     // of surplusParts equal parts of the noisy channels; nil for images
	added      []float64       // d×d, covariance of the noise of the resolution
	choices    [][]modelChoice // models chosen so far at each scale
	cfg        Config
	// lowered is whether the sampling rate is lower than in the separation without noise: a filter
	// had weakened the noise at high frequencies, and the noise of the models is white.
	lowered bool
}

// newChannels returns the channels of a mixture, without up to a tenth of the positions of a
// sequence; nil if there are too few positions for two time scales.
func newChannels(x *mixture) *channels {
	shape, lowered := x.shape, false
	if len(shape) == 1 {
		if share := x.power.passedShare(); share < maxOccupied {
			x, lowered = x.replaced(lowpassed(x.white.White, share)), true
		}
		shape = []int{smoothLength(x.shape[0])}
	}
	d, n := len(x.white.Mean), grid.Product(shape)
	c := &channels{d: d, white: x.white, cfg: x.cfg, lowered: lowered}
	for _, k := range timeScales {
		if n/k >= minPositions {
			c.scales = append(c.scales, k)
		}
	}
	if len(c.scales) < 2 {
		return nil
	}
	c.choices, c.x = make([][]modelChoice, len(c.scales)), make([]*mat.Dense, len(c.scales))
	standard := c.standardise()
	z := x.white.White.Slice(0, d, 0, n).(*mat.Dense)
	c.clean = sync.OnceValue(func() *cosine { return newCosine(signal.Mixed(standard, z), shape) })
	noisy := mat.DenseCopyOf(z)
	addNoise(noisy, sphericalNoise(d, resolution), c.cfg.Seed)
	c.x[0] = signal.Mixed(standard, noisy)
	c.noisy = newCosine(c.x[0], shape)
	c.setSpectra()
	return c
}

// standardise sets the standard deviations and the covariances of the channels, and returns the
// matrix from the white signals to the channels of variance 1.
func (c *channels) standardise() *mat.Dense {
	c.sd = deviations(c.white.Inverse)
	standard := unitRows(c.white.Inverse)
	c.covariance = new(mat.SymDense)
	c.covariance.SymOuterK(1, standard)
	var added mat.Dense
	added.Scale(resolution*resolution, c.covariance)
	c.added = added.RawMatrix().Data
	return standard
}

// setSpectra sets the spectrum of the noisy channels and, for sequences, those of their parts,
// without the frequencies that a high-pass filter has weakened and the time scales at which few
// others are left.
func (c *channels) setSpectra() {
	if c.isImage() {
		c.spectrum = c.noisy.spectrum()
		return
	}
	if whitening := inverseRoot(c.covariance); whitening != nil {
		c.noisy.first = c.noisy.highPassEdge(whitening)
		n := c.noisy.shape[0]
		for len(c.scales) > 2 && n/c.scales[len(c.scales)-1] < 2*c.noisy.first {
			c.scales = c.scales[:len(c.scales)-1]
		}
	}
	c.spectrum = c.noisy.tapered(c.x[0]).spectrum()
	c.parts = partSpectra(c.x[0], c.noisy.first)
}

// isImage reports whether the channels are images or videos.
func (c *channels) isImage() bool { return len(c.noisy.shape) > 1 }

// signals returns the signals of e at the k-th time scale. Without noise in the model they are the
// demixed channels at that scale, since decimation commutes with demixing.
func (c *channels) signals(e *explanation, k int) *mat.Dense {
	shape := scaledShape(c.noisy.shape, c.scales[k])
	if e.filtered != nil {
		return e.filtered.scaled(shape)
	}
	if c.x[k] == nil {
		c.x[k] = c.noisy.scaled(shape)
	}
	return signal.Mixed(e.b, c.x[k])
}

// past returns the past of a position at the k-th time scale.
func (c *channels) past(k int) *past.Past {
	return newPast(scaledShape(c.noisy.shape, c.scales[k]), c.d)
}

// demixing converts the demixing b of the mixed signals to a demixing of the channels, with rows
// for recovered signals of variance 1.
func (c *channels) demixing(b mat.Matrix) *mat.Dense {
	scaled := mat.DenseCopyOf(b)
	scaled.Apply(func(_, j int, v float64) float64 { return v * c.sd[j] }, scaled)
	return c.unit(scaled)
}

// mixedDemixing converts the demixing b of the channels to demixings of the mixed signals and of
// the symmetrically whitened signals.
func (c *channels) mixedDemixing(b *mat.Dense) (demixing, fromWhite *mat.Dense) {
	demixing, fromWhite = new(mat.Dense), new(mat.Dense)
	demixing.Apply(func(_, j int, v float64) float64 { return v / c.sd[j] }, b)
	fromWhite.Product(demixing, c.white.Inverse, c.white.Axes())
	return demixing, fromWhite
}

// unit scales the rows of b for recovered signals of variance 1.
func (c *channels) unit(b *mat.Dense) *mat.Dense {
	var cross mat.Dense
	cross.Mul(b, c.covariance)
	for i := range c.d {
		row := b.RawRowView(i)
		floats.Scale(1/math.Sqrt(floats.Dot(cross.RawRowView(i), row)), row)
	}
	return b
}

// sorted returns the rows of the demixing b in the order of orderByShare.
func (c *channels) sorted(b *mat.Dense) *mat.Dense {
	root, _, ok := roots(c.covariance)
	if !ok {
		return b
	}
	var fromWhite mat.Dense
	fromWhite.Mul(b, root)
	if c.cfg.PrincipalComponents {
		root.Mul(diagonal(c.sd), root)
	}
	return sortedRows(b, orderByShare(&fromWhite, root, c.cfg.PrincipalComponents))
}

// textbook returns the demixings of textbook methods, and the noiseCorrected of each. The methods
// are FastICA from fastICAStarts starts, and SOBI, which makes the covariances at jointdiag.Lags
// as diagonal as possible. Duplicates and failures are left out.
func (c *channels) textbook(ctx context.Context) ([]*explanation, error) {
	var all []*explanation
	add := func(name string, w *mat.Dense, err error) error {
		if ctx.Err() != nil {
			return fmt.Errorf("candidate %s: %w", name, ctx.Err())
		}
		if err != nil || w == nil {
			return nil
		}
		var b mat.Dense
		b.Mul(w, c.white.Matrix)
		all = c.appendNew(all, &explanation{name: name, b: c.sorted(c.demixing(&b))})
		return nil
	}
	for k := range uint64(fastICAStarts) {
		w := fastica.Start(c.cfg.Seed+k, c.d)
		_, err := iterateFastICA(ctx, c.white.White, w, 2*fastICAIterations, true)
		if err := add("FastICA", w, err); err != nil {
			return nil, err
		}
	}
	_, n := c.white.White.Dims()
	lags := jointdiag.Lags(n) // in positions, which of an image go row by row
	w, err := diagonalise(ctx, laggedCovariances(c.white.White, lags))
	if err := add("SOBI", w, err); err != nil {
		return nil, err
	}
	return c.withCorrected(all), nil
}

// withCorrected appends the noiseCorrected of each explanation.
func (c *channels) withCorrected(all []*explanation) []*explanation {
	for _, e := range all { // those from before the loop
		all = c.appendNew(all, c.noiseCorrected(e))
	}
	return all
}

// noiseCorrected returns e with its mixing corrected for the noise N that e implies; nil if e
// implies none.
//
// Textbook methods whiten the channels with their noise. So their mixing A has A·Aᵀ = Σ, the
// covariance of the channels, instead of Σ − N: in a direction that is mostly noise it makes the
// sources too strong, and its spectra fit badly. With the rotation U nearest to (Σ − N)^(−1/2)·A
// the corrected mixing is
//
//	A′ = (Σ − N)^(1/2)·U.
//
// N is the noise that the mixing of the previous round implies; it hardly changes after
// correctionRounds. If e has no model yet, noiseCorrected sets it by explain.
func (c *channels) noiseCorrected(e *explanation) *explanation {
	corrected := &explanation{name: e.name + " with noise", b: e.b}
	if e.model == nil && !c.explain(e) {
		return nil
	}
	model := e.model
	for round := 1; ; round++ {
		if model == nil || floats.Sum(model.noise) == 0 {
			return nil
		}
		whitening, _, ok := signalWhitening(c.covariance, model.noise)
		if !ok {
			return nil
		}
		var mixing, b mat.Dense // (Σ − N)^(−1/2)·A with columns of length 1, and A′⁻¹
		mixing.Mul(whitening, model.mixing)
		for j := range c.d {
			mixing.SetCol(j, unitVector(mat.Col(nil, j, &mixing)))
		}
		u, ok := rotation.Nearest(&mixing)
		if !ok {
			return nil
		}
		b.Mul(u.T(), whitening)
		corrected.b = c.unit(&b)
		if round == correctionRounds {
			return corrected
		}
		model = matchSpectra(c.spectrum, c.added, corrected.b)
	}
}

// appendNew appends e to all unless e is nil or a duplicate.
func (c *channels) appendNew(all []*explanation, e *explanation) []*explanation {
	isDuplicate := func(f *explanation) bool { return c.isDuplicate(e, f) }
	if e == nil || slices.ContainsFunc(all, isDuplicate) {
		return all
	}
	return append(all, e)
}

// isDuplicate reports whether each signal of a has an absolute correlation of at least distinct
// with a signal of b.
func (c *channels) isDuplicate(a, b *explanation) bool {
	correlations, _ := c.matches(a, b)
	return floats.Min(correlations) >= distinct
}

// matches returns, for each signal of a, the largest absolute correlation with a signal of b, and
// the index of that signal.
func (c *channels) matches(a, b *explanation) (correlations []float64, places []int) {
	var cross mat.Dense
	cross.Product(a.b, c.covariance, b.b.T())
	cross.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &cross)
	for i := range c.d {
		row := cross.RawRowView(i)
		k := floats.MaxIdx(row)
		correlations, places = append(correlations, row[k]), append(places, k)
	}
	return correlations, places
}

// separator returns a separator of the channels at a time scale, with noise added until all its
// signals have independent noise of the same power. With the covariance N of the given channel
// noise,
//
//	z = W·x,  W = (Σ − N)^(−1/2),  and noise of covariance c·I − W·N·W is added,
//
// where c is the largest eigenvalue of W·N·W. Then every rotation of z has independent noise, and
// the sources, not the noise, decide which code is shortest. The separator is nil if there is no W.
func (c *channels) separator(ctx context.Context, scale int, noise []float64) (*separator, error) {
	shape := scaledShape(c.noisy.shape, scale)
	z, _ := signal.Centred(c.clean().scaled(shape))
	_, n := z.Dims()
	var cov mat.SymDense
	cov.SymOuterK(1/float64(n), z)
	whitening, inverse, ok := signalWhitening(&cov, noise)
	if !ok {
		return nil, nil
	}
	signalNoise := whitenedNoise(whitening, noise)
	if signalNoise == nil {
		return nil, nil
	}
	y := signal.Mixed(whitening, z)
	addNoise(y, complement(signalNoise), c.cfg.Seed)
	s, err := newSeparator(ctx, y, newPast(shape, c.d))
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse = whitening, inverse
	return s, nil
}

// signalWhitening returns (Σ − N)^(−1/2) and its inverse, where Σ is cov and N has the given noise
// variance of each channel. At least a share minSignal of the variance along each direction is kept
// as signal. ok is false if Σ is singular.
func signalWhitening(cov mat.Symmetric, noise []float64) (whitening, inverse *mat.Dense, ok bool) {
	root, inverseRoot, ok := roots(cov)
	if !ok {
		return nil, nil, false
	}
	shares := whitenedNoise(inverseRoot, noise)
	if shares == nil {
		return nil, nil, false
	}
	var power mat.Dense
	power.Product(root, shares.mapped(func(l float64) float64 { return max(1-l, minSignal) }), root)
	inverse, whitening, ok = roots(&power)
	return whitening, inverse, ok
}

// whitenedNoise decomposes W·N·W, the covariance of the noise in whitened channels, where W is the
// symmetric whitening and N has the given noise variance of each channel. It is nil if the
// eigenvalues don't converge.
func whitenedNoise(whitening *mat.Dense, noise []float64) *eigen {
	var covariance mat.Dense
	covariance.Product(whitening, diagonal(noise), whitening)
	return newEigen(&covariance)
}

// complement returns the symmetric root of c·I − noise, where c is the largest eigenvalue of the
// covariance noise, or the square of the resolution if that is larger.
func complement(noise *eigen) *mat.Dense {
	largest := max(floats.Max(noise.values), resolution*resolution)
	return noise.mapped(func(l float64) float64 { return math.Sqrt(max(largest-l, 0)) })
}

// descent returns the explanation with the shortest code at the k-th time scale, under the given
// noise variance of each channel, among the ends of descents from the given explanations; nil if
// there is none.
func (c *channels) descent(
	ctx context.Context, name string, k int, noise []float64, from []*explanation,
) (*explanation, error) {
	s, err := c.separator(ctx, c.scales[k], noise)
	if s == nil || err != nil {
		return nil, err
	}
	var begin []candidate
	for _, f := range from {
		b := new(mat.Dense)
		b.Mul(f.b, s.inverse)
		begin = append(begin, candidate{name: f.name, b: b})
	}
	var found descents
	if err := s.descendAll(ctx, &found, begin); err != nil || found.best == nil {
		return nil, err
	}
	m := found.best
	for i := range c.d {
		c.choices[k] = append(c.choices[k], *newModelChoice(m.y.RawRowView(i), &m.sources[i]))
	}
	var b mat.Dense
	b.Mul(m.b, s.whitening)
	return &explanation{name: name, b: c.sorted(c.unit(&b))}, nil
}

// exceedsResolution reports whether the given noise variance of each channel is, in some direction,
// a larger share of the variance than the noise of the resolution: the shares are the eigenvalues
// of Σ^(−1/2)·N·Σ^(−1/2).
func (c *channels) exceedsResolution(noise []float64) bool {
	inverse := inverseRoot(c.covariance)
	if inverse == nil {
		return false
	}
	shares := whitenedNoise(inverse, noise)
	return shares != nil && floats.Max(shares.values) > resolution*resolution
}

// mostNoise returns nearly the largest possible noise variance of each channel, equal for all:
// mostNoiseShare of the variance of the channels' weakest principal component.
func (c *channels) mostNoise() []float64 {
	noise := make([]float64, c.d)
	if e := newEigen(c.covariance); e != nil {
		floats.AddConst(mostNoiseShare*max(0, e.values[0]), noise)
	}
	return noise
}
