package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

const (
	// maxSteps bounds the steps of a descent. Nearly all descents end within half of it.
	maxSteps = 60
	// firstSteps bounds the initial steps from each candidate after the first. Half of the descents
	// have ended by then. More costs time.
	firstSteps = 6
	// minBriefPositions is the least number of positions per signal with which the models aren't
	// chosen anew during firstSteps. Less saves time and separates many signals slightly worse.
	minBriefPositions = 64
	// minSufficient is the least number of positions per signal with which a single candidate can
	// suffice: with fewer the evidence is seldom certain. It is a choice.
	minSufficient = 200
	// promising is the excess over the best code, in nats per signal, up to which a descent
	// continues after firstSteps. Less gives up slow descents, more follows hopeless ones. It is a
	// choice.
	promising = 20
	// minEigenvalue bounds the curvature of a pair from below, so that a step is at most 20
	// gradients. More takes more steps where signals are hardly distinguishable.
	minEigenvalue = 0.05
	// minSlope bounds the mean slope of a score from below, as a share of the score's mean square:
	// at the edge of a density the slope says little.
	minSlope = 0.2
	// maxStep bounds the entries of a step: 0.7 is an angle of 40 degrees, and more would permute
	// signals.
	maxStep = 0.7
	// shrink is the factor that scales a step down if it doesn't shorten the code, as long as it
	// promises enough.
	shrink = 0.4
	// minGain is the least gain of a step, promised and actual, in nats in all, for a descent to
	// continue: a twentieth of sameLength.
	minGain = 0.01
	// minEntryGain is the least gain for each of the d² entries of the demixing; it replaces
	// minGain if the total is larger. It is 1/500 of what chance gains. More ends descents of many
	// signals too early.
	minEntryGain = 0.001
)

// A separator minimises the code length of a linear demixing B of the signals z,
//
//	L(B) = Σ_i L_i(B·z) − log|det B|,
//
// where L_i is the code length of the i-th signal. With the best models, Σ L_i is the sum of the
// entropy rates, which is smallest if the recovered signals have no information about each other
// beyond their own pasts.
type separator struct {
	z       *mat.Dense // d×T, white, with the noise of the resolution
	d       int
	past    *past.Past
	moments *past.Moments
	coders  []*coder   // one for each processor
	adjoint *mat.Dense // d×T
	spare   []*demixing

	whitening, inverse *mat.Dense // d×d, symmetric: from x to z, and back
	mean               []float64  // of x
	seed               uint64     // Config.Seed
	sameUnit           bool       // Config.PrincipalComponents
}

func newSeparator(ctx context.Context, z *mat.Dense, p *past.Past) (*separator, error) {
	m, err := past.NewMoments(ctx, p, z)
	if err != nil {
		return nil, err
	}
	s := newDifferentiator(z, p)
	s.moments = m
	return s, nil
}

// newDifferentiator returns a separator of the signals z without moments, which can only
// differentiate.
func newDifferentiator(z *mat.Dense, p *past.Past) *separator {
	d, positions := z.Dims()
	return &separator{
		z: z, d: d, past: p, coders: newCoders(p, d), adjoint: mat.NewDense(d, positions, nil),
	}
}

// each calls do for i = 0 … n−1 on all processors, with a coder for each, until all calls are done
// or ctx ends.
func (s *separator) each(ctx context.Context, n int, do func(c *coder, i int)) error {
	return parallel.Do(ctx, len(s.coders), n, func(worker, i int) { do(s.coders[worker], i) })
}

// A demixing is a matrix B with the models of the signals B·z.
type demixing struct {
	b          *mat.Dense // d×d
	y          *mat.Dense // d×T, b·z
	sources    []source
	codeLength float64 // L, in nats per position
}

// acquire returns memory for a demixing; release takes it back.
func (s *separator) acquire() *demixing {
	if last := len(s.spare) - 1; last >= 0 {
		m := s.spare[last]
		s.spare = s.spare[:last]
		return m
	}
	_, positions := s.z.Dims()
	return &demixing{b: mat.NewDense(s.d, s.d, nil), y: mat.NewDense(s.d, positions, nil),
		sources: make([]source, s.d)}
}

func (s *separator) release(m *demixing) { s.spare = append(s.spare, m) }

// evaluate sets m to the demixing b with models fitted to its signals. Order, window and density
// are those of before or, if before is nil, chosen anew.
func (s *separator) evaluate(
	ctx context.Context, m *demixing, b mat.Matrix, before *demixing,
) error {
	return s.update(ctx, m, b, func(c *coder, i int, y []float64) {
		if before == nil {
			m.choose(c, i, y, density.Fine)
			return
		}
		m.sources[i].keep(&before.sources[i])
		c.fit(&m.sources[i], y)
	})
}

