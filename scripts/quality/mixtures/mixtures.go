// Package mixtures is the kinds of mixtures by which the quality of a separation is
// measured.
package mixtures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// positions is the length of the sequences, that of the paper's.
const positions = 1024

// A Mixture is a kind of sources under a kind of mixing.
type Mixture struct {
	Name string
	// Hard is true for mixtures that aren't identifiable, or hardly, which serve to
	// see whether a method knows.
	Hard bool
	// Draw returns sources and mixed signals.
	Draw func(seed uint64) (sources *mat.Dense, mixed *ica.Signals, err error)
}

// All returns the paper's mixtures of its three data sets, with steps as it prints
// them, then other sources under random, not symmetric, mixing matrices. Those called
// "unseen" are kinds that sica.Default was not developed on: they were chosen and
// committed before anything was run on them, and none was taken out afterwards. The
// hard ones come last.
func All() []Mixture {
	var all []Mixture
	paper := func(name, data, mixing string, steps ...int) {
		for _, n := range steps {
			all = append(all, Mixture{Name: fmt.Sprintf("%s, J=%d", name, n), Draw: func(seed uint64) (*mat.Dense, *ica.Signals, error) {
				return experiment.Problem{Data: data, Mixing: mixing, Steps: n, Seed: seed}.Draw()
			}})
		}
	}
	paper("AR(7), linear", experiment.AR7, experiment.LinearMixing, 5, 10, 20)
	paper("AR(7), GELU", experiment.AR7, experiment.GELUMixing, 5, 10, 20)
	paper("MNIST d=3, linear", experiment.MNIST, experiment.LinearMixing, 5, 20)
	paper("MNIST d=3, GELU", experiment.MNIST, experiment.GELUMixing, 5, 20)
	all = append(all, Mixture{Name: "heart, u ordered", Draw: func(seed uint64) (*mat.Dense, *ica.Signals, error) {
		return experiment.Problem{Data: experiment.Heart, Mixing: experiment.MatrixMixing, Seed: seed}.Draw()
	}})

	hard := false
	add := func(name string, sources source, mix mixing) {
		all = append(all, Mixture{name, hard, func(seed uint64) (*mat.Dense, *ica.Signals, error) {
			rng := rand.New(rand.NewPCG(seed, 0))
			s, shape, err := sources(rng)
			if err != nil {
				return nil, nil, err
			}
			x, err := mix(rng, s)
			if err != nil {
				return nil, nil, err
			}
			mixed, err := ica.New(x, shape...)
			return s, mixed, err
		}})
	}
	add("Gaussian AR, two spectra, random A", twoSpectra, randomLinear)
	add("Laplace d=2, random A", several(2, white(datasets.Laplace)), randomLinear)
	add("Laplace d=3, random A", several(3, white(datasets.Laplace)), randomLinear)
	add("uniform d=2, random A", several(2, white(datasets.Uniform)), randomLinear)
	add("uniform d=3, random A", several(3, white(datasets.Uniform)), randomLinear)
	add("sine+square+sawtooth, random A", waves, randomLinear)
	add("AR(7) d=4, linear, J=5", several(4, datasets.PaperAR7()), fiveSteps(nil))
	add("Laplace d=8, random A", several(8, white(datasets.Laplace)), randomLinear)
	add("Laplace AR(1) d=8, random A", several(8, laplaceAR1), randomLinear)
	add("Gaussian AR, eight spectra, random A", eightSpectra, randomLinear)
	add("MNIST d=8, random A", manyDigits(8), randomLinear)
	add("Laplace d=16, random A", several(16, white(datasets.Laplace)), randomLinear)
	add("Laplace d=32, random A", several(32, white(datasets.Laplace)), randomLinear)

	add("unseen: exponential d=3, random A", several(3, white((*rand.Rand).ExpFloat64)), randomLinear)
	add("unseen: Laplace AR(1) d=2, random A", several(2, laplaceAR1), randomLinear)
	add("unseen: bursts d=2, random A", bursts, randomLinear)
	add("unseen: pulses+chirp+triangle, random A", laboratory, randomLinear)
	add("unseen: telegraph d=2, random A", telegraph, randomLinear)
	add("unseen: AR(7), soft-clipped A·s", several(2, datasets.PaperAR7()), pointwise(paperMatrix, func(v float64) float64 { return v / (1 + math.Abs(v)/2) }))
	add("unseen: AR(7), tanh(A·s)", several(2, datasets.PaperAR7()), pointwise(paperMatrix, math.Tanh))
	add("unseen: two spectra, cubic A·s", twoSpectra, pointwise(randomMatrix, cubic))

	hard = true
	add("white Gaussian d=2, random A", several(2, white(datasets.Normal)), randomLinear)
	add("white Gaussian d=3, random A", several(3, white(datasets.Normal)), randomLinear)
	add("Gaussian AR, equal spectra, random A", several(2, gaussianAR(1.6, -0.8)), randomLinear)
	add("AR(7), random A", several(2, datasets.PaperAR7()), randomLinear)
	add("Laplace and two Gaussian, random A", autoregressive(white(datasets.Laplace), white(datasets.Normal), white(datasets.Normal)), randomLinear)
	add("Laplace d=2, cubic A·s", several(2, white(datasets.Laplace)), pointwise(randomMatrix, cubic))
	add("uniform d=2, tanh(A·s)", several(2, white(datasets.Uniform)), pointwise(randomMatrix, math.Tanh))
	add("two spectra, tanh(A·s)", twoSpectra, pointwise(randomMatrix, math.Tanh))
	add("two spectra, GELUMixing, J=5", twoSpectra, fiveSteps(datasets.GELU))
	return all
}

