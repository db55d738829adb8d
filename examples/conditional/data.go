package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
)

var rng = rand.New(rand.NewPCG(1, 0))

func fill(next func() float64, dimensions ...int) *tensors.Tensor {
	size := 1
	for _, n := range dimensions {
		size *= n
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(next())
	}
	return tensors.FromFlatDataAndDimensions(values, dimensions...)
}

func normal(dimensions ...int) *tensors.Tensor { return fill(rng.NormFloat64, dimensions...) }

func uniform() *tensors.Tensor { return fill(rng.Float64, steps, batch) }

// labelled returns points near the half circles, [steps, batch, 2], and which of them, [steps, batch].
func labelled() (points, labels *tensors.Tensor) {
	xs, classes := make([]float32, 2*steps*batch), make([]int32, steps*batch)
	for i := range classes {
		classes[i] = int32(rng.IntN(2))
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		x, y := cos-0.5, sin-0.25
		if classes[i] == 1 {
			x, y = -x, -y
		}
		xs[2*i] = float32(x + 0.05*rng.NormFloat64())
		xs[2*i+1] = float32(y + 0.05*rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(xs, steps, batch, 2),
		tensors.FromFlatDataAndDimensions(classes, steps, batch)
}

// near is which part of the points is within 0.2 of the half circle of a class.
func near(points [][]float32, class int) float64 {
	count := 0.
	for _, p := range points {
		x, y := float64(p[0]), float64(p[1])
		if class == 1 {
			x, y = -x, -y
		}
		if y > -0.45 && math.Abs(math.Hypot(x+0.5, y+0.25)-1) < 0.2 {
			count++
		}
	}
	return count / float64(len(points))
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
