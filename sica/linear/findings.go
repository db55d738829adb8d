package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// Findings are what the data say about a Solution: models, noise, evidence, and which signals are
// identified.
type Findings struct {
	// Sources are the models of the recovered signals.
	Sources []Source `json:"sources"`
	// Resolution is the standard deviation of the noise that was added to the whitened signals for
	// estimation: 0.03, or 0.2 in a coarse separation.
	Resolution float64 `json:"resolution"`
	// Noise is, for each channel, the estimated share of its variance that is white noise of
	// its own.
	Noise []float64 `json:"noise"`
	// Bandwidth is the share of the frequencies of a sequence that the models cover; 1 means all up
	// to half of the sampling rate. It is smaller if the higher frequencies are nearly empty, as in
	// a filtered or oversampled recording, and in a coarse separation. Numbers of positions in the
	// other findings then refer to the lower rate that suffices.
	Bandwidth float64 `json:"bandwidth"`
	// Scale is the time scale at which the demixing was chosen: the number of positions that
	// low-pass filtering and decimation made one. 1 is the original rate.
	Scale int `json:"scale"`
	// SurplusEvidence is the evidence for more sources than channels, in standard errors: that as
	// many sources and white noise don't explain the spectra of the channels. Above 3.5 no signal
	// is identified. It is 0 for images.
	SurplusEvidence float64 `json:"surplus_evidence"`
	// NoiseLike are the signals that can't be distinguished from white noise of the channels: they
	// are the channels' weakest principal components, and their codes are hardly shorter than those
	// of white Gaussian noise. A single one may hide a source, and the other signals may be
	// mixtures, so no signal is identified. Several mean that there are fewer sources than
	// channels.
	NoiseLike []int `json:"noise_like,omitempty"`
	// DecidedOn is the number of positions on which the models and the evidence of a long sequence
	// are based, if the evidence was certain; 0 means all. For a sequence of 16,384 positions or
	// more these are up to 4,096, or 128 per signal if that is more, and at most half of all, in
	// blocks of 1,024. The first positions of a block only serve as past, and aren't counted. The
	// demixing and its errors are based on all positions. No option changes this.
	DecidedOn int `json:"decided_on,omitempty"`
	// Coarse is whether the demixing comes from a coarse separation, by the strong frequencies
	// only: see Resolution and Bandwidth.
	Coarse bool `json:"coarse,omitzero"`
	// KeptWhitening is whether the demixing is symmetric whitening, since no rotation was accepted.
	KeptWhitening bool `json:"kept_whitening,omitzero"`
	// CodeLength is the code length of x in nats per position at the Resolution, including the
	// models' parameters. Like a differential entropy rate, it can be negative. If a model with
	// noise gave the Demixing, it is that of the demixing which this replaced.
	CodeLength float64 `json:"code_length"`
	// Whitening is the code length of x in nats per position with symmetric whitening of the
	// innovations and Gaussian signals of the same spectrum.
	Whitening float64 `json:"whitening_code_length"`
	// Evidence is the gain in code length of the whole rotation, in nats over all positions: over
	// Gaussian signals with the same spectrum, whose rotation no data identify, or over such
	// signals after a nonlinear mixing, whichever gain is smaller. The sixteenth of the positions
	// that favours the rotation most is left out, and the code length of the angles is subtracted.
	// A rotation whose code is shorter over all positions is accepted even with little or negative
	// evidence. Evidence ignores channel noise and dependence of the signals.
	Evidence float64 `json:"evidence"`
	// Pairs are the pairs of recovered signals, (1, 0), (2, 0), (2, 1), … If whitening is kept,
	// their evidence is about the signals of the best rotation. For more than 16 signals whose
	// Evidence is at most log 20, it is only the gain over Gaussian signals with the same spectrum.
	Pairs []Pair `json:"pairs"`
	// Groups divide the recovered signals: signals share a group if their rotation among themselves
	// isn't identified. Every signal is in exactly one group; see Identified.
	Groups [][]int `json:"groups"`
	// ExpectedError is, for each recovered signal, the expected 1 − |correlation| with its source:
	// ½·Σ_j Leak², plus the contributions of Noise and Drift; 1 in a group of more than one signal.
	// It ignores undetected noise and surplus sources, which can be most of the error, above all of
	// white signals. It is nil in a report on a nonlinear demixing.
	ExpectedError []float64 `json:"expected_error"`
	// Drift is, for each recovered signal, the part of ExpectedError due to a demixing that changes
	// with time: because the mixing drifts or, with noise, because sources come and go. It is nil
	// for images, and if there is no change that is significant and matters.
	Drift []float64 `json:"drift,omitempty"`
	// Independence is the probability that the innovations of independent signals depend on each
	// other as much as those of the recovered signals do, for 20,000 positions if there are more.
	// Below 0.01 no signal is identified. It is 1 for images, whose sources often depend on each
	// other: there only pairs with a large Dependence aren't identified.
	Independence float64 `json:"independence"`
	// MutualInformation is the mutual information of the two signals that depend on each other most
	// significantly. It is nil if none do, and unless sica.Result.Why says why no nonlinear
	// demixing was chosen.
	MutualInformation *MutualInformation `json:"mutual_information,omitempty"`
	// Start names the candidate from which the descent to the demixing began, such as "spectra".
	// "coarser time scale", "with noise" and "most noise" denote descents at such a scale, or with
	// noise in the models.
	Start string `json:"candidate"`
	// Skipped are the candidates that failed.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Reason is why not all signals are identified. Why gives the reason in sentences.
	Reason Reason `json:"reason"`
	Why    string `json:"why"`
}

