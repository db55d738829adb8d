package dependence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/stream"
)

// Interval returns the bootstrap interval of the total dependence of the pair p. Predictions,
// whitening and features aren't fitted anew to resamples. Resampling adds correlations by chance,
// so the values of the resamples are shifted to have the estimate, which is corrected for chance,
// as their mean.
func (a *Analysis) Interval(p Pair, positions *Partition, seed uint64) Interval {
	f := a.features
	parts := []*resampled{
		newResampled(f.white[p.I], f.white[p.J], positions),
		newResampled(f.residual[p.I], f.prediction[p.J], positions),
		newResampled(f.residual[p.J], f.prediction[p.I], positions),
	}
	rng := stream.New(seed, 0, 0, stream.Bootstrap)
	values := make([]float64, replicates)
	mean := 0.0
	for k := range values {
		times := positions.resample(rng)
		for _, part := range parts {
			values[k] += part.correlation(times)
		}
		mean += values[k] / replicates
	}
	for k := range values {
		values[k] += p.Total() - mean
	}
	return percentiles(p.Total(), values).AtLeast(0)
}

// resampled holds the sums, over blocks of positions, of two sets of features and of their
// products.
type resampled struct {
	positions *Partition
	a, b      []moments     // [feature]
	products  [][][]float64 // [feature of a][feature of b][block]
}

// moments are the sums of a feature's values and of their squares over each block.
type moments struct{ values, squares []float64 }

func newResampled(a, b [][]float64, positions *Partition) *resampled {
	r := &resampled{
		positions: positions, a: blockMoments(a, positions), b: blockMoments(b, positions),
	}
	for _, u := range a {
		var row [][]float64
		for _, v := range b {
			row = append(row, positions.sums(multiplied(u, v)))
		}
		r.products = append(r.products, row)
	}
	return r
}

func blockMoments(features [][]float64, positions *Partition) []moments {
	var m []moments
	for _, u := range features {
		m = append(m, moments{positions.sums(u), positions.sums(multiplied(u, u))})
	}
	return m
}

func multiplied(u, v []float64) []float64 {
	w := make([]float64, len(u))
	for t := range w {
		w[t] = u[t] * v[t]
	}
	return w
}

// correlation returns the sum of the squared correlations of all pairs of features in a resample
// that contains block k times[k] times.
func (r *resampled) correlation(times []float64) float64 {
	n := r.positions.positions(times)
	meansA, variancesA := resampledMoments(r.a, times, n)
	meansB, variancesB := resampledMoments(r.b, times, n)
	sum := 0.0
	for i, row := range r.products {
		for j, products := range row {
			if scale := variancesA[i] * variancesB[j]; scale > 0 {
				c := floats.Dot(times, products)/n - meansA[i]*meansB[j]
				sum += c * c / scale
			}
		}
	}
	return sum
}

// resampledMoments returns the means and variances of features in a resample of n positions.
func resampledMoments(features []moments, times []float64, n float64) (means, variances []float64) {
	for _, m := range features {
		mean := floats.Dot(times, m.values) / n
		means = append(means, mean)
		variances = append(variances, max(0, floats.Dot(times, m.squares)/n-mean*mean))
	}
	return means, variances
}

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

// An Interval is an estimate with its 95 % interval by the percentiles of a
// block bootstrap (H. Künsch, Annals of Statistics, 1989).
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// String returns the estimate with its interval, to three decimals.
func (i Interval) String() string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", i.Estimate, i.Low, i.High)
}

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
	b := &Partition{Block: make([]int, t), Sizes: make([]int, count)}
	for position := range b.Block {
		block, stride, rest := 0, 1, position
		for a := len(shape) - 1; a >= 0; a-- {
			block += rest % shape[a] * parts[a] / shape[a] * stride
			rest /= shape[a]
			stride *= parts[a]
		}
		b.Block[position] = block
		b.Sizes[block]++
	}
	return b
}

// sums returns the sum of the values of each block.
func (b *Partition) sums(values []float64) []float64 {
	sums := make([]float64, len(b.Sizes))
	for t, v := range values {
		sums[b.Block[t]] += v
	}
	return sums
}

// resample draws as many blocks as there are, with replacement, and returns how often each was
// drawn.
func (b *Partition) resample(rng *rand.Rand) []float64 {
	times := make([]float64, len(b.Sizes))
	for range times {
		times[rng.IntN(len(times))]++
	}
	return times
}

// positions returns the number of positions of a resample.
func (b *Partition) positions(times []float64) float64 {
	n := 0.0
	for k, size := range b.Sizes {
		n += times[k] * float64(size)
	}
	return n
}

// MeanInterval returns the interval of the mean of values, one for each position.
func (b *Partition) MeanInterval(values []float64, rng *rand.Rand) Interval {
	sums := b.sums(values)
	means := make([]float64, replicates)
	for k := range means {
		times := b.resample(rng)
		means[k] = floats.Dot(times, sums) / b.positions(times)
	}
	return percentiles(stat.Mean(values, nil), means)
}

// percentiles returns the interval of an estimate from the values of its resamples, which it sorts.
func percentiles(estimate float64, values []float64) Interval {
	slices.Sort(values)
	return Interval{
		Estimate: estimate,
		Low:      stat.Quantile((1-confidence)/2, stat.LinInterp, values, nil),
		High:     stat.Quantile((1+confidence)/2, stat.LinInterp, values, nil),
	}
}

// AtLeast returns the interval of a value that can't be below bound.
func (i Interval) AtLeast(bound float64) Interval {
	return Interval{max(i.Estimate, bound), max(i.Low, bound), max(i.High, bound)}
}
