package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Findings say what the data tell about a Solution.
type Findings struct {
	// Sources are the models of the recovered signals.
	Sources []Source `json:"sources"`
	// Resolution is the noise that was added to the whitened signals for estimation, in
	// standard deviations: 0.03, or 0.2 of a coarse separation.
	Resolution float64 `json:"resolution"`
	// Noise is, for each channel, the estimated share of its variance that is white noise of
	// its own.
	Noise []float64 `json:"noise"`
	// Bandwidth is the share of the frequencies of a sequence that the models are of; 1 is all up to
	// half of the sampling rate. It is smaller if there is next to nothing above, as in a filtered
	// recording or one at a higher rate than its signals need, and of a coarse separation. The
	// positions of the other findings are those at the lower rate that suffices then.
	Bandwidth float64 `json:"bandwidth"`
	// Scale is the time scale that the demixing was chosen at: how many positions were made
	// one by a low-pass filter. 1 is the signals as they are.
	Scale int `json:"scale"`
	// SurplusEvidence is the evidence for more sources than channels, in standard errors: that the
	// spectra of the channels aren't those of as many sources and white noise. From 3.5 on no signal
	// is identified. It is 0 for images.
	SurplusEvidence float64 `json:"surplus_evidence"`
	// NoiseLike are the signals that can't be told from white noise of the channels: those that are their
	// weakest principal components, and whose codes are hardly shorter than that of white Gaussian noise.
	// If it is one, a source may be hidden under it, and the other signals be mixtures. So none is
	// identified then. If they are several, there are fewer sources than channels.
	NoiseLike []int `json:"noise_like,omitempty"`
	// DecidedOn is the number of positions of a long sequence on which the models and the evidence
	// are based, if these left no doubt; 0 is all. Of a sequence of 16,384 positions or more they
	// are 4,096, or 128 a signal if that is more, and at most half of all, in blocks of 1,024. The
	// first positions of a block only serve as past. The demixing and its errors are based on all.
	// No option changes it.
	DecidedOn int `json:"decided_on,omitempty"`
	// Coarse is whether the demixing is that of a coarse separation, of strong frequencies only: see
	// Resolution and Bandwidth.
	Coarse bool `json:"coarse,omitzero"`
	// KeptWhitening is whether the demixing is symmetric whitening, which gives the same signals of any
	// part of a recording.
	KeptWhitening bool `json:"kept_whitening,omitzero"`
	// CodeLength is the code length of x in nats per position, with that of the models'
	// parameters, at the Resolution. It can be negative, as any entropy rate.
	CodeLength float64 `json:"code_length"`
	// Whitening is the code length with the symmetric whitening of the innovations, if the
	// signals are Gaussian with the same spectrum.
	Whitening float64 `json:"whitening_code_length"`
	// Evidence is the gain in code length of the whole rotation, in nats over all positions. It is
	// the smaller of two: over Gaussian signals with the same spectrum, whose rotation no data
	// identify, and over such signals after a nonlinear mixing. The sixteenth of the positions that
	// favours the rotation most is left out, and the code length of the angles is subtracted. A
	// rotation whose code is shorter over all positions is accepted even with little or negative
	// evidence. It counts neither noise of the channels nor a dependence of the signals.
	Evidence float64 `json:"evidence"`
	// Pairs are those of recovered signals, (1, 0), (2, 0), (2, 1), … Where
	// whitening is kept, their evidence is that of the best rotation's signals. Of more than 16 signals
	// without Evidence theirs is only that over Gaussian signals with the same spectrum.
	Pairs []Pair `json:"pairs"`
	// Groups are the recovered signals by what is identified: signals whose rotation among
	// themselves isn't share a group. Every signal is in one; see Identified.
	Groups [][]int `json:"groups"`
	// ExpectedError is, for each recovered signal, the expected 1 − |correlation|
	// with its source: ½·Σ_j Leak², what the Noise adds, and Drift; 1 in a group of more than one.
	// Noise that wasn't found and surplus sources aren't in it, and can be most of the error, above
	// all of white signals. It is nil in a report on a nonlinear demixing.
	ExpectedError []float64 `json:"expected_error"`
	// Drift is, for each recovered signal, how much of the ExpectedError is due to a demixing that changes
	// with time: a mixing that drifts or, with noise, sources that come and go. It is nil if there is no
	// significant change of a sequence, or none that matters.
	Drift []float64 `json:"drift,omitempty"`
	// Independence is the probability that the innovations of independent signals depend on each
	// other as much as those of the recovered ones do, at 20,000 positions if there are more. Below
	// 0.01 no signal is identified. It is 1 for images, whose sources often depend on each other:
	// of these, pairs of a large Dependence aren't identified.
	Independence float64 `json:"independence"`
	// MutualInformation is that of the two signals that depend on each other most significantly. It is
	// nil if none do, and unless sica.Result.Why says why no nonlinear demixing was chosen.
	MutualInformation *MutualInformation `json:"mutual_information,omitempty"`
	// Start is what the descent to the demixing began with, such as "spectra". "coarser time scale",
	// "with noise" and "most noise" are descents at such a scale, or with noise in the models.
	Start string `json:"candidate"`
	// Skipped are the starts that failed.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Reason is why not all signals are identified. Why says it in sentences.
	Reason Reason `json:"reason"`
	Why    string `json:"why"`
}

