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

// errorPositions is how many positions the errors of the demixing are computed from, at most, in
// blocks spread over all. They are then known to two or three hundredths. More takes longer.
const errorPositions = 1 << 13

// A verdict is what the data say about a demixing.
type verdict struct {
	// rotation is the gain of the whole rotation: the smaller of that over whitening, with Gaussian
	// signals of the same spectrum, and that over nonlinear functions of such signals.
	rotation evidence.Gain
	// nonlinear is whether the rotation isn't accepted, or isn't identified, only because it gains
	// less over nonlinear functions of Gaussian signals.
	nonlinear   bool
	occamFactor float64 // code length of all angles in nats

	// Of each pair, in nats:
	cost            *mat.SymDense // code length of the angle
	rotated         *mat.SymDense // gain over the rotation by 45°; 0 where not compared
	distinguishable *mat.SymDense // the larger of the gains over that and over the same spectrum
	evidence        *mat.SymDense // the smaller of these, less the cost

	leaks  *mat.Dense    // standard error of the share of signal j in the recovered signal i
	angles *mat.SymDense // standard error of the angle of each pair in radians
	scaled *mat.Dense    // the demixing, rows in the scale of the innovations
	noise  noiseEstimate // from the dependence of the signals
	drift  driftEstimate
}

// judge compares best with whitening, and each pair of its signals with their rotation and with
// Gaussian signals of the same spectrum. Known pairs that are certain aren't compared again.
func (s *separator) judge(
	ctx context.Context, best *demixing, null *whitened, known *knownPairs,
) (*verdict, error) {
	p, err := s.differentiate(ctx, best)
	if err != nil {
		return nil, err
	}
	v := &verdict{scaled: best.scaled(p), distinguishable: mat.NewSymDense(s.d, nil),
		rotated: mat.NewSymDense(s.d, nil), cost: mat.NewSymDense(s.d, nil),
		evidence: mat.NewSymDense(s.d, nil), noise: s.estimateNoise(best, p), drift: s.estimateDrift(best, p)}
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

// judgeNonlinear lowers the gain of the accepted rotation to that over componentwise nonlinear
// functions of Gaussian signals, if that is smaller. total are the code lengths of best.
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

// judgePairs sets the gains and the evidence of each pair of best's signals. own are those of
// sourceLengths.
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
	// Rotations of many signals take long, and no pair is identified without evidence for the whole.
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

// accepted reports whether the rotation replaces whitening. That is so if its evidence is more than
// angleGain for each angle. It is also so if its gain with all positions is more than that and than
// the code length of the angles, so that the rotation is likelier.
func (v *verdict) accepted() bool {
	d := v.cost.SymmetricDim()
	angles := angleGain * float64(d*(d-1)/2)
	return v.rotation.Evidence > angles || v.rotation.All > max(angles, v.occamFactor)
}

// isCertain reports whether the rotation and each pair are identified beyond doubt.
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

// scaled returns b with rows such that the innovations have information 1.
func (m *demixing) scaled(p *derivatives) *mat.Dense {
	b := mat.DenseCopyOf(m.b)
	for i := range m.sources {
		floats.Scale(math.Sqrt(p.scores[i].square), b.RawRowView(i))
	}
	return b
}

// leaks returns the standard errors of the share of signal j in the recovered signal i, both of
// variance 1, and those of the angles of the rotations, (leak_ij − leak_ji)/2.
//
// They follow from the blocks of the Fisher information. That of a pair is the curvature H =
// [[κ_ij, 1], [1, κ_ji]]; the gradients have the covariance V with V_ij = E ψ_i²·r_ij², where r_ij
// is signal j minus its prediction with the weights of signal i. So the covariance of the shares is
// H⁻¹·V·H⁻¹/n. If the density is right V_ij is κ_ij, which is used unless V_ij is larger by more
// than two standard errors. Of very long sequences V is that of a part of the positions. A share is
// at most 1, and 1 if H has no inverse.
func (s *separator) leaks(
	ctx context.Context, m *demixing, p *derivatives,
) (leaks *mat.Dense, angles *mat.SymDense, err error) {
	variances, err := s.gradientVariances(ctx, m, p)
	if err != nil {
		return nil, nil, err
	}
	n := float64(s.past.N)
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
			// Of the signals' standard deviations, as z is white.
			ratio := floats.Norm(m.b.RawRowView(j), 2) / floats.Norm(m.b.RawRowView(i), 2)
			leaks.Set(i, j, min(math.Sqrt(max(aa, 0))*ratio, 1))
			leaks.Set(j, i, min(math.Sqrt(max(bb, 0))/ratio, 1))
			variance := max(aa*ratio*ratio-2*ab+bb/(ratio*ratio), 0)
			angles.SetSym(i, j, min(math.Sqrt(variance)/2, math.Pi/4))
		}
	}
	return leaks, angles, nil
}

// gradientVariances returns the V_ij of leaks: E ψ_i²·r_ij² where that is significantly larger than
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

// occamFactor returns the code length in nats of the angle between signals i and j, which may be
// any within 90°: the logarithm of 90° over the width of the posterior, with the information
// n·(κ_ij + κ_ji − 2) (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (p *derivatives) occamFactor(i, j, n int) float64 {
	information := float64(n) * (p.kappa.At(i, j) + p.kappa.At(j, i) - 2)
	const quarter = math.Pi / 2
	return max(0, math.Log(max(information, 1e-300)*quarter*quarter/(2*math.Pi))/2)
}