// Identified reports whether signal i, counted from 0, is alone in its group, so that its rotation
// with every other signal is identified.
func (f *Findings) Identified(i int) bool {
	isAlone := func(g []int) bool { return len(g) == 1 && g[0] == i }
	return f != nil && slices.ContainsFunc(f.Groups, isAlone)
}

// Unidentified returns a copy of the findings f in which no signal is identified, for the given
// reason: all signals form one group and, if there are several, the ExpectedError of each is 1. The
// result is nil if f is.
func Unidentified(f *Findings, reason Reason) *Findings {
	if f == nil {
		return nil
	}
	u := *f
	u.Reason = reason
	all := slices.Sorted(slices.Values(slices.Concat(f.Groups...)))
	u.Groups = [][]int{all}
	u.Pairs = slices.Clone(f.Pairs)
	for k := range u.Pairs {
		u.Pairs[k].Identified, u.Pairs[k].AngleError = false, 0
	}
	u.ExpectedError = slices.Clone(f.ExpectedError)
	if len(all) > 1 {
		for i := range u.ExpectedError {
			u.ExpectedError[i] = 1
		}
	}
	u.Why = u.sentence()
	return &u
}

// Reordered returns a copy of the findings f for the same signals in another order: signal k of the
// copy is signal order[k] of f. The order must have each signal once, else Reordered panics. The
// result is nil if f is.
func Reordered(f *Findings, order []int) *Findings {
	if f == nil {
		return nil
	}
	signals := slices.Sorted(slices.Values(slices.Concat(f.Groups...)))
	if !slices.Equal(slices.Sorted(slices.Values(order)), signals) {
		panic(fmt.Sprintf("linear: Reordered: order is %d; must have each of the signals %d once",
			order, signals))
	}
	r := *f
	place := make([]int, len(order)) // of each signal of f
	for k, i := range order {
		place[i] = k
	}
	places := func(signals []int) (moved []int) {
		for _, i := range signals {
			moved = append(moved, place[i])
		}
		slices.Sort(moved)
		return moved
	}
	r.Sources = reordered(f.Sources, order)
	r.ExpectedError, r.Drift = reordered(f.ExpectedError, order), reordered(f.Drift, order)
	r.NoiseLike = places(f.NoiseLike)
	r.Groups = nil
	for _, g := range f.Groups {
		r.Groups = append(r.Groups, places(g))
	}
	slices.SortFunc(r.Groups, func(a, b []int) int { return a[0] - b[0] })
	r.Pairs = slices.Clone(f.Pairs)
	for k, p := range f.Pairs {
		r.Pairs[k].I, r.Pairs[k].J = max(place[p.I], place[p.J]), min(place[p.I], place[p.J])
	}
	slices.SortFunc(r.Pairs, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.I, q.I), cmp.Compare(p.J, q.J))
	})
	if m := f.MutualInformation; m != nil {
		moved := *m
		moved.I, moved.J = max(place[m.I], place[m.J]), min(place[m.I], place[m.J])
		r.MutualInformation = &moved
	}
	r.Why = r.sentence()
	return &r
}

