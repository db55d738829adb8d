package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dct"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// glanceSteps is the number of steps at the fine resolution that show whether a fine separation
// would be rejected. It is a choice.
const glanceSteps = 2

// directionsPerBand is the number of coefficients per signal in each frequency band of strongBands.
// With 25 the strongest direction of white noise has a power of 1.4 instead of 1 (V. A. Marchenko,
// L. A. Pastur, Mathematics of the USSR-Sbornik 1(4), 1967), so bands tend to be kept.
const directionsPerBand = 25

// A coarseSeparation is a separation by the frequencies at which the mixed signals are strong.
//
// The code of a noiseless model gives every frequency the same weight, however weak the signals are
// there. That is efficient if the model is right. With surplus sources or channel noise, it fits
// what lies between the sources' frequencies at the expense of the sources. The coarse separation
// uses only the frequencies at which some direction of the white signals has at least its mean
// power, except lines, and adds noise of coarseResolution, which masks weaker innovations. It is
// less efficient, but its errors stay small however wrong the model is elsewhere.
//
// So a fine separation is kept unless its code under the coarse models is longer than the coarse
// one's by more than chance (J. A. Hausman, Econometrica 46(6), 1978). This applies to more than
// fewSignals channels. For fewer, and where no coarse separation is chosen, withNoise compares
// demixings with noise.
type coarseSeparation struct {
	*draft
	s          *separator
	codeLength float64 // in nats per position
}

// separateCoarsely returns the coarse separation of the sequences. It is nil with Config.Noiseless,
// if too few or nearly all frequencies are strong, or if no rotation of whitening is accepted.
func (x *mixture) separateCoarsely(ctx context.Context) (*coarseSeparation, error) {
	if x.cfg.Noiseless {
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

// rejects reports whether, under the coarse models, the code of the demixing b of the white signals
// is longer than c's by more than chance.
func (c *coarseSeparation) rejects(ctx context.Context, b *mat.Dense) (bool, error) {
	m := c.s.acquire()
	defer c.s.release(m)
	if err := c.s.evaluate(ctx, m, b, nil); err != nil {
		return false, err
	}
	excess := float64(c.s.past.N) * (m.codeLength - c.codeLength)
	return excess > tolerance(c.s.d), nil
}

// withCoarse returns the coarse separation if it rejects base, the fine separation, and otherwise
// base. Nothing is compared for up to fewSignals signals, for images, if base is whitening, and if
// its signals are certain and independent.
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

// separateMany separates many sequences by all positions, where known is the solution of a part. It
// begins with a coarse separation. If this rejects the end of a few steps from it at the fine
// resolution, it is the result, since a whole fine separation would be rejected as well. The result
// is nil if the noise of the resolution may explain it.
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

// strongBands returns the white sequences z, d×n, without lines and without the frequencies at
// which no direction reaches its mean power. These coefficients of the cosine transform are
// dropped, and the rest is transformed back at a proportionally lower rate. At the dropped
// frequencies every recovered signal of variance 1 has less than its mean power, or a line. The
// result is nil if nothing is left.
func strongBands(z *mat.Dense) *mat.Dense {
	d, n := z.Dims()
	n = smoothLength(n)
	c := newCosine(z.Slice(0, d, 0, n).(*mat.Dense), []int{n}).coefficients
	width := max(directionsPerBand*d, n/powerBands)
	var strong []bool // each band
	for first := 0; first < n; first += width {
		powers := directionPowers(c.Slice(0, d, first, min(first+width, n)))
		strong = append(strong, powers[d-1] >= strongPower)
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
	out := signal.Columns(c, kept[:m])
	transformLines(out, []int{m}, (*dct.Transform).Inverse)
	out.Scale(math.Sqrt(float64(m)/float64(n)), out)
	return out
}

// removeLines marks runs of at most two strong bands as weak: these are lines, such as hum, which
// can straddle two bands. A run that begins with the lowest band is kept.
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
