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
	// maxSteps bounds the steps of a descent. Nearly all end before half of it.
	maxSteps = 60
	// firstSteps bounds those of the candidates after the first, of which half have ended by then.
	// More costs time.
	firstSteps = 6
	// minBriefPositions is how many positions a signal must have for the models of such a candidate
	// not to be chosen anew in its first steps. Less saves time and separates many signals slightly
	// worse.
	minBriefPositions = 64
	// minSufficient is how many positions a signal must have for one candidate to suffice: with fewer
	// its evidence is seldom certain. It is a choice.
	minSufficient = 200
	// promising is how many nats per signal such a candidate may lie behind to go on. Less gives up
	// slow descents, more follows hopeless ones. It is a choice.
	promising = 20
	// minEigenvalue bounds a pair's curvature from below, so that a step is at most 20 gradients.
	// More takes more steps where signals are hardly distinguishable.
	minEigenvalue = 0.05
	// minSlope is the same for a score's slope, as a share of its mean square: at the edge of
	// a density the slope says little.
	minSlope = 0.2
	// maxStep bounds the entries of a step, 0.7 being an angle of 40 degrees: farther is a
	// permutation.
	maxStep = 0.7
	// shrink is the factor by which a step that doesn't shorten the code is made smaller, as long
	// as it promises enough.
	shrink = 0.4
	// minGain is how many nats in all a step must promise and gain for the descent to go on: a
	// twentieth of sameLength.
	minGain = 0.01
	// minEntryGain is the same for each entry of the demixing, if that is more: 1/500 of what
	// chance gains. More ends descents of many signals too early.
	minEntryGain = 0.001
)

// A separator minimises the code length of a linear demixing B of the signals z,
//
//	L(B) = Σ_i L_i(B·z) − log|det B|,
//
// where L_i is the code length of the i-th source. For the best models that is the sum of the
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

// newDifferentiator returns a separator of the signals z that only differentiates, as it has no
// moments.
func newDifferentiator(z *mat.Dense, p *past.Past) *separator {
	d, positions := z.Dims()
	s := &separator{
		z: z, d: d, past: p,
		adjoint: mat.NewDense(d, positions, nil),
	}
	for range parallel.Workers(d) {
		s.coders = append(s.coders, newCoder(p))
	}
	return s
}

// each calls do for 0 … n−1 on all processors, until all are done or ctx ends.
func (s *separator) each(ctx context.Context, n int, do func(c *coder, i int)) error {
	return parallel.Do(ctx, len(s.coders), n, func(worker, i int) { do(s.coders[worker], i) })
}

// A demixing is a matrix B with the models of its signals.
type demixing struct {
	b          *mat.Dense // d×d
	y          *mat.Dense // d×T, b·z
	sources    []source
	codeLength float64 // L, in nats per position
}

// acquire returns memory for a demixing, which release takes back.
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

// evaluate sets m to the demixing b with models fitted to its signals. The choices of the models
// are those of before or, if that is nil, made anew.
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

// estimate is evaluate with models for comparison, which are chosen anew.
func (s *separator) estimate(ctx context.Context, m *demixing, b mat.Matrix) error {
	return s.update(ctx, m, b, func(c *coder, i int, y []float64) {
		m.choose(c, i, y, density.Rough)
	})
}

// renew sets m to before with models chosen anew for the signals that have changed since theirs
// were chosen: by an angle that makes more than a difference of sameLength. It reports whether
// there are any.
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

// choose chooses the model of the i-th signal, y.
func (m *demixing) choose(c *coder, i int, y []float64, tolerance float64) {
	c.choose(&m.sources[i], y, tolerance)
	row := slices.Clone(m.b.RawRowView(i))
	floats.Scale(1/floats.Norm(row, 2), row)
	m.sources[i].row = row
}

// update sets m to the demixing b. fit must set the model of its i-th signal, y. Of a singular b the
// code length is infinite, and there are no models.
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

