package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// HeartNoise is the standard deviation of the noise on the heart that
// [PaperHeart] uses. The paper says only "some random independent noise".
const HeartNoise = 0.1

// HeartOptions are the settings of [Heart].
type HeartOptions struct {
	// T is the number of positions, at least 1.
	T int
	// Noise is the standard deviation of the Gaussian noise, 0 for none.
	Noise float64
	// Ordered sorts the angles, so that the signals go once round the heart
	// and a position's neighbours say something about it. Otherwise the
	// positions are independent.
	Ordered bool
}

// PaperHeart returns the settings for the paper's illustration (Fig. 1): 1000
// positions in order, with noise [HeartNoise].
func PaperHeart() HeartOptions {
	return HeartOptions{T: 1000, Noise: HeartNoise, Ordered: true}
}

// Heart draws two sources, 2×T, that depend on each other through an angle u
// that neither shows (the paper's eq. "example"):
//
//	u ~ uniform(0, 2π),  s₁ = h₁(u) + ε,  s₂ = h₂(u) + ε′
//
// with independent Gaussian noise ε, ε′ and the heart curve
//
//	h₁(u) = 16·sin³u / 16,  h₂(u) = (13·cos u − 5·cos 2u − 2·cos 3u − cos 4u) / 16.
//
// The paper numbers the two the other way round, which its mixing cannot tell
// apart; here the first is across and the second is up. [HeartMixing] is the
// paper's mixing of them.
func Heart(rng *rand.Rand, opt HeartOptions) (*mat.Dense, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if !finite(opt.Noise) || opt.Noise < 0 {
		return nil, fmt.Errorf("datasets: heart: Noise is %v: need a finite number, at least 0", opt.Noise)
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

// HeartMixing returns the mixing matrix of the paper's heart, [[1, .5], [.5, 1]].
func HeartMixing() *mat.Dense {
	return mat.NewDense(2, 2, []float64{1, .5, .5, 1})
}

func heartCurve(u float64) (h1, h2 float64) {
	sin := math.Sin(u)
	h1 = sin * sin * sin
	h2 = (13*math.Cos(u) - 5*math.Cos(2*u) - 2*math.Cos(3*u) - math.Cos(4*u)) / 16
	return h1, h2
}
