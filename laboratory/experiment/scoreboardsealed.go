package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Part B of the scoreboard: simulations of other packages and papers, from their descriptions. No
// rule was developed on them, and none may be: they are for the end of a development.

// sealedNoise is the noise of each channel in the kinds with noise, in standard deviations of the
// channel.
const sealedNoise = 0.05

// sealedSets returns part B: each linear kind without noise and with it, and nonlinear kinds.
func sealedSets() []boardSet {
	clean, noisy := boardSet{name: "rivals"}, boardSet{name: "rivals with noise"}
	for _, k := range sealedKinds() {
		mix := k.mix
		if mix == nil {
			mix = packageMixing
		}
		name := fmt.Sprintf("%s, d=%d, n=%d", k.name, k.signals, k.positions)
		sources := standardised(k.sources)
		clean.mixtures = append(clean.mixtures,
			board(name, k.signals, k.positions, 3, sources, mix))
		noisy.mixtures = append(noisy.mixtures,
			board(name+", noise", k.signals, k.positions, 3, sources, withNoise(mix, sealedNoise)))
	}
	return []boardSet{clean, noisy, {"nonlinear rivals", sealedNonlinear()}}
}

// A sealedKind is a kind of linear mixture of part B.
type sealedKind struct {
	name               string
	signals, positions int
	sources            source
	mix                mixing // nil is packageMixing
}

// packageMixing is x = A·s with a normal matrix, which most packages draw. Of more than four
// signals it is a randomMixing, since noise hides the sources of nearly singular ones.
func packageMixing(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
	d, _ := s.Dims()
	if d > 4 {
		return randomMixing(rng, s)
	}
	return datasets.LinearMix(normalMatrix(rng, d), s)
}

// standardised returns the sources with mean 0 and variance 1.
func standardised(s source) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		z, shape, err := s(rng, n)
		if err != nil {
			return nil, nil, err
		}
		z, err = preprocess.Apply(z, preprocess.Standardise)
		return z, shape, err
	}
}