// estimate sets m to the demixing b with models chosen anew to the tolerance density.Rough, for
// comparison.
func (s *separator) estimate(ctx context.Context, m *demixing, b mat.Matrix) error {
	return s.update(ctx, m, b, func(c *coder, i int, y []float64) {
		m.choose(c, i, y, density.Rough)
	})
}

// renew sets m to before with models chosen anew for the changed signals, and reports whether there
// are any. A signal has changed if it has rotated, since its model was chosen, by an angle worth
// more than sameLength.
func (s *separator) renew(ctx context.Context, m, before *demixing) (changed bool, err error) {
	limit := 1 - sameLength/float64(s.past.N)
	isSame := make([]bool, s.d)
	for i := range isSame {
		row, chosen := before.b.RawRowView(i), before.sources[i].row
		isSame[i] = chosen != nil && math.Abs(floats.Dot(row, chosen)) > limit*floats.Norm(row, 2)
		changed = changed || !isSame[i]
	}
	if !changed {
		return false, nil
	}
	return true, s.update(ctx, m, before.b, func(c *coder, i int, y []float64) {
		if !isSame[i] {
			m.choose(c, i, y, density.Fine)
			return
		}
		m.sources[i].keep(&before.sources[i])
		c.fit(&m.sources[i], y)
	})
}

// choose chooses the model of the i-th signal, y, and records for which row of the demixing.
func (m *demixing) choose(c *coder, i int, y []float64, tolerance float64) {
	c.choose(&m.sources[i], y, tolerance)
	m.sources[i].row = unitVector(m.b.RawRowView(i))
}

// update sets m to the demixing b. fit must set the model of the i-th signal, y. If b is singular,
// the code length is infinite, and fit isn't called.
func (s *separator) update(
	ctx context.Context, m *demixing, b mat.Matrix, fit func(c *coder, i int, y []float64),
) error {
	m.b.Copy(b)
	signal.Mix(m.y, m.b, s.z)
	size := len(s.past.Lags) + 1
	logDet, sign := mat.LogDet(m.b)
	if sign == 0 || math.IsNaN(logDet) {
		m.codeLength = math.Inf(1)
		return nil
	}
	err := s.each(ctx, s.d, func(c *coder, i int) {
		source, y := &m.sources[i], m.y.RawRowView(i)
		source.q = resize(source.q, size*size)
		s.moments.Mixture(source.q, m.b.RawRowView(i), y)
		fit(c, i, y)
	})
	m.codeLength = -logDet
	for i := range m.sources {
		m.codeLength += m.sources[i].codeLength
	}
	return err
}

// keep copies the choices of the model before: order, window and density.
func (s *source) keep(before *source) {
	s.row = before.row
	s.weights = before.weights
	s.window = before.window
	s.density = before.density
}

// derivatives are the gradient and the curvature of L with respect to E for B → (I+E)·B.
type derivatives struct {
	gradient *mat.Dense // d×d
	kappa    *mat.Dense // d×d, second derivative along E_ij; the mixed one with E_ji is 1
	scores   []scoreMoments
	blocks   []driftBlock // of equal parts of the positions
}

// differentiate returns the derivatives at m.
func (s *separator) differentiate(ctx context.Context, m *demixing) (*derivatives, error) {
	p := &derivatives{mat.NewDense(s.d, s.d, nil), mat.NewDense(s.d, s.d, nil),
		make([]scoreMoments, s.d), newDriftBlocks(s.d)}
	size := len(s.past.Lags) + 1
	err := s.each(ctx, s.d, func(c *coder, i int) {
		source := &m.sources[i]
		p.scores[i] = c.score(source, c.psi)
		s.past.Adjoint(s.adjoint.RawRowView(i), c.psi, source.weights)
		for k, block := range p.blocks {
			psi := c.psi[blockEdge(k, s.past.N):blockEdge(k+1, s.past.N)]
			block.scores[i] = floats.Dot(psi, psi)
		}
		for j := range s.d {
			power := ar.ErrorPower(m.sources[j].q, source.weights, size)
			p.kappa.Set(i, j, p.scores[i].kappa()*power)
		}
	})
	if err != nil {
		return nil, err
	}
	_, positions := s.z.Dims()
	for k, block := range p.blocks { // block.gradient gets the products of the block
		part := func(x *mat.Dense) *mat.Dense {
			return x.Slice(0, s.d, blockEdge(k, positions), blockEdge(k+1, positions)).(*mat.Dense)
		}
		signal.Products(block.gradient, part(s.adjoint), part(m.y))
		p.gradient.Add(p.gradient, block.gradient)
	}
	p.gradient.Scale(1/float64(s.past.N), p.gradient)
	for i := range s.d {
		p.gradient.Set(i, i, p.gradient.At(i, i)-1)
	}
	return p, nil
}

