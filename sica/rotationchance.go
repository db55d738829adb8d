package sica

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The pairs of a mixture of many signals depend on each other so little that the
// most dependent one says little about the mixture, while a rotation of many has
// so many angles that it always gains something. What a rotation gains is
// therefore held against what the same search gains of signals without anything
// to be found: Gaussian, with one spectrum.
const (
	// Chance is the mean of their gains and hardlyEver times their standard
	// deviation.
	hardlyEver = 4
	// beyondChance is by how many times chance must be exceeded, for what stationary
	// Gaussian signals don't have, such as first values far out. farBeyondChance is
	// for signals of which a pair is plainly dependent and stays so, as it may be in
	// the sources: such have rotations that are known better and are wrong.
	beyondChance    = 1.5
	farBeyondChance = 5.0
	// mostlyKept is the share of the mean dependence of all pairs below which a
	// rotation must bring it then.
	mostlyKept = 0.8
	// chancePositions is about the most positions of the Gaussian signals: of more,
	// chance gains less.
	chancePositions = 4096
)

// rotationSurrogates is the number of such draws of d signals: more of few signals,
// whose gains scatter more.
func rotationSurrogates(d int) int { return max(8, 96/d) }

// rotationGain is by how much the entropies of the residuals of rotated, summed,
// lie below those of z, in nats a position, whichever of dependenceBlocks blocks of
// positions is left out. Without it z is whitened anew, as a few outliers can tilt
// all other positions: a rotation that only sets that right gains nothing.
func rotationGain(z, rotated *mat.Dense, neighbours [][]int32) (float64, error) {
	neighbours = past(neighbours)
	after := residualsOf(rotated, neighbours)
	_, t := z.Dims()
	least := math.Inf(1)
	for b := range dependenceBlocks {
		from, to := b*t/dependenceBlocks, (b+1)*t/dependenceBlocks
		p, err := principal(withoutColumns(z, from, to))
		if err != nil {
			continue // a signal lives in this block alone, or few positions are left
		}
		white := newSymmetric(p)
		anew, err := white.apply(z, nil)
		if err != nil {
			return 0, err
		}
		before := entropies(withoutColumns(residualsOf(anew, neighbours), from, to))
		for _, spread := range white.Spread {
			before += math.Log(spread) // h(z) of h(white)
		}
		least = min(least, before-entropies(withoutColumns(after, from, to)))
	}
	if math.IsInf(least, 1) {
		return 0, nil // nothing stays without a block
	}
	return least, nil
}

// residualsOf are the residuals that rotations are judged by, d×T.
func residualsOf(z *mat.Dense, neighbours [][]int32) *mat.Dense {
	residuals, _ := lessPredictions(z, neighbours)
	d, t := z.Dims()
	noise := blur(0, t)
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

// chanceGain is what as many searches hardly ever gain of Gaussian signals which
// have the mean spectrum of the whitened signals z.
func chanceGain(ctx context.Context, z *mat.Dense, shape []int, searches int, seed uint64) (float64, error) {
	d, _ := z.Dims()
	z, shape = middle(z, shape, chancePositions)
	neighbours, err := selfNeighbours(shape)
	if err != nil {
		return 0, err
	}
	quantiles := mat.DenseCopyOf(z) // outliers would make the spectrum too even
	for i := range d {
		normalQuantiles(quantiles.RawRowView(i))
	}
	draws := func(k int) *rand.Rand { return stream(seed, k, 0, drawChance) }
	gains, err := overSurrogates(ctx, pooledAmplitude(quantiles, shape), d, shape, rotationSurrogates(d), draws, func(white *mat.Dense) (float64, error) {
		rotated, _ := leastEntropyRotation(ctx, white, neighbours, searches, seed)
		return rotationGain(white, rotated, neighbours)
	})
	if err != nil {
		return 0, err
	}
	mean, sd := stat.MeanStdDev(gains, nil)
	return mean + hardlyEver*sd, nil
}
