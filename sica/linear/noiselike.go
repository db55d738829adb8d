package linear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// doubtNoiseLike looks for a recovered signal that can't be told from white noise of the channels. If
// there is one, no signal counts as identified, and Noise is at least that noise.
//
// If the mixing is nearly singular, noise is all that is left in its weakest direction: d sources
// then share d−1 signals, which may be independent of the noise and of one another, so that all of
// them seem identified. A recording of d−1 sources looks the same. Which it is, the mixed signals
// don't tell.
//
// Noise of the same strength in all channels makes the weakest principal component white and Gaussian.
// So a signal is like noise if it is that component, and if its code is hardly shorter than that of
// white Gaussian noise.
func (s *Solution) doubtNoiseLike(white *signal.Whitening) {
	d := len(s.Mean)
	if d < 2 {
		return
	}
	weakest, total := white.Spread[d-1], floats.Norm(white.Spread, 2)
	if weakest > distinctSpread*white.Spread[d-2] ||
		float64(d)*weakest*weakest > maxNoiseShare*total*total {
		return
	}
	gain := maxNoiseGain
	if d == 2 {
		gain = maxNoiseGainOfTwo
	}
	var ofWhite mat.Dense // the demixing of the principal components
	ofWhite.Mul(s.Demixing, white.Inverse)
	for _, g := range s.Groups {
		i, row := g[0], ofWhite.RawRowView(g[0])
		if len(g) > 1 || math.Abs(row[d-1]) < minNoiseLike*floats.Norm(row, 2) ||
			whiteGaussian-s.Sources[i].CodeLength > gain {
			continue
		}
		s.NoiseLike = []int{i}
		for c := range s.Noise {
			share := weakest / floats.Norm(white.Inverse.RawRowView(c), 2)
			s.Noise[c] = max(s.Noise[c], share*share)
		}
		s.merge(nil, true)
		s.Unconfirmed, s.Why = true, noiseLike(i, d)
		return
	}
}

// whiteGaussian is the code length of white Gaussian noise of variance 1, in nats per position.
var whiteGaussian = (1 + math.Log(2*math.Pi)) / 2

// noiseLike says that signal i of d can't be told from noise.
func noiseLike(i, d int) string {
	text := fmt.Sprintf("Signal %d can't be told from noise of the channels, under which a source may "+
		"be hidden. ", i+1)
	if d == 2 {
		return text + fmt.Sprintf("Then signal %d would be a mixture, so neither is identified. If you "+
			"know that there is only one source, it is signal %d.", 2-i, 2-i)
	}
	return text + fmt.Sprintf("Then the other %d would be mixtures, so no signal is identified. If you "+
		"know that there are fewer sources than channels, keep %d principal components.", d-1, d-1)
}
