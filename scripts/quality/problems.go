package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// problem is a kind of mixture: a row of the table.
type problem struct {
	name  string
	shape []int // of the position index, nil for a sequence
	// draw makes the sources and the mixed signals.
	draw func(rng *rand.Rand) (s, x *mat.Dense, err error)
}

// positions is T of the sequences, about that of the paper's.
const positions = 1024

// problems are the paper's mixtures of its three data sets, then sources under
// random, not symmetric, mixing matrices.
func problems() []problem {
	var rows []problem
	for _, mixing := range []string{"linear", "GELU"} {
		for _, steps := range []int{5, 10, 20} {
			rows = append(rows, problem{fmt.Sprintf("AR(7), %s, J=%d", mixing, steps), nil, paperMixing(ar7, mixing, steps)})
		}
	}
	for _, mixing := range []string{"linear", "GELU"} {
		for _, steps := range []int{5, 20} {
			rows = append(rows, problem{fmt.Sprintf("MNIST d=3, %s, J=%d", mixing, steps), []int{datasets.MNISTSide, datasets.MNISTSide}, paperMixing(digits, mixing, steps)})
		}
	}
	rows = append(rows, problem{"heart, u ordered", nil, heart})
	rows = append(rows,
		problem{"Gaussian AR, two spectra, random A", nil, randomMixing(spectra)},
		problem{"Laplace d=3, random A", nil, randomMixing(independent(3, datasets.Laplace))},
		problem{"uniform d=2, random A", nil, randomMixing(independent(2, datasets.Uniform))},
	)
	return rows
}

type source func(rng *rand.Rand) (*mat.Dense, error)

func ar7(rng *rand.Rand) (*mat.Dense, error) { return datasets.AR7(rng, 2, positions) }

func digits(rng *rand.Rand) (*mat.Dense, error) {
	s, _, err := datasets.MNIST(rng, 3)
	return s, err
}

// spectra are two Gaussian AR(2) processes that only their spectra tell apart.
func spectra(rng *rand.Rand) (*mat.Dense, error) {
	return datasets.AR(rng, positions,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100})
}

// independent are d signals of independent values.
func independent(d int, value func(*rand.Rand) float64) source {
	return func(rng *rand.Rand) (*mat.Dense, error) {
		signals := make([]datasets.ARProcess, d)
		for i := range signals {
			signals[i] = datasets.ARProcess{Scale: 1, Innovation: value}
		}
		return datasets.AR(rng, positions, signals...)
	}
}

// paperMixing is x ← x + h(Wx), steps times.
func paperMixing(draw source, mixing string, steps int) func(*rand.Rand) (s, x *mat.Dense, err error) {
	opt := datasets.MixOptions{Steps: steps}
	if mixing == "GELU" {
		opt.H = datasets.GELU
	}
	return func(rng *rand.Rand) (*mat.Dense, *mat.Dense, error) {
		s, err := draw(rng)
		if err != nil {
			return nil, nil, err
		}
		x, err := datasets.Mix(s, opt)
		return s, x, err
	}
}

func heart(rng *rand.Rand) (s, x *mat.Dense, err error) {
	if s, err = datasets.Heart(rng, datasets.PaperHeart()); err != nil {
		return nil, nil, err
	}
	x, err = datasets.LinearMix(datasets.HeartMixing(), s)
	return s, x, err
}

// randomMixing is x = A·s, A normal with a condition number below 10.
func randomMixing(draw source) func(*rand.Rand) (s, x *mat.Dense, err error) {
	return func(rng *rand.Rand) (*mat.Dense, *mat.Dense, error) {
		s, err := draw(rng)
		if err != nil {
			return nil, nil, err
		}
		d, _ := s.Dims()
		a := mat.NewDense(d, d, nil)
		for first := true; first || mat.Cond(a, 2) > 10; first = false {
			a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		}
		x, err := datasets.LinearMix(a, s)
		return s, x, err
	}
}