func sealedKinds() []sealedKind {
	return []sealedKind{
		// The example of SOBI and AMUSE in the R package JADE (J. Miettinen, K. Nordhausen, S.
		// Taskinen, Journal of Statistical Software 2017).
		{"ARMA, JADE", 3, 1000, each(ar(datasets.Normal, 0.3, 0.6), movingAverage(datasets.Normal,
			1, -0.3, 0.3), ar(datasets.Normal, -0.8, 0.1)), nil},
		// As in the examples of NSS.SD, NSS.JD and NSS.TD.JD there: white, with variances that swing
		// or change between blocks.
		{"block-wise variance, JADE", 3, 1000, each(swing, blocks(2, 1, 1, 2.5, 2),
			blocks(0.5, 1.5, 3, 1)), nil},
		// The example of vSOBI, gSOBI and gJADE in the R package tsBSS (M. Matilainen et al.,
		// Journal of Statistical Software 2021): stochastic volatility.
		{"stochastic volatility, tsBSS", 3, 10_000, each(stochasticVolatility(0.8, 0.1),
			stochasticVolatility(0.9, 0.2), stochasticVolatility(0.95, 0.4)), nil},
		// The simulation of coroICA (N. Pfister, S. Weichwald, P. Bühlmann, B. Schölkopf, JMLR 2019):
		// autoregressions of random orders with GARCH(1, 1) innovations.
		{"AR with GARCH, coroICA", 5, 5000, several(5, randomGARCH), nil},
		// Another there: variances by blocks, and confounding noise whose covariance is the same within
		// a group of blocks.
		{"block-wise variance, confounded, coroICA", 5, 10_000, several(5, randomBlocks(100)),
			confoundedMixing},
		// The test of FastICA in scikit-learn: a square wave, and Student's t(1), without moments.
		{"square wave and t(1), scikit-learn", 2, 1000, each(squareWave, ar(student(1))), nil},
		// As in the tests of python-picard (P. Ablin, J.-F. Cardoso, A. Gramfort, IEEE Transactions
		// on Signal Processing 2018): independent draws of super- and sub-Gaussian densities.
		{"two densities, picard", 2, 500, each(ar(datasets.Laplace), ar(generalised(6))), nil},
		{"generalised Gaussians, picard", 8, 5000, each(ar(generalised(0.7)), ar(generalised(1)),
			ar(generalised(1.3)), ar(generalised(1.6)), ar(generalised(3)), ar(generalised(4)),
			ar(generalised(6)), ar(generalised(10))), nil},
		// The simulations of entropy-rate bound minimisation (X.-L. Li, T. Adalı, ICASSP 2010; G.-S.
		// Fu et al., IEEE Transactions on Signal Processing 2014): generalised Gaussian innovations
		// through autoregressions, and through long filters of random weights.
		{"AR of generalised Gaussians, entropy rate", 4, 1000, several(4, randomAR), nil},
		{"long filters, entropy rate", 8, 4000, several(8, longFilter), nil},
		// The simulation of time-contrastive learning (A. Hyvärinen, H. Morioka, NIPS 2016), without
		// layers: Laplace, with another standard deviation in each segment of 512.
		{"Laplace in segments, TCL", 16, 20_480, several(16, laplaceSegments(512)), nil},
		// Amplitudes of a hidden Markov chain, as of P. Zhou, Z. Ghahramani et al. and HM-NLICA (H.
		// Hälvä, A. Hyvärinen, UAI 2020), with a chain for each source.
		{"hidden Markov amplitudes, HM-NLICA", 4, 50_000, several(4, hiddenMarkov), nil},
		// As the simulated raw data of MNE-Python (A. Gramfort et al., Frontiers in Neuroscience
		// 2013): bursts of rhythms and blinks over 1/f noise, with more sources than channels.
		{"rhythms over 1/f, MNE", 8, 5000, several(12, brain), brainMixing},
		// The vignette of the R package SpatialBSS (C. Muehlmann, F. Bachoc, K. Nordhausen), with
		// Matérn covariances (smoothness 1/2 is the exponential one) at 48×48 places.
		{"random fields, SpatialBSS", 3, 48 * 48,
			fields(48, matern{0.5, 0.5}, matern{0.5, 1}, matern{2.5, 1}), nil},
		// As the spatial maps of SimTB (E. Erhardt, E. Allen, Y. Wei, T. Eichele, V. Calhoun,
		// NeuroImage 2012): smooth blobs, of 64×64 pixels.
		{"blobs, SimTB", 6, 64 * 64, blobs(6, 64), nil},
		// Modulated carriers, as in the benchmarks of ICALAB (A. Cichocki et al.): QPSK, FM, AM, and a
		// chirp.
		{"communication signals, ICALAB", 4, 4000, each(qpsk, fm, am, chirp), nil},
	}
}

// sealedNonlinear returns nonlinear mixtures by layers of leaky ReLU.
func sealedNonlinear() []boardMixture {
	layers := func(n int) mixing {
		return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
			return datasets.LayeredMix(rng, s, n, datasets.LeakyReLU(0.2))
		}
	}
	return []boardMixture{
		// The simulation of permutation-contrastive learning (A. Hyvärinen, H. Morioka, AISTATS 2017):
		// AR(1), Laplace innovations.
		board("AR(1), PCL, d=4, 2 layers", 4, 8192, 3,
			standardised(several(4, ar(datasets.Laplace, 0.7))), layers(2)),
		// Of time-contrastive learning, as above.
		board("Laplace in segments, TCL, d=3, 1 layer", 3, 16_384, 3,
			standardised(several(3, laplaceSegments(512))), layers(1)),
	}
}

