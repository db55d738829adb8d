package dependence

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// features holds the four features (see featureTable) of three values of each signal: its whitened
// residual, its residual and its prediction. Each is [d][4][n], with mean 0 and mean square 1 over
// the positions.
type features struct {
	white, residual, prediction [][][]float64
	// residualOrder and predictionOrder are quantile.Order of the signals' rows, [d][n].
	residualOrder, predictionOrder [][]int
}

// newFeatures returns the features of all signals. It stops with ctx's error when ctx ends.
func newFeatures(ctx context.Context, residuals, predictions *mat.Dense) (*features, error) {
	d, _ := residuals.Dims()
	f := &features{residualOrder: make([][]int, d), predictionOrder: make([][]int, d)}
	err := parallel.Do(ctx, parallel.Workers(d), d, func(_, i int) {
		f.residualOrder[i] = quantile.Order(residuals.RawRowView(i))
		f.predictionOrder[i] = quantile.Order(predictions.RawRowView(i))
	})
	if err != nil {
		return nil, err
	}
	return f, f.fill(ctx, residuals, predictions, grid.Range(d))
}

// without returns the features of the given signals, with nil for the others, without the
// positions [from, to) of the residuals and predictions that f is of. The order of what is left
// is the same; only the whitening, and with it the order of the whitened residuals, is another.
func (f *features) without(
	ctx context.Context, residuals, predictions *mat.Dense, signals []int, from, to int,
) (*features, error) {
	d, _ := residuals.Dims()
	part := &features{residualOrder: make([][]int, d), predictionOrder: make([][]int, d)}
	for _, i := range signals {
		part.residualOrder[i] = orderWithout(f.residualOrder[i], from, to)
		part.predictionOrder[i] = orderWithout(f.predictionOrder[i], from, to)
	}
	return part, part.fill(ctx, signal.WithoutColumns(residuals, from, to),
		signal.WithoutColumns(predictions, from, to), signals)
}

// orderWithout returns the order of a row without the positions [from, to).
func orderWithout(order []int, from, to int) []int {
	left := make([]int, 0, len(order)-(to-from))
	for _, t := range order {
		switch {
		case t < from:
			left = append(left, t)
		case t >= to:
			left = append(left, t-(to-from))
		}
	}
	return left
}

// fill sets the features of the given signals, whose order is known.
func (f *features) fill(
	ctx context.Context, residuals, predictions *mat.Dense, signals []int,
) error {
	white, err := mapping.Whitened(residuals)
	if err != nil {
		return err
	}
	d, n := residuals.Dims()
	f.white, f.residual = make([][][]float64, d), make([][][]float64, d)
	f.prediction = make([][][]float64, d)
	table := newFeatureTable(n)
	return parallel.Do(ctx, parallel.Workers(len(signals)), len(signals), func(_, k int) {
		i := signals[k]
		whitened, residual, prediction := white.RawRowView(i), residuals.RawRowView(i),
			predictions.RawRowView(i)
		f.white[i] = table.features(quantile.Ranks(whitened))
		f.residual[i] = table.features(quantile.RanksOrdered(residual, f.residualOrder[i]))
		f.prediction[i] = table.features(quantile.RanksOrdered(prediction, f.predictionOrder[i]))
	})
}

// A featureTable has the features of a value by its rank among n values: sin u, cos u, sin 2u and
// cos 2u of the rank's normal quantile u. Equal values share the mean of their ranks, so that a
// rank is a multiple of ½. The features of rank r are at index 2r, of 2n − 1.
type featureTable [][4]float64

func newFeatureTable(n int) featureTable {
	table := make(featureTable, 2*n-1)
	for k := range table {
		u := distuv.UnitNormal.Quantile((float64(k)/2 + 0.5) / float64(n))
		table[k] = [4]float64{math.Sin(u), math.Cos(u), math.Sin(2 * u), math.Cos(2 * u)}
	}
	return table
}

// features returns the features of the values of a row with these ranks, [4][n], standardised
// over the positions.
func (table featureTable) features(ranks []float64) [][]float64 {
	features := make([][]float64, 4)
	for k := range features {
		features[k] = make([]float64, len(ranks))
	}
	for t, rank := range ranks {
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

// tile is the number of positions that are multiplied at a time: 64 KiB for eight features, which
// fit a processor's second-level cache. Half or twice is as fast.
const tile = 1024

// correlation returns the sum of the squared correlations of each feature of a with each of b,
// where position t of a is paired with position t + shift of b, modulo their number.
func correlation(a, b [][]float64, shift int) float64 {
	n := len(a[0])
	products := make([]float64, len(a)*len(b))
	add := func(first, end, shift int) { // adds the positions [first, end) of a
		for ; first < end; first += tile {
			last := min(first+tile, end)
			for i, u := range a {
				for j, v := range b {
					products[i*len(b)+j] += floats.Dot(u[first:last], v[first+shift:last+shift])
				}
			}
		}
	}
	add(0, n-shift, shift)
	add(n-shift, n, shift-n)
	sum := 0.0
	for _, product := range products {
		c := product / float64(n)
		sum += c * c
	}
	return sum
}
