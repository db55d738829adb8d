package dependence

import (
	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

// Interval is that of the pair's total dependence, which is above chance already.
// A resample's features are correlated by chance once more, so that its values
// are moved to have the estimate as their mean. The predictions, the whitening
// and the features are the sample's.
func (a *Analysis) Interval(p Pair, positions *Partition, seed uint64) Interval {
	f := a.whole
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

// resampled are two sets of features, as sums over blocks of positions.
type resampled struct {
	positions *Partition
	a, b      []moments     // of each feature
	products  [][][]float64 // of each feature of one with each of the other
}

// moments are the sums of values and of their squares.
type moments struct{ values, squares []float64 }

func newResampled(a, b [][]float64, positions *Partition) *resampled {
	r := &resampled{positions: positions, a: blockMoments(a, positions), b: blockMoments(b, positions)}
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

// correlation is the sum of the squared correlations in a resample in which each
// block is that many times.
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

func resampledMoments(of []moments, times []float64, n float64) (means, variances []float64) {
	for _, m := range of {
		mean := floats.Dot(times, m.values) / n
		means = append(means, mean)
		variances = append(variances, max(0, floats.Dot(times, m.squares)/n-mean*mean))
	}
	return means, variances
}