// kappa returns the geometric mean of both estimates of the Fisher information. The slope counts as
// at least minSlope of the square.
func (p scoreMoments) kappa() float64 {
	return math.Sqrt(max(p.slope, minSlope*p.square) * p.square)
}

// step returns the relative quasi-Newton step E. For independent sources, entries of different
// pairs don't interact, and the two entries of a pair have the curvature [[κ_ij, 1], [1, κ_ji]]
// (D.-T. Pham, P. Garat, IEEE Trans. Signal Processing 45(7), 1997; P. Ablin, J.-F. Cardoso, A.
// Gramfort, ibid. 66(15), 2018).
func (p *derivatives) step() *mat.Dense {
	d, _ := p.gradient.Dims()
	e := mat.NewDense(d, d, nil)
	for i := range d {
		e.Set(i, i, -p.gradient.At(i, i)/(p.kappa.At(i, i)+1))
		for j := range i {
			ga, gb := p.gradient.At(i, j), p.gradient.At(j, i)
			a, b := p.curvature(i, j)
			e.Set(i, j, -(b*ga-gb)/(a*b-1))
			e.Set(j, i, -(a*gb-ga)/(a*b-1))
		}
	}
	raw := e.RawMatrix().Data
	if largest := max(floats.Max(raw), -floats.Min(raw)); largest > maxStep {
		e.Scale(maxStep/largest, e)
	}
	return e
}

// curvature returns κ_ij and κ_ji, both enlarged by a factor if necessary: the smaller eigenvalue
// of their block must be at least minEigenvalue. In the scale of the signals in which both κ are
// equal, it is √(κ_ij·κ_ji) − 1.
func (p *derivatives) curvature(i, j int) (a, b float64) {
	a, b = p.kappa.At(i, j), p.kappa.At(j, i)
	factor := max(1, (1+minEigenvalue)/math.Sqrt(max(a*b, 1e-300)))
	return factor * a, factor * b
}

// promised returns the gain of the step e in nats per position that gradient and curvature predict:
// half of the slope along e, which leads to the minimum of the quadratic.
func (p *derivatives) promised(e *mat.Dense) float64 {
	return -floats.Dot(e.RawMatrix().Data, p.gradient.RawMatrix().Data) / 2
}

// renewals are the steps of a descent before which orders, windows and densities are chosen anew.
var renewals = []int{3, 8}

// descend returns the minimum of the code length that it reaches from m in at most maxSteps steps.
// It may reuse the memory of m.
func (s *separator) descend(ctx context.Context, m *demixing) (*demixing, error) {
	return s.descendUnless(ctx, m, maxSteps, renewals, nil)
}

// descendBriefly makes up to firstSteps steps, to see whether m is promising compared with best.
// Models are chosen anew only with fewer than minBriefPositions positions per signal. After two
// steps it ends if m isNear one of the ends. With more than maxDoubted signals, whose ends have no
// other use, it also ends if twice the last gain in each remaining step would leave m unpromising.
func (s *separator) descendBriefly(
	ctx context.Context, m, best *demixing, ends []candidate,
) (*demixing, error) {
	renewed := renewals
	if s.past.N >= minBriefPositions*s.d {
		renewed = nil
	}
	before := math.Inf(1) // code length one step before
	return s.descendUnless(ctx, m, firstSteps, renewed, func(m *demixing, step int) bool {
		gain := before - m.codeLength
		before = m.codeLength
		behind := m.codeLength - best.codeLength - 2*float64(firstSteps-step)*gain
		return step >= 2 && (s.d > maxDoubted && !s.isPromising(behind) || m.isNear(best, ends))
	})
}

// isPromising reports whether a descent may still become the best if its code, after firstSteps, is
// behind nats per position longer than the best.
func (s *separator) isPromising(behind float64) bool {
	return float64(s.past.N)*behind < promising*float64(s.d)
}

