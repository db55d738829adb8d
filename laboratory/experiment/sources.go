package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A source draws all sources of a problem, d×n, and the shape of their positions, which is nil for
// a sequence.
type source func(rng *rand.Rand, n int) (s *mat.Dense, shape []int, err error)

// A signal draws the i-th source of a problem, with n positions. The call draws its parameters,
// such as a phase. The function that it returns gives the values, at t = 0, 1, …, in this order.
type signal func(rng *rand.Rand, i, n int) func(t int) float64

// each returns a source of one of each of the signals, drawn one after the other.
func each(signals ...signal) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		s := mat.NewDense(len(signals), n, nil)
		for i, draw := range signals {
			value := draw(rng, i, n)
			for t := range n {
				s.Set(i, t, value(t))
			}
		}
		return s, nil, nil
	}
}

// phasesFirst is each, except that the parameters of all signals are drawn before the first value.
func phasesFirst(signals ...signal) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		s := mat.NewDense(len(signals), n, nil)
		values := make([]func(int) float64, len(signals))
		for i, draw := range signals {
			values[i] = draw(rng, i, n)
		}
		for i, value := range values {
			for t := range n {
				s.Set(i, t, value(t))
			}
		}
		return s, nil, nil
	}
}

// several returns d independent sources of a signal.
func several(d int, draw signal) source { return each(slices.Repeat([]signal{draw}, d)...) }

// processes draws sources of autoregressive processes with their own burn-in.
func processes(all ...datasets.ARProcess) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		s, err := datasets.AR(rng, n, all...)
		return s, nil, err
	}
}

// severalProcesses returns d independent sources of a process.
func severalProcesses(d int, p datasets.ARProcess) source {
	return processes(slices.Repeat([]datasets.ARProcess{p}, d)...)
}

// differentProcesses returns d sources, the i-th of the process that the function returns.
func differentProcesses(d int, process func(i int) datasets.ARProcess) source {
	all := make([]datasets.ARProcess, d)
	for i := range all {
		all[i] = process(i)
	}
	return processes(all...)
}

// someDigits returns d digits of MNIST.
func someDigits(d int) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		if n != datasets.MNISTSide*datasets.MNISTSide {
			return nil, nil, fmt.Errorf("experiment: positions: digits don't have %d; must be %d",
				n, datasets.MNISTSide*datasets.MNISTSide)
		}
		s, _, err := datasets.MNIST(rng, d)
		return s, []int{datasets.MNISTSide, datasets.MNISTSide}, err
	}
}

// photographs are squares of the built-in ones, from corners that are drawn.
func photographs(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
	whole, shape, err := datasets.Photographs()
	if err != nil {
		return nil, nil, err
	}
	side := int(math.Sqrt(float64(n)))
	if side*side != n || side > slices.Min(shape) {
		return nil, nil, fmt.Errorf("experiment: positions: no square of a photograph has %d; "+
			"must be the square of at most %d", n, slices.Min(shape))
	}
	d, _ := whole.Dims()
	s := mat.NewDense(d, n, nil)
	for i := range d {
		top, left := rng.IntN(shape[0]-side+1), rng.IntN(shape[1]-side+1)
		for row := range side {
			from := (top+row)*shape[1] + left
			copy(s.RawRowView(i)[row*side:][:side], whole.RawRowView(i)[from:])
		}
	}
	return s, []int{side, side}, nil
}

// light returns d of the photographs as light from 0 to 1.
func light(d int) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		s, shape, err := photographs(rng, n)
		if err != nil {
			return nil, nil, err
		}
		if all, _ := s.Dims(); d > all {
			return nil, nil, fmt.Errorf("experiment: photographs: there are %d, not %d", all, d)
		}
		s = mat.DenseCopyOf(s.Slice(0, d, 0, n))
		for i := range d {
			row := s.RawRowView(i)
			floats.AddConst(-floats.Min(row), row)
			floats.Scale(1/floats.Max(row), row)
		}
		s.Apply(func(_, _ int, v float64) float64 { return math.Pow(v, displayGamma) }, s)
		return s, shape, nil
	}
}

// voices returns d of the voices of datasets.Voices, at n consecutive positions.
func voices(d int) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		v, err := datasets.Voices()
		if err != nil {
			return nil, nil, err
		}
		all, length := v.Signals.Dims()
		if d > all || n > length {
			return nil, nil, fmt.Errorf("experiment: voices: there are %d of %d positions, not %d of %d",
				all, length, d, n)
		}
		first := rng.IntN(length - n + 1)
		s := mat.NewDense(d, n, nil)
		for i, voice := range rng.Perm(all)[:d] {
			s.SetRow(i, v.Signals.RawRowView(voice)[first:first+n])
		}
		s, err = preprocess.Apply(s, preprocess.Standardise)
		return s, nil, err
	}
}

