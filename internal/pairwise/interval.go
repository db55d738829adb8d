package pairwise

import (
	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/bootstrap"
	"github.com/seed-47b1e431/gosica/internal/stream"
)

// Interval returns the 95 % bootstrap interval of the total dependence of the pair p. Predictions,
// whitening and features aren't fitted anew to resamples. Resampling adds correlations by chance,
// so the values of the resamples are shifted to have the estimate, which is corrected for chance,
// as their mean.
func (a *Analysis) Interval(p Pair, seed uint64) (low, high float64) {
	f, partition := a.features, bootstrap.NewPartition(a.shape)
	parts := []resampled{
		newResampled(f.white[p.I], f.white[p.J], partition),
		newResampled(f.residual[p.I], f.prediction[p.J], partition),
		newResampled(f.residual[p.J], f.prediction[p.I], partition),
	}
	draws := stream.New(seed, 0, 0, stream.Bootstrap)
	values := partition.Replicates(draws, func(times []float64, n float64) float64 {
		sum := 0.0
		for _, part := range parts {
			sum += part.correlation(times, n)
		}
		return sum
	})
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	floats.AddConst(p.Total()-mean, values)
	return bootstrap.Interval(values)
}

// resampled holds the sums, over blocks of positions, of two sets of features and of their
// products.
type resampled struct {
	a, b     []moments     // [feature]
	products [][][]float64 // [feature of a][feature of b][block]
}

// moments are the sums of a feature's values and of their squares over each block.
type moments struct{ values, squares []float64 }

func newResampled(a, b [][]float64, partition *bootstrap.Partition) resampled {
	r := resampled{a: blockMoments(a, partition), b: blockMoments(b, partition)}
	for _, u := range a {
		var row [][]float64
		for _, v := range b {
			row = append(row, partition.Sums(multiplied(u, v)))
		}
		r.products = append(r.products, row)
	}
	return r
}

func blockMoments(features [][]float64, partition *bootstrap.Partition) []moments {
	var m []moments
	for _, u := range features {
		m = append(m, moments{partition.Sums(u), partition.Sums(multiplied(u, u))})
	}
	return m
}

func multiplied(u, v []float64) []float64 { return floats.MulTo(make([]float64, len(u)), u, v) }

// correlation returns the sum of the squared correlations of all pairs of features in a resample of
// n positions that contains block k times[k] times.
func (r resampled) correlation(times []float64, n float64) float64 {
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