// Identified reports whether signal i, counted from 0, is alone in its group: whether its rotation
// with every other signal is identified. It is false for nil.
func (f *Findings) Identified(i int) bool {
	isAlone := func(g []int) bool { return len(g) == 1 && g[0] == i }
	return f != nil && slices.ContainsFunc(f.Groups, isAlone)
}

// Unidentified returns the findings f without the claim that any signal is identified, for the
// given reason, which why explains. All signals are one group then, and if they are several, the
// ExpectedError of each is 1. f stays as it is. It is nil for nil.
func Unidentified(f *Findings, reason Reason, why string) *Findings {
	if f == nil {
		return nil
	}
	u := *f
	u.Reason, u.Why = reason, why
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
	return &u
}

// Reordered returns the findings f about the same signals in another order: its signal k is signal
// order[k] of f, which stays as it is. It is nil for nil. It panics unless order has each signal of
// the Groups once.
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
	if f.Why == f.sentence() {
		r.Why = r.sentence()
	}
	if m := f.MutualInformation; m != nil {
		moved := *m
		moved.I, moved.J = max(place[m.I], place[m.J]), min(place[m.I], place[m.J])
		r.MutualInformation = &moved
		r.Why = strings.Replace(r.Why, m.String(), moved.String(), 1)
	}
	return &r
}

// reordered returns the values in an order; nil for nil.
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

// A Skipped start failed, so that no descent began with it.
type Skipped struct {
	Start string `json:"candidate"`
	Error string `json:"error"`
}

// A Source is the model of a recovered signal.
type Source struct {
	// Order is the number of values of its own past that predict it: those at the nearest lags
	// or, in an image, the nearest earlier neighbours.
	Order int `json:"order"`
	// Window is the number of positions on each side from which its local scale is computed; 0
	// is a constant scale. In an image the window holds as many positions as that of a sequence.
	Window int `json:"window"`
	// Density is the kind of its innovations' distribution.
	Density string `json:"density"`
	// CodeLength is its code length in nats per position at variance 1.
	CodeLength float64 `json:"code_length"`
}

// A Pair says what the data know about the angle between two recovered signals.
type Pair struct {
	I int `json:"i"`
	J int `json:"j"`
	// Evidence is the smaller of two gains in code length, in nats: over the pair rotated by 45°,
	// and over two Gaussian signals with the same spectrum, whose rotation no data identify.
	// Both leave out the sixteenth of the positions that favours them most. The code length
	// of the angle is subtracted. It may be that of a part of a long sequence, in proportion, if
	// that leaves no doubt. From 30 nats on the models of the rotated pair are less exact, so that it is
	// too large: by 1 to 3 % as a rule, at 1,024 positions by up to 40 % in 19 of 20 mixtures.
	Evidence float64 `json:"evidence"`
	// Identified is whether the signals are in different groups. Evidence is more than log 20
	// then, and so is that for any rotation. No other demixing, with noise of the channels in
	// the models, explains the mixed signals nearly as well. The Dependence isn't doubtful. And no
	// chain of pairs that aren't identified leads from one signal to the other.
	Identified bool `json:"identified"`
	// AngleError is the standard error of the angle in radians. It is 0 unless the
	// pair is identified.
	AngleError float64 `json:"angle_error"`
	// Dependence is the correlation of the absolute values of the signals' innovations over their
	// local scales. For independent sources it is 0, with a standard error of 1/√T. If it is
	// far from 0, the sources depend on each other or the mixing isn't linear. Then none of the
	// models is right, and the rotation may be wrong, however large the Evidence is.
	Dependence float64 `json:"dependence"`
}

// A MutualInformation is how far the innovations of two signals, I > J, depend on each other.
type MutualInformation struct {
	I int `json:"i"`
	J int `json:"j"`
	// Nats is the estimate in nats per position, 0 on average for independent signals, and SE its
	// standard error for these.
	Nats float64 `json:"nats"`
	SE   float64 `json:"se"`
}

// String says it in a sentence without its full stop.
func (m *MutualInformation) String() string {
	return fmt.Sprintf("Signals %d and %d depend on each other (mutual information of their "+
		"innovations, in nats per position: %.3f, SE %.3f)", m.J+1, m.I+1, m.Nats, m.SE)
}