// reordered returns values in the given order; nil if values is nil.
func reordered[T any](values []T, order []int) []T {
	if values == nil {
		return nil
	}
	moved := make([]T, len(order))
	for k, i := range order {
		moved[k] = values[i]
	}
	return moved
}

// A Skipped is a candidate that failed, so that no descent began there.
type Skipped struct {
	Start string `json:"candidate"`
	Error string `json:"error"`
}

// A Source is the model of a recovered signal.
type Source struct {
	// Order is the number of the signal's past values that predict it: at the nearest lags or, in
	// an image, at the nearest earlier neighbours.
	Order int `json:"order"`
	// Window is the number of positions on each side from which the local scale of the innovations
	// is computed; 0 means a constant scale. In an image the window holds as many positions as it
	// would in a sequence.
	Window int `json:"window"`
	// Density names the kind of distribution of the innovations, such as "Laplace".
	Density string `json:"density"`
	// CodeLength is the code length of the signal in nats per position at variance 1.
	CodeLength float64 `json:"code_length"`
}

// A Pair is what the data say about the rotation of two recovered signals, I > J.
type Pair struct {
	I int `json:"i"`
	J int `json:"j"`
	// Evidence is the gain in code length, in nats, over the pair rotated by 45° or over two
	// Gaussian signals with the same spectrum, whose rotation no data identify, whichever gain is
	// smaller. Both gains leave out the sixteenth of the positions that favours them most. The code
	// length of the angle is subtracted. In a long sequence it may be extrapolated from a part of
	// the positions, if that is certain. Above 30 nats the models of the rotated pair are less
	// exact, which makes Evidence too large: usually by 1 to 3 %, at 1,024 positions by up to 40 %
	// in 19 of 20 mixtures.
	Evidence float64 `json:"evidence"`
	// Identified is whether the signals are in different groups. Then Evidence is at least log 20,
	// Findings.Evidence exceeds log 20, no other demixing, with channel noise in the models,
	// explains the mixed signals nearly as well, the Dependence is small, and no chain of
	// unidentified pairs leads from one signal to the other.
	Identified bool `json:"identified"`
	// AngleError is the standard error of the rotation angle in radians; 0 unless the pair is
	// identified.
	AngleError float64 `json:"angle_error"`
	// Dependence is the correlation of the absolute innovations of both signals, divided by their
	// local scales. For independent sources it is 0, with a standard error of 1/√T for T positions.
	// If it is far from 0, the sources depend on each other or the mixing isn't linear. Then no
	// model is right, and the rotation may be wrong, however large Evidence is.
	Dependence float64 `json:"dependence"`
}

// A MutualInformation is the mutual information of the innovations of two signals, I > J.
type MutualInformation struct {
	I int `json:"i"`
	J int `json:"j"`
	// Nats is the estimate in nats per position, 0 on average for independent signals. SE is its
	// standard error for independent signals.
	Nats float64 `json:"nats"`
	SE   float64 `json:"se"`
}

// String returns m as a sentence.
func (m *MutualInformation) String() string {
	return fmt.Sprintf("Signals %d and %d depend on each other (mutual information of their "+
		"innovations, in nats per position: %.3f, SE %.3f).", m.J+1, m.I+1, m.Nats, m.SE)
}
