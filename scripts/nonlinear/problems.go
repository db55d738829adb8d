package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// draw draws the sources and mixed signals of a problem.
func draw(name string, seed uint64, T int) (s, x *mat.Dense, err error) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return nil, nil, fmt.Errorf("problem %q: want sources-signals-mixing", name)
	}
	d, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil, nil, fmt.Errorf("problem %q: %w", name, err)
	}
	hash := fnv.New64()
	hash.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, hash.Sum64()))
	if s, err = drawSources(rng, parts[0], d, T); err != nil {
		return nil, nil, err
	}
	x, err = mix(rng, parts[2], s)
	return s, x, err
}

func drawSources(rng *rand.Rand, kind string, d, T int) (*mat.Dense, error) {
	each := func(process func(i int) datasets.ARProcess) (*mat.Dense, error) {
		var signals []datasets.ARProcess
		for i := range d {
			signals = append(signals, process(i))
		}
		return datasets.AR(rng, T, signals...)
	}
	gauss := func(rho func(i int) float64) (*mat.Dense, error) {
		return each(func(i int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{rho(i)}, Scale: 1, BurnIn: 200}
		})
	}
	switch kind {
	case "laplace":
		return datasets.LaplaceAR(rng, d, T, .7)
	case "iid":
		return datasets.LaplaceAR(rng, d, T, 0)
	case "ar7":
		return datasets.AR7(rng, d, T)
	case "gauss":
		return gauss(func(i int) float64 { return .9 - .7*float64(i)/float64(d-1) })
	case "digits":
		if T != 1024 {
			return nil, fmt.Errorf("digits have 1024 positions, not %d", T)
		}
		s, _, err := datasets.MNIST(rng, d)
		return s, err
	case "uniform":
		return each(func(i int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{.8 - .5*float64(i)/float64(d)}, Scale: 1, Innovation: datasets.Uniform, BurnIn: 200}
		})
	case "white":
		return each(func(i int) datasets.ARProcess {
			return datasets.ARProcess{Scale: 1, Innovation: []func(*rand.Rand) float64{datasets.Uniform, datasets.Laplace}[i%2]}
		})
	case "garch":
		s := mat.NewDense(d, T, nil)
		for i := range d {
			for v, y, t := 1., 0., -200; t < T; t++ {
				e := math.Sqrt(v) * rng.NormFloat64()
				y = .5*y + e
				v = .1 + .3*e*e + .6*v
				if t >= 0 {
					s.Set(i, t, y)
				}
			}
		}
		return s, nil
	case "voice":
		return voices(rng, d, T)
	case "same":
		return gauss(func(int) float64 { return .7 })
	}
	return nil, fmt.Errorf("unknown sources %q", kind)
}

// voices are T positions, from where all of them do, of d of the four voices.
func voices(rng *rand.Rand, d, T int) (*mat.Dense, error) {
	v, err := datasets.Voices()
	if err != nil {
		return nil, err
	}
	of, n := v.Signals.Dims()
	if d > of || T > n {
		return nil, fmt.Errorf("there are %d voices of %d positions, not %d of %d", of, n, d, T)
	}
	from := rng.IntN(n - T + 1)
	s := mat.NewDense(d, T, nil)
	for i, voice := range rng.Perm(of)[:d] {
		s.SetRow(i, v.Signals.RawRowView(voice)[from:from+T])
	}
	return preprocess.Apply(s, preprocess.Standardise)
}

func mix(rng *rand.Rand, kind string, s *mat.Dense) (*mat.Dense, error) {
	name := strings.TrimRight(kind, "0123456789")
	n, _ := strconv.Atoi(kind[len(name):])
	switch name {
	case "linear":
		return datasets.LayeredMix(rng, s, 0, math.Tanh)
	case "noise":
		x, err := datasets.LayeredMix(rng, s, 0, math.Tanh)
		if err != nil {
			return nil, err
		}
		addNoise(rng, x, float64(n)/100)
		return x, nil
	case "leaky":
		return datasets.LayeredMix(rng, s, n, datasets.LeakyReLU(.2))
	case "bent":
		return datasets.LayeredMix(rng, s, n, func(u float64) float64 { return .2*u + math.Tanh(2*u) })
	case "tanh":
		return datasets.PostNonlinearMix(rng, s, math.Tanh)
	case "cubic":
		return datasets.PostNonlinearMix(rng, s, func(u float64) float64 { return u + .2*u*u*u })
	case "gelu":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, H: datasets.GELU})
	case "small":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, StepSize: .1, H: datasets.GELU})
	case "turn":
		return datasets.Mix(s, datasets.MixOptions{Steps: n, W: mat.NewDense(2, 2, []float64{1, .7, -.7, 1}), H: datasets.GELU})
	}
	return nil, fmt.Errorf("unknown mixing %q", kind)
}

// addNoise adds to each channel white noise of that share of its standard deviation.
func addNoise(rng *rand.Rand, x *mat.Dense, share float64) {
	d, _ := x.Dims()
	for i := range d {
		row := x.RawRowView(i)
		sd := stat.StdDev(row, nil)
		for t := range row {
			row[t] += share * sd * rng.NormFloat64()
		}
	}
}
