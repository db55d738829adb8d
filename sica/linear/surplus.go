package linear

import (
	"math"

	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dct"
)

const (
	// surplusParts is the number of parts of the positions whose spectra are compared. Fewer show
	// surplus sources more often where there are none.
	surplusParts = 4
	// windowedPositions is the least number of positions with which the parts are windowed, so that
	// strong lines don't leak into other bands. With fewer positions, a window, which discards
	// some, hides surplus sources.
	windowedPositions = 8192
)

// surplus returns the evidence, in standard errors, that the model of e, with as many sources as
// channels and white noise, doesn't explain the spectra. The model leaves correlations between
// signals in each frequency band of each part of the positions. The statistic is the sum of their
// products over bands, pairs of signals and pairs of parts. Correlations by chance, even those of
// signals that come and go, differ between the parts.
//
// It is 0 for images: the strokes of digits lie in one place and have the same width, so they
// correlate in the same way in all parts even without surplus sources.
func (c *channels) surplus(e *explanation) float64 {
	if len(c.parts) == 0 {
		return 0
	}
	inverses := c.residualWhitenings(e)
	left := make([][]*mat.SymDense, len(c.parts))
	for p, part := range c.parts {
		left[p] = residuals(part.transformed(e.b), inverses)
	}
	sum, variance := 0.0, 0.0
	for k, w := range c.parts[0].weights {
		for i := range c.d {
			for j := range i {
				total, squares := 0.0, 0.0
				for p := range left {
					r := left[p][k].At(i, j)
					total += r
					squares += r * r
				}
				v := w * (total*total - squares) / 2
				sum += v
				variance += v * v
			}
		}
	}
	if variance == 0 {
		return 0
	}
	return sum / math.Sqrt(variance)
}

// residualWhitenings returns, for each band of a part, the symmetric inverse root of the covariance
// of the signals B·x under e's model, which was fitted to the bands of all positions; nil if that
// covariance is singular.
func (c *channels) residualWhitenings(e *explanation) []*mat.Dense {
	s, part := c.spectrum, c.parts[0]
	all := make([]*mat.Dense, len(part.weights))
	stretch := s.end() / part.end()
	first, band, end := part.first, 0, s.first+s.weights[0]
	for k, w := range part.weights {
		middle := (first + w/2) * stretch
		first += w
		for middle > end && band+1 < len(s.weights) {
			band++
			end += s.weights[band]
		}
		all[k] = inverseRoot(e.covariance(band))
	}
	return all
}

// residuals returns the correlations that a model leaves in each band of the spectrum signals: the
// correlations of R·C·R, where C is the covariance of the band and R the whitening by the model.
// They are the identity if the model is correct, and 0 in a band without R.
func residuals(signals *spectrum, whitenings []*mat.Dense) []*mat.SymDense {
	d := signals.d
	all := make([]*mat.SymDense, len(whitenings))
	for k, r := range whitenings {
		if r == nil {
			all[k] = mat.NewSymDense(d, nil)
			continue
		}
		var left mat.Dense
		left.Product(r, mat.NewDense(d, d, signals.covariances[k]), r)
		all[k] = correlations(&left)
	}
	return all
}

// partSpectra returns the spectra of surplusParts equal parts of the sequences x, under a Hann
// window for windowedPositions or more. They omit the frequencies below coefficient first of the
// whole sequences.
func partSpectra(x *mat.Dense, first int) (parts []*spectrum) {
	d, n := x.Dims()
	length := n / surplusParts
	all := mat.NewDense(surplusParts*d, length, nil)
	for p := range surplusParts {
		for i := range d {
			copy(all.RawRowView(p*d+i), x.RawRowView(i)[p*length:])
		}
	}
	if n >= windowedPositions {
		all = windowed(all, window.Hann)
	}
	shape := []int{length}
	first = max(first/surplusParts, firstCoefficient(length))
	transformLines(all, shape, (*dct.Transform).Forward)
	for p := range surplusParts {
		part := &cosine{shape, all.Slice(p*d, (p+1)*d, 0, length).(*mat.Dense), first}
		parts = append(parts, part.spectrum())
	}
	return parts
}
