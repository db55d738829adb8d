package dependence

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// features are those of each signal's whitened residual, residual and
// prediction: [d][features][T], each of mean 0 and mean square 1.
type features struct{ white, residual, prediction [][][]float64 }

// newFeatures are those of some of the signals. It stops with ctx's error when ctx ends.
func newFeatures(
	ctx context.Context, residuals, predictions *mat.Dense, signals []int,
) (*features, error) {
	white, err := mapping.Whitened(residuals)
	if err != nil {
		return nil, err
	}
	d, t := residuals.Dims()
	f := &features{make([][][]float64, d), make([][][]float64, d), make([][][]float64, d)}
	table := newFeatureTable(t)
	n := len(signals)
	err = parallel.Do(ctx, parallel.Workers(n), n, func(_, k int) {
		i := signals[k]
		f.white[i] = table.features(white.RawRowView(i))
		f.residual[i] = table.features(residuals.RawRowView(i))
		f.prediction[i] = table.features(predictions.RawRowView(i))
	})
	return f, err
}

// indices are 0 … n−1.
func indices(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// A featureTable has the features of every rank among T values, at twice the rank, as
// equal values share the mean of their ranks: 2T−1 times sin u, cos u, sin 2u and cos 2u
// of the rank's normal quantile u.
type featureTable [][4]float64

func newFeatureTable(t int) featureTable {
	table := make(featureTable, 2*t-1)
	for k := range table {
		u := distuv.UnitNormal.Quantile((float64(k)/2 + 0.5) / float64(t))
		table[k] = [4]float64{math.Sin(u), math.Cos(u), math.Sin(2 * u), math.Cos(2 * u)}
	}
	return table
}

// features are those of the values of a row, [4][T].
func (table featureTable) features(row []float64) [][]float64 {
	features := make([][]float64, 4)
	for k := range features {
		features[k] = make([]float64, len(row))
	}
	for t, rank := range quantile.Ranks(row) {
		for k, v := range table[int(2*rank)] {
			features[k][t] = v
		}
	}
	for _, feature := range features {
		mean, sd := stat.PopMeanStdDev(feature, nil)
		for t := range feature {
			if feature[t] -= mean; sd > 0 {
				feature[t] /= sd
			}
		}
	}
	return features
}

// tile is how many positions of all features are multiplied at a time: 64 KiB of eight rows,
// which a processor's second cache holds. Half or twice is as fast.
const tile = 1024

// correlation is the sum of the squared correlations of all features of a with
// all of b, b shifted around by shift positions.
func correlation(a, b [][]float64, shift int) float64 {
	t := len(a[0])
	products := make([]float64, len(a)*len(b))
	add := func(from, to, shift int) { // positions of a, b's are shift further
		for ; from < to; from += tile {
			end := min(from+tile, to)
			for i, u := range a {
				for j, v := range b {
					products[i*len(b)+j] += floats.Dot(u[from:end], v[from+shift:end+shift])
				}
			}
		}
	}
	add(0, t-shift, shift)
	add(t-shift, t, shift-t)
	sum := 0.0
	for _, product := range products {
		c := product / float64(t)
		sum += c * c
	}
	return sum
}