// movingAverage returns Σ_k c_k·e_{t−k} with independent e drawn by v.
func movingAverage(v value, coefficients ...float64) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		last := make([]float64, len(coefficients))
		for k := range last {
			last[k] = v(rng)
		}
		return func(int) float64 {
			copy(last[1:], last)
			last[0] = v(rng)
			sum := 0.0
			for k, c := range coefficients {
				sum += c * last[k]
			}
			return sum
		}
	}
}

// swing returns normal noise whose standard deviation is a sine of 400 positions.
func swing(rng *rand.Rand, _, _ int) func(int) float64 {
	return func(t int) float64 { return 2 * math.Sin(math.Pi/200*float64(t)) * rng.NormFloat64() }
}

// blocks returns normal noise with these standard deviations in as many blocks of equal length.
func blocks(deviations ...float64) signal {
	return func(rng *rand.Rand, _, n int) func(int) float64 {
		return func(t int) float64 {
			return deviations[t*len(deviations)/n] * rng.NormFloat64()
		}
	}
}

// randomBlocks returns normal noise with another standard deviation, 0.1 to 2, in each block of a
// length.
func randomBlocks(length int) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		sd := 1.0
		return func(t int) float64 {
			if t%length == 0 {
				sd = 0.1 + 1.9*rng.Float64()
			}
			return sd * rng.NormFloat64()
		}
	}
}

// laplaceSegments returns Laplace noise with another standard deviation, 0 to 1, in each segment of
// a length.
func laplaceSegments(length int) signal {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		sd := 1.0
		return func(t int) float64 {
			if t%length == 0 {
				sd = rng.Float64()
			}
			return sd * datasets.Laplace(rng)
		}
	}
}

// stochasticVolatility returns exp(h_t/2)·e_t. The log-variance h is an AR(1) of coefficient phi
// with normal innovations of standard deviation sigma.
func stochasticVolatility(phi, sigma float64) signal {
	return func(rng *rand.Rand, i, n int) func(int) float64 {
		h := ar(datasets.Normal, phi)(rng, i, n)
		return func(t int) float64 { return math.Exp(sigma*h(t)/2) * rng.NormFloat64() }
	}
}

// randomGARCH is an autoregression of order 1 to 9, whose weights decrease with the square of the
// lag, with the innovations of a GARCH(1, 1).
func randomGARCH(rng *rand.Rand, i, n int) func(int) float64 {
	var weights []float64
	for sum := 2.0; sum >= 1; { // until it is stable
		weights = make([]float64, 1+rng.IntN(9))
		sum = 0
		for k := range weights {
			weights[k] = rng.NormFloat64() / float64((k+2)*(k+2))
			sum += math.Abs(weights[k])
		}
	}
	innovation := garch(0, 1, 0.005, 0.026, 0.97, burnIn)(rng, i, n)
	return ar(func(*rand.Rand) float64 { return innovation(0) }, weights...)(rng, i, n)
}

// confoundedMixing is packageMixing with Gaussian noise that the channels share, a tenth of their
// mean variance. Its covariance is another one in each of ten groups of positions.
func confoundedMixing(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
	x, err := packageMixing(rng, s)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	variance := 0.0
	for i := range d {
		variance += stat.Variance(x.RawRowView(i), nil) / float64(d)
	}
	const groups = 10
	confounders, noise := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	var c *mat.Dense
	for t := range n {
		if t*groups/n != (t-1)*groups/n || t == 0 {
			c = normalMatrix(rng, d)
			c.Scale(math.Sqrt(0.1*variance/float64(d)), c)
		}
		for i := range d {
			confounders.SetVec(i, rng.NormFloat64())
		}
		noise.MulVec(c, confounders)
		for i := range d {
			x.Set(i, t, x.At(i, t)+noise.AtVec(i))
		}
	}
	return x, nil
}

// squareWave has the period of sin(t/100).
func squareWave(*rand.Rand, int, int) func(int) float64 {
	return func(t int) float64 {
		if math.Sin(float64(t)/100) > 0 {
			return 1
		}
		return -1
	}
}