// files returns the first signals of recordings, cut to the length of the shortest, or images of
// one shape. Their variances are 1.
func files(paths []string) source {
	return func(*rand.Rand, int) (*mat.Dense, []int, error) {
		var s *mat.Dense
		var shape []int
		var err error
		if datasets.IsImage(paths[0]) {
			if s, shape, err = datasets.ReadImages(paths...); err != nil {
				return nil, nil, err
			}
		} else if s, err = firstSignals(paths); err != nil {
			return nil, nil, err
		}
		for i, path := range paths {
			row := s.RawRowView(i)
			mean, sd := stat.MeanStdDev(row, nil)
			if sd == 0 {
				return nil, nil, fmt.Errorf("experiment: %s is constant", path)
			}
			for t, v := range row {
				row[t] = (v - mean) / sd
			}
		}
		return s, shape, nil
	}
}

// firstSignals returns those of recordings, cut to the length of the shortest.
func firstSignals(paths []string) (*mat.Dense, error) {
	var rows [][]float64
	shortest := math.MaxInt
	for _, path := range paths {
		z, err := datasets.ReadFile(path)
		if err != nil {
			return nil, err
		}
		rows = append(rows, z.RawRowView(0))
		shortest = min(shortest, len(z.RawRowView(0)))
	}
	s := mat.NewDense(len(rows), shortest, nil)
	for i, r := range rows {
		s.SetRow(i, r[:shortest])
	}
	return s, nil
}

// A value draws one value.
type value = func(*rand.Rand) float64

// process returns the process with the given innovations and coefficients. Without these its values
// are independent.
func process(innovation value, burnIn int, coefficients ...float64) datasets.ARProcess {
	return datasets.ARProcess{
		Coefficients: coefficients, Scale: 1, Innovation: innovation, BurnIn: burnIn,
	}
}

// laplaceAR1 has a coefficient of 0.8 and Laplace innovations.
var laplaceAR1 = process(datasets.Laplace, 100, 0.8)

// twoSpectra are Gaussian processes that differ in their spectra alone, and eightSpectra eight.
var (
	twoSpectra = processes(
		process(datasets.Normal, 100, 1.6, -0.8), process(datasets.Normal, 100, -0.5, 0.2))
	eightSpectra = differentProcesses(8, func(i int) datasets.ARProcess {
		angle := math.Pi * (float64(i) + 0.5) / 8
		return process(datasets.Normal, 100, 1.8*math.Cos(angle), -0.81)
	})
)

// burnIn is the number of values of ar that are discarded before the first. The slowest decay in
// use is by 0.95 per position, to 4e-5 of a value after 200; after half it is 6e-3, after twice
// 1e-9.
const burnIn = 200

// ar returns the autoregression s_t = e_t + Σ_k c_k·s_{t−k}, with independent e drawn by v. Without
// coefficients its values are independent.
func ar(v value, coefficients ...float64) signal {
	return func(rng *rand.Rand, _, n int) func(int) float64 {
		s := make([]float64, n+burnIn)
		for t := range s {
			s[t] = v(rng)
			for k, c := range coefficients {
				if t > k {
					s[t] += c * s[t-1-k]
				}
			}
		}
		return func(t int) float64 { return s[burnIn+t] }
	}
}

// ma returns a moving average of normal values: s_t = e_t + c·e_{t−1}.
func ma(c float64) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		last := rng.NormFloat64()
		return func(int) float64 {
			next := rng.NormFloat64()
			v := next + c*last
			last = next
			return v
		}
	}
}

// spectrum is Gaussian. Source i has a spectral peak at frequency i of count. The peak is the
// narrower the closer radius is to 1.
func spectrum(count int, radius float64) signal {
	return func(rng *rand.Rand, i, n int) func(int) float64 {
		angle := math.Pi * (float64(i) + 0.5) / float64(count)
		return ar(datasets.Normal, 2*radius*math.Cos(angle), -radius*radius)(rng, i, n)
	}
}

// garch returns s_t = rho·s_{t−1} + e_t with e_t ~ N(0, v_t), v_{t+1} = constant + arch·e_t² +
// keep·v_t and the given variance as the first v. The first burnIn values are discarded.
func garch(rho, variance, constant, arch, keep float64, burnIn int) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		variance, s := variance, 0.0
		next := func(int) float64 {
			e := math.Sqrt(variance) * rng.NormFloat64()
			s = rho*s + e
			variance = constant + arch*e*e + keep*variance
			return s
		}
		for t := range burnIn {
			next(t)
		}
		return next
	}
}

// student draws from Student's t distribution with the given degrees of freedom.
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

func exponential(rng *rand.Rand) float64 { return rng.ExpFloat64() }

func logNormal(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) }

// flat draws from the density proportional to exp(−v⁴), by rejection.
func flat(rng *rand.Rand) float64 {
	for {
		if v := 6*rng.Float64() - 3; rng.Float64() < math.Exp(-v*v*v*v) {
			return v
		}
	}
}

// gamma3 draws from the gamma distribution of shape 3, centred.
func gamma3(rng *rand.Rand) float64 {
	return rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64() - 3
}

// sparse returns signals that are Laplace at one position of ten and nearly 0 at the others.
func sparse(rng *rand.Rand) float64 {
	if rng.Float64() < 0.9 {
		return 0.01 * rng.NormFloat64()
	}
	return datasets.Laplace(rng)
}