// keep copies the choices of before: order, window and density.
func (s *source) keep(before *source) {
	s.row = before.row
	s.weights = before.weights
	s.window = before.window
	s.density = before.density
}

// derivatives are the gradient of L with respect to E for B → (I+E)·B, and its curvature.
type derivatives struct {
	gradient *mat.Dense // d×d
	kappa    *mat.Dense // d×d, the second derivative along E_ij; that along E_ij and E_ji is 1
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
	for k, block := range p.blocks { // block.gradient has the products of the block
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

// kappa returns the geometric mean of both estimates of the Fisher information. The slope counts
// for at least minSlope of the square: at the edge of a density it says little.
func (p scoreMoments) kappa() float64 {
	return math.Sqrt(max(p.slope, minSlope*p.square) * p.square)
}

// step returns the relative quasi-Newton step E. For independent sources different pairs don't
// interact, and those of one pair have the curvature [[κ_ij, 1], [1, κ_ji]] (D.-T. Pham, P. Garat,
// IEEE Trans. Signal Processing 45(7), 1997; P. Ablin, J.-F. Cardoso, A. Gramfort, ibid. 66(15),
// 2018).
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

// curvature returns κ_ij and κ_ji, both multiplied by a factor if necessary so that the smaller
// eigenvalue of their block, √(κ_ij·κ_ji) − 1 in the scale of the signals in which both are the
// same, is at least minEigenvalue.
func (p *derivatives) curvature(i, j int) (a, b float64) {
	a, b = p.kappa.At(i, j), p.kappa.At(j, i)
	factor := max(1, (1+minEigenvalue)/math.Sqrt(max(a*b, 1e-300)))
	return factor * a, factor * b
}

// promised returns by how many nats per position the step e shortens the code, as far as gradient
// and curvature say: a half of its slope, at a minimum of the quadratic.
func (p *derivatives) promised(e *mat.Dense) float64 {
	return -floats.Dot(e.RawMatrix().Data, p.gradient.RawMatrix().Data) / 2
}

// renewals are the steps of a descent before which orders, windows and densities are chosen anew.
var renewals = []int{3, 8}

// descend shortens the code of m to a minimum, in at most maxSteps.
func (s *separator) descend(ctx context.Context, m *demixing) (*demixing, error) {
	return s.descendUnless(ctx, m, maxSteps, renewals, nil)
}

// descendBriefly makes just enough steps to see whether m is promising compared with best. Models
// are chosen anew only below minBriefPositions positions for each signal. From the second step on
// it ends if m isNear one of the ends. Of more signals than maxDoubted, whose ends are of no other
// use, it also ends if twice the last gain in each further step would leave m unpromising.
func (s *separator) descendBriefly(
	ctx context.Context, m, best *demixing, ends []candidate,
) (*demixing, error) {
	renewed := renewals
	if s.past.N >= minBriefPositions*s.d {
		renewed = nil
	}
	before := math.Inf(1) // the code length a step before
	return s.descendUnless(ctx, m, firstSteps, renewed, func(m *demixing, step int) bool {
		gain := before - m.codeLength
		before = m.codeLength
		behind := m.codeLength - best.codeLength - 2*float64(firstSteps-step)*gain
		return step >= 2 && (s.d > maxDoubted && !s.isPromising(behind) || m.isNear(best, ends))
	})
}

// isPromising reports whether a candidate may become the best whose code, in its first steps, is
// longer than the best one by that many nats per position.
func (s *separator) isPromising(behind float64) bool {
	return float64(s.past.N)*behind < promising*float64(s.d)
}

// isNear reports whether one of the ends recovers the same signals as m, and m's code is longer
// than the best.
func (m *demixing) isNear(best *demixing, ends []candidate) bool {
	return m.codeLength > best.codeLength &&
		slices.ContainsFunc(ends, func(e candidate) bool { return sameBasin(m.b, e.b) })
}

// descendUnless is descend with models chosen anew before the renewed steps and, up to the last of
// these, also if a step doesn't shorten the code. It ends if stop, which may be nil, returns true
// before a step.
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

// A walk is a descent on its way.
type walk struct {
	*separator
	m, next *demixing // where it is, and memory for where it goes
	gain    float64   // minStepGain
}

// advance makes a step and, if that gains too little and it may, chooses the models anew. It
// reports whether a further step may gain enough.
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

// step makes a step if that shortens the code, and returns by how many nats per position.
func (w *walk) step(ctx context.Context) (gained float64, err error) {
	p, err := w.differentiate(ctx, w.m)
	if err != nil {
		return 0, err
	}
	shorter, err := w.shorten(ctx, w.next, w.m, p, w.gain)
	return w.moved(shorter), err
}

// renewModels chooses the models anew where signals have changed, and returns by how many nats per
// position that shortens the code.
func (w *walk) renewModels(ctx context.Context) (gained float64, err error) {
	changed, err := w.renew(ctx, w.next, w.m)
	return w.moved(changed && err == nil), err
}

// moved goes to next if that is so, and returns by how many nats per position the code is shorter.
func (w *walk) moved(toNext bool) (gained float64) {
	before := w.m.codeLength
	if toNext {
		w.m, w.next = w.next, w.m
	}
	return before - w.m.codeLength
}

// shorten sets next to the first end of a shrinking quasi-Newton step from m whose code is shorter
// than m's. It reports whether there is one before the step promises less than the gain. p are the
// derivatives at m.
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

// minStepGain returns how many nats per position a step must promise and gain for a descent to go on.
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

// descents are what descents from candidates led to.
type descents struct {
	best    *demixing   // of the shortest code; nil if there was none
	name    string      // of its candidate
	verdict *verdict    // on it; nil if it isn't judged yet
	ends    []candidate // of all descents by descendAll
	// candidates are those with which descents began, without whitening.
	candidates []candidate
	skipped    []Skipped
	// leastDependent is whether makeLessDependent replaced the best.
	leastDependent bool
}

// descendAll descends from the candidates, too, and keeps the shortest code.
func (s *separator) descendAll(ctx context.Context, found *descents, candidates []candidate) error {
	if best, name := found.best, found.name; best != nil {
		found.ends = append(found.ends, candidate{name: name, b: mat.DenseCopyOf(best.b)})
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool {
			return c.name == name || sameBasin(c.b, best.b)
		})
	}
	candidates = distinctBasins(candidates)
	demixings := make([]*demixing, len(candidates))
	for k := range candidates {
		demixings[k] = s.acquire()
		if err := s.estimate(ctx, demixings[k], candidates[k].b); err != nil {
			return err
		}
	}
	order := grid.Range(len(candidates))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(demixings[a].codeLength, demixings[b].codeLength)
	})
	for _, k := range order {
		m, from := demixings[k], candidates[k]
		isSingular := math.IsInf(m.codeLength, 1)
		if isSingular || slices.ContainsFunc(found.ends, func(e candidate) bool {
			return sameBasin(from.b, e.b)
		}) {
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

// sufficient descends from the candidate that finds most sources. The end has no verdict unless the
// signals of a sequence are independent there. If the verdict is certain, too, no other candidate can be
// much better: independent signals are the sources, except for those that no data identify. There is no
// descent if there are too few positions for that.
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

// distinctBasins returns the candidates without those that recover the same signals as an earlier
// one.
func distinctBasins(all []candidate) (kept []candidate) {
	for _, c := range all {
		if !slices.ContainsFunc(kept, func(k candidate) bool { return sameBasin(c.b, k.b) }) {
			kept = append(kept, c)
		}
	}
	return kept
}

// follow returns the demixing at which a descent from m ends. It ends after a few steps unless m is
// then promising compared with best. The result is nil if the descent comes to one of the known
// ends.
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
