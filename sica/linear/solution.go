package linear

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A Solution is the linear demixing with the shortest code, or symmetric whitening if the data
// don't favour another rotation, and what the data say about it. It is the Details of the ica.Model
// that Options.Fit returns, which maps new signals there and back (Transform, InverseTransform). The
// model's Save keeps the matrix and the mean in a file, as examples/linear does; the findings aren't
// kept.
type Solution struct {
	// Mean is the mean of each mixed signal.
	Mean []float64
	// Demixing is B, d×d: the recovered signals are B·(x − Mean), with variance 1. If the
	// demixing was chosen with noise of the channels in the models, it is Wiener's filter, the
	// best linear estimate of the sources with that noise.
	Demixing *mat.Dense
	// FromWhite is the demixing of the symmetrically whitened signals, Demixing =
	// FromWhite·Σ^(−1/2). If Σ is nearly singular, applying it to whitened signals is more
	// accurate than applying Demixing.
	FromWhite *mat.Dense
	// Symmetric is the symmetric whitening of the innovations, d×d, for signals of variance 1. It
	// is the Demixing if nothing is identified. Other methods can begin with it if the mixing is
	// known to be symmetric.
	Symmetric *mat.Dense
	// Leak holds, for i ≠ j, the standard error of the share of source j in recovered signal i,
	// both of variance 1. It is 1 within a group, whose rotation isn't identified.
	Leak *mat.Dense
	Findings

	minDependence bool // the demixing's signals depend least on each other
	// models are those of the signals; nil if noise of the channels is in the models.
	models *demixing
	// unseen is the noise that the models miss, as far as the dependence of the signals shows it.
	unseen noiseEstimate
	drift  driftEstimate
	// hideable is which signals noise may hide that nothing shows; nil if not known.
	hideable []bool
	// missed is the variance of noise in each channel that the models miss, if it is known.
	missed   float64
	textbook []candidate // of the mixed signals
	whitened bool        // whitening was kept
	coarse   bool        // a coarse separation
	reason   reason      // for Why
}

// MarshalJSON returns the matrices as lists of their rows, under the names mean, demixing, from_white,
// symmetric and leak, and the fields of Findings.
func (s *Solution) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean      []float64   `json:"mean"`
		Demixing  signal.Rows `json:"demixing"`
		FromWhite signal.Rows `json:"from_white"`
		Symmetric signal.Rows `json:"symmetric"`
		Leak      signal.Rows `json:"leak"`
		Findings
	}{
		s.Mean, signal.RowsOf(s.Demixing), signal.RowsOf(s.FromWhite), signal.RowsOf(s.Symmetric),
		signal.RowsOf(s.Leak), s.Findings,
	})
}

// A reason is what Reason and Why say. The text of Dependence can be "": which causes it may have
// depends on the signals like noise, which are found last.
type reason struct {
	Reason
	text string
	more bool // moreDependent follows
}

func newReason(r Reason, text string) reason { return reason{Reason: r, text: text} }

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
	// NoiseFromDependence is whether Noise was found from the dependence that it causes among the
	// recovered signals, which a nonlinear mixing can cause as well, and not from spectra.
	NoiseFromDependence bool `json:"noise_from_dependence,omitempty"`
	// Bandwidth is the share of the frequencies of a sequence that the models are of; 1 is all up to
	// half of the sampling rate. It is smaller if there is next to nothing above, as in a filtered
	// recording or one at a higher rate than its signals need, and of a coarse separation. The
	// positions of the other findings are those at the lower rate that suffices then.
	Bandwidth float64 `json:"bandwidth"`
	// Scale is the time scale that the demixing was chosen at: how many positions were made
	// one by a low-pass filter. 1 is the signals as they are.
	Scale int `json:"scale"`
	// Surplus is whether there seem to be more sources than channels: whether the spectra of
	// the channels aren't those of as many sources and white noise.
	Surplus bool `json:"surplus"`
	// SurplusEvidence is the evidence for that in standard errors. Surplus is whether it is more
	// than 3.5; see SurplusSuspected, too.
	SurplusEvidence float64 `json:"surplus_evidence"`
	// NoiseLike are the signals that can't be told from white noise of the channels: those that are their
	// weakest principal components, and whose codes are hardly shorter than that of white Gaussian noise.
	// If it is one, a source may be hidden under it, and the other signals be mixtures. So none is
	// identified then. If they are several, there are fewer sources than channels.
	NoiseLike []int `json:"noise_like,omitempty"`
	// Unconfirmed is whether signals aren't identified because noise of the channels or surplus
	// sources stand against it, which the Evidence of the pairs doesn't count. It can be false
	// although nothing is identified: where Dependent says so first, and after a deadline, as sica.Fit
	// identifies nothing before it has examined nonlinear mixings.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Unexplained is whether no signal is identified because the signals depend on each other
	// beyond doubt, and neither noise nor a nonlinear mixing that can be undone explains that. The
	// Evidence of the pairs doesn't count it. Only sica.Fit tests for it.
	Unexplained bool `json:"unexplained,omitempty"`
	// DecidedOn is the number of positions of a long sequence on which the models and the evidence are
	// based, if these left no doubt; 0 is all. Of a sequence of 16,384 positions or more they are 4,096,
	// or 128 a signal if that is more, and at most half of all, in blocks of 1,024 less the first of
	// each, which are only past. The demixing and its errors are based on all. No option changes it.
	DecidedOn int `json:"decided_on,omitempty"`
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
	// Doubtful is whether recovered signals depend on each other, so that the evidence may be
	// wrong: whether the Dependence of a pair is larger than 0.1 and than five of its standard
	// errors. The signals of such pairs aren't identified.
	Doubtful bool `json:"doubtful"`
	// Independence is the probability that the innovations of independent signals depend on each
	// other as much as those of the recovered ones do, at 20,000 positions if there are more. It is 1 for images, whose sources often depend
	// on each other.
	Independence float64 `json:"independence"`
	// Dependent is whether Independence is below 0.01. Then no signal is identified: the channels may
	// have noise, there may be more sources than channels, or the mixing isn't linear.
	Dependent bool `json:"dependent"`
	// Candidate is the name of the start whose descent led to the demixing, such as that of a textbook
	// method. It isn't one of the methods in sica.Summary.Candidates.
	Candidate string `json:"candidate"`
	// Skipped are the candidates that failed.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Reason is why not all signals are identified. Why says it in sentences.
	Reason Reason `json:"reason"`
	Why    string `json:"why"`
}

