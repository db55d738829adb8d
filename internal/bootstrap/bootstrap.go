// Package bootstrap resamples contiguous blocks of positions, to find how far a statistic varies
// (H. Künsch, Annals of Statistics, 1989).
package bootstrap

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/stats"
)

// The settings of the bootstrap. Each is a choice.
const (
	// minBlocks and maxBlocks limit the number of blocks: fewer make an interval coarse, more make
	// blocks shorter than the memory of slow signals.
	minBlocks = 8
	maxBlocks = 64
	// replicates is the number of resamples. The standard error of either end of an interval is 2 %
	// of its length, as for a quantile of 1,000 normal values; with half as many it is 3 %.
	replicates = 1000
	// confidence is the probability that an interval covers the value.
	confidence = 0.95
)

// A Partition cuts positions into contiguous blocks of about equal size: stretches of a
// sequence, tiles of an image, boxes of a video. There are about √n of them, between minBlocks and
// maxBlocks, so that each is long against the memory of most signals.
type Partition struct {
	Block []int // the number of each position's block
	Sizes []int // the number of positions of each block
}

// NewPartition returns the partition of the positions of a shape.
func NewPartition(shape []int) *Partition {
	t := grid.Product(shape)
	wanted := max(minBlocks, min(int(math.Sqrt(float64(t))), maxBlocks))
	each := math.Pow(float64(wanted), 1/float64(len(shape)))
	parts := make([]int, len(shape))
	count := 1
	for a, n := range shape {
		parts[a] = max(1, min(int(math.Round(each)), n))
		count *= parts[a]
	}
	p := &Partition{Block: make([]int, t), Sizes: make([]int, count)}
	for position := range p.Block {
		block, stride, rest := 0, 1, position
		for a := len(shape) - 1; a >= 0; a-- {
			block += rest % shape[a] * parts[a] / shape[a] * stride
			rest /= shape[a]
			stride *= parts[a]
		}
		p.Block[position] = block
		p.Sizes[block]++
	}
	return p
}

// Sums returns the sum over each block of values, one for each position.
func (p *Partition) Sums(values []float64) []float64 {
	sums := make([]float64, len(p.Sizes))
	for t, v := range values {
		sums[p.Block[t]] += v
	}
	return sums
}

// Replicates returns the values of a statistic in 1,000 resamples, each of as many blocks as there
// are, drawn with replacement. The statistic gets how often each block was drawn, and the number n
// of positions of the resample.
func (p *Partition) Replicates(
	rng *rand.Rand, statistic func(times []float64, n float64) float64,
) []float64 {
	values := make([]float64, replicates)
	for k := range values {
		times, n := make([]float64, len(p.Sizes)), 0
		for range times {
			block := rng.IntN(len(times))
			times[block]++
			n += p.Sizes[block]
		}
		values[k] = statistic(times, float64(n))
	}
	return values
}

// MeanInterval returns the 95 % interval of the mean of values, one for each position.
func (p *Partition) MeanInterval(values []float64, rng *rand.Rand) (low, high float64) {
	sums := p.Sums(values)
	return Interval(p.Replicates(rng, func(times []float64, n float64) float64 {
		return floats.Dot(times, sums) / n
	}))
}

// Interval returns the 95 % interval of a statistic, the percentiles of its replicates, which it
// sorts.
func Interval(replicates []float64) (low, high float64) {
	slices.Sort(replicates)
	return stats.QuantileOfSorted((1-confidence)/2, replicates),
		stats.QuantileOfSorted((1+confidence)/2, replicates)
}
