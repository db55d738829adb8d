package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/dct"
)

// glanceSteps is how many steps at the fine resolution show whether a fine separation is rejected. It
// is a choice.
const glanceSteps = 2

// directionsPerBand is how many coefficients a frequency band has for each signal where the
// strongest direction of a band is looked for. Of white noise its power is 1.4 then, not 1 (V. A.
// Marchenko, L. A. Pastur, Mathematics of the USSR-Sbornik 1(4), 1967), so that a band is rather
// kept.
const directionsPerBand = 25

// A coarseSeparation is a separation that looks only at what a recovered signal can consist of.
//
// The code of a noiseless model weighs every frequency alike, however little of the signals is
// there. If the model is right, that makes it efficient. If there are more sources than channels,
// or each channel has noise of its own, it explains what is between the sources' frequencies at the
// cost of the sources. The coarse separation is of the frequencies where some direction of the white
// signals has at least its mean power, without lines, and with noise of coarseResolution, under
// which weaker innovations vanish. It is less efficient, but errs by little however wrong the model
// is elsewhere.
//
// So a fine separation is kept unless, under the coarse models, its code is longer than by chance
// (J. A. Hausman, Econometrica 46(6), 1978). That is for more than fewSignals channels. Of
// fewer, and where no coarse separation is taken, demixings with noise are compared; see withNoise.
type coarseSeparation struct {
	*draft
	s          *separator
	codeLength float64 // in nats per position
}

// separateCoarsely separates the sequences coarsely. The result is nil with Config.Noiseless, if
// too few frequencies are strong or nearly all, or if no rotation of whitening is accepted there.
func (x *mixture) separateCoarsely(ctx context.Context) (*coarseSeparation, error) {
	if ablation.Off(ablation.Resolution) || x.cfg.Noiseless {
		return nil, nil
	}
	d, n := x.white.White.Dims()
	z := strongBands(x.white.White)
	if z == nil {
		return nil, nil
	}
	_, m := z.Dims()
	if m < minBriefPositions*d || float64(m) > maxOccupied*float64(n) {
		return nil, nil
	}
	strong := x.replaced(z)
	s, err := strong.separator(ctx, sphericalNoise(d, coarseResolution), newPast(strong.shape, d))
	if err != nil {
		return nil, err
	}
	sol, err := s.separate(ctx, nil)
	if err != nil || sol.KeptWhitening {
		return nil, err
	}
	c := &coarseSeparation{sol, s, sol.models.codeLength}
	sol.Coarse, sol.Resolution, sol.models = true, coarseResolution, nil
	sol.Bandwidth = float64(m) / float64(n)
	return c, nil
}

// rejects reports whether the code of the demixing b of the white signals is longer than by chance.
func (c *coarseSeparation) rejects(ctx context.Context, b *mat.Dense) (bool, error) {
	m := c.s.acquire()
	defer c.s.release(m)
	if err := c.s.evaluate(ctx, m, b, nil); err != nil {
		return false, err
	}
	excess := float64(c.s.past.N) * (m.codeLength - c.codeLength)
	return excess > tolerance(c.s.d), nil
}

// withCoarse returns base, the fine separation, unless a coarse one rejects it; then it returns that
// one. Nothing is compared for up to fewSignals signals, for images, and if base's signals are
// identified and independent beyond doubt.
func (x *mixture) withCoarse(ctx context.Context, base *draft) (*draft, error) {
	if len(x.white.Mean) <= fewSignals || len(x.shape) > 1 || base.KeptWhitening ||
		base.isCertain() && !base.isDependent() {
		return base, nil
	}
	coarse, err := x.separateCoarsely(ctx)
	if coarse == nil || err != nil {
		return base, err
	}
	rejected, err := coarse.rejects(ctx, base.FromWhite)
	if !rejected || err != nil {
		return base, err
	}
	return coarse.draft, nil
}

// separateMany separates all positions of many sequences, of which known is the solution of a part.
// A coarse separation is first. If it rejects what a few steps from it at the fine resolution lead
// to, it is the result: a fine separation would be rejected as well. The result is nil if the noise
// of the resolution may explain it.
func (x *mixture) separateMany(ctx context.Context, known *knownPart) (*draft, error) {
	d := len(x.white.Mean)
	s, err := x.separator(ctx, sphericalNoise(d, resolution), newPast(x.shape, d))
	if err != nil {
		return nil, err
	}
	coarse, err := x.separateCoarsely(ctx)
	if err != nil {
		return nil, err
	}
	if coarse != nil {
		m := s.acquire()
		if err := s.evaluate(ctx, m, coarse.FromWhite, nil); err != nil {
			return nil, err
		}
		if m, err = s.descendUnless(ctx, m, glanceSteps, nil, nil); err != nil {
			return nil, err
		}
		rejected, err := coarse.rejects(ctx, m.b)
		if rejected || err != nil {
			return coarse.draft, err
		}
	}
	sol, err := s.separate(ctx, known)
	if err != nil || sol.otherNoise != nil {
		return nil, err
	}
	return sol, nil
}

// strongBands returns the white sequences z, d×n, without the frequencies at which no direction of
// them has its mean power, and without lines: their cosine transform without those coefficients,
// transformed back at a rate that is lower by as much. Every recovered signal of variance 1 has less
// than its mean power there, or a line. It is nil if nothing is left.
func strongBands(z *mat.Dense) *mat.Dense {
	d, n := z.Dims()
	n = smoothLength(n)
	c := newCosine(z.Slice(0, d, 0, n).(*mat.Dense), []int{n}).coefficients
	width := max(directionsPerBand*d, n/powerBands)
	var strong []bool // each band
	for first := 0; first < n; first += width {
		band := c.Slice(0, d, first, min(first+width, n)).(*mat.Dense)
		strong = append(strong, strongest(band) >= strongPower)
	}
	removeLines(strong)
	var kept []int // coefficients
	for t := range n {
		if strong[t/width] {
			kept = append(kept, t)
		}
	}
	m := smoothLength(len(kept))
	if m == 0 {
		return nil
	}
	out := mat.NewDense(d, m, nil)
	for i := range d {
		from, to := c.RawRowView(i), out.RawRowView(i)
		for t := range to {
			to[t] = from[kept[t]]
		}
	}
	transformLines(out, []int{m}, (*dct.Transform).Inverse)
	out.Scale(math.Sqrt(float64(m)/float64(n)), out)
	return out
}

// removeLines makes runs of strong bands weak that are no longer than a line, such as that of hum,
// which can lie across the edge of two bands. The lowest bands are no line.
func removeLines(strong []bool) {
	const longest = 2
	for k := 0; k < len(strong); {
		end := k + 1
		for end < len(strong) && strong[end] == strong[k] {
			end++
		}
		if strong[k] && k > 0 && end-k <= longest {
			for l := k; l < end; l++ {
				strong[l] = false
			}
		}
		k = end
	}
}

// strongest returns the power of the strongest direction of the coefficients c, d×n.
func strongest(c *mat.Dense) float64 {
	d, n := c.Dims()
	var cov mat.SymDense
	cov.SymOuterK(1/float64(n), c)
	if e := newEigen(&cov); e != nil {
		return e.values[d-1]
	}
	return 0
}
