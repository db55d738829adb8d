package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/pca"
)

// A doubt is a reason why signals aren't identified despite the evidence of their pairs. That
// evidence assumes as many independent sources as channels, and the models of the chosen demixing.
type doubt struct {
	Reason
	none   bool     // no signal is identified
	pairs  [][2]int // the signals of each pair share a group
	missed float64  // variance, in each channel, of white noise that the models miss
}

// conclude sets which signals are identified, and why not all are, from the evidence and the
// doubts. The last doubt that joins groups or concerns all signals gives the Reason.
func (s *draft) conclude(x *mixture) {
	if !x.cfg.Noiseless && len(s.Mean) > 1 {
		s.NoiseLike = s.likeNoise(x.white)
	}
	for _, find := range []func() doubt{
		s.doubtSources,
		func() doubt { return s.doubtNoiseLike(x.white) },
		func() doubt { return s.doubtIndependence(x.shape) },
		s.doubtChoice,
		func() doubt { return s.doubtKnownNoise(x.cfg.Noise) },
		s.doubtHidden, // last, for the signals without another doubt
	} {
		d := find()
		if d.missed > 0 {
			if d.Reason == LikeNoise {
				clear(s.Noise) // equal in all channels according to this doubt
			}
			s.raiseNoise(x.white, d.missed)
		}
		if joined := s.merge(d.pairs, d.none); joined || d.none && !s.KeptWhitening {
			s.Reason = d.Reason
		}
		if d.none {
			break
		}
	}
	s.addNoiseError()
	s.addDrift()
	s.Why = s.sentence()
}

// doubtSources returns a doubt of all signals if there seem to be more sources than channels.
func (s *draft) doubtSources() doubt {
	return doubt{Reason: MoreSources, none: s.hasMoreSources()}
}

func (f *Findings) hasMoreSources() bool { return f.SurplusEvidence > surplusErrors }

// doubtIndependence returns a doubt of all signals of a sequence if these depend on each other, and
// of pairs with a large Dependence or, in a sequence, a large correlation.
func (s *draft) doubtIndependence(shape []int) doubt {
	pairs := s.dependent
	if len(shape) == 1 {
		pairs = slices.Concat(pairs, s.correlatedPairs(shape[0]))
	}
	return doubt{Reason: Dependence, none: s.isDependent(), pairs: pairs}
}

// correlatedPairs returns the pairs of signals, of n positions, whose correlation exceeds
// MaxCorrelation and chance: at least one signal of such a pair is a mixture, unless the sources
// correlate, as those of images often do.
func (s *draft) correlatedPairs(n int) [][2]int {
	var covariance mat.SymDense
	covariance.SymOuterK(1, s.FromWhite)
	sizes := correlations(&covariance)
	for i := range sizes.SymmetricDim() {
		for j := range i {
			sizes.SetSym(i, j, math.Abs(sizes.At(i, j)))
		}
	}
	return pairsAbove(MaxCorrelation, sizes, n)
}

func (f *Findings) isDependent() bool { return f.Independence < minIndependence }

// doubtNoiseLike returns a doubt of all signals if exactly one is noise-like. A nearly singular
// mixing leaves only noise in its weakest direction: d sources then share d−1 signals, which may be
// independent of the noise and of one another, so all of them seem identified. A recording of d−1
// sources looks the same, and the mixed signals can't distinguish the two cases.
//
// If several signals are noise-like, there are hardly as many sources as channels, since a random
// mixing nearly cancels two sources far less often than one. Then the doubt concerns only the
// signals that the noise hides.
func (s *draft) doubtNoiseLike(white *pca.Whitening) doubt {
	m := len(s.NoiseLike)
	if m == 0 {
		return doubt{}
	}
	variance := 0.0 // of the noise in each channel
	for _, spread := range white.Spread[len(s.Mean)-m:] {
		variance += spread * spread / float64(m)
	}
	return doubt{Reason: LikeNoise, none: m == 1, pairs: s.hiddenBy(variance), missed: variance}
}

// doubtChoice returns a doubt of the uncertain pairs: of signals that the detected noise hides, or
// that other, nearly equally good demixings recover differently.
func (s *draft) doubtChoice() doubt {
	return doubt{Reason: Noise, pairs: s.uncertain}
}