// A source draws sources and says what the shape of their positions is, nil for a
// sequence.
type source func(rng *rand.Rand) (s *mat.Dense, shape []int, err error)

func manyDigits(d int) source {
	return func(rng *rand.Rand) (*mat.Dense, []int, error) {
		s, _, err := datasets.MNIST(rng, d)
		return s, []int{datasets.MNISTSide, datasets.MNISTSide}, err
	}
}

func autoregressive(processes ...datasets.ARProcess) source {
	return func(rng *rand.Rand) (*mat.Dense, []int, error) {
		s, err := datasets.AR(rng, positions, processes...)
		return s, nil, err
	}
}

// several are d independent draws of a process.
func several(d int, p datasets.ARProcess) source {
	return autoregressive(slices.Repeat([]datasets.ARProcess{p}, d)...)
}

// white is a process of independent values.
func white(value func(*rand.Rand) float64) datasets.ARProcess {
	return datasets.ARProcess{Scale: 1, Innovation: value}
}

var laplaceAR1 = datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 100}

func gaussianAR(coefficients ...float64) datasets.ARProcess {
	return datasets.ARProcess{Coefficients: coefficients, Scale: 1, Innovation: datasets.Normal, BurnIn: 100}
}

// twoSpectra are Gaussian processes that only their spectra tell apart.
var twoSpectra = autoregressive(gaussianAR(1.6, -0.8), gaussianAR(-0.5, 0.2))

// eightSpectra are eight of them.
func eightSpectra(rng *rand.Rand) (*mat.Dense, []int, error) {
	processes := make([]datasets.ARProcess, 8)
	for i := range processes {
		angle := math.Pi * (float64(i) + 0.5) / 8
		processes[i] = gaussianAR(1.8*math.Cos(angle), -0.81)
	}
	return autoregressive(processes...)(rng)
}

// waves are a sine, a square wave and a sawtooth of random phases.
func waves(rng *rand.Rand) (*mat.Dense, []int, error) {
	return periodic(rng, []float64{0.0131, 0.0211, 0.0073},
		func(p float64) float64 { return math.Sin(2 * math.Pi * p) },
		func(p float64) float64 { return math.Copysign(1, p-0.5) },
		func(p float64) float64 { return p }), nil, nil
}

// periodic are signals of the given frequencies, in cycles a position, with a
// shape over the cycle, 0 to 1, each.
func periodic(rng *rand.Rand, frequencies []float64, shapes ...func(float64) float64) *mat.Dense {
	s := mat.NewDense(len(shapes), positions, nil)
	for i, shape := range shapes {
		phase := rng.Float64()
		for t := range positions {
			_, cycle := math.Modf(frequencies[i]*float64(t) + phase)
			s.Set(i, t, shape(cycle))
		}
	}
	return s
}

// bursts are two signals of normal noise whose strength swells and sinks, at
// different rates.
func bursts(rng *rand.Rand) (*mat.Dense, []int, error) {
	strength := func(p float64) float64 { return math.Exp(1.5 * math.Sin(2*math.Pi*p)) }
	s := periodic(rng, []float64{0.005, 0.0083}, strength, strength)
	s.Apply(func(_, _ int, strength float64) float64 { return strength * rng.NormFloat64() }, s)
	return s, nil, nil
}

// laboratory are a train of short pulses, a chirp and a triangle wave, each
// with a little noise.
func laboratory(rng *rand.Rand) (*mat.Dense, []int, error) {
	s := periodic(rng, []float64{0.011, 1.0 / positions, 0.017},
		func(p float64) float64 { return math.Exp(-200 * (p - 0.5) * (p - 0.5)) },
		func(p float64) float64 { return math.Sin(2 * math.Pi * (10*p + 30*p*p)) },
		func(p float64) float64 { return math.Abs(2*p - 1) })
	s.Apply(func(_, _ int, v float64) float64 { return v + 0.02*rng.NormFloat64() }, s)
	return s, nil, nil
}

// telegraph are two signals that jump between −1 and 1 at random, with noise.
func telegraph(rng *rand.Rand) (*mat.Dense, []int, error) {
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
	return s, nil, nil
}

// A mixing mixes sources.
type mixing func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error)

// fiveSteps are the paper's x ← x + h(W·x), with h the identity if it is nil.
func fiveSteps(h func(float64) float64) mixing {
	return func(_ *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		return datasets.Mix(s, datasets.MixOptions{Steps: 5, H: h})
	}
}

// randomLinear is x = A·s with a randomMatrix, and each signal of x standardised.
var randomLinear = pointwise(randomMatrix, func(v float64) float64 { return v })

// pointwise is x = f(A·s), f of each value of mixtures of variance 1: a
// post-nonlinear mixing.
func pointwise(matrix func(*rand.Rand, int) *mat.Dense, f func(float64) float64) mixing {
	return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		d, _ := s.Dims()
		x, err := datasets.LinearMix(matrix(rng, d), s)
		if err != nil {
			return nil, err
		}
		for i := range d {
			row := x.RawRowView(i)
			mean, sd := stat.PopMeanStdDev(row, nil)
			for t, v := range row {
				row[t] = f((v - mean) / sd)
			}
		}
		return x, nil
	}
}

func cubic(v float64) float64 { return v + 0.2*v*v*v }

// paperMatrix is the paper's W, whatever rng.
func paperMatrix(_ *rand.Rand, d int) *mat.Dense { return datasets.PaperW(d) }

// randomMatrix is normal with a condition number of at most 10. Large normal
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
