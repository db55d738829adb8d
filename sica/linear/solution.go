package linear

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Solution is the linear demixing with the shortest code, or symmetric whitening if the data
// don't favour another rotation, and the Findings about it. It is the Details of the ica.Model that
// Config.Fit returns. That model demixes and remixes new signals (Transform, InverseTransform).
// Its Demixing can be kept as JSON, as in examples/linear.
type Solution struct {
	// Mean is the mean of each mixed signal.
	Mean []float64
	// Demixing is B, d×d: the recovered signals are B·(x − Mean), with variance 1. If chosen with
	// channel noise in the models, B is Wiener's filter, the best linear estimate of the sources
	// under that noise.
	Demixing *mat.Dense
	// FromWhite is the demixing of the symmetrically whitened signals, Demixing =
	// FromWhite·Σ^(−1/2). If Σ is nearly singular, applying it to whitened signals is more
	// accurate than applying Demixing.
	FromWhite *mat.Dense
	// Symmetric is the symmetric whitening of the innovations, d×d, for signals of variance 1. It
	// is the Demixing if whitening is kept. Other methods can start from it if the mixing is known
	// to be symmetric.
	Symmetric *mat.Dense
	// Leak holds, for i ≠ j, the standard error of the share of source j in recovered signal i,
	// both of variance 1. It is 1 for two signals of the same group, whose rotation isn't
	// identified.
	Leak *mat.Dense
	Findings
}

// A draft is an unfinished Solution, in the unit of its mixture, with the intermediate results that
// the decisions about it need. Its code lengths are those of the white signals.
type draft struct {
	Solution
	leastDependent bool // makeLessDependent replaced the demixing

	// models are the models of the signals; nil if they include channel noise.
	models *demixing
	// otherNoise is the matrix, as for addNoise, of noise that can't explain the result. It is nil
	// unless the noise of the resolution may explain it.
	otherNoise *mat.Dense
	// unseen is the noise missing from the models, as estimated from the dependence of the signals.
	unseen noiseEstimate
	drift  driftEstimate
	// hideable says which signals undetected noise may hide; nil if not known.
	hideable []bool
	// others are the candidates that recover other signals than Demixing, as demixings of the mixed
	// signals.
	others []candidate
	// missed is the variance, in each channel, of noise that the models miss; 0 if not known.
	missed float64
	// dependent are the pairs with a large Dependence. uncertain are pairs with a signal that
	// channel noise hides, or that a nearly equally good demixing recovers differently.
	dependent, uncertain [][2]int
}

// solutionJSON is the JSON of a Solution, with matrices as lists of rows.
type solutionJSON struct {
	Mean      []float64   `json:"mean"`
	Demixing  signal.Rows `json:"demixing"`
	FromWhite signal.Rows `json:"from_white"`
	Symmetric signal.Rows `json:"symmetric"`
	Leak      signal.Rows `json:"leak"`
	Findings
}

// MarshalJSON returns an object with mean, the matrices demixing, from_white, symmetric and leak as
// lists of rows, and the fields of Findings.
func (s Solution) MarshalJSON() ([]byte, error) {
	return json.Marshal(solutionJSON{
		s.Mean, signal.RowsOf(s.Demixing), signal.RowsOf(s.FromWhite), signal.RowsOf(s.Symmetric),
		signal.RowsOf(s.Leak), s.Findings,
	})
}

// UnmarshalJSON reads what MarshalJSON returns. It is an error if a matrix isn't one.
func (s *Solution) UnmarshalJSON(data []byte) error {
	var in solutionJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Solution{Mean: in.Mean, Findings: in.Findings}
	for _, m := range []struct {
		to   **mat.Dense
		rows signal.Rows
	}{
		{&out.Demixing, in.Demixing}, {&out.FromWhite, in.FromWhite}, {&out.Symmetric, in.Symmetric},
		{&out.Leak, in.Leak},
	} {
		var err error
		if *m.to, err = m.rows.Matrix(); err != nil {
			return fmt.Errorf("linear: Solution: %w", err)
		}
	}
	*s = out
	return nil
}

