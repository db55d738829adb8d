package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// errorPositions is how many positions the errors of the demixing are computed from, at most, in
// blocks spread over all. They are then known to two or three hundredths. More takes longer.
const errorPositions = 1 << 13

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
