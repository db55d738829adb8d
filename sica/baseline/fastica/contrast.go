package fastica

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/tanh"
)

// contrast is a value of Config.Contrast.
type contrast string

const (
	logCosh contrast = "logcosh"
	exp     contrast = "exp"
	cube    contrast = "cube"
)

var contrasts = []contrast{logCosh, exp, cube}

// apply replaces the values y by g(y), and returns the sum of the derivatives
// g′(y).
func (c contrast) apply(y []float64) float64 {
	switch c {
	case logCosh:
		tanh.InPlace(y)
		return float64(len(y)) - floats.Dot(y, y) // 1 − tanh²
	case exp:
		return expInPlace(y)
	case cube:
		return cubeInPlace(y)
	}
	panic("fastica: contrast " + string(c)) // validated
}

// expInPlace replaces y by y·exp(−y²/2) and sums (1 − y²)·exp(−y²/2).
func expInPlace(y []float64) (sum float64) {
	for t, v := range y {
		square := v * v
		e := math.Exp(-square / 2)
		y[t] = v * e
		sum += e - square*e
	}
	return sum
}

// cubeInPlace replaces y by y³ and sums 3·y².
func cubeInPlace(y []float64) (sum float64) {
	for t, v := range y {
		square := v * v
		y[t] = v * square
		sum += square
	}
	return 3 * sum
}