// generalised draws from the generalised Gaussian density proportional to exp(−|v|^shape).
func generalised(shape float64) value {
	return func(rng *rand.Rand) float64 {
		power := distuv.Gamma{Alpha: 1 / shape, Beta: 1, Src: rng}.Rand()
		return math.Copysign(math.Pow(power, 1/shape), rng.Float64()-0.5)
	}
}

// randomAR is an AR(2) with random poles and generalised Gaussian innovations of a random shape.
func randomAR(rng *rand.Rand, i, n int) func(int) float64 {
	radius, angle := 0.3+0.6*rng.Float64(), math.Pi*rng.Float64()
	v := generalised(0.6 + 3.4*rng.Float64())
	return ar(v, 2*radius*math.Cos(angle), -radius*radius)(rng, i, n)
}

// longFilter is a moving average over 20 positions with normal weights, of generalised Gaussian
// values of a random shape.
func longFilter(rng *rand.Rand, i, n int) func(int) float64 {
	weights := make([]float64, 20)
	for k := range weights {
		weights[k] = rng.NormFloat64()
	}
	return movingAverage(generalised(0.6+3.4*rng.Float64()), weights...)(rng, i, n)
}

// hiddenMarkov returns normal noise whose standard deviation is one of three, 0.3, 1 and 3. It
// changes at a position with a probability of 0.01.
func hiddenMarkov(rng *rand.Rand, _, _ int) func(int) float64 {
	deviations := []float64{0.3, 1, 3}
	state := rng.IntN(3)
	return func(int) float64 {
		if rng.Float64() < 0.01 {
			state = (state + 1 + rng.IntN(2)) % 3
		}
		return deviations[state] * rng.NormFloat64()
	}
}

// brain is a rhythm of 6 to 27 Hz in bursts, at 250 Hz, or every fourth time blinks, each with a
// fifth of 1/f noise. From source 8 on it is 1/f noise alone.
func brain(rng *rand.Rand, i, n int) func(int) float64 {
	background := inverseFrequency(rng, i, n)
	if i >= 8 {
		return background
	}
	if i%4 == 3 {
		blink := pulses(50, 300, 1500)(rng, i, n)
		return func(t int) float64 { return blink(t) + 0.2*background(t) }
	}
	frequency := []float64{10, 6, 20, 0, 15, 8, 27, 0}[i] / 250
	envelope := pulses(250, 400, 1200)(rng, i, n)
	phase := rng.Float64()
	return func(t int) float64 {
		phase += frequency + 0.003*rng.NormFloat64()
		return envelope(t)*sine(phase) + 0.2*background(t)
	}
}

// inverseFrequency returns noise with a power spectrum of 1/f: the sum of AR(1) of the same
// variance, with time constants of 1, 4, … 1024 positions.
func inverseFrequency(rng *rand.Rand, _, _ int) func(int) float64 {
	var decays, states []float64
	for constant := 1.0; constant <= 1024; constant *= 4 {
		decays = append(decays, math.Exp(-1/constant))
		states = append(states, rng.NormFloat64())
	}
	return func(int) float64 {
		sum := 0.0
		for k, c := range decays {
			states[k] = c*states[k] + math.Sqrt(1-c*c)*rng.NormFloat64()
			sum += states[k]
		}
		return sum
	}
}

// brainMixing mixes the first eight sources by a randomMatrix. The others have normal columns and a
// tenth of the variance.
func brainMixing(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
	const channels = 8
	m, _ := s.Dims()
	a := mat.NewDense(channels, m, nil)
	main := randomMatrix(rng, channels, maxCondition)
	main.Scale(math.Sqrt(channels)/mat.Norm(main, 2), main) // columns of length 1 in the mean square
	a.Apply(func(i, j int, _ float64) float64 {
		if j < channels {
			return main.At(i, j)
		}
		return math.Sqrt(0.1/channels) * rng.NormFloat64()
	}, a)
	x := new(mat.Dense)
	x.Mul(a, s)
	return x, nil
}

