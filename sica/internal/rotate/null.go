package rotate

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The pairs of a mixture of many signals depend on each other so little that the
// most dependent one says little about the mixture, while a rotation of many has
// so many angles that it always gains something. What a rotation gains is
// therefore held against what the same search gains of signals without anything
// to be found: Gaussian, with one spectrum.
const (
	// The null gain is the mean of their gains and nullSigmas times their standard
	// deviation.
	nullSigmas = 4
	// minGainRatio is by how many times chance must be exceeded, for what stationary
	// Gaussian signals don't have, such as first values far out. minGainRatioUnclear is
	// for signals of which a pair is plainly dependent and stays so, as it may be in
	// the sources: such have rotations that are known better and are wrong.
	minGainRatio        = 1.5
	minGainRatioUnclear = 5.0
	// maxMeanKept is the share of the mean dependence of all pairs below which a
	// rotation must bring it then.
	maxMeanKept = 0.8
	// nullPositions is about the most positions of the Gaussian signals: of more,
	// chance gains less.
	nullPositions = 4096
)

// rotationSurrogates is the number of such draws of d signals: more of few signals,
// whose gains scatter more.
func rotationSurrogates(d int) int { return max(8, 96/d) }

// Gain is by how much the entropies of the residuals of rotated, summed,
// lie below those of z, in nats a position, whichever of sixteen blocks of positions
// is left out. Without it z is whitened anew, as a few outliers can tilt
// all other positions: a rotation that only sets that right gains nothing.
func Gain(ctx context.Context, z, rotated *mat.Dense, g *grid.Grid) (float64, error) {
	neighbours := g.Past()
	after := residualsOf(rotated, neighbours)
	_, t := z.Dims()
	least := math.Inf(1)
	for b := range dependence.JackknifeBlocks {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from, to := b*t/dependence.JackknifeBlocks, (b+1)*t/dependence.JackknifeBlocks
		white, err := preprocess.SymmetricOf(signal.WithoutColumns(z, from, to))
		if err != nil {
			continue // a signal lives in this block alone, or few positions are left
		}
		anew, err := white.Apply(z)
		if err != nil {
			return 0, err
		}
		before := entropies(signal.WithoutColumns(residualsOf(anew, neighbours), from, to))
		for _, spread := range white.Spread {
			before += math.Log(spread) // h(z) of h(white)
		}
		least = min(least, before-entropies(signal.WithoutColumns(after, from, to)))
	}
	if math.IsInf(least, 1) {
		return 0, nil // nothing stays without a block
	}
	return least, nil
}

// residualsOf are the residuals that rotations are judged by, d×T.
func residualsOf(z *mat.Dense, neighbours [][]int32) *mat.Dense {
	residuals, _ := predict.Residuals(z, neighbours)
	d, t := z.Dims()
	noise := predict.Jitter(0, t)
	for i := range d {
		floats.Add(residuals.RawRowView(i), noise)
	}
	return residuals
}

// entropies is the sum of the rows' entropies. It sorts them.
func entropies(z *mat.Dense) float64 {
	d, _ := z.Dims()
	sum := 0.0
	for i := range d {
		sum += entropy(z.RawRowView(i))
	}
	return sum
}

// NullGain is what as many searches hardly ever gain of Gaussian signals which
// have the mean spectrum of the whitened signals z.
func NullGain(ctx context.Context, z *mat.Dense, g *grid.Grid, searches int, seed uint64) (float64, error) {
	d, _ := z.Dims()
	z, g = g.Middle(z, nullPositions)
	quantiles := mat.DenseCopyOf(z) // outliers would make the spectrum too even
	for i := range d {
		preprocess.NormalQuantiles(quantiles.RawRowView(i))
	}
	draws := func(k int) *rand.Rand { return stream.New(seed, k, 0, stream.Null) }
	gains, err := OverSurrogates(ctx, PooledAmplitude(quantiles, g.Shape()), d, g.Shape(), rotationSurrogates(d), draws, func(white *mat.Dense) (float64, error) {
		rotated, _ := LeastEntropy(ctx, white, g, searches, seed)
		return Gain(ctx, white, rotated, g)
	})
	if err != nil {
		return 0, err
	}
	mean, sd := stat.MeanStdDev(gains, nil)
	return mean + nullSigmas*sd, nil
}

// BeatsNull says whether a rotation of z gains plainly more than NullGain, and both
// gains. Where it is unclear whether a pair of the sources is dependent it must gain
// more, and lower the mean dependence, which before has of z and after of rotated.
func BeatsNull(ctx context.Context, z, rotated *mat.Dense, before, after *dependence.Analysis, g *grid.Grid, unclear bool, searches int, seed uint64) (gain, null float64, beats bool) {
	plainly := minGainRatio
	if unclear {
		plainly = minGainRatioUnclear
		was, err := before.Mean(ctx)
		if err != nil {
			return 0, 0, false
		}
		if left, err := after.Mean(ctx); err != nil || left > maxMeanKept*was {
			return 0, 0, false
		}
	}
	null, err := NullGain(ctx, z, g, searches, seed)
	if err != nil {
		return 0, 0, false
	}
	if gain, err = Gain(ctx, z, rotated, g); err != nil {
		return 0, 0, false
	}
	return gain, null, gain > plainly*null
}
