package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// A kind is a row of the table.
type kind struct {
	name string
	d    int
	// signal draws the i-th source of T positions. Nil is the paper's AR(7).
	signal func(rng *rand.Rand, i, T int) []float64
	steps  int    // of the paper's mixing; 0 is a random matrix
	given  *given // sources that aren't drawn signal by signal
}

type value func(*rand.Rand) float64

var (
	laplace     = independent(datasets.Laplace)
	uniform     = independent(datasets.Uniform)
	exponential = independent(func(r *rand.Rand) float64 { return r.ExpFloat64() })
	gaussian    = independent(datasets.Normal)
	red         = ar(datasets.Normal, .9)
)

// kinds are those that the rule was developed on, then kinds of scripts/quality,
// then those that were written down and committed before anything was run on them.
var kinds = []kind{
	{"AR(7), J=5", 2, nil, 5, nil},
	{"AR(7), J=20", 2, nil, 20, nil},
	{"AR(7), J=5", 4, nil, 5, nil},
	{"Laplace", 2, laplace, 0, nil},
	{"Laplace", 3, laplace, 0, nil},
	{"Laplace", 8, laplace, 0, nil},
	{"Laplace", 16, laplace, 0, nil},
	{"Laplace", 32, laplace, 0, nil},
	{"uniform", 2, uniform, 0, nil},
	{"uniform", 3, uniform, 0, nil},
	{"exponential", 3, exponential, 0, nil},
	{"Student's t(5)", 2, independent(student(5)), 0, nil},
	{"Student's t(5)", 4, independent(student(5)), 0, nil},
	{"Laplace AR(.9)", 2, ar(datasets.Laplace, .9), 0, nil},
	{"Laplace AR(.9)", 8, ar(datasets.Laplace, .9), 0, nil},
	{"Gaussian AR .5/.7", 2, each(ar(datasets.Normal, .5), ar(datasets.Normal, .7)), 0, nil},
	{"Gaussian, spectra", 8, spectrum(8, .8), 0, nil},
	{"varying variance", 2, swell, 0, nil},
	{"varying variance", 4, swell, 0, nil},
	{"3 Laplace + Gauss", 4, each(laplace, laplace, laplace, gaussian), 0, nil},
	{"2 Laplace + 2 Gauss", 4, each(laplace, laplace, gaussian, gaussian), 0, nil},
	{"sine+square+saw", 3, each(wave(sine), wave(square), wave(saw)), 0, nil},

	{"two spectra", 2, each(ar(datasets.Normal, 1.6, -.8), ar(datasets.Normal, -.5, .2)), 0, nil},
	{"Gaussian, spectra .9", 8, spectrum(8, .9), 0, nil},
	{"Laplace AR(.8)", 2, ar(datasets.Laplace, .8), 0, nil},
	{"bursts", 2, bursts, 0, nil},
	{"pulses+chirp+triangle", 3, laboratory, 0, nil},
	{"telegraph", 2, telegraph, 0, nil},

	{"new: flat, exponent 4", 3, independent(flat), 0, nil},
	{"new: four kinds", 4, each(laplace, uniform, ar(datasets.Normal, .9), telegraph), 0, nil},
	{"new: GARCH(1,1)", 2, garch, 0, nil},
	{"new: gamma(3) AR(.7)", 3, ar(gamma3, .7), 0, nil},
	{"new: logistic map", 2, logisticMap, 0, nil},
	{"new: sparse Laplace", 4, independent(sparse), 0, nil},
	{"new: MA(1) ±.6", 2, each(ma(.6), ma(-.6)), 0, nil},
	{"new: sixteen mixed", 16, each(laplace, uniform, exponential, ar(datasets.Laplace, .5), ar(datasets.Normal, .95),
		ar(datasets.Normal, -.7), swell, independent(student(3)), telegraph, independent(sparse), wave(saw),
		ar(datasets.Uniform, .6), garch, independent(flat), independent(binary), ma(.9)), 0, nil},
	{"new: t(3) AR(.5)", 6, ar(student(3), .5), 0, nil},
	{"new: binary + noise", 4, independent(binary), 0, nil},
	{"new: log-normal", 5, independent(func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }), 0, nil},
	{"new: two AM tones", 2, tone, 0, nil},

	{"digits, linear 5", 3, nil, 5, digits},
}