// publicSources returns the models of m's signals as Sources, for signals of variance 1.
func (m *demixing) publicSources() []Source {
	all, sd := make([]Source, len(m.sources)), deviations(m.b)
	for i, s := range m.sources {
		all[i] = Source{
			Order:      len(s.weights),
			Window:     s.window,
			Density:    s.density.String(),
			CodeLength: s.codeLength - math.Log(sd[i]),
		}
	}
	return all
}

// solution returns the draft with the best demixing if that is accepted, and otherwise with
// whitening. Indistinguishable signals are rotated to be as near as possible to those of whitening.
func (s *separator) solution(
	ctx context.Context, found *descents, null *whitened,
) (*draft, error) {
	v := found.verdict
	accepted := s.d == 1 || v.accepted()
	b := null.b
	var before *demixing // whose models hold for b
	if accepted {
		b, before = v.scaled, found.best
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
	sol := s.draft(m, v, accepted)
	for _, c := range distinctBasins(append([]candidate{{b: m.b}}, found.candidates...))[1:] {
		sol.others = append(sol.others, candidate{c.name, s.fromMixed(unitRows(c.b))})
	}
	sol.leastDependent, sol.models, sol.unseen = found.leastDependent, m, v.noise
	sol.KeptWhitening, sol.Skipped = !accepted, found.skipped
	sol.Mean, sol.FromWhite = s.mean, unitRows(m.b)
	sol.Demixing, sol.Symmetric = s.fromMixed(sol.FromWhite), s.fromMixed(unitRows(null.b))
	sol.Scale, sol.Noise = 1, make([]float64, s.d)
	sol.CodeLength, sol.Start, sol.Whitening = m.codeLength, found.name, null.codeLength
	if !accepted {
		sol.CodeLength, sol.Start = null.codeLength, whiteningName
	}
	switch {
	case v.nonlinear:
		sol.Reason = NonlinearMixing
	case len(sol.Groups) < s.d:
		sol.Reason = SameSpectrum
	}
	return sol, nil
}

// draft returns a draft from the models m and their verdict v: the evidence of the rotation, the
// pairs and groups that are identified if it is accepted, and the dependence of the signals.
func (s *separator) draft(m *demixing, v *verdict, accepted bool) *draft {
	sol := &draft{drift: v.drift}
	sol.Resolution, sol.Sources = resolution, m.publicSources()
	sol.Evidence = v.rotation.Evidence - v.occamFactor
	sol.setGroups(v, accepted && sol.Evidence > minEvidence)
	sol.setDependence(m, s.past)
	return sol
}

// setGroups sets the pairs, the groups and the errors of the signals from the evidence. The signals
// of a pair that isn't identified share a group. If isIdentified is false, all signals share one.
func (s *draft) setGroups(v *verdict, isIdentified bool) {
	d, _ := v.leaks.Dims()
	s.Leak, s.ExpectedError, s.Pairs = mat.DenseCopyOf(v.leaks), make([]float64, d), nil
	for i := range d {
		for _, leak := range v.leaks.RawRowView(i) {
			s.ExpectedError[i] += leak * leak / 2
		}
		for j := range i {
			s.Pairs = append(s.Pairs, Pair{
				I: i, J: j, Evidence: v.evidence.At(i, j), Identified: true,
				AngleError: v.angles.At(i, j),
			})
		}
	}
	enough := math.Inf(1)
	if isIdentified {
		enough = minEvidence
	}
	s.Groups = v.groups(enough)
	s.confuseGroups()
}

// groups returns the groups of signals that pairs with less evidence than enough connect. Two
// groups with less joint evidence than enough are merged.
func (v *verdict) groups(enough float64) [][]int {
	all := groups(v.evidence, enough)
	for b := 1; b < len(all); b++ {
		for a := range b {
			if v.jointEvidence(all[a], all[b]) < enough {
				all[a] = slices.Sorted(slices.Values(slices.Concat(all[a], all[b])))
				all, b = slices.Delete(all, b, b+1), 0 // begin again
				break
			}
		}
	}
	return all
}

// jointEvidence returns the evidence that the rotations between two groups are identified: the gain
// of as many pairs as can be disjoint, less the code length of all angles between the groups. If a
// signal differs from a whole group by chance, each of its pairs shows the full gain for the cost
// of one angle.
func (v *verdict) jointEvidence(a, b []int) float64 {
	gain, cost := 0.0, 0.0
	for _, i := range a {
		for _, j := range b {
			gain += v.evidence.At(i, j) + v.cost.At(i, j)
			cost += v.cost.At(i, j)
		}
	}
	return gain/float64(max(len(a), len(b))) - cost
}

// groups returns the groups of signals that pairs with less evidence than enough connect.
func groups(pairs *mat.SymDense, enough float64) [][]int {
	return evidence.Groups(pairs.SymmetricDim(),
		func(i, j int) bool { return pairs.At(i, j) < enough })
}

// rotateGroup rotates the rows of b that form a group as near as possible to rows of whitening,
// since the rotation of a group isn't identified. The rows of both are in the scale of the
// innovations.
func rotateGroup(b, whitening *mat.Dense, group []int) {
	d, _ := b.Dims()
	var inverse, shares mat.Dense
	if inverse.Inverse(whitening) != nil {
		return
	}
	shares.Mul(b, &inverse) // of each whitened signal in each recovered signal
	groupShares := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		groupShares.SetRow(a, shares.RawRowView(i))
	}
	part := mat.NewDense(len(group), len(group), nil)
	for c, j := range evidence.Closest(groupShares, len(group)) {
		for a := range group {
			part.Set(a, c, groupShares.At(a, j))
		}
	}
	nearest, ok := rotation.Nearest(part)
	if !ok {
		return
	}
	var rotated mat.Dense
	rows := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		rows.SetRow(a, b.RawRowView(i))
	}
	rotated.Mul(nearest.T(), rows)
	for a, i := range group {
		b.SetRow(i, rotated.RawRowView(a))
	}
}

