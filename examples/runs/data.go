package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// mixture returns a mixture of two autoregressive signals, and them.
func mixture() (x, sources *mat.Dense) {
	sources = must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 256,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1}))
	return must(datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), sources)), sources
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
