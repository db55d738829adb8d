package predict

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

// NoiseStd is the standard deviation of the noise added to the residuals of signals
// of variance 1, below which nothing is seen of them: a signal that is predicted
// almost perfectly leaves only traces of others.
const NoiseStd = 0.05

// Own are the standardised signals, d×T, as their own neighbours predict them, and
// whether they are predictable: whether that leaves less than twice NoiseStd of each.
func Own(z *mat.Dense, neighbours [][]int32) (predictions *mat.Dense, predictable bool) {
	d, t := z.Dims()
	predictions, predictable = mat.NewDense(d, t, nil), true
	for i := range d {
		row := z.RawRowView(i)
		prediction := Of(row, neighbours)
		predictions.SetRow(i, prediction)
		predictable = predictable && ResidualScale(row, prediction) <= 2*NoiseStd
	}
	return predictions, predictable
}

// Residuals are the standardised signals less their own predictions, and the
// predictions, which are zero where the signals are predictable, both d×T.
func Residuals(z *mat.Dense, neighbours [][]int32) (residuals, predictions *mat.Dense) {
	predictions, predictable := Own(z, neighbours)
	if predictable {
		predictions.Zero()
	}
	residuals = new(mat.Dense)
	residuals.Sub(z, predictions)
	return residuals, predictions
}

// AddJitter adds a Jitter of its own to each signal.
func AddJitter(z *mat.Dense) {
	d, t := z.Dims()
	for i := range d {
		floats.Add(z.RawRowView(i), Jitter(i, t))
	}
}

// Jitter is fixed noise of NoiseStd for a signal.
func Jitter(signal, t int) []float64 {
	rng := stream.New(0, signal, 0, stream.Jitter)
	noise := make([]float64, t)
	for k := range noise {
		noise[k] = NoiseStd * rng.NormFloat64()
	}
	return noise
}
