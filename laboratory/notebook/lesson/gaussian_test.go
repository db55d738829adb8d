package lesson

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.9g, want %.9g ± %g", what, got, want, tolerance)
	}
}

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func draw(t *testing.T, g Gaussian, seed uint64, n int) *mat.Dense {
	t.Helper()
	z, err := g.Draw(newRNG(seed), n)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func logRatio(t *testing.T, g Gaussian, points *mat.Dense) []float64 {
	t.Helper()
	ratio, err := g.LogRatio(points)
	if err != nil {
		t.Fatal(err)
	}
	return ratio
}

var gaussians = []Gaussian{
	{[2]float64{1, 1}, 0},
	{[2]float64{1, 1}, 0.8},
	{[2]float64{4, 0.25}, -0.6},
}

// logDensity is the definition of the density of N(0, Σ).
func logDensity(t *testing.T, covariance mat.Symmetric, z []float64) float64 {
	t.Helper()
	var inverse mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		t.Fatal(err)
	}
	at := mat.NewVecDense(2, z)
	return -mat.Inner(at, &inverse, at)/2 - math.Log(2*math.Pi) - math.Log(mat.Det(covariance))/2
}

// The log-ratio is that of the densities, and the velocity its negative gradient.
func TestLogRatioAndVelocityOfGaussian(t *testing.T) {
	for _, g := range gaussians {
		points := draw(t, g, 0, 20)
		ratio := func(z []float64) float64 {
			first := distuv.Normal{Sigma: math.Sqrt(g.Variances[0])}
			second := distuv.Normal{Sigma: math.Sqrt(g.Variances[1])}
			return logDensity(t, g.Covariance(), z) - first.LogProb(z[0]) - second.LogProb(z[1])
		}
		got := logRatio(t, g, points)
		velocity, err := g.Velocity(points)
		if err != nil {
			t.Fatal(err)
		}
		for k := range got {
			z := mat.Col(nil, k, points)
			near(t, "the log-ratio", got[k], ratio(z), 1e-12)
			slope := fd.Gradient(nil, ratio, z, &fd.Settings{Formula: fd.Central})
			for i := range 2 {
				near(t, "the velocity", velocity.At(i, k), -slope[i], 1e-6)
			}
		}
	}
}

// Draws have the covariance, and the divergence is the mean of their log-ratio.
func TestDrawsHaveTheDistribution(t *testing.T) {
	for _, g := range gaussians {
		z := draw(t, g, 1, 200_000)
		near(t, "the divergence", stat.Mean(logRatio(t, g, z), nil), g.KL(), 0.01)
		of, err := GaussianOf(z)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the correlation", of.Correlation, g.Correlation, 0.01)
		for i := range 2 {
			near(t, "a variance", of.Variances[i]/g.Variances[i], 1, 0.01)
		}
	}
}

// After solves dΣ/dτ = BΣ + ΣB with B = Σ⁻¹ − D⁻¹, here by the classical Runge–Kutta method and
// gonum's inverse.
func TestAfterSolvesTheFlow(t *testing.T) {
	slope := func(s *mat.Dense) *mat.Dense {
		var b, left, right mat.Dense
		if err := b.Inverse(s); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			b.Set(i, i, b.At(i, i)-1/s.At(i, i))
		}
		left.Mul(&b, s)
		right.Mul(s, &b)
		left.Add(&left, &right)
		return &left
	}
	along := func(s *mat.Dense, h float64, v *mat.Dense) *mat.Dense {
		var next mat.Dense
		next.Scale(h, v)
		next.Add(s, &next)
		return &next
	}
	const tau, steps = 0.7, 200
	for _, g := range gaussians {
		s := mat.DenseCopyOf(g.Covariance())
		const h = tau / steps
		for range steps {
			k1 := slope(s)
			k2 := slope(along(s, h/2, k1))
			k3 := slope(along(s, h/2, k2))
			k4 := slope(along(s, h, k3))
			for _, k := range []struct {
				weight float64
				slope  *mat.Dense
			}{{1, k1}, {2, k2}, {2, k3}, {1, k4}} {
				s = along(s, k.weight*h/6, k.slope)
			}
		}
		if want := g.After(tau).Covariance(); !mat.EqualApprox(s, want, 1e-8) {
			t.Errorf("%+v: by integration %v, want %v", g, mat.Formatted(s), mat.Formatted(want))
		}
	}
}

// An Euler step of the distribution is that of its samples. Many small steps approximate the flow:
// the error falls with their length.
func TestStepIsThatOfSamples(t *testing.T) {
	for _, g := range gaussians {
		const eta = 0.15
		z := draw(t, g, 2, 10)
		v, err := g.Velocity(z)
		if err != nil {
			t.Fatal(err)
		}
		var moved, m mat.Dense
		moved.Scale(eta, v)
		moved.Add(z, &moved)
		// The linear map from z to moved, and what it makes of Σ.
		if err := m.Solve(z.T(), moved.T()); err != nil {
			t.Fatal(err)
		}
		var want mat.Dense
		want.Product(m.T(), g.Covariance(), &m)
		if got := g.Step(eta).Covariance(); !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("%+v: after a step %v, want %v", g, mat.Formatted(got), mat.Formatted(&want))
		}
		var errors []float64
		for _, n := range []int{100, 200} {
			euler := g
			for range n {
				euler = euler.Step(0.5 / float64(n))
			}
			errors = append(errors, math.Abs(euler.Correlation-g.After(0.5).Correlation))
		}
		if g.Correlation != 0 {
			near(t, "the error of twice as many steps", errors[1]/errors[0], 0.5, 0.02)
		}
	}
	g := Gaussian{[2]float64{1, 1}, 0.8}
	near(t, "ρ after a step of 1", g.Step(1).Correlation, -0.8, 1e-12)
	near(t, "ρ after a step of ½", g.Step(0.5).Correlation, -0.512/(4-3*0.64), 1e-12)
}

// The paper's theorem: the divergence does not increase along the flow, nor in Euler steps of up to
// the smaller variance.
func TestDivergenceFalls(t *testing.T) {
	for _, g := range gaussians {
		least := min(g.Variances[0], g.Variances[1])
		for k := range 40 {
			tau := least * float64(k) / 40
			if before, after := g.After(tau).KL(), g.After(tau+least/40).KL(); after > before ||
				before > 0 && after == before {
				t.Errorf("%+v: the divergence goes from %g to %g after τ = %g", g, before, after,
					tau)
			}
			euler := g
			for range 5 {
				next := euler.Step(tau)
				if next.KL() > euler.KL()+1e-15 {
					t.Errorf("%+v: a step of %g from %+v goes to %+v", g, tau, euler, next)
				}
				euler = next
			}
		}
	}
	near(t, "the divergence", gaussians[1].KL(), -math.Log(0.36)/2, 1e-12)
	near(t, "ρ", gaussians[2].After(0.3).Correlation, -0.6*math.Exp(-0.3*4.25), 1e-12)
}
