package network

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
)

// resolutionStd is the standard deviation of the noise added to signals that repeat values, such as
// the background of an image, as a share of the signal's. Without it the density of a repeated
// point, and so the likelihood, is unbounded, and maps that contract the neighbourhood of the point
// have the shortest code. It is that of the linear rule (linear.Findings.Resolution).
const resolutionStd = 0.03

// addResolutionNoise adds Gaussian noise to the signals z, d×n, with standard deviations stds; nil
// for whitened signals. The same seed gives the same noise.
func addResolutionNoise(z *mat.Dense, stds []float64, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, resolutionStream<<32))
	z.Apply(func(i, _ int, v float64) float64 {
		std := 1.0
		if stds != nil {
			std = stds[i]
		}
		return v + std*resolutionStd*rng.NormFloat64()
	}, z)
}

// standardDeviations returns the standard deviation of each of the signals z, d×n.
func standardDeviations(z *mat.Dense) []float64 {
	d, _ := z.Dims()
	stds := make([]float64, d)
	for i := range stds {
		stds[i] = stat.StdDev(z.RawRowView(i), nil)
	}
	return stds
}

// AddResolution returns the mixed signals x, with resolution noise if the code length of the
// whitened signals, white, would otherwise have no lower bound. It has none if positions repeat, as
// in silence or with few bits, or if a signal's own past predicts half of its values to within
// resolutionStd of their spread, as in a square wave. maps are the steps from x to white. All codes
// are compared on the returned signals.
func AddResolution(
	ctx context.Context, x, white *mat.Dense, maps []mapping.Map, o Options,
) (*mat.Dense, error) {
	index, err := o.checkedIndex(ctx, white)
	if err != nil {
		return nil, err
	}
	noisy := hasRepeats(white) || hasPredictable(ctx, white, index)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !noisy {
		return x, nil
	}
	white = mat.DenseCopyOf(white)
	addResolutionNoise(white, nil, o.Seed)
	for _, m := range slices.Backward(maps) {
		if white, err = m.Invert(white); err != nil {
			return nil, err
		}
	}
	return white, nil
}

// hasPredictable reports whether the median prediction error of a signal of z from its own past is
// at most resolutionStd times the median deviation of its values. If ctx ends, the result is
// meaningless.
func hasPredictable(ctx context.Context, z *mat.Dense, x *index) bool {
	d, _ := z.Dims()
	for i := range d {
		if ctx.Err() != nil {
			return false
		}
		row := z.RawRowView(i)
		coefficients, _ := ar.Regress(row, x.lags, x.scored)
		residuals := make([]float64, len(x.scored))
		for k, t := range x.scored {
			residuals[k] = ar.Residual(coefficients, row, x.lags, t)
		}
		if medianDeviation(residuals) <= resolutionStd*medianDeviation(valuesAt(row, x.scored)) {
			return true
		}
	}
	return false
}

// medianDeviation returns the median distance of the values from their median, and sorts them.
func medianDeviation(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	median, deviation := values[middle], 0.0
	low, high := middle, middle // the nearest values so far are low to high
	for range middle {
		if below := low - 1; below >= 0 && (high+1 == len(values) ||
			median-values[below] < values[high+1]-median) {
			low, deviation = below, median-values[below]
		} else {
			high++
			deviation = values[high] - median
		}
	}
	return deviation
}

// hasRepeats reports whether more than 1 % of the positions of x repeat the values of another
// position in all signals.
func hasRepeats(x *mat.Dense) bool {
	d, n := x.Dims()
	compare := func(a, b int) int {
		for i := range d {
			if c := cmp.Compare(x.At(i, a), x.At(i, b)); c != 0 {
				return c
			}
		}
		return 0
	}
	order := grid.Range(n)
	slices.SortFunc(order, compare)
	repeats := 0
	for k := 1; k < n; k++ {
		if compare(order[k-1], order[k]) == 0 {
			repeats++
		}
	}
	return 100*repeats > n
}
