package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
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
// random, not symmetric, mixing matrices, then those of unseen.
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
		problem{"Laplace d=2, random A", nil, randomMixing(independent(2, datasets.Laplace))},
		problem{"Laplace d=3, random A", nil, randomMixing(independent(3, datasets.Laplace))},
		problem{"uniform d=2, random A", nil, randomMixing(independent(2, datasets.Uniform))},
		problem{"uniform d=3, random A", nil, randomMixing(independent(3, datasets.Uniform))},
		problem{"sine+square+sawtooth, random A", nil, randomMixing(waves)},
		problem{"AR(7) d=4, linear, J=5", nil, paperMixing(ar7Of(4), "linear", 5)},
		problem{"Laplace d=8, random A", nil, randomMixing(independent(8, datasets.Laplace))},
		problem{"Laplace AR(1) d=8, random A", nil, randomMixing(laplaceAR1(8))},
		problem{"Gaussian AR, eight spectra, random A", nil, randomMixing(eightSpectra)},
		problem{"MNIST d=8, random A", []int{datasets.MNISTSide, datasets.MNISTSide}, randomMixing(digitsOf(8))},
		problem{"Laplace d=16, random A", nil, randomMixing(independent(16, datasets.Laplace))},
		problem{"Laplace d=32, random A", nil, randomMixing(independent(32, datasets.Laplace))},
	)
	return append(rows, unseen()...)
}

type source func(rng *rand.Rand) (*mat.Dense, error)

func ar7(rng *rand.Rand) (*mat.Dense, error) { return ar7Of(2)(rng) }

func ar7Of(d int) source {
	return func(rng *rand.Rand) (*mat.Dense, error) { return datasets.AR7(rng, d, positions) }
}

func digits(rng *rand.Rand) (*mat.Dense, error) { return digitsOf(3)(rng) }

func digitsOf(d int) source {
	return func(rng *rand.Rand) (*mat.Dense, error) {
		s, _, err := datasets.MNIST(rng, d)
		return s, err
	}
}

// laplaceAR1 are d processes of one spectrum with Laplace innovations.
func laplaceAR1(d int) source {
	p := datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 100}
	return func(rng *rand.Rand) (*mat.Dense, error) {
		return datasets.AR(rng, positions, slices.Repeat([]datasets.ARProcess{p}, d)...)
	}
}

// eightSpectra are Gaussian AR(2) processes that only their spectra tell apart.
func eightSpectra(rng *rand.Rand) (*mat.Dense, error) {
	processes := make([]datasets.ARProcess, 8)
	for i := range processes {
		angle := math.Pi * (float64(i) + 0.5) / 8
		processes[i] = datasets.ARProcess{Coefficients: []float64{1.8 * math.Cos(angle), -0.81}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100}
	}
	return datasets.AR(rng, positions, processes...)
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

// waves are a sine, a square wave and a sawtooth of random phases.
func waves(rng *rand.Rand) (*mat.Dense, error) {
	return periodic(rng, []float64{0.0131, 0.0211, 0.0073},
		func(p float64) float64 { return math.Sin(2 * math.Pi * p) },
		func(p float64) float64 { return math.Copysign(1, p-0.5) },
		func(p float64) float64 { return p })
}

// periodic are signals of the given frequencies, in cycles a position, with a
// shape over the cycle, 0 to 1, each.
func periodic(rng *rand.Rand, frequencies []float64, shapes ...func(float64) float64) (*mat.Dense, error) {
	s := mat.NewDense(len(shapes), positions, nil)
	for i, shape := range shapes {
		phase := rng.Float64()
		for t := range positions {
			_, cycle := math.Modf(frequencies[i]*float64(t) + phase)
			s.Set(i, t, shape(cycle))
		}
	}
	return s, nil
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

// randomMixing is x = A·s with a randomMatrix.
func randomMixing(draw source) func(*rand.Rand) (s, x *mat.Dense, err error) {
	return pointwiseMixing(draw, randomMatrix, func(v float64) float64 { return v })
}

// randomMatrix is normal with a condition number below 10. Large normal
// matrices hardly ever have that; of more than three signals it is instead one
// between random rotations, with singular values of 1 to 5.
func randomMatrix(rng *rand.Rand, d int) *mat.Dense {
	if d > 3 {
		scale := mat.NewDiagDense(d, nil)
		for i := range d {
			scale.SetDiag(i, 1+4*rng.Float64())
		}
		a := new(mat.Dense)
		a.Product(rotation.Random(rng, d), scale, rotation.Random(rng, d))
		return a
	}
	for {
		a := mat.NewDense(d, d, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		if mat.Cond(a, 2) <= 10 {
			return a
		}
	}
}

// pointwiseMixing is x = f(A·s), f pointwise on mixtures of variance 1: a
// post-nonlinear mixing.
func pointwiseMixing(draw source, matrix func(*rand.Rand, int) *mat.Dense, f func(float64) float64) func(*rand.Rand) (s, x *mat.Dense, err error) {
	return func(rng *rand.Rand) (*mat.Dense, *mat.Dense, error) {
		s, err := draw(rng)
		if err != nil {
			return nil, nil, err
		}
		d, _ := s.Dims()
		x, err := datasets.LinearMix(matrix(rng, d), s)
		if err != nil {
			return nil, nil, err
		}
		for i := range d {
			row := x.RawRowView(i)
			mean, sd := stat.PopMeanStdDev(row, nil)
			for t, v := range row {
				row[t] = f((v - mean) / sd)
			}
		}
		return s, x, nil
	}
}