// isNear reports whether one of the ends recovers the same signals as m, and the code of m is
// longer than the code of best.
func (m *demixing) isNear(best *demixing, ends []candidate) bool {
	return m.codeLength > best.codeLength && inBasin(m.b, ends)
}

// descendUnless is descend in at most the given number of steps. Models are chosen anew before the
// renewed steps and, up to the last of these, whenever a step gains too little. The descent ends
// early if stop, which may be nil, returns true before a step.
func (s *separator) descendUnless(
	ctx context.Context, m *demixing, steps int, renewed []int,
	stop func(m *demixing, step int) bool,
) (*demixing, error) {
	w := &walk{separator: s, m: m, next: s.acquire(), gain: s.minStepGain()}
	defer func() { s.release(w.next) }()
	for k := range steps {
		if slices.Contains(renewed, k) {
			if _, err := w.renewModels(ctx); err != nil {
				return nil, err
			}
		}
		if stop != nil && stop(w.m, k) {
			break
		}
		mayRenew := len(renewed) > 0 && k <= renewed[len(renewed)-1]
		further, err := w.advance(ctx, mayRenew)
		if err != nil {
			return nil, err
		}
		if !further {
			break
		}
	}
	return w.m, nil
}

// A walk is the state of a descent.
type walk struct {
	*separator
	m, next *demixing // the current demixing, and memory for the next
	gain    float64   // minStepGain
}

// advance makes a step. If the step gains too little and mayRenew is true, it chooses the models
// anew. It reports whether a further step may gain enough.
func (w *walk) advance(ctx context.Context, mayRenew bool) (further bool, err error) {
	gained, err := w.step(ctx)
	if err != nil || gained >= w.gain {
		return true, err
	}
	if !mayRenew {
		return false, nil
	}
	// Other choices of the models may allow a further step.
	gained, err = w.renewModels(ctx)
	return gained >= w.gain, err
}

// step makes a step if that shortens the code, and returns the gain in nats per position.
func (w *walk) step(ctx context.Context) (gained float64, err error) {
	p, err := w.differentiate(ctx, w.m)
	if err != nil {
		return 0, err
	}
	shorter, err := w.shorten(ctx, w.next, w.m, p, w.gain)
	return w.moved(shorter), err
}

// renewModels chooses the models of changed signals anew, and returns the gain in nats per
// position.
func (w *walk) renewModels(ctx context.Context) (gained float64, err error) {
	changed, err := w.renew(ctx, w.next, w.m)
	return w.moved(changed && err == nil), err
}

// moved makes w.next the current demixing if toNext is true, and returns the gain in nats per
// position.
func (w *walk) moved(toNext bool) (gained float64) {
	before := w.m.codeLength
	if toNext {
		w.m, w.next = w.next, w.m
	}
	return before - w.m.codeLength
}

// shorten sets next to the end of a quasi-Newton step from m, with the derivatives p, that is
// shrunk until the code is shorter than m's. It reports false if the step comes to promise less
// than the gain.
func (s *separator) shorten(
	ctx context.Context, next, m *demixing, p *derivatives, gain float64,
) (bool, error) {
	for e := p.step(); p.promised(e) >= gain; e.Scale(shrink, e) {
		if err := s.evaluate(ctx, next, applyStep(e, m.b), m); err != nil {
			return false, err
		}
		if next.codeLength < m.codeLength {
			return true, nil
		}
	}
	return false, nil
}

// minStepGain returns the least gain of a step, in nats per position, for a descent to continue.
func (s *separator) minStepGain() float64 {
	return max(minGain, minEntryGain*float64(s.d*s.d)) / float64(s.past.N)
}

// applyStep returns (I+E)·B.
func applyStep(e, b *mat.Dense) *mat.Dense {
	var next mat.Dense
	next.Mul(e, b)
	next.Add(&next, b)
	return &next
}

// descents are the results of descents from candidates.
type descents struct {
	best    *demixing   // with the shortest code; nil if there was no descent
	name    string      // name of the candidate that led to best
	verdict *verdict    // on best; nil if not judged yet
	ends    []candidate // ends of all descents of descendAll
	// candidates are all candidates of the search except whitening.
	candidates []candidate
	skipped    []Skipped
	// leastDependent is whether makeLessDependent replaced the best.
	leastDependent bool
}

