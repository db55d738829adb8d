package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"
)

var rng = rand.New(rand.NewPCG(1, 0))

// halves are n points of p, then n of q for each run, [2, 2n, 2].
func halves(rho float64) *tensors.Tensor {
	var flat []float32
	for run := range 2 {
		for i := range 2 * n {
			a, e := rng.NormFloat64(), rng.NormFloat64()
			if run == 1 && i >= n {
				e = rho*a + math.Sqrt(1-rho*rho)*e
			}
			flat = append(flat, float32(a), float32(e))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, 2, 2*n, 2)
}

// pValue is that of Welch's test, normal for so many, of whether the log-ratios of p
// are larger than those of q.
func pValue(p, q [][]float32) float64 {
	pMean, pVariance := moments(p)
	qMean, qVariance := moments(q)
	z := (pMean - qMean) / math.Sqrt(pVariance/float64(len(p))+qVariance/float64(len(q)))
	return math.Erfc(z/math.Sqrt2) / 2
}

func moments(column [][]float32) (mean, variance float64) {
	values := make([]float64, len(column))
	for i, v := range column {
		values[i] = float64(v[0])
	}
	return stat.MeanVariance(values, nil)
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
