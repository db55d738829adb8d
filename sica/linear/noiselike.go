package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// doubtNoiseLike looks for recovered signals that can't be told from white noise of the channels. If
// there are some, Noise is at least that noise. What is identified then depends on how many they are.
//
// If it is one, nothing is. A nearly singular mixing leaves noise only in its weakest direction: d
// sources then share d−1 signals, which may be independent of the noise and of one another, so that all
// of them seem identified. A recording of d−1 sources looks the same. Which it is, the mixed signals
// don't tell.
//
// If they are several, there are hardly as many sources as channels, since random matrices nearly cancel
// a second source far less often. The other signals stay identified if the noise in them leaves them
// the correlation minFidelity with their sources.
//
// Noise of the same strength in all channels makes the weakest principal components white and Gaussian,
// with equal variances. So signals are like noise if they are those components, or rotations of them,
// and the code of each is hardly shorter than that of white Gaussian noise.
func (s *Solution) doubtNoiseLike(white *signal.Whitening) {
	like := s.likeNoise(white)
	if like == nil {
		return
	}
	d, m := len(s.Mean), len(like)
	s.NoiseLike = like
	variance := 0.0 // of the noise in a channel
	for _, spread := range white.Spread[d-m:] {
		variance += spread * spread / float64(m)
	}
	for c := range s.Noise {
		deviation := floats.Norm(white.Inverse.RawRowView(c), 2)
		s.Noise[c] = max(s.Noise[c], variance/(deviation*deviation))
	}
	groups := len(s.Groups)
	if m == 1 {
		s.merge(nil, true)
	} else {
		s.merge(s.noisyPairs(like, variance), false)
	}
	s.Unconfirmed = s.Unconfirmed || len(s.Groups) < groups
	s.Why = s.whyNoiseLike()
}

// likeNoise returns the signals that can't be told from noise, nil if there are none.
func (s *Solution) likeNoise(w *signal.Whitening) []int {
	d := len(s.Mean)
	var like []int
	gain := maxNoiseGain
	if d == 2 {
		gain = maxNoiseGainOfTwo
	}
	for _, g := range s.Groups {
		white := 0
		for _, i := range g {
			if whiteGaussian-s.Sources[i].CodeLength <= gain {
				white++
			}
		}
		switch white {
		case 0:
		case len(g):
			like = append(like, g...)
		default:
			return nil // the rotation of noise with other signals isn't identified
		}
	}
	m := len(like)
	if m == 0 || m == d {
		return nil
	}
	slices.Sort(like)
	first := d - m // of the weakest principal components
	strongest, total := w.Spread[first], floats.Norm(w.Spread, 2)
	if strongest > distinctSpread*w.Spread[first-1] ||
		w.Spread[d-1] < distinctSpread*strongest ||
		float64(d)*strongest*strongest > maxNoiseShare*total*total {
		return nil
	}
	var ofWhite mat.Dense // the demixing of the principal components
	ofWhite.Mul(s.Demixing, w.Inverse)
	for _, i := range like {
		row := ofWhite.RawRowView(i)
		if floats.Norm(row[first:], 2) < minNoiseLike*floats.Norm(row, 2) {
			return nil
		}
	}
	return like
}

// noisyPairs returns pairs of the first of the signals like noise with each signal in which noise of the
// given variance in all channels leaves less than the correlation minFidelity with its source.
func (s *Solution) noisyPairs(like []int, variance float64) (pairs [][2]int) {
	for i := range s.Mean {
		row := s.Demixing.RawRowView(i) // of a signal of variance 1
		if i != like[0] && variance*floats.Dot(row, row) > 1-minFidelity*minFidelity {
			pairs = append(pairs, [2]int{max(i, like[0]), min(i, like[0])})
		}
	}
	return pairs
}

// whiteGaussian is the code length of white Gaussian noise of variance 1, in nats per position.
var whiteGaussian = (1 + math.Log(2*math.Pi)) / 2

// whyNoiseLike says which signals can't be told from noise, and what that means for the others.
func (s *Solution) whyNoiseLike() string {
	d, m := len(s.Mean), len(s.NoiseLike)
	const noise = "can't be told from noise of the channels"
	if i := s.NoiseLike[0]; d == 2 {
		return fmt.Sprintf("Signal %d %s, under which a source may be hidden. Then signal %d would be a "+
			"mixture, so neither is identified. If you know that there is only one source, it is signal %d.",
			i+1, noise, 2-i, 2-i)
	} else if m == 1 {
		return fmt.Sprintf("Signal %d %s, under which a source may be hidden. Then the other %d would be "+
			"mixtures, so no signal is identified. If you know that there are fewer sources than channels, "+
			"keep %d principal components.", i+1, noise, d-1, d-1)
	}
	var identified []string
	for _, g := range s.Groups {
		if len(g) == 1 && !slices.Contains(s.NoiseLike, g[0]) {
			identified = append(identified, fmt.Sprint(g[0]+1))
		}
	}
	var likes []string
	for _, i := range s.NoiseLike {
		likes = append(likes, fmt.Sprint(i+1))
	}
	why := fmt.Sprintf("Signals %s %s. ", text.List(likes), noise)
	switch k := len(identified); {
	case k == 0:
		return why + "No other signal is identified."
	case k < d-m:
		verb := "is"
		if k > 1 {
			verb = "are"
		}
		return why + fmt.Sprintf("Of the others only %s %s identified.", text.List(identified), verb)
	case k == 1:
		return why + "The other one is identified."
	default:
		return why + fmt.Sprintf("The other %d are identified.", k)
	}
}
