package main

import (
	"log"
	"math"
	"math/rand"

	"github.com/gomlx/gomlx/core/tensors"
)

// stripes are n images with noise, and which of them have horizontal stripes.
func stripes(rng *rand.Rand, n int) (images, labels *tensors.Tensor) {
	var pixels, horizontal []float32
	for i := range n {
		phase := 2 * math.Pi * rng.Float64()
		horizontal = append(horizontal, float32(i%2))
		for p := range side * side {
			at := []int{p % side, p / side}[i%2]
			pixels = append(pixels, float32(math.Sin(float64(at)+phase)+rng.NormFloat64()))
		}
	}
	return tensors.FromFlatDataAndDimensions(pixels, n, side, side, 1),
		tensors.FromFlatDataAndDimensions(horizontal, n, 1)
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
