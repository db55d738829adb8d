package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// ARProcess is an autoregressive process of order p = len(Coefficients):
//
//	s_t = Σₖ βₖ·s_{t−k} + Scale·ε_t,  k = 1…p
//
// with independent innovations ε. Its first p values are drawn from N(0, 1).
// Without coefficients it is white noise.
type ARProcess struct {
	// Coefficients are β₁ … β_p.
	Coefficients []float64
	// Scale multiplies every innovation.
	Scale float64
	// Innovation draws one innovation. Nil means [Normal].
	Innovation func(*rand.Rand) float64
	// BurnIn is the number of values dropped from the start, including the first p, so that the
	// signal is nearly stationary from its first position.
	BurnIn int
}

// Normal draws from the standard normal distribution.
func Normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// Laplace draws from the Laplace distribution with mean 0 and variance 1.
func Laplace(rng *rand.Rand) float64 {
	x := rng.ExpFloat64() / math.Sqrt2
	if rng.Uint64()&1 == 0 {
		return -x
	}
	return x
}

// Uniform draws from the uniform distribution with mean 0 and variance 1, on (−√3, √3).
func Uniform(rng *rand.Rand) float64 { return math.Sqrt(3) * (2*rng.Float64() - 1) }

// AR draws n positions of independent autoregressive signals, one for each process, len(signals)×n.
// It is an error if a signal overflows float64.
func AR(rng *rand.Rand, n int, signals ...ARProcess) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	s, err := newSignals(len(signals), n)
	if err != nil {
		return nil, err
	}
	for i, p := range signals {
		if p.BurnIn < 0 || p.BurnIn > MaxEntries {
			return nil, fmt.Errorf("datasets: AR: BurnIn of signal %d is %d; must be 0 to %d",
				i+1, p.BurnIn, MaxEntries)
		}
		s.SetRow(i, p.draw(rng, p.BurnIn+n)[p.BurnIn:])
	}
	if _, _, err := checkSignals(s); err != nil {
		return nil, fmt.Errorf("datasets: AR: %w; the processes must be stable", err)
	}
	return s, nil
}

func (p ARProcess) draw(rng *rand.Rand, n int) []float64 {
	innovation := p.Innovation
	if innovation == nil {
		innovation = Normal
	}
	s := make([]float64, n)
	for t := range s {
		if t < len(p.Coefficients) {
			s[t] = rng.NormFloat64()
			continue
		}
		for k, beta := range p.Coefficients {
			s[t] += beta * s[t-1-k]
		}
		s[t] += p.Scale * innovation(rng)
	}
	return s
}

// PaperAR7 returns the AR(7) process of the paper: coefficients β = [4, 3, 2, 1, −0.5, 0.3,
// −0.2]·0.1 and innovations from N(0, 0.1²).
func PaperAR7() ARProcess {
	return ARProcess{Coefficients: []float64{0.4, 0.3, 0.2, 0.1, -0.05, 0.03, -0.02}, Scale: 0.1}
}

// AR7 draws d independent signals of n positions, d×n, from [PaperAR7]. The paper has d = 2
// and n = 1024.
func AR7(rng *rand.Rand, d, n int) (*mat.Dense, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, fmt.Errorf("datasets: AR7: %w", err)
	}
	signals := make([]ARProcess, d)
	for i := range signals {
		signals[i] = PaperAR7()
	}
	return AR(rng, n, signals...)
}

// LaplaceAR draws d independent signals of n positions, d×n, each
//
//	s_t = ρ·s_{t−1} + ε_t
//
// with Laplace innovations of variance 1. Their time structure identifies them after a
// nonlinear mixing (A. Hyvärinen, H. Morioka, "Nonlinear ICA of Temporally Dependent
// Stationary Sources", AISTATS 2017, whose ρ is 0.7).
func LaplaceAR(rng *rand.Rand, d, n int, rho float64) (*mat.Dense, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, fmt.Errorf("datasets: LaplaceAR: %w", err)
	}
	// 0.95 to the power of 200 is 3.5e-5: the remaining weight of the first value.
	const laplaceBurnIn = 200
	if !(math.Abs(rho) < 1) {
		return nil, fmt.Errorf("datasets: LaplaceAR: rho is %g; must be between -1 and 1", rho)
	}
	signals := make([]ARProcess, d)
	for i := range signals {
		signals[i] = ARProcess{
			Coefficients: []float64{rho}, Scale: 1, Innovation: Laplace, BurnIn: laplaceBurnIn,
		}
	}
	return AR(rng, n, signals...)
}

// HeartNoise is the standard deviation of the noise that [PaperHeart] uses. The paper only says
// "some random independent noise".
const HeartNoise = 0.1

// HeartOptions are the settings of [Heart].
type HeartOptions struct {
	// T is the number of positions, at least 1.
	T int
	// Noise is the standard deviation of the Gaussian noise, 0 for none.
	Noise float64
	// Ordered sorts the angles, so that the signals go round the heart once and neighbouring
	// positions are similar. Otherwise positions are independent.
	Ordered bool
}

// PaperHeart returns the settings for the paper's illustration (Fig. 1): 1000
// positions in order, with noise [HeartNoise].
func PaperHeart() HeartOptions {
	return HeartOptions{T: 1000, Noise: HeartNoise, Ordered: true}
}

// Heart draws two sources, 2×T, that depend on each other through a hidden angle u (the
// paper's eq. "example"):
//
//	u ~ uniform(0, 2π),  s₁ = h₁(u) + ε,  s₂ = h₂(u) + ε′
//
// with independent Gaussian noise ε, ε′ and the heart curve
//
//	h₁(u) = 16·sin³u / 16,  h₂(u) = (13·cos u − 5·cos 2u − 2·cos 3u − cos 4u) / 16.
//
// The first is horizontal and the second vertical; the paper numbers them the other way
// round, which changes nothing for its mixing, [HeartMixing].
func Heart(rng *rand.Rand, opt HeartOptions) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if err := checkAmount("Noise", opt.Noise); err != nil {
		return nil, fmt.Errorf("datasets: heart: %w", err)
	}
	s, err := newSignals(2, opt.T)
	if err != nil {
		return nil, err
	}
	angles := make([]float64, opt.T)
	for t := range angles {
		angles[t] = 2 * math.Pi * rng.Float64()
	}
	if opt.Ordered {
		slices.Sort(angles)
	}
	for t, u := range angles {
		h1, h2 := heartCurve(u)
		s.Set(0, t, h1+opt.Noise*rng.NormFloat64())
		s.Set(1, t, h2+opt.Noise*rng.NormFloat64())
	}
	return s, nil
}

// HeartMixing returns the mixing matrix of the paper's heart, [[1, 0.5], [0.5, 1]].
func HeartMixing() *mat.Dense {
	return mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})
}

func heartCurve(u float64) (h1, h2 float64) {
	sin := math.Sin(u)
	h1 = sin * sin * sin
	h2 = (13*math.Cos(u) - 5*math.Cos(2*u) - 2*math.Cos(3*u) - math.Cos(4*u)) / 16
	return h1, h2
}