// Identified reports whether signal i, counted from 0, is alone in its group: whether its rotation
// with every other signal is identified.
func (f *Findings) Identified(i int) bool {
	return slices.ContainsFunc(f.Groups, func(g []int) bool { return len(g) == 1 && g[0] == i })
}

// Unidentified returns the findings without the claim that any signal is identified, for the given
// reason, which why explains. All signals are one group then, and if they are several, the ExpectedError
// of each is 1. f stays as it is. It is nil for nil.
func (f *Findings) Unidentified(reason Reason, why string) *Findings {
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

// SurplusSuspected reports whether there may be more sources than channels: whether the
// SurplusEvidence is more than 2.5 standard errors.
func (f *Findings) SurplusSuspected() bool { return f.SurplusEvidence > suspectedSurplusErrors }

// ErrorNote says in half a sentence what ExpectedError contains; "" if that is nil or no signal is
// identified. Without a Noise it is sampling alone: undetected noise, or surplus sources, make the
// true error larger, often many times.
func (f *Findings) ErrorNote() string {
	if f.ExpectedError == nil || len(f.Groups) == 1 && len(f.ExpectedError) > 1 {
		return ""
	}
	causes := []string{"sampling"}
	if slices.ContainsFunc(f.Noise, func(share float64) bool { return share > 0 }) {
		causes = append(causes, "the estimated noise of the channels")
	}
	if f.Drift != nil {
		causes = append(causes, "the change with time")
	}
	if len(causes) == 1 {
		return "from sampling alone; noise, or more sources than channels, can make it far larger"
	}
	return "from " + text.List(causes)
}

// DriftNote says in half a sentence where the demixing changes with time most, and possible causes; "" if
// Drift is nil.
func (f *Findings) DriftNote() string {
	if f.Drift == nil {
		return ""
	}
	most := floats.MaxIdx(f.Drift)
	return fmt.Sprintf("significant, most in signal %d, with an error of about %.4f; the mixing drifts, a channel "+
		"clips or is flat for a part or, with noise, sources come and go", most+1, f.Drift[most])
}

// NoiseNote says in half a sentence what else than noise of the channels may be in Noise.
func (f *Findings) NoiseNote() string {
	if f.NoiseFromDependence {
		return "a nonlinear mixing can look the same"
	}
	return "surplus sources would be counted in it"
}

// A Skipped candidate failed, so that no descent began with it.
type Skipped struct {
	Candidate string `json:"candidate"`
	Error     string `json:"error"`
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

// why explains the decision in at most three sentences. accepted is whether a rotation replaced
// whitening. nonlinear is whether it didn't, or isn't identified, because Gaussian signals after a
// nonlinear mixing explain the mixed signals as well. The text is "" for Dependent signals; see reason.
func (s *Solution) why(accepted, nonlinear bool) (Reason, string) {
	d := len(s.Mean)
	switch {
	case d == 1:
		return AllIdentified, "There is one signal: nothing to separate."
	case !accepted && nonlinear:
		return NonlinearMixing, "Symmetric whitening was kept: what a rotation of it seems to gain is better " +
			"explained by Gaussian signals with one spectrum after a nonlinear mixing. " +
			"Its orientation is right only if the mixing was nearly symmetric, with positive eigenvalues."
	case !accepted:
		return SameSpectrum, "Symmetric whitening was kept: no rotation of it has a shorter code than " +
			"Gaussian signals with one spectrum, whose rotation is not identified. " +
			"Its orientation is right only if the mixing was symmetric with positive eigenvalues."
	}
	if len(s.Groups) == d {
		return AllIdentified, allIdentified(d)
	}
	why, cause := SameSpectrum, "other rotations of them have nearly as short a code"
	switch {
	case s.Doubtful:
		why, cause = Dependence, s.doubt()
	case s.Dependent:
		return Dependence, ""
	case nonlinear:
		why, cause = NonlinearMixing, "Gaussian signals with one spectrum after a nonlinear mixing would look the same"
	}
	return why, fmt.Sprintf("The rotation of signals %s is not identified: %s.", s.groupNames(), cause)
}

// setWhy sets Why to the reason. Of dependent signals it names possible causes, among them surplus
// sources unless several signals are like noise.
func (s *Solution) setWhy() {
	s.Reason, s.Why = s.reason.Reason, s.reason.text
	if s.Why == "" {
		surplus := "more sources than channels, "
		if len(s.NoiseLike) > 1 {
			surplus = ""
		}
		s.Why = "The recovered signals depend on each other, so no signal is identified. Possible causes " +
			"are noise of the channels, " + surplus + "a nonlinear mixing such as clipping, and one that " +
			"changes with time."
		if s.Drift != nil {
			s.Why += " The demixing does change with time."
		}
	}
	if s.reason.more {
		s.Why += moreDependent
	}
}

// moreDependent is the sentence on the demixing with the shortest code where another one was chosen.
const moreDependent = " Another demixing has a shorter code, but its signals depend more on each other."

// allIdentified returns the sentence that all of d signals are identified.
func allIdentified(d int) string {
	if d == 2 {
		return "Both signals are identified."
	}
	return fmt.Sprintf("All %d signals are identified.", d)
}

// doubt says which signals depend most on each other.
func (s *Solution) doubt() string {
	p := slices.MaxFunc(s.Pairs, func(a, b Pair) int {
		return cmp.Compare(a.Dependence, b.Dependence)
	})
	return fmt.Sprintf("the magnitudes of signals %d and %d depend on each other", p.J+1, p.I+1)
}

// groupNames returns the signals of the groups of several signals, counted from 1.
func (s *Solution) groupNames() string { return text.Groups(s.Groups) }

// othersIdentified says which signals but the named ones are identified.
func (s *Solution) othersIdentified(named []int) string {
	identified := s.identifiedBut(named)
	switch k := len(identified); {
	case k == 0:
		return "No signal is identified."
	case k == 1 && k < len(s.Mean)-len(named):
		return fmt.Sprintf("Of the others only %s is identified.", text.Signals(identified))
	case k < len(s.Mean)-len(named):
		return fmt.Sprintf("Of the others only %s are identified.", text.Signals(identified))
	case k == 1:
		return "The other one is identified."
	default:
		return fmt.Sprintf("The other %d are identified.", k)
	}
}

// identifiedBut returns the identified signals but the named ones.
func (s *Solution) identifiedBut(named []int) (signals []int) {
	for _, g := range s.Groups {
		if len(g) == 1 && !slices.Contains(named, g[0]) {
			signals = append(signals, g[0])
		}
	}
	return signals
}

// publicSources returns the models of m's signals as Sources, at variance 1.
func (m *demixing) publicSources() []Source {
	all := make([]Source, len(m.sources))
	for i, s := range m.sources {
		deviation := floats.Norm(m.b.RawRowView(i), 2) // of the signal, as z is white
		all[i] = Source{
			Order:      len(s.weights),
			Window:     s.window,
			Density:    s.density.String(),
			CodeLength: s.codeLength - math.Log(deviation),
		}
	}
	return all
}

// solution returns the solution with best if it is accepted, or else with whitening. Signals of
// best that aren't distinguishable are rotated as near as possible to those of whitening.
func (s *separator) solution(
	ctx context.Context, best *demixing, null *whitened, v *verdict, name string, mean []float64,
) (*Solution, error) {
	accepted := s.d == 1 || v.accepted()
	b := null.b
	var before *demixing // whose models hold for b
	if accepted {
		b, before = v.scaled, best
		for _, g := range groups(v.distinguishable, sameLength) {
			if len(g) > 1 {
				rotateGroup(b, null.b, g)
				before = nil
			}
		}
	}
	m := s.acquire()
	if err := s.evaluate(ctx, m, b, before); err != nil {
		return nil, err
	}
	sol := &Solution{Mean: mean, FromWhite: unitRows(m.b), Leak: mat.NewDense(s.d, s.d, nil)}
	sol.Resolution, sol.Scale, sol.Noise = resolution, 1, make([]float64, s.d)
	sol.Demixing, sol.Symmetric = s.fromMixed(sol.FromWhite), s.fromMixed(unitRows(null.b))
	logDet, _ := mat.LogDet(s.whitening)
	sol.Whitening = null.codeLength - logDet
	if accepted {
		sol.CodeLength, sol.Candidate = m.codeLength-logDet, name
	} else {
		sol.CodeLength, sol.Candidate = sol.Whitening, "whitening"
	}
	sol.Sources = m.publicSources()
	sol.Evidence = v.rotation.Evidence - v.occamFactor
	s.setGroups(sol, v, accepted && sol.Evidence > identified)
	sol.setDependence(m, s.past)
	sol.reason = newReason(sol.why(accepted, v.nonlinear))
	sol.reason.more = v.minDependence
	sol.minDependence, sol.whitened, sol.models = v.minDependence, !accepted, m
	sol.unseen, sol.drift = v.noise, v.drift
	return sol, nil
}

// setGroups sets the pairs and the groups of the solution by the evidence. Signals of pairs that
// aren't identified share a group. If isIdentified is false, all signals do.
func (s *separator) setGroups(sol *Solution, v *verdict, isIdentified bool) {
	enough := math.Inf(1)
	if isIdentified {
		enough = identified
	}
	sol.Groups = groups(v.evidence, enough)
	group := make([]int, s.d) // of each signal
	for k, g := range sol.Groups {
		for _, i := range g {
			group[i] = k
		}
	}
	sol.ExpectedError = make([]float64, s.d)
	for i := range s.d {
		for j := range s.d {
			if i == j {
				continue
			}
			leak, angle := v.leaks.At(i, j), v.angles.At(i, j)
			differ := group[i] != group[j]
			if !differ {
				leak, angle = 1, 0
			}
			sol.Leak.Set(i, j, leak)
			sol.ExpectedError[i] += leak * leak / 2
			if j < i {
				sol.Pairs = append(sol.Pairs, Pair{
					I: i, J: j, Evidence: v.evidence.At(i, j), Identified: differ, AngleError: angle,
				})
			}
		}
		if len(sol.Groups[group[i]]) > 1 {
			sol.ExpectedError[i] = 1
		}
	}
}

// merge joins the groups of the given pairs, which aren't identified, or all groups. It reports whether
// there were more groups before.
func (s *Solution) merge(pairs [][2]int, all bool) (joined bool) {
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
	for _, g := range s.Groups {
		if len(g) == 1 {
			continue
		}
		for _, i := range g {
			s.ExpectedError[i] = 1
			for _, j := range g {
				if i != j {
					s.Leak.Set(i, j, 1)
				}
			}
		}
		for k, p := range s.Pairs {
			if slices.Contains(g, p.I) && slices.Contains(g, p.J) {
				s.Pairs[k].Identified, s.Pairs[k].AngleError = false, 0
			}
		}
	}
	return len(s.Groups) < before
}

// setPairDependence sets the dependence of each pair.
func (s *Solution) setPairDependence(dependence *mat.SymDense) {
	for k, pair := range s.Pairs {
		s.Pairs[k].Dependence = dependence.At(pair.I, pair.J)
	}
}

// setDependence sets the dependence of the pairs of m's signals, and whether they are independent.
// Signals that depend on each other beyond doubt aren't identified: of 38 triples of digits and
// photographs with such a pair, which the evidence alone identified, 14 had a signal with a correlation
// below 0.9. Neither are those of a sequence that aren't independent, as with surplus sources.
func (s *Solution) setDependence(m *demixing, p *past.Past) {
	dependence := m.dependence()
	s.setPairDependence(dependence)
	dependent := dependentPairs(dependence, p.N)
	if ablation.Off("doubtful") {
		dependent = nil
	}
	s.Doubtful = len(dependent) > 0
	s.Independence = 1
	if len(p.Shape) == 1 && len(m.sources) > 1 {
		s.Independence = m.independence(dependence)
	}
	s.Dependent = s.Independence < minIndependence && !ablation.Off("dependent")
	if s.Doubtful || s.Dependent {
		s.merge(dependent, s.Dependent)
	}
}

// unitRows returns the demixing b of z for recovered signals of variance 1: without their noise,
// the signals z are white.
func unitRows(b *mat.Dense) *mat.Dense {
	unit := mat.DenseCopyOf(b)
	d, _ := b.Dims()
	for i := range d {
		row := unit.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return unit
}

// fromMixed returns the demixing of the mixed signals x that is b for the signals z.
func (s *separator) fromMixed(b *mat.Dense) *mat.Dense {
	var demixing mat.Dense
	demixing.Mul(b, s.whitening)
	return &demixing
}