// draw makes the sources and their mixtures.
func (k kind) draw(seed uint64, T int) (s, x *mat.Dense, err error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	if k.given != nil {
		s, err = k.given.draw(rng)
	} else if k.signal == nil {
		s, err = datasets.AR7(rng, k.d, T)
	} else {
		s = mat.NewDense(k.d, T, nil)
		for i := range k.d {
			s.SetRow(i, k.signal(rng, i, T))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if k.steps > 0 {
		x, err = datasets.Mix(s, datasets.MixOptions{Steps: k.steps})
		return s, x, err
	}
	x = new(mat.Dense)
	x.Mul(randomMatrix(rng, k.d), s)
	return s, x, nil
}

// randomMatrix is normal with a condition number below 20; of more than three
// signals one between random rotations, with singular values of 1 to 10.
func randomMatrix(rng *rand.Rand, d int) *mat.Dense {
	if d > 3 {
		scale := mat.NewDiagDense(d, nil)
		for i := range d {
			scale.SetDiag(i, 1+9*rng.Float64())
		}
		var a mat.Dense
		a.Product(rotation.Random(rng, d), scale, rotation.Random(rng, d))
		return &a
	}
	for {
		a := mat.NewDense(d, d, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		if mat.Cond(a, 2) < 20 {
			return a
		}
	}
}

type signal = func(rng *rand.Rand, i, T int) []float64

func each(signals ...signal) signal {
	return func(rng *rand.Rand, i, T int) []float64 { return signals[i](rng, i, T) }
}

func independent(v value) signal { return ar(v) }

// ar is an autoregressive process, begun 200 positions early.
func ar(v value, coefficients ...float64) signal {
	return func(rng *rand.Rand, _, T int) []float64 {
		const early = 200
		s := make([]float64, T+early)
		for t := range s {
			s[t] = v(rng)
			for k, c := range coefficients {
				if t > k {
					s[t] += c * s[t-1-k]
				}
			}
		}
		return s[early:]
	}
}

func ma(c float64) signal {
	return func(rng *rand.Rand, _, T int) []float64 {
		s := make([]float64, T)
		last := rng.NormFloat64()
		for t := range s {
			next := rng.NormFloat64()
			s[t], last = next+c*last, next
		}
		return s
	}
}

func spectrum(count int, radius float64) signal {
	return func(rng *rand.Rand, i, T int) []float64 {
		angle := math.Pi * (float64(i) + .5) / float64(count)
		return ar(datasets.Normal, 2*radius*math.Cos(angle), -radius*radius)(rng, i, T)
	}
}

func student(freedom int) value {
	return func(rng *rand.Rand) float64 {
		square := 0.0
		for range freedom {
			v := rng.NormFloat64()
			square += v * v
		}
		return rng.NormFloat64() / math.Sqrt(square/float64(freedom))
	}
}

func flat(rng *rand.Rand) float64 { // density ∝ exp(−v⁴), by rejection
	for {
		if v := 6*rng.Float64() - 3; rng.Float64() < math.Exp(-v*v*v*v) {
			return v
		}
	}
}

func gamma3(rng *rand.Rand) float64 {
	return rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64() - 3
}

func sparse(rng *rand.Rand) float64 {
	if rng.Float64() < .9 {
		return .01 * rng.NormFloat64()
	}
	return datasets.Laplace(rng)
}

func binary(rng *rand.Rand) float64 {
	return math.Copysign(1, rng.Float64()-.5) + .05*rng.NormFloat64()
}

// swell is noise whose strength swells and sinks i+2 times.
func swell(rng *rand.Rand, i, T int) []float64 {
	phase := 6 * rng.Float64()
	return over(T, func(t float64) float64 {
		return rng.NormFloat64() * math.Exp(math.Sin(2*math.Pi*t*float64(i%4+2)/float64(T)+phase))
	})
}

func bursts(rng *rand.Rand, i, T int) []float64 {
	phase, f := rng.Float64(), []float64{.005, .0083}[i]
	return over(T, func(t float64) float64 {
		return rng.NormFloat64() * math.Exp(1.5*math.Sin(2*math.Pi*(f*t+phase)))
	})
}

func over(T int, f func(t float64) float64) []float64 {
	s := make([]float64, T)
	for t := range s {
		s[t] = f(float64(t))
	}
	return s
}

func sine(p float64) float64   { return math.Sin(2 * math.Pi * p) }
func square(p float64) float64 { return math.Copysign(1, p-.5) }
func saw(p float64) float64    { return 2*p - 1 }

func wave(shape func(float64) float64) signal {
	return func(rng *rand.Rand, _, T int) []float64 {
		f, phase := .004+.016*rng.Float64(), rng.Float64()
		return over(T, func(t float64) float64 { _, p := math.Modf(f*t + phase); return shape(p) })
	}
}

func laboratory(rng *rand.Rand, i, T int) []float64 {
	phase := rng.Float64()
	return over(T, func(t float64) float64 {
		_, p := math.Modf([]float64{.011, 1 / float64(T), .017}[i]*t + phase)
		v := []float64{math.Exp(-200 * (p - .5) * (p - .5)), math.Sin(2 * math.Pi * (10*p + 30*p*p)), math.Abs(2*p - 1)}[i]
		return v + .02*rng.NormFloat64()
	})
}

func telegraph(rng *rand.Rand, i, T int) []float64 {
	level := 1.0
	return over(T, func(float64) float64 {
		if rng.Float64() < []float64{.05, .15}[i%2] {
			level = -level
		}
		return level + .1*rng.NormFloat64()
	})
}

func garch(rng *rand.Rand, _, T int) []float64 {
	variance, last := 1.0, 0.0
	return over(T, func(float64) float64 {
		variance = .05 + .15*last*last + .8*variance
		last = math.Sqrt(variance) * rng.NormFloat64()
		return last
	})
}

func logisticMap(rng *rand.Rand, _, T int) []float64 {
	v := rng.Float64()
	return over(T, func(float64) float64 { v = min(max(4*v*(1-v), 1e-9), 1-1e-9); return v })
}

func tone(rng *rand.Rand, i, T int) []float64 {
	f, g := []float64{.11, .17}[i], .003+.002*rng.Float64()
	return over(T, func(t float64) float64 {
		return (1+.8*math.Sin(2*math.Pi*g*t))*math.Sin(2*math.Pi*f*t) + .1*rng.NormFloat64()
	})
}
