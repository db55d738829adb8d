package main

import (
	"math"
	"math/rand/v2"
)

// twoMoons draws n points of two half circles, [n, 2].
func twoMoons(seed uint64, n int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	points := make([]float32, 2*n)
	for i := range n {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		x, y := cos-.5, sin-.25
		if rng.IntN(2) == 1 {
			x, y = .5-cos, .25-sin
		}
		points[2*i], points[2*i+1] = float32(x+.1*rng.NormFloat64()), float32(y+.1*rng.NormFloat64())
	}
	return points
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
