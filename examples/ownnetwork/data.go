package main

import (
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// mixture is two autoregressive signals with different spectra, mixed by a matrix.
func mixture() (mixed, sources *mat.Dense) {
	s := must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal}))
	return must(datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), s)), s
}

func mcc(z, sources *mat.Dense) float64 { return must(metric.MCC(z, sources)).MCC }

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
