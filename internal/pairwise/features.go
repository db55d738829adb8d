package pairwise

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// features holds the four features (see featureTable) of the whitened residual, the residual and
// the prediction of each signal. Each is [d][4][n], with mean 0 and mean square 1 over the
// positions.
type features struct {
	white, residual, prediction [][][]float64
	// residualOrder and predictionOrder are the quantile.Order of the residuals and predictions,
	// [d][n].
	residualOrder, predictionOrder [][]int
}

// newFeatures returns the features of all signals. It stops with ctx's error when ctx ends.
func newFeatures(ctx context.Context, residuals, predictions *mat.Dense) (*features, error) {
	d, n := residuals.Dims()
	white, err := mapping.Whitened(residuals)
	if err != nil {
		return nil, err
	}
	f := makeFeatures(d)
	table := newFeatureTable(n)
	return f, parallel.Do(ctx, parallel.Workers(d), d, func(_, i int) {
		f.residualOrder[i] = quantile.Order(residuals.RawRowView(i))
		f.predictionOrder[i] = quantile.Order(predictions.RawRowView(i))
		f.set(i, table, white.RawRowView(i), residuals.RawRowView(i), predictions.RawRowView(i))
	})
}

// makeFeatures returns room for the features of d signals.
func makeFeatures(d int) *features {
	return &features{
		white: make([][][]float64, d), residual: make([][][]float64, d),
		prediction:    make([][][]float64, d),
		residualOrder: make([][]int, d), predictionOrder: make([][]int, d),
	}
}

// set sets the features of signal i, whose orders must be set.
func (f *features) set(i int, table featureTable, white, residual, prediction []float64) {
	f.white[i] = table.features(quantile.Ranks(white))
	f.residual[i] = table.features(quantile.RanksOrdered(residual, f.residualOrder[i]))
	f.prediction[i] = table.features(quantile.RanksOrdered(prediction, f.predictionOrder[i]))
}

// without returns the features of the given signals, with nil for the others, without the positions
// [from, to) of the analysis a to which f belongs. The order of the remaining positions is the
// same, except for the whitened residuals, for which w is the whitening without these positions.
func (f *features) without(
	ctx context.Context, a *Analysis, w *whitening, signals []int, from, to int,
) (*features, error) {
	d, n := a.residuals.Dims()
	part, table := makeFeatures(d), newFeatureTable(n-(to-from))
	cut := func(row []float64) []float64 { return slices.Concat(row[:from], row[to:]) }
	return part, parallel.Do(ctx, parallel.Workers(len(signals)), len(signals), func(_, k int) {
		i := signals[k]
		part.residualOrder[i] = orderWithout(f.residualOrder[i], from, to)
		part.predictionOrder[i] = orderWithout(f.predictionOrder[i], from, to)
		part.set(i, table, cut(w.white(i, a.residuals)), cut(a.residuals.RawRowView(i)),
			cut(a.predictions.RawRowView(i)))
	})
}

// A whitening is the symmetric whitening of residuals at some of the positions.
type whitening struct {
	matrix *mat.Dense // d×d
	failed bool       // whether the residuals can't be whitened
}

func newWhitening(residuals *mat.Dense) *whitening {
	w, err := pca.Whiten(residuals)
	if err != nil {
		return &whitening{failed: true}
	}
	matrix := new(mat.Dense)
	matrix.Mul(w.Axes().T(), w.Matrix)
	return &whitening{matrix: matrix}
}

// white returns the whitened residual of signal i at all positions, up to a constant, which doesn't
// affect ranks.
func (w *whitening) white(i int, residuals *mat.Dense) []float64 {
	_, n := residuals.Dims()
	row := make([]float64, n)
	for j, weight := range w.matrix.RawRowView(i) {
		floats.AddScaled(row, weight, residuals.RawRowView(j))
	}
	return row
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

// A featureTable has the features for each rank among n values: sin u, cos u, sin 2u and cos 2u of
// the rank's normal quantile u. Equal values share their mean rank, so ranks are multiples of ½.
// The features of rank r are at index 2r, of 2n − 1 entries.
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
// fit a second-level cache. Half or twice as many are as fast.
const tile = 1024

// correlation returns the sum of the squared correlations of each feature of a with each feature of
// b, where position t of a is paired with position t + shift of b, modulo the number of positions.
func correlation(a, b [][]float64, shift int) float64 {
	n := len(a[0])
	products := make([]float64, len(a)*len(b))
	add := func(first, end, shift int) { // adds products over positions [first, end) of a
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
