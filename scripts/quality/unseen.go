package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// unseen are kinds of sources and mixings that Default was not developed on:
// they were chosen and committed before anything was run on them, and none was
// taken out afterwards.
func unseen() []problem {
	return []problem{
		{"unseen: exponential d=3, random A", nil, randomMixing(independent(3, func(rng *rand.Rand) float64 { return rng.ExpFloat64() }))},
		{"unseen: Laplace AR(1) d=2, random A", nil, randomMixing(laplaceAR)},
		{"unseen: bursts d=2, random A", nil, randomMixing(bursts)},
		{"unseen: pulses+chirp+triangle, random A", nil, randomMixing(laboratory)},
		{"unseen: telegraph d=2, random A", nil, randomMixing(telegraph)},
		{"unseen: AR(7), soft-clipped A·s", nil, pointwiseMixing(ar7, paperMatrix, func(v float64) float64 { return v / (1 + math.Abs(v)/2) })},
		{"unseen: AR(7), tanh(A·s)", nil, pointwiseMixing(ar7, paperMatrix, math.Tanh)},
		{"unseen: two spectra, cubic A·s", nil, pointwiseMixing(spectra, randomMatrix, func(v float64) float64 { return v + 0.2*v*v*v })},
	}
}

// paperMatrix is the paper's W, whatever rng.
func paperMatrix(_ *rand.Rand, d int) *mat.Dense { return datasets.PaperW(d) }

// laplaceAR are two processes of one spectrum, with Laplace innovations.
func laplaceAR(rng *rand.Rand) (*mat.Dense, error) {
	p := datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 100}
	return datasets.AR(rng, positions, p, p)
}

// bursts are two signals of normal noise whose strength swells and sinks, at
// different rates.
func bursts(rng *rand.Rand) (*mat.Dense, error) {
	s, err := periodic(rng, []float64{0.005, 0.0083},
		func(p float64) float64 { return math.Exp(1.5 * math.Sin(2*math.Pi*p)) },
		func(p float64) float64 { return math.Exp(1.5 * math.Sin(2*math.Pi*p)) })
	if err != nil {
		return nil, err
	}
	s.Apply(func(_, _ int, strength float64) float64 { return strength * rng.NormFloat64() }, s)
	return s, nil
}

// laboratory are a train of short pulses, a chirp and a triangle wave, each
// with a little noise.
func laboratory(rng *rand.Rand) (*mat.Dense, error) {
	s, err := periodic(rng, []float64{0.011, 1.0 / positions, 0.017},
		func(p float64) float64 { return math.Exp(-200 * (p - 0.5) * (p - 0.5)) },
		func(p float64) float64 { return math.Sin(2 * math.Pi * (10*p + 30*p*p)) },
		func(p float64) float64 { return math.Abs(2*p - 1) })
	if err != nil {
		return nil, err
	}
	s.Apply(func(_, _ int, v float64) float64 { return v + 0.02*rng.NormFloat64() }, s)
	return s, nil
}

// telegraph are two signals that jump between −1 and 1 at random, with noise.
func telegraph(rng *rand.Rand) (*mat.Dense, error) {
	s := mat.NewDense(2, positions, nil)
	for i, rate := range []float64{0.05, 0.15} {
		level := 1.0
		for t := range positions {
			if rng.Float64() < rate {
				level = -level
			}
			s.Set(i, t, level+0.1*rng.NormFloat64())
		}
	}
	return s, nil
}