// setPairDependence sets the dependence of each pair.
func (s *draft) setPairDependence(dependence *mat.SymDense) {
	for k, pair := range s.Pairs {
		s.Pairs[k].Dependence = dependence.At(pair.I, pair.J)
	}
}

// setDependence sets the Dependence of the pairs of m's signals, and the Independence, which is 1
// unless the signals are sequences.
func (s *draft) setDependence(m *demixing, p *past.Past) {
	dependence := m.dependence()
	s.setPairDependence(dependence)
	s.dependent = dependentPairs(dependence, p.N)
	s.Independence = 1
	if p.Sequence() && len(m.sources) > 1 {
		s.Independence = m.independence(dependence)
	}
}

// unitRows returns m with its rows scaled to the Euclidean norm 1: for signals m·z of variance 1.
func unitRows(m *mat.Dense) *mat.Dense {
	rows, columns := m.Dims()
	unit := mat.NewDense(rows, columns, nil)
	for i := range rows {
		unit.SetRow(i, unitVector(m.RawRowView(i)))
	}
	return unit
}

// deviations returns the standard deviations of the signals m·z of white signals z: the Euclidean
// norms of the rows.
func deviations(m *mat.Dense) []float64 {
	all := make([]float64, m.RawMatrix().Rows)
	for i := range all {
		all[i] = floats.Norm(m.RawRowView(i), 2)
	}
	return all
}

// unitVector returns v divided by its Euclidean norm.
func unitVector(v []float64) []float64 {
	unit := slices.Clone(v)
	floats.Scale(1/floats.Norm(unit, 2), unit)
	return unit
}

// fromMixed converts the demixing b of the white signals z to a demixing of the mixed signals x.
func (s *separator) fromMixed(b *mat.Dense) *mat.Dense {
	var demixing mat.Dense
	demixing.Mul(b, s.whitening)
	return &demixing
}
