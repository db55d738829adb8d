package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// mixture returns a mixture of two autoregressive signals, its later half, and the signals.
func mixture() (x, later, sources *mat.Dense) {
	sources = must(datasets.AR(rand.New(rand.NewPCG(1, 0)), 2000,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1}))
	all := must(datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), sources))
	half := func(k int) *mat.Dense { return mat.DenseCopyOf(all.Slice(0, 2, 1000*k, 1000*(k+1))) }
	return half(0), half(1), sources
}

// distance returns the largest difference of two matrices.
func distance(a, b *mat.Dense) float64 {
	var difference mat.Dense
	difference.Sub(a, b)
	return math.Max(mat.Max(&difference), -mat.Min(&difference))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