// descendAll descends from further candidates and keeps in found.best the demixing with the
// shortest code. Candidates in the basin of a known end are skipped.
func (s *separator) descendAll(ctx context.Context, found *descents, candidates []candidate) error {
	if best, name := found.best, found.name; best != nil {
		found.ends = append(found.ends, candidate{name: name, b: mat.DenseCopyOf(best.b)})
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool {
			return c.name == name || sameBasin(c.b, best.b)
		})
	}
	candidates = distinctBasins(candidates)
	demixings, order, err := s.estimateAll(ctx, candidates)
	if err != nil {
		return err
	}
	for _, k := range order {
		m, from := demixings[k], candidates[k]
		isSingular := math.IsInf(m.codeLength, 1)
		if isSingular || inBasin(from.b, found.ends) {
			s.release(m)
			continue
		}
		m, err := s.follow(ctx, m, found.best, found.ends)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		found.ends = append(found.ends, candidate{name: from.name, b: mat.DenseCopyOf(m.b)})
		switch {
		case found.best == nil:
		case m.codeLength < found.best.codeLength:
			s.release(found.best)
		default:
			s.release(m)
			continue
		}
		found.best, found.name, found.verdict = m, from.name, nil
	}
	return nil
}

// estimateAll returns the demixings of the candidates with models for comparison, and their order
// by code length.
func (s *separator) estimateAll(
	ctx context.Context, candidates []candidate,
) (demixings []*demixing, order []int, err error) {
	demixings = make([]*demixing, len(candidates))
	for k, c := range candidates {
		demixings[k] = s.acquire()
		if err := s.estimate(ctx, demixings[k], c.b); err != nil {
			return nil, nil, err
		}
	}
	order = grid.Range(len(candidates))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(demixings[a].codeLength, demixings[b].codeLength)
	})
	return demixings, order, nil
}

// sufficient descends from FastICA of the innovations, the candidate that finds most sources, and
// judges the end if its signals are independent. If this verdict is certain, no other candidate can
// be much better: independent signals are the sources, except for those that no data identify.
// There is no descent for images, and with too few positions or no such candidate.
func (s *separator) sufficient(
	ctx context.Context, candidates []candidate, null *whitened,
) (found *descents, err error) {
	found = new(descents)
	k := slices.IndexFunc(candidates, func(c candidate) bool { return c.name == ofInnovationsName })
	if k < 0 || !s.past.Sequence() || s.past.N < minSufficient*s.d {
		return found, nil
	}
	m := s.acquire()
	if err := s.estimate(ctx, m, candidates[k].b); err != nil {
		return nil, err
	}
	if m, err = s.descend(ctx, m); err != nil {
		return nil, err
	}
	s.sortByShare(m)
	found.best, found.name = m, candidates[k].name
	if m.independence(m.dependence()) >= minIndependence {
		found.verdict, err = s.judge(ctx, m, null, nil)
	}
	return found, err
}

// distinctBasins returns the candidates that don't recover the same signals as an earlier one.
func distinctBasins(all []candidate) (kept []candidate) {
	for _, c := range all {
		if !inBasin(c.b, kept) {
			kept = append(kept, c)
		}
	}
	return kept
}

// follow returns the demixing at which a descent from m ends. The descent ends after firstSteps
// unless it is then promising compared with best. The result is nil if the descent comes near one
// of the known ends.
func (s *separator) follow(
	ctx context.Context, m, best *demixing, ends []candidate,
) (*demixing, error) {
	if best == nil {
		return s.descend(ctx, m)
	}
	m, err := s.descendBriefly(ctx, m, best, ends)
	if err != nil {
		return nil, err
	}
	if m.isNear(best, ends) {
		s.release(m)
		return nil, nil
	}
	behind := m.codeLength - best.codeLength
	if s.isPromising(behind) && float64(s.past.N)*math.Abs(behind) > sameLength {
		return s.descend(ctx, m)
	}
	return m, nil
}

// inBasin reports whether one of the candidates recovers the same signals as b.
func inBasin(b *mat.Dense, all []candidate) bool {
	return slices.ContainsFunc(all, func(c candidate) bool { return sameBasin(b, c.b) })
}

// sameBasin reports whether b and c recover the same signals, up to order, sign, scale and small
// angles.
func sameBasin(b, c *mat.Dense) bool {
	d, _ := b.Dims()
	var shares mat.Dense
	if shares.Solve(c.T(), b.T()) != nil { // b·c⁻¹, transposed
		return false
	}
	matched := make([]bool, d)
	for i := range d {
		total, largest, place := 0.0, 0.0, 0
		for j := range d {
			v := shares.At(j, i) * shares.At(j, i)
			total += v
			if v > largest {
				largest, place = v, j
			}
		}
		if largest < basinShare*total || matched[place] {
			return false
		}
		matched[place] = true
	}
	return true
}