// twoValued returns −1 or 1, with some noise.
func twoValued(rng *rand.Rand) float64 {
	return math.Copysign(1, rng.Float64()-0.5) + 0.05*rng.NormFloat64()
}

// swell returns normal noise whose standard deviation rises and falls two to five times.
func swell(rng *rand.Rand, i, n int) func(int) float64 {
	phase := 6 * rng.Float64()
	return func(t int) float64 {
		angle := 2*math.Pi*float64(t)*float64(i%4+2)/float64(n) + phase
		return rng.NormFloat64() * math.Exp(math.Sin(angle))
	}
}

// periodic returns the shape over the cycle, 0 to 1, at a position; frequency is in cycles
// per position.
func periodic(frequency, phase float64, shape func(float64) float64) func(t int) float64 {
	return func(t int) float64 {
		_, cycle := math.Modf(frequency*float64(t) + phase)
		return shape(cycle)
	}
}

func sine(cycle float64) float64   { return math.Sin(2 * math.Pi * cycle) }
func square(cycle float64) float64 { return math.Copysign(1, cycle-0.5) }
func ramp(cycle float64) float64   { return cycle }
func saw(cycle float64) float64    { return 2*cycle - 1 }

// wave is periodic with a random frequency and phase.
func wave(shape func(float64) float64) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		frequency := 0.004 + 0.016*rng.Float64()
		return periodic(frequency, rng.Float64(), shape)
	}
}

// steadyWave is periodic with a random phase.
func steadyWave(frequency float64, shape func(float64) float64) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		return periodic(frequency, rng.Float64(), shape)
	}
}

// beating is a sine wave of 15 to 30 positions whose strength rises and falls in 400 to 800.
func beating(rng *rand.Rand, _, _ int) func(int) float64 {
	tone := periodic(1/(15+15*rng.Float64()), rng.Float64(), sine)
	strength := periodic(1/(400+400*rng.Float64()), rng.Float64(), sine)
	return func(t int) float64 { return (1 + 0.7*strength(t)) * tone(t) }
}

// jitteredSaw rises from 0 to 1 in 40 to 80 positions, of which each tooth has a tenth more or less,
// with a little noise.
func jitteredSaw(rng *rand.Rand, _, n int) func(int) float64 {
	mean := 40 + 40*rng.Float64()
	s := make([]float64, 0, n)
	for len(s) < n {
		length := max(2, mean*(1+0.1*rng.NormFloat64()))
		for t := 0.; t < length; t++ {
			s = append(s, t/length+0.01*rng.NormFloat64())
		}
	}
	return func(t int) float64 { return s[t] }
}

// bursts returns normal noise whose standard deviation rises and falls, at another rate for each of
// two sources.
func bursts(rng *rand.Rand, i, _ int) func(int) float64 {
	strength := periodic([]float64{0.005, 0.0083}[i], rng.Float64(), func(p float64) float64 {
		return math.Exp(1.5 * math.Sin(2*math.Pi*p))
	})
	return func(t int) float64 { return strength(t) * rng.NormFloat64() }
}

// laboratory returns a train of short pulses, a chirp or a triangle wave, with a little noise.
func laboratory(rng *rand.Rand, i, n int) func(int) float64 {
	frequency := []float64{0.011, 1 / float64(n), 0.017}[i]
	shape := []func(float64) float64{
		func(p float64) float64 { return math.Exp(-200 * (p - 0.5) * (p - 0.5)) },
		func(p float64) float64 { return math.Sin(2 * math.Pi * (10*p + 30*p*p)) },
		func(p float64) float64 { return math.Abs(2*p - 1) },
	}[i]
	clean := periodic(frequency, rng.Float64(), shape)
	return func(t int) float64 { return clean(t) + 0.02*rng.NormFloat64() }
}

// telegraph jumps between −1 and 1 at random, with noise.
func telegraph(rng *rand.Rand, i, _ int) func(int) float64 {
	level, rate := 1.0, []float64{0.05, 0.15}[i%2]
	return func(int) float64 {
		if rng.Float64() < rate {
			level = -level
		}
		return level + 0.1*rng.NormFloat64()
	}
}

// logisticMap returns a chaotic sequence: s_{t+1} = 4·s_t·(1 − s_t). It is clipped away from 0 and
// 1, since it would stay at 0.
func logisticMap(rng *rand.Rand, _, _ int) func(int) float64 {
	v := rng.Float64()
	return func(int) float64 {
		v = min(max(4*v*(1-v), 1e-9), 1-1e-9)
		return v
	}
}

// tone returns a sine wave with a varying amplitude, and noise.
func tone(rng *rand.Rand, i, _ int) func(int) float64 {
	f, g := []float64{0.11, 0.17}[i], 0.003+0.002*rng.Float64()
	return func(t int) float64 {
		amplitude := 1 + 0.8*math.Sin(2*math.Pi*g*float64(t))
		return amplitude*math.Sin(2*math.Pi*f*float64(t)) + 0.1*rng.NormFloat64()
	}
}
