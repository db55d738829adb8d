package lesson

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func rectifiedVelocity(t *testing.T, g Gaussian, points *mat.Dense, tau float64) *mat.Dense {
	t.Helper()
	v, err := g.RectifiedVelocity(points, tau)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// independent is the product of g's marginals.
func independent(g Gaussian) Gaussian {
	g.Correlation = 0
	return g
}

// The velocity is the regression of z′ − z on (1−τ)·z + τ·z′, here by least squares over draws.
// With 100,000 of them a coefficient has an error of about 1/√100,000 times the ratio of the two
// standard deviations, at most 10 here.
func TestRectifiedVelocityIsRegression(t *testing.T) {
	const n = 100_000
	for k, g := range gaussians {
		z, target := draw(t, g, uint64(20+k), n), draw(t, independent(g), uint64(30+k), n)
		for _, tau := range []float64{0, 0.3, 0.5, 1} {
			var path, direction mat.Dense
			path.Apply(func(i, s int, v float64) float64 { return (1-tau)*v + tau*target.At(i, s) },
				z)
			direction.Sub(target, z)
			var coefficients mat.Dense // of each direction, 2×2
			if err := coefficients.Solve(path.T(), direction.T()); err != nil {
				t.Fatal(err)
			}
			got := rectifiedVelocity(t, g, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), tau)
			if !mat.EqualApprox(got, coefficients.T(), 0.06) {
				t.Errorf("%+v, τ = %g: velocity %v, by regression %v", g, tau, mat.Formatted(got),
					mat.Formatted(coefficients.T()))
			}
		}
	}
}

// rectifyMap is the linear map M of Rectify.
func rectifyMap(t *testing.T, g Gaussian, steps int) *mat.Dense {
	t.Helper()
	m, err := g.Rectify(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), steps)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The paper's theorem rectified.flow: the flow takes N(0, Σ) to the product of its marginals,
// M·Σ·Mᵀ = D, up to the error of the Euler steps, which falls with their length.
func TestRectifiedFlowTheorem(t *testing.T) {
	for _, g := range gaussians {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			want := independent(g).Covariance()
			var wrong []float64
			for _, steps := range []int{1000, 2000} {
				m := rectifyMap(t, g, steps)
				var got mat.Dense
				got.Product(m, g.Covariance(), m.T())
				got.Sub(&got, want)
				wrong = append(wrong, mat.Norm(&got, 2))
			}
			if limit := 0.005 * mat.Norm(want, 2); wrong[0] > limit {
				t.Errorf("after 1000 steps the covariance is off by %g, want at most %g", wrong[0],
					limit)
			}
			near(t, "the error of twice as many steps", wrong[1]/wrong[0], 0.5, 0.02)
		})
	}
}

// After half of many steps the samples have the distribution of (z + z′)/2.
func TestRectifiedSamplesFollowThePath(t *testing.T) {
	const steps = 4000
	for _, g := range gaussians {
		m := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
		for k := range steps / 2 {
			v := rectifiedVelocity(t, g, m, float64(k)/steps)
			v.Scale(1.0/steps, v)
			m.Add(m, v)
		}
		var got, want mat.Dense
		got.Product(m, g.Covariance(), m.T())
		want.Add(g.Covariance(), independent(g).Covariance())
		want.Scale(0.25, &want)
		if !mat.EqualApprox(&got, &want, 2e-3*mat.Norm(&want, 2)) {
			t.Errorf("%+v: halfway the covariance is %v, want %v", g, mat.Formatted(&got),
				mat.Formatted(&want))
		}
	}
}

// After 100 Euler steps, the paper's number, the divergence of 5000 draws is about 0. A correlation
// of n draws has a standard deviation of 1/√n.
func TestRectifiedSamplesAreIndependent(t *testing.T) {
	g := Gaussian{[2]float64{4, 0.25}, 0.8}
	moved, err := g.Rectify(draw(t, g, 40, 5000), 100)
	if err != nil {
		t.Fatal(err)
	}
	of, err := GaussianOf(moved)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the correlation", of.Correlation, 0, 4/math.Sqrt(5000))
	for i := range 2 {
		near(t, "a variance", of.Variances[i]/g.Variances[i], 1, 0.1)
	}
}

// Several Euler steps along a velocity that is not learned again, as in the paper's ODE, are those
// of y′ = (Σ⁻¹ − D⁻¹)·y, and in the limit the matrix exponential. The velocity is right at the
// start only: short steps lower the divergence further in the same time, long ones pass
// independence, where a single straight step is still near it.
func TestSeveralEulerSteps(t *testing.T) {
	g := Gaussian{[2]float64{1, 1}, 0.8}
	after := func(eta float64, steps int) (m *mat.Dense, left float64) {
		m = mat.NewDense(2, 2, []float64{1, 0, 0, 1})
		for range steps {
			v, err := g.Velocity(m)
			if err != nil {
				t.Fatal(err)
			}
			v.Scale(eta/float64(steps), v)
			m.Add(m, v)
		}
		var covariance mat.Dense
		covariance.Product(m, g.Covariance(), m.T())
		return m, fromCovariance(&covariance).KL()
	}
	for _, eta := range []float64{0.2, 0.5} {
		var exponential mat.Dense
		exponential.Scale(eta, g.field())
		exponential.Exp(&exponential)
		many, _ := after(eta, 10_000)
		if !mat.EqualApprox(many, &exponential, 2e-3) {
			t.Errorf("η = %g: 10,000 steps are %v, the exponential %v", eta, mat.Formatted(many),
				mat.Formatted(&exponential))
		}
		_, one := after(eta, 1)
		near(t, "the divergence after one step", one, g.Step(eta).KL(), 1e-12)
		_, ten := after(eta, 10)
		t.Logf("η = %g: divergence %.4f at first, %.4f after one step, %.4f after ten, %.4f along the flow", eta, g.KL(), one, ten, g.After(eta).KL())
		if short := eta < 0.25; short && ten > one/2 || !short && ten < 10*one {
			t.Errorf("η = %g: one step leaves %g, ten leave %g", eta, one, ten)
		}
	}
}
