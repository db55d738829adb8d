package network

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// evidentSigmas is the deviation above which a curvature is evident. Below it, noise and
	// surplus sources more often seem nonlinear; a higher limit misses nonlinear mixings.
	evidentSigmas = 6
	// certainSigmas replaces evidentSigmas if noise or more sources than channels were found, which
	// can also look nonlinear, and for more than eight signals, whose networks take minutes.
	certainSigmas = 12

	// longOrder is the largest order of a linear prediction, in positions, with which signals don't
	// count as periodic. For periodic signals, such as waves and voices, one value doesn't
	// determine the phase, so the part that earlier values explain is removed, too. With a smaller
	// longOrder, AR(7) signals would count as periodic.
	longOrder = 8

	// innovationShare is the median deviation of innovations, relative to that of the signal, below
	// which a signal is predictable: about the value for an AR(1) signal with coefficient 0.995.
	// dependence.Measure has the same limit.
	innovationShare = 0.1
	// meanLength is the number of positions in the means whose predictability is tested as well:
	// noise hides that the single values of waves are predictable. Shorter means keep more of the
	// noise; longer ones are too few.
	meanLength = 8

	// At most curvatureBlocks blocks of curvatureBlock positions are measured. Fewer miss weakly
	// nonlinear mixings; more take longer.
	curvatureBlocks, curvatureBlock = 4, 2048
)

// jointOrders are the orders of the linear prediction to choose from, in positions. 32 positions
// are a period of a voice of 250 Hz at 8 kHz. Each order costs d² coefficients.
var jointOrders = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}

// curvature measures how much the mixing of the linearly demixed signals z, d×n, of a sequence
// varies with their values.
//
// The null hypothesis is a linear mixing with sensor noise and any number of sources. Then the
// innovations of the best linear prediction are mixed by the same matrix at all values of the
// signals. For a nonlinear mixing that matrix is the Jacobian at these values: products and
// strengths of the innovations depend on the values just before. Dependence between the signals
// alone is no evidence, since noise or surplus sources leave some after every demixing.
//
// The statistics are squared correlations of products of two innovations, and of the strength of
// one, with the signals' values one position earlier and with products of these values. The part
// explained by past strengths is removed; from a strength, also that by the signal's own values.
//
// The deviation is the largest of the statistics, in standard deviations from the mean under the
// null hypothesis. Both are estimated by shifting the innovations against the values. Nothing is
// measured if isPredictable: linear prediction leaves next to nothing of a signal at half of the
// positions or more, or of its means over 8 positions, as for waves and telegraph signals.
//
// If ctx ends, curvature returns the error of ctx.
func curvature(
	ctx context.Context, z *mat.Dense,
) (deviation float64, isPredictable bool, err error) {
	z = standardised(signal.SpreadBlocks(z, curvatureBlocks, curvatureBlock))
	innovations, order := ar.JointResiduals(z, jointOrders)
	if innovations == nil {
		return 0, false, nil
	}
	if predictable(z, innovations) {
		return 0, true, nil
	}
	if m := means(z, meanLength); m != nil {
		m = standardised(m)
		if left, _ := ar.JointResiduals(m, jointOrders); left != nil && predictable(m, left) {
			return 0, true, nil
		}
	}
	l := newInnovationData(z, innovations, order)
	measures := []func() []association{l.oddAssociations}
	if order <= longOrder && symmetric(z) { // waves and pulses can leave these in a linear mixing
		measures = append(measures, l.evenAssociations)
	}
	var all association
	for _, measure := range measures {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		for _, a := range measure() {
			all.join(a)
			deviation = max(deviation, a.deviation())
		}
	}
	return max(deviation, all.deviation()), false, nil
}

// standardised returns z with means 0 and variances 1; constant rows become 0.
func standardised(z *mat.Dense) *mat.Dense {
	y, _ := signal.Centred(z)
	d, _ := y.Dims()
	for i := range d {
		row := y.RawRowView(i)
		if std := stat.PopStdDev(row, nil); std > 0 {
			for t := range row {
				row[t] /= std
			}
		}
	}
	return y
}

// predictable reports whether, for at least one signal, the median deviation of the innovations is
// less than innovationShare times that of the values.
func predictable(z, innovations *mat.Dense) bool {
	d, _ := z.Dims()
	for i := range d {
		left, all := mat.Row(nil, i, innovations), mat.Row(nil, i, z)
		if medianDeviation(left) < innovationShare*medianDeviation(all) {
			return true
		}
	}
	return false
}

// means returns the means of the signals z over blocks of the given length in positions; nil if
// there are too few.
func means(z *mat.Dense, length int) *mat.Dense {
	d, n := z.Dims()
	n /= length
	if n < minPositions {
		return nil
	}
	m := mat.NewDense(d, n, nil)
	m.Apply(func(i, t int, _ float64) float64 {
		return stat.Mean(z.RawRowView(i)[t*length:(t+1)*length], nil)
	}, m)
	return m
}

// maxSkewness is the largest skewness of signals that count as symmetric, after clipping values at
// skewnessCut standard deviations. Synthetic EEGs are above it; mixtures of sources after tanh,
// cubics and layers are far below.
const maxSkewness, skewnessCut = 1, 4

// symmetric reports whether the standardised signals z are symmetric enough for even functions
// of them to be evidence.
func symmetric(z *mat.Dense) bool {
	d, _ := z.Dims()
	for i := range d {
		if math.Abs(clippedSkewness(z.RawRowView(i))) > maxSkewness {
			return false
		}
	}
	return true
}

// clippedSkewness returns the mean third power of the values clipped at skewnessCut, which is their
// skewness if they are standardised.
func clippedSkewness(values []float64) float64 {
	skewness := 0.0
	for _, v := range values {
		u := min(max(v, -skewnessCut), skewnessCut)
		skewness += u * u * u / float64(len(values))
	}
	return skewness
}
