package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
// the correlation minFidelity with their sources. setWhy doesn't name surplus sources then.
//
// Noise of the same strength in all channels makes the weakest principal components white and Gaussian,
// with equal variances. So signals are like noise if they are those components, or rotations of them,
// the code of each is hardly shorter than that of white Gaussian noise, and none has rare large values,
// such as heartbeats, which shorten the code by little.
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
	s.raiseNoise(white, variance)
	var pairs [][2]int
	if m > 1 {
		hidden, _ := s.hidden(variance) // the signals like noise among them
		pairs = chain(hidden)
	}
	joined := s.merge(pairs, m == 1)
	s.Unconfirmed = s.Unconfirmed || m == 1 || joined
	if !s.Surplus && (m == 1 || !s.Dependent && !s.Doubtful) {
		s.reason = newReason(LikeNoise, s.whyNoiseLike())
	}
}

// likeNoise returns the signals that can't be told from noise, nil if there are none: as many as
// possible, in the space of as many weakest principal components.
func (s *Solution) likeNoise(w *signal.Whitening) []int {
	d := len(s.Mean)
	gain := maxNoiseGain
	if d == 2 {
		gain = maxNoiseGainOfTwo
	}
	var white []int // and Gaussian
	for i, source := range s.Sources {
		if gaussianEntropy-source.CodeLength <= gain {
			white = append(white, i)
		}
	}
	var demixing mat.Dense // of the white principal components
	demixing.Mul(s.Demixing, w.Inverse)
	for m := min(len(white), d-1); m > 0; m-- {
		if !isNoise(w.Spread, m) {
			continue
		}
		var like []int
		for _, i := range white {
			row := demixing.RawRowView(i)
			if floats.Norm(row[d-m:], 2) >= minNoiseLike*floats.Norm(row, 2) &&
				math.Abs(kurtosis(row, w.White)) <= maxNoiseKurtosis {
				like = append(like, i)
			}
		}
		if len(like) == m {
			return like
		}
	}
	return nil
}

// isNoise reports whether the m smallest of the principal components' standard deviations may be those
// of noise: equal, smaller than the others, and a small share of the variance if all channels have it.
func isNoise(spread []float64, m int) bool {
	d := len(spread)
	strongest, total := spread[d-m], floats.Norm(spread, 2)
	return strongest <= distinctSpread*spread[d-m-1] && spread[d-1] >= distinctSpread*strongest &&
		float64(d)*strongest*strongest <= maxNoiseShare*total*total
}

// kurtosis returns the excess kurtosis of the signal row·white.
func kurtosis(row []float64, white *mat.Dense) float64 {
	var y mat.VecDense
	y.MulVec(white.T(), mat.NewVecDense(len(row), row))
	return stat.ExKurtosis(y.RawVector().Data, nil)
}

// whyNoiseLike says which signals can't be told from noise, and what that means for the others.
func (s *Solution) whyNoiseLike() string {
	d, m := len(s.Mean), len(s.NoiseLike)
	const noise = "can't be told from noise of the channels"
	if i := s.NoiseLike[0]; d == 2 {
		return fmt.Sprintf("Signal %d %s, under which a source may be hidden. Then signal %d would be a "+
			"mixture, so neither is identified. If you know that there is only one source, it is signal %d.",
			i+1, noise, 2-i, 2-i)
	} else if m == 1 {
		return fmt.Sprintf("Signal %d %s, under which a source may be hidden. Then the others would be "+
			"mixtures, so no signal is identified. If you know that there are only %d sources, they are the "+
			"other signals.", i+1, noise, d-1)
	}
	why := text.Capitalise(text.Signals(s.NoiseLike)) + " " + noise + ". " +
		s.othersIdentified(s.NoiseLike)
	if len(s.identifiedBut(nil)) == 0 && s.SurplusSuspected() {
		why += " A filter of the recording, or more sources than channels, may be the reason."
	}
	if len(s.identifiedBut(s.NoiseLike)) > 0 {
		why += " That is so unless a source is hidden under the noise."
	}
	return why
}

// doubtKnownNoise says which signals the Noise of the options hides. They aren't identified.
func (s *Solution) doubtKnownNoise(white *signal.Whitening, opt Options) {
	if opt.Noise == 0 || len(s.Mean) < 2 {
		return
	}
	s.raiseNoise(white, opt.Noise)
	hidden := s.hide(opt.Noise)
	if hidden == nil {
		return
	}
	noise := "Noise of the given variance"
	if opt.NoiseLeftOut {
		noise = "Noise as strong as the components that were left out"
	}
	s.reason = newReason(Noise, fmt.Sprintf("%s would leave %s. %s", noise,
		poorCorrelation(hidden, minFidelity), s.othersIdentified(hidden)))
}

// poorCorrelation says what noise leaves the signals that it hides, after "leaves": expected correlations
// below the limit.
func poorCorrelation(hidden []int, limit float64) string {
	if len(hidden) == 1 {
		return fmt.Sprintf("%s an expected correlation below %g with its source", text.Signals(hidden),
			limit)
	}
	return fmt.Sprintf("%s expected correlations below %g with their sources", text.Signals(hidden),
		limit)
}

// hide joins the groups of the signals that noise of the given variance in all channels hides. A
// single one is joined with the signal that has the most noise of the others. It returns the hidden
// signals, nil if no group was joined.
func (s *Solution) hide(variance float64) (hidden []int) {
	hidden, shares := s.hidden(variance)
	if hidden == nil || !s.join(hidden, shares) {
		return nil
	}
	return hidden
}

// join joins the groups of the hidden signals. shares are those of the noise in all signals. It reports
// whether there were more groups before.
func (s *Solution) join(hidden []int, shares []float64) bool {
	group := hidden
	if len(hidden) == 1 {
		shares[hidden[0]] = 0
		group = append(slices.Clone(hidden), floats.MaxIdx(shares))
		slices.Sort(group)
	}
	if !s.merge(chain(group), false) {
		return false
	}
	s.Unconfirmed = true
	return true
}

// hidden returns the signals that noise of the given variance in all channels hides, to which it leaves
// less than the correlation minFidelity with their sources, and its share in each signal.
func (s *Solution) hidden(variance float64) (signals []int, shares []float64) {
	for i := range s.Mean {
		row := s.Demixing.RawRowView(i) // of a signal of variance 1
		shares = append(shares, variance*floats.Dot(row, row))
		if shares[i] > 1-minFidelity*minFidelity {
			signals = append(signals, i)
		}
	}
	return signals, shares
}

// chain returns pairs that join the signals, which are in increasing order.
func chain(signals []int) (pairs [][2]int) {
	for k := 1; k < len(signals); k++ {
		pairs = append(pairs, [2]int{signals[k], signals[k-1]})
	}
	return pairs
}

// raiseNoise makes Noise at least that of the given variance in each channel, which the models miss.
func (s *Solution) raiseNoise(white *signal.Whitening, variance float64) {
	s.missed = max(s.missed, variance)
	for c := range s.Noise {
		deviation := floats.Norm(white.Inverse.RawRowView(c), 2)
		s.Noise[c] = max(s.Noise[c], min(variance/(deviation*deviation), 1))
	}
}

// addNoiseError adds to the ExpectedError what noise of the channels that the models miss takes of the
// correlations of the signals with their sources.
func (s *Solution) addNoiseError() {
	if s.models == nil || s.missed == 0 {
		return
	}
	_, shares := s.hidden(s.missed)
	for i, share := range shares {
		s.ExpectedError[i] = min(s.ExpectedError[i]+1-math.Sqrt(max(1-share, 0)), 1)
	}
}