// doubtKnownNoise returns a doubt of the signals that noise of the given variance, Config.Noise,
// hides.
func (s *draft) doubtKnownNoise(variance float64) doubt {
	return doubt{Reason: Noise, pairs: s.hiddenBy(variance), missed: variance}
}

// doubtHidden returns a doubt of the hideable signals.
func (s *draft) doubtHidden() doubt {
	var hidden []int
	variance := math.Inf(1)
	for i, isHideable := range s.hideable {
		if isHideable && s.Identified(i) {
			row := s.Demixing.RawRowView(i)
			hidden = append(hidden, i)
			variance = min(variance, hidingShare/floats.Dot(row, row))
		}
	}
	return doubt{Reason: HiddenNoise, pairs: s.chain(hidden, variance)}
}

// hiddenBy returns pairs that join the signals hidden by noise of the given variance in all
// channels: their correlation with their sources is less than minFidelity.
func (s *draft) hiddenBy(variance float64) [][2]int {
	var hidden []int
	for i, share := range s.noiseShares(variance) {
		if share > 1-minFidelity*minFidelity {
			hidden = append(hidden, i)
		}
	}
	return s.chain(hidden, variance)
}

// chain returns pairs that join the hidden signals. A single hidden signal is joined with the other
// signal in which noise of the given variance has the largest share.
func (s *draft) chain(hidden []int, variance float64) (pairs [][2]int) {
	if len(hidden) == 1 && len(s.Mean) > 1 {
		shares := s.noiseShares(variance)
		shares[hidden[0]] = 0
		hidden = append(hidden, floats.MaxIdx(shares))
	}
	for k := 1; k < len(hidden); k++ {
		pairs = append(pairs, [2]int{hidden[k], hidden[k-1]})
	}
	return pairs
}

// noiseShares returns the share of noise in the variance of each signal, for noise of the given
// variance in all channels.
func (s *draft) noiseShares(variance float64) []float64 {
	shares := make([]float64, len(s.Mean))
	for i := range shares {
		row := s.Demixing.RawRowView(i) // of a signal of variance 1
		shares[i] = variance * floats.Dot(row, row)
	}
	return shares
}

// raiseNoise raises Noise to at least the given variance in each channel, and records it as missed.
func (s *draft) raiseNoise(white *pca.Whitening, variance float64) {
	s.missed = max(s.missed, variance)
	for c, sd := range deviations(white.Inverse) {
		s.Noise[c] = max(s.Noise[c], min(variance/(sd*sd), 1))
	}
}

// addNoiseError adds to ExpectedError the loss of correlation with the sources that missed noise
// causes. If the models include noise, ExpectedError has it already.
func (s *draft) addNoiseError() {
	if s.models == nil || s.missed == 0 {
		return
	}
	for i, share := range s.noiseShares(s.missed) {
		s.ExpectedError[i] = min(s.ExpectedError[i]+1-math.Sqrt(max(1-share, 0)), 1)
	}
}

// merge joins the groups of each of the given pairs, or all groups if all is true. It reports
// whether the number of groups fell.
func (s *draft) merge(pairs [][2]int, all bool) (joined bool) {
	before := len(s.Groups)
	d := len(s.Mean)
	evidence := mat.NewSymDense(d, nil)
	for _, p := range s.Pairs {
		if p.Identified && !all {
			evidence.SetSym(p.I, p.J, 1)
		}
	}
	for _, p := range pairs {
		evidence.SetSym(p[0], p[1], 0)
	}
	s.Groups = groups(evidence, 1)
	s.confuseGroups()
	return len(s.Groups) < before
}

// confuseGroups marks the rotations within the groups as not identified.
func (s *draft) confuseGroups() {
	for _, g := range s.Groups {
		if len(g) > 1 {
			s.confuse(g)
		}
	}
}

// confuse marks the rotation of the signals of a group as not identified.
func (s *draft) confuse(group []int) {
	for _, i := range group {
		s.ExpectedError[i] = 1
		for _, j := range group {
			if i != j {
				s.Leak.Set(i, j, 1)
			}
		}
	}
	for k, p := range s.Pairs {
		if slices.Contains(group, p.I) && slices.Contains(group, p.J) {
			s.Pairs[k].Identified, s.Pairs[k].AngleError = false, 0
		}
	}
}
