package dependence

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// features are those of each signal's whitened residual, residual and
// prediction: [d][features][T], each of mean 0 and mean square 1.
type features struct{ white, residual, prediction [][][]float64 }

func newFeatures(residuals, predictions *mat.Dense) (*features, error) {
	white, err := preprocess.Whitened(residuals)
	if err != nil {
		return nil, err
	}
	f := new(features)
	d, _ := residuals.Dims()
	for i := range d {
		f.white = append(f.white, characteristicFeatures(white.RawRowView(i)))
		f.residual = append(f.residual, characteristicFeatures(residuals.RawRowView(i)))
		f.prediction = append(f.prediction, characteristicFeatures(predictions.RawRowView(i)))
	}
	return f, nil
}

// characteristicFeatures are the features of a row: sines and cosines of its normal quantiles.
func characteristicFeatures(row []float64) [][]float64 {
	u := append([]float64(nil), row...)
	preprocess.NormalQuantiles(u)
	features := make([][]float64, 4)
	for k, of := range []func(float64) float64{
		math.Sin, math.Cos,
		func(u float64) float64 { return math.Sin(2 * u) },
		func(u float64) float64 { return math.Cos(2 * u) },
	} {
		feature := make([]float64, len(u))
		for t, v := range u {
			feature[t] = of(v)
		}
		mean, sd := stat.PopMeanStdDev(feature, nil)
		for t := range feature {
			if feature[t] -= mean; sd > 0 {
				feature[t] /= sd
			}
		}
		features[k] = feature
	}
	return features
}

// correlation is the sum of the squared correlations of all features of a with
// all of b, b shifted around by shift positions.
func correlation(a, b [][]float64, shift int) float64 {
	sum := 0.0
	for _, u := range a {
		for _, v := range b {
			t := len(u)
			c := (floats.Dot(u[:t-shift], v[shift:]) + floats.Dot(u[t-shift:], v[:shift])) / float64(t)
			sum += c * c
		}
	}
	return sum
}