// A matern covariance has a smoothness and a range, on a square of 10×10.
type matern struct{ smoothness, scale float64 }

// fields returns Gaussian random fields at side×side places of a square of 10×10. Each is a sum of
// cosines whose wave vectors are drawn from the spectral density, a bivariate t distribution.
func fields(side int, covariances ...matern) source {
	const waves = 1000
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		if n != side*side {
			return nil, nil, fmt.Errorf("experiment: positions: fields don't have %d; must be %d",
				n, side*side)
		}
		s := mat.NewDense(len(covariances), n, nil)
		step := 10 / float64(side)
		for i, c := range covariances {
			freedom := distuv.ChiSquared{K: 2 * c.smoothness, Src: rng}
			for range waves {
				length := math.Sqrt(2*c.smoothness/freedom.Rand()) / c.scale
				u, v := length*rng.NormFloat64(), length*rng.NormFloat64()
				phase := 2 * math.Pi * rng.Float64()
				for place := range n {
					row, column := step*float64(place/side), step*float64(place%side)
					s.Set(i, place, s.At(i, place)+
						math.Sqrt(2.0/waves)*math.Cos(u*row+v*column+phase))
				}
			}
		}
		return s, []int{side, side}, nil
	}
}

// blobs returns d images of side×side pixels, each with one to three Gaussian blobs of random
// places, widths and orientations.
func blobs(d, side int) source {
	return func(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
		if n != side*side {
			return nil, nil, fmt.Errorf("experiment: positions: blobs don't have %d; must be %d",
				n, side*side)
		}
		s := mat.NewDense(d, n, nil)
		size := float64(side)
		for i := range d {
			for range 1 + rng.IntN(3) {
				top, left := size*(0.15+0.7*rng.Float64()), size*(0.15+0.7*rng.Float64())
				long, wide := size*(0.05+0.08*rng.Float64()), size*(0.03+0.05*rng.Float64())
				sin, cos := math.Sincos(math.Pi * rng.Float64())
				for place := range n {
					y, x := float64(place/side)-top, float64(place%side)-left
					along, across := (cos*y+sin*x)/long, (cos*x-sin*y)/wide
					s.Set(i, place, s.At(i, place)+math.Exp(-(along*along+across*across)/2))
				}
			}
		}
		return s, []int{side, side}, nil
	}
}

// qpsk is a carrier with one of four phases in each symbol of 16 positions.
func qpsk(rng *rand.Rand, _, _ int) func(int) float64 {
	first, shift := rng.Float64(), 0.0
	return func(t int) float64 {
		if t%16 == 0 {
			shift = float64(rng.IntN(4)) / 4
		}
		return sine(0.155*float64(t) + first + shift)
	}
}

// fm is a carrier whose frequency follows a smooth Gaussian process.
func fm(rng *rand.Rand, i, n int) func(int) float64 {
	message, phase := ar(datasets.Normal, 1.94, -0.9604)(rng, i, n), rng.Float64()
	return func(t int) float64 {
		phase += 0.09 + 0.0005*message(t)
		return sine(phase)
	}
}

// am is a carrier whose amplitude follows a slow wave.
func am(rng *rand.Rand, _, _ int) func(int) float64 {
	slow, first := 0.002+0.003*rng.Float64(), rng.Float64()
	return func(t int) float64 {
		return (1 + 0.7*sine(slow*float64(t))) * sine(0.21*float64(t)+first)
	}
}

// chirp sweeps from a frequency of 0.01 to one of 0.2.
func chirp(rng *rand.Rand, _, n int) func(int) float64 {
	first := rng.Float64()
	return func(t int) float64 {
		at := float64(t)
		return sine(0.01*at + 0.19*at*at/2/float64(n) + first)
	}
}
