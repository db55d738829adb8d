package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// leaks returns the standard errors of the share of signal j in the recovered
// signal i, both of variance 1, from the blocks of Fisher's information: those of a
// pair have the curvature H = [[κ_ij, 1], [1, κ_ji]], and their gradients the
// covariance V with V_ij = E ψ_i²·r_ij², r_ij being signal j less the prediction
// with the weights of signal i. So the covariance of the shares is H⁻¹·V·H⁻¹/n. V_ij is
// κ_ij if the density is right, and is taken for that unless it is more by two standard
// errors. A share is 1 at most, and where H has no inverse. Angles are those of the
// rotations, (leak_ij − leak_ji)/2.
func (s *separator) leaks(ctx context.Context, m *demixing, p *derivatives) (leaks *mat.Dense, angles *mat.SymDense, err error) {
	v := mat.NewDense(s.d, s.d, nil)
	r := s.coders[0].r
	for i := range s.d {
		s.coders[0].score(&m.sources[i], s.psi)
		for j := range s.d {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			s.past.PredictionError(r, m.y.RawRowView(j), m.sources[i].weights)
			for t, psi := range s.psi {
				r[t] *= psi
				r[t] *= r[t]
			}
			mean, std := stat.PopMeanStdDev(r, nil)
			kappa := p.kappa.At(i, j)
			if v.Set(i, j, kappa); mean-kappa > 2*std/math.Sqrt(float64(s.past.N)) {
				v.Set(i, j, mean)
			}
		}
	}
	leaks, angles = mat.NewDense(s.d, s.d, nil), mat.NewSymDense(s.d, nil)
	n := float64(s.past.N)
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
			va, vb := v.At(i, j), v.At(j, i)
			// H⁻¹ = [[b, −1], [−1, a]]/det
			aa := (b*b*va - 2*b + vb) / (det * det * n)
			bb := (va - 2*a + a*a*vb) / (det * det * n)
			ab := (-b*va + a*b + 1 - a*vb) / (det * det * n)
			ratio := floats.Norm(m.b.RawRowView(j), 2) / floats.Norm(m.b.RawRowView(i), 2) // of standard deviations: z is white
			leaks.Set(i, j, min(math.Sqrt(max(aa, 0))*ratio, 1))
			leaks.Set(j, i, min(math.Sqrt(max(bb, 0))/ratio, 1))
			angles.SetSym(i, j, min(math.Sqrt(max(aa*ratio*ratio-2*ab+bb/(ratio*ratio), 0))/2, math.Pi/4))
		}
	}
	return leaks, angles, nil
}

// curvature are κ_ij and κ_ji, with the least eigenvalue of their block no smaller
// than that of a step.
func (p *derivatives) curvature(i, j int) (a, b float64) {
	a, b = p.kappa.At(i, j), p.kappa.At(j, i)
	if lowest := (a+b)/2 - math.Hypot((a-b)/2, 1); lowest < leastEigenvalue {
		a += leastEigenvalue - lowest
		b += leastEigenvalue - lowest
	}
	return a, b
}

// occam is what it costs to say the angle between signals i and j, which may be any
// in a quarter turn: the logarithm of that over the width of the posterior, with the
// information n·(κ_ij + κ_ji − 2) (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (p *derivatives) occam(i, j, n int) float64 {
	information := float64(n) * (p.kappa.At(i, j) + p.kappa.At(j, i) - 2)
	const quarter = math.Pi / 2
	return max(0, math.Log(max(information, 1e-300)*quarter*quarter/(2*math.Pi))/2)
}
