package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
)

// normal returns n pairs of standard normal values with a correlation.
func normal(n int, correlation float64) (x, y []float32) {
	rng := rand.New(rand.NewPCG(uint64(n), math.Float64bits(correlation)))
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x = append(x, float32(a))
		y = append(y, float32(correlation*a+math.Sqrt(1-correlation*correlation)*b))
	}
	return x, y
}

// pairs is [n, 2].
func pairs(x, y []float32) *tensors.Tensor {
	flat := make([]float32, 0, 2*len(x))
	for i := range x {
		flat = append(flat, x[i], y[i])
	}
	return tensors.FromFlatDataAndDimensions(flat, len(x), 2)
}

// permuted is pairs of x and a permutation of y, which are samples of the product of the marginals.
func permuted(rng *rand.Rand, x, y []float32) *tensors.Tensor {
	other := make([]float32, len(y))
	for i, k := range rng.Perm(len(y)) {
		other[i] = y[k]
	}
	return pairs(x, other)
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
