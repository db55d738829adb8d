package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
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
	// Innovation draws one innovation. Nil is [Normal].
	Innovation func(*rand.Rand) float64
	// BurnIn is how many values to drop from the start, the first p among
	// them, for signals that should be near stationary from their first
	// position on.
	BurnIn int
}

// Normal draws from the standard normal distribution.
func Normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// Laplace draws from the Laplace distribution of mean 0 and variance 1.
func Laplace(rng *rand.Rand) float64 {
	x := rng.ExpFloat64() / math.Sqrt2
	if rng.Uint64()&1 == 0 {
		return -x
	}
	return x
}

// Uniform draws from the uniform distribution of mean 0 and variance 1, which
// is that on (−√3, √3).
func Uniform(rng *rand.Rand) float64 { return math.Sqrt(3) * (2*rng.Float64() - 1) }

// AR draws T positions of independent autoregressive signals, one for each
// process, len(signals)×T. It fails if a signal grows beyond float64.
func AR(rng *rand.Rand, T int, signals ...ARProcess) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	s, err := newSignals(len(signals), T)
	if err != nil {
		return nil, err
	}
	for i, p := range signals {
		if p.BurnIn < 0 || p.BurnIn > MaxEntries {
			return nil, fmt.Errorf("datasets: AR: BurnIn of signal %d is %d: need 0 to %d", i+1, p.BurnIn, MaxEntries)
		}
		s.SetRow(i, p.draw(rng, p.BurnIn+T)[p.BurnIn:])
	}
	if _, _, err := checkSignals(s); err != nil {
		return nil, fmt.Errorf("datasets: AR: %w; are the processes stable?", err)
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

// PaperAR7 returns the AR(7) process of the paper: coefficients
// β = [4, 3, 2, 1, −0.5, 0.3, −0.2]·0.1 and innovations from N(0, 0.1²).
func PaperAR7() ARProcess {
	return ARProcess{
		Coefficients: []float64{.4, .3, .2, .1, -.05, .03, -.02},
		Scale:        0.1,
	}
}

// AR7 draws d independent signals of T positions, d×T, from [PaperAR7]. The
// paper has d = 2 and T = 1024.
func AR7(rng *rand.Rand, d, T int) (*mat.Dense, error) {
	if err := checkSize(d, T); err != nil {
		return nil, fmt.Errorf("datasets: AR7: %w", err)
	}
	signals := make([]ARProcess, d)
	for i := range signals {
		signals[i] = PaperAR7()
	}
	return AR(rng, T, signals...)
}
