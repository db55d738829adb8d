package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// sources returns two autoregressive signals.
func sources() *mat.Dense {
	return must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 1000,
		datasets.ARProcess{Coefficients: []float64{0.9, -0.5}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal}))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
