package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// errorPositions is the largest number of positions that the errors of the demixing are computed
// from, in blocks spread over all positions. The errors are then known to two or three per cent.
// More takes longer.
const errorPositions = 1 << 13

// A verdict is the evidence of the data for a demixing.
type verdict struct {
	// rotation is the gain of the whole rotation: over whitening with Gaussian signals of the same
	// spectrum or over nonlinear functions of such signals, whichever is smaller.
	rotation evidence.Gain
	// nonlinear is whether the rotation is accepted or identified against whitening, but not
	// against nonlinear functions of Gaussian signals.
	nonlinear   bool
	occamFactor float64 // code length of all angles in nats

	// Of each pair, in nats:
	cost            *mat.SymDense // code length of the angle
	rotated         *mat.SymDense // gain over rotating the pair by 45°; 0 where not compared
	distinguishable *mat.SymDense // gain over rotating less the cost, or over one spectrum if more
	evidence        *mat.SymDense // the smaller of both gains' evidence, less the cost

	leaks  *mat.Dense    // standard error of the share of signal j in recovered signal i
	angles *mat.SymDense // standard error of the angle of each pair in radians
	scaled *mat.Dense    // the demixing with rows in the scale of the innovations
	noise  noiseEstimate // estimated from the dependence of the signals
	drift  driftEstimate
}

// newVerdict returns a verdict with room for the numbers of the pairs of d signals.
func newVerdict(d int) *verdict {
	room := func() *mat.SymDense { return mat.NewSymDense(d, nil) }
	return &verdict{cost: room(), rotated: room(), distinguishable: room(), evidence: room()}
}

// judge compares best with whitening, and each pair of its signals with the rotated pair and with
// Gaussian signals of the same spectrum. Certain pairs of known aren't compared again.
func (s *separator) judge(
	ctx context.Context, best *demixing, null *whitened, known *knownPairs,
) (*verdict, error) {
	p, err := s.differentiate(ctx, best)
	if err != nil {
		return nil, err
	}
	v := newVerdict(s.d)
	v.scaled, v.noise, v.drift = best.scaled(p), s.estimateNoise(best, p), s.estimateDrift(best, p)
	own := best.sourceLengths()
	total := best.lengths(own)
	v.rotation = evidence.NewGain(null.lengths, total)
	for i := range s.d {
		for j := range i {
			v.cost.SetSym(i, j, p.occamFactor(i, j, s.past.N))
			v.occamFactor += v.cost.At(i, j)
		}
	}
	if v.accepted() {
		if err := s.judgeNonlinear(ctx, v, best, total); err != nil {
			return nil, err
		}
	}
	if v.leaks, v.angles, err = s.leaks(ctx, best, p); err != nil {
		return nil, err
	}
	return v, s.judgePairs(ctx, v, best, known, own, p)
}

// judgeNonlinear lowers the gain of an accepted rotation to the gain over componentwise nonlinear
// functions of Gaussian signals, if that is smaller. total has the code lengths of best in
// sixteenths of the positions.
func (s *separator) judgeNonlinear(
	ctx context.Context, v *verdict, best *demixing, total []float64,
) error {
	if ablation.Off(ablation.NonlinearNull) {
		return nil
	}
	lengths, white, err := s.nonlinear(ctx, best)
	if err != nil {
		return err
	}
	gain, overLinear := evidence.NewGain(lengths, total), v.rotation.Evidence
	v.rotation.Evidence = min(overLinear, gain.Evidence)
	if !white { // a nonlinear function of a white signal is only another density
		v.rotation.All = min(v.rotation.All, gain.All)
	}
	v.nonlinear = !v.accepted() || overLinear-v.occamFactor > minEvidence &&
		v.rotation.Evidence-v.occamFactor <= minEvidence
	return nil
}

// judgePairs sets the gains and the evidence of each pair of best's signals. own is the result of
// best.sourceLengths.
func (s *separator) judgePairs(
	ctx context.Context, v *verdict, best *demixing, known *knownPairs, own [][]float64,
	p *derivatives,
) (err error) {
	if known == nil {
		if known, err = s.partPairs(ctx, best, v); err != nil {
			return err
		}
	}
	var pairs [][2]int
	for i := range s.d {
		for j := range i {
			nats, ok := known.certainEvidence(best.b, i, j)
			if !ok {
				pairs = append(pairs, [2]int{i, j})
			}
			v.distinguishable.SetSym(i, j, nats)
			v.evidence.SetSym(i, j, nats)
		}
	}
	// Rotations of many signals take long, and no pair is identified without evidence for the whole
	// rotation.
	var rotated []evidence.Gain
	if s.d <= fewSignals || v.rotation.Evidence-v.occamFactor > minEvidence {
		if rotated, err = s.rotationGains(ctx, best, pairs, own, p); err != nil {
			return err
		}
	}
	for k, pair := range pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		i, j := pair[0], pair[1]
		cost, same := v.cost.At(i, j), s.gainOverSameSpectrum(best, own, i, j)
		v.distinguishable.SetSym(i, j, same.All)
		v.evidence.SetSym(i, j, same.Evidence-cost)
		if rotated != nil {
			v.rotated.SetSym(i, j, rotated[k].All)
			v.distinguishable.SetSym(i, j, max(rotated[k].All-cost, same.All))
			v.evidence.SetSym(i, j, min(rotated[k].Evidence, same.Evidence)-cost)
		}
	}
	return nil
}

// accepted reports whether the rotation replaces whitening: if its evidence exceeds angleGain for
// each angle, or if its gain over all positions exceeds both this and the code length of the
// angles, so that the rotation is more likely.
func (v *verdict) accepted() bool {
	d := v.cost.SymmetricDim()
	angles := angleGain * float64(d*(d-1)/2)
	return v.rotation.Evidence > angles || v.rotation.All > max(angles, v.occamFactor)
}

// isCertain reports whether the evidence for the rotation and for each pair reaches certain.
func (v *verdict) isCertain() bool {
	if v.rotation.Evidence-v.occamFactor < certain() {
		return false
	}
	for i := range v.evidence.SymmetricDim() {
		for j := range i {
			if v.evidence.At(i, j) < certain() {
				return false
			}
		}
	}
	return true
}

// scaled returns the demixing with rows scaled so that the innovations have Fisher information 1.
func (m *demixing) scaled(p *derivatives) *mat.Dense {
	b := mat.DenseCopyOf(m.b)
	for i := range m.sources {
		floats.Scale(math.Sqrt(p.scores[i].square), b.RawRowView(i))
	}
	return b
}

// leaks returns the standard errors of the share of signal j in recovered signal i, both of
// variance 1, and the standard errors in radians of the rotation angles, (leak_ij − leak_ji)/2.
//
// They follow from the blocks of the Fisher information. The block of a pair is the curvature H =
// [[κ_ij, 1], [1, κ_ji]]; the gradients have the covariance V with V_ij = E ψ_i²·r_ij², where r_ij
// is signal j minus its prediction with the weights of signal i. So the covariance of the shares is
// H⁻¹·V·H⁻¹/n. If the density is correct, V_ij is κ_ij, which is used unless V_ij is larger by more
// than two standard errors. V is computed from at most errorPositions positions. A share is at most
// 1, and 1 if H isn't positive definite.
func (s *separator) leaks(
	ctx context.Context, m *demixing, p *derivatives,
) (leaks *mat.Dense, angles *mat.SymDense, err error) {
	variances, err := s.gradientVariances(ctx, m, p)
	if err != nil {
		return nil, nil, err
	}
	n, sd := float64(s.past.N), deviations(m.b)
	leaks, angles = mat.NewDense(s.d, s.d, nil), mat.NewSymDense(s.d, nil)
	for i := range s.d {
		for j := range i {
			a, b := p.kappa.At(i, j), p.kappa.At(j, i)
			if a*b <= 1 { // an angle at which the likelihood has no maximum
				leaks.Set(i, j, 1)
				leaks.Set(j, i, 1)
				angles.SetSym(i, j, math.Pi/4)
				continue
			}
			det := a*b - 1
			va, vb := variances.At(i, j), variances.At(j, i)
			// H⁻¹·V·H⁻¹/n with H⁻¹ = [[b, −1], [−1, a]]/det
			aa := (b*b*va - 2*b + vb) / (det * det * n)
			bb := (va - 2*a + a*a*vb) / (det * det * n)
			ab := (-b*va + a*b + 1 - a*vb) / (det * det * n)
			ratio := sd[j] / sd[i]
			leaks.Set(i, j, min(math.Sqrt(max(aa, 0))*ratio, 1))
			leaks.Set(j, i, min(math.Sqrt(max(bb, 0))/ratio, 1))
			variance := max(aa*ratio*ratio-2*ab+bb/(ratio*ratio), 0)
			angles.SetSym(i, j, min(math.Sqrt(variance)/2, math.Pi/4))
		}
	}
	return leaks, angles, nil
}

// gradientVariances returns the V_ij of leaks: E ψ_i²·r_ij² where this is significantly larger than
// κ_ij, and κ_ij elsewhere.
func (s *separator) gradientVariances(
	ctx context.Context, m *demixing, p *derivatives,
) (*mat.Dense, error) {
	variances := mat.NewDense(s.d, s.d, nil)
	some := s.past.Spread(errorPositions/signal.PartBlock, signal.PartBlock)
	count := float64(some.N)
	err := s.each(ctx, s.d, func(c *coder, i int) {
		c.score(&m.sources[i], c.psi)
		psi, r := c.space[:some.N], c.r[:some.N]
		s.past.Select(psi, c.psi, some)
		for j := range s.d {
			some.PredictionError(r, m.y.RawRowView(j), m.sources[i].weights)
			sum, squares := 0.0, 0.0
			for t, v := range psi {
				gradient := v * r[t]
				square := gradient * gradient
				sum += square
				squares += square * square
			}
			mean, kappa := sum/count, p.kappa.At(i, j)
			std := math.Sqrt(max(squares/count-mean*mean, 0))
			variances.Set(i, j, kappa)
			if mean-kappa > 2*std/math.Sqrt(count) {
				variances.Set(i, j, mean)
			}
		}
	})
	return variances, err
}

// occamFactor returns the code length in nats of the rotation angle of signals i and j, which is
// uniform over 90° a priori: the logarithm of 90° over the width of the posterior, whose
// information is n·(κ_ij + κ_ji − 2) (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (p *derivatives) occamFactor(i, j, n int) float64 {
	information := float64(n) * (p.kappa.At(i, j) + p.kappa.At(j, i) - 2)
	const quarter = math.Pi / 2
	return max(0, math.Log(max(information, 1e-300)*quarter*quarter/(2*math.Pi))/2)
}
