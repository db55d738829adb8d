package gaussian

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var (
	towards    = mat.NewDense(2, 2, []float64{1, 0.7, 0.7, 1})
	rotation45 = mat.NewDense(2, 2, []float64{1, -1, 1, 1})
)

// speed returns E‖v‖², with v = (Λ − P)·Z the velocity of the Wasserstein gradient flow for all
// signals and positions together.
func (s *Signals) speed() float64 {
	g := s.gradient()
	var half, full mat.Dense
	half.Mul(g, s.c)
	full.Mul(&half, g) // G·C·G
	return mat.Trace(&full)
}

// ar7 are two of the paper's AR(7) sources behind J linear steps x + 0.1·W·x.
func ar7(steps int) *Signals {
	const n = 16
	r := AR(n, 0.1, 0.4, 0.3, 0.2, 0.1, -0.05, 0.03, -0.02)
	m := mat.NewDense(2, 2, []float64{1.1, 0.07, 0.07, 1.1})
	var mixing mat.Dense
	mixing.Pow(m, steps)
	return Mix(&mixing, [][]float64{r, r}, n)
}

// Without contexts there are closed forms: a correlation ρ has the divergence −½·log(1 − ρ²), and
// the covariance after an Euler step is known.
func TestWhiteSignals(t *testing.T) {
	const rho = 0.8
	c := mat.NewSymDense(2, []float64{1, rho, rho, 1})
	root := power(c, 0.5)
	s := Mix(root, AR1(3, 0, 0), 3)
	want := -math.Log(1-rho*rho) / 2
	for name, got := range map[string]float64{"divergence": s.Divergence(), "mutual information": s.MutualInformation()} {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s %g, want %g", name, got, want)
		}
	}
	const eta = 0.1
	b := eta * rho / (1 - rho*rho) // off the diagonal of η·(Σ⁻¹ − D⁻¹), −; on it η·ρ²/(1−ρ²)
	a := 1 + rho*b
	got := s.Move(s.EulerStep(eta)).c
	variance := a*a + b*b - 2*a*b*rho
	covariance := (a*a+b*b)*rho - 2*a*b
	if math.Abs(got.At(0, 0)-variance) > 1e-12 || math.Abs(got.At(0, 3)-covariance) > 1e-12 {
		t.Errorf("an Euler step makes variance %g and covariance %g, want %g and %g",
			got.At(0, 0), got.At(0, 3), variance, covariance)
	}
	if whole := s.Move(s.Refinement(1)); whole.Divergence() > 1e-12 {
		t.Errorf("a whole refinement leaves the divergence %g", whole.Divergence())
	}
}

// With contexts a complete refinement reaches the product of the conditionals that it began with,
// by both flows: the paper's theorem on the rectified flow. Given the context before it, the
// signals then have the conditional covariance D, and means that depend on the own context only, as
// m′ does.
func TestRefinementReachesItsTarget(t *testing.T) {
	s := Mix(towards, AR1(8, 0.9, -0.6), 8)
	for name, a := range map[string]*mat.Dense{
		"optimal transport": s.Refinement(1), "rectified flow": s.RectifiedFlow(1),
	} {
		for at := range s.n {
			// z_t after the move, given the context of before, which isn't moved.
			after := inverse(s.Move(only(s, a, at)).c)
			for i := range 2 {
				own := inverse(s.signal(i))
				for j := range 2 {
					for u := range s.n {
						want := 0.0
						if i == j {
							want = own.At(at, u)
						}
						if got := after.At(i*s.n+at, j*s.n+u); math.Abs(got-want) > 1e-9 {
							t.Errorf("%s, position %d: the precision of signal %d with position %d of "+
								"signal %d is %.9g, want %.9g", name, at, i, u, j, got, want)
						}
					}
				}
			}
		}
	}
	if s.Divergence() < 1 {
		t.Error("the signals are nearly independent from the start: nothing was tested")
	}
}

// only returns the part of the map a that moves position t of all signals.
func only(s *Signals, a *mat.Dense, t int) *mat.Dense {
	part := identity(s.d * s.n)
	for i := range s.d {
		copy(part.RawRowView(i*s.n+t), a.RawRowView(i*s.n+t))
	}
	return part
}

// The map of the rectified flow is the end of its ODE: dy/dτ = v(y, τ), with both contexts fixed
// and the velocity as the regression of z′ − z on y = (1−τ)·z + τ·z′, is integrated by the
// Runge–Kutta method of fourth order. It is not the optimal transport.
func TestRectifiedFlowSolvesItsEquation(t *testing.T) {
	const at, steps = 3, 200
	s := Mix(towards, AR1(8, 0.9, -0.6), 8)
	covariance := inverse(s.blockAt(inverse(s.c), at)) // S
	d := make([]float64, 2)
	for i := range d {
		d[i] = 1 / inverse(s.signal(i)).At(at, at)
	}
	// slope returns cov(z′ − z, y)·cov(y)⁻¹·φ for z and z′ around their means.
	slope := func(tau float64, phi *mat.Dense) *mat.Dense {
		c, g := mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil)
		for i := range 2 {
			for j := range 2 {
				product := 0.0
				if i == j {
					product = d[i]
				}
				c.SetSym(i, j, (1-tau)*(1-tau)*covariance.At(i, j)+tau*tau*product)
				g.Set(i, j, tau*product-(1-tau)*covariance.At(i, j))
			}
		}
		var v mat.Dense
		v.Product(g, inverse(c), phi)
		return &v
	}
	ahead := func(phi, k *mat.Dense, by float64) *mat.Dense {
		var next mat.Dense
		next.Scale(by, k)
		next.Add(phi, &next)
		return &next
	}
	phi := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	for step := range steps {
		const h = 1.0 / steps
		tau := float64(step) * h
		k1 := slope(tau, phi)
		k2 := slope(tau+h/2, ahead(phi, k1, h/2))
		k3 := slope(tau+h/2, ahead(phi, k2, h/2))
		k4 := slope(tau+h, ahead(phi, k3, h))
		for w, k := range map[float64][]*mat.Dense{h / 6: {k1, k4}, h / 3: {k2, k3}} {
			phi = ahead(ahead(phi, k[0], w), k[1], w)
		}
		if step == steps/2-1 {
			if got := rectified(0.5, covariance, d); !mat.EqualApprox(got, phi, 1e-8) {
				t.Errorf("half-way the map is %.9g, its equation gives %.9g",
					mat.Formatted(got), mat.Formatted(phi))
			}
		}
	}
	if got := rectified(1, covariance, d); !mat.EqualApprox(got, phi, 1e-8) {
		t.Errorf("the map is %.9g, its equation ends at %.9g", mat.Formatted(got), mat.Formatted(phi))
	}
	if mat.EqualApprox(phi, transport(covariance, d), 1e-3) {
		t.Error("the rectified flow's map is the optimal transport's")
	}
	// The map of the whole iteration moves z_t − m by Φ, and m to m′.
	if z := s.RectifiedFlow(0); !mat.EqualApprox(z, identity(16), 1e-9) {
		t.Error("at τ = 0 something has moved")
	}
}

func identity(size int) *mat.Dense {
	a := mat.NewDense(size, size, nil)
	for k := range size {
		a.Set(k, k, 1)
	}
	return a
}

// Complete refinements raise the divergence, since the contexts move too: the counterexample to the
// paper's theorem that it never increases.
func TestWholeRefinementsRaiseTheDivergence(t *testing.T) {
	for _, test := range []struct {
		name  string
		start *Signals
		want  []float64
	}{
		{"AR .9 and −.6", Mix(towards, AR1(16, 0.9, -0.6), 16), []float64{1.81, 0.56, 1.17, 1.00, 2.07}},
		{"AR .8 and −.8, rotated by 45°", Mix(rotation45, AR1(16, 0.8, -0.8), 16), []float64{0.67, 0.87, 1.24}},
		{"AR(7) behind five steps", ar7(5), []float64{0.191, 0.025, 0.022, 0.035, 0.062}},
	} {
		s := test.start
		for j, want := range test.want {
			if got := s.Divergence(); math.Abs(got-want) > 0.006 {
				t.Errorf("%s: divergence %.4f after %d iterations, want %.3f", test.name, got, j, want)
			}
			s = s.Move(s.Refinement(1))
		}
	}
}

// A small step of the gradient flow lowers the mutual information of the whole signals, at the rate
// E‖v‖².
func TestRateOfDescent(t *testing.T) {
	for name, s := range cases() {
		const eta = 1e-6
		scale := s.MaxStep()
		rate := (s.Move(s.EulerStep(eta*scale)).MutualInformation() - s.MutualInformation()) * float64(s.n) / (eta * scale)
		if math.Abs(rate+s.speed()) > 1e-4*s.speed() {
			t.Errorf("%s: the mutual information changes at the rate %.6g, want −%.6g", name, rate, s.speed())
		}
	}
}

// A step of up to half of the smallest eigenvalue lowers it by at least η/4·E‖v‖².
func TestStepBound(t *testing.T) {
	for name, s := range cases() {
		for j := range 60 {
			eta, before := s.MaxStep(), s.MutualInformation()*float64(s.n)
			promised := eta / 4 * s.speed()
			s = s.Move(s.EulerStep(eta))
			if fall := before - s.MutualInformation()*float64(s.n); fall < promised-1e-10 {
				t.Errorf("%s: step %d lowered the mutual information by %g, less than %g", name, j+1, fall, promised)
			}
		}
	}
}

func cases() map[string]*Signals {
	return map[string]*Signals{
		"AR .9 and −.6":                 Mix(towards, AR1(8, 0.9, -0.6), 8),
		"AR .8 and −.8, rotated":        Mix(rotation45, AR1(8, 0.8, -0.8), 8),
		"equal spectra":                 Mix(towards, AR1(8, 0.5, 0.5), 8),
		"AR(7) behind twenty steps":     ar7(20),
		"white, strongly correlated":    Mix(mat.NewDense(2, 2, []float64{1, 0.95, 0.95, 1}), AR1(4, 0, 0), 4),
		"different scales, long memory": Mix(mat.NewDense(2, 2, []float64{3, 0.1, 2, 0.5}), AR1(8, 0.99, 0.1), 8),
	}
}

// Both measures are 0 for the same signals, the independent ones. These need not be the sources.
func TestIndependentIsNotSeparated(t *testing.T) {
	s := Mix(rotation45, AR1(16, 0.8, -0.8), 16)
	start := s.MCC()
	for range 400 {
		s = s.Move(s.EulerStep(0.02 * minVariance(s)))
	}
	if d, i := s.Divergence(), s.MutualInformation(); d > 1e-3 || i > 1e-3 {
		t.Errorf("after 400 steps the divergence is %g and the mutual information %g", d, i)
	}
	if got := s.MCC(); got > start-0.05 {
		t.Errorf("the MCC went from %.3f to %.3f, want it to fall", start, got)
	}
	t.Logf("MCC %.3f before, %.3f after", start, s.MCC())
}

func minVariance(s *Signals) float64 {
	v := math.Inf(1)
	for k := range s.d * s.n {
		v = min(v, s.c.At(k, k))
	}
	return v
}

func Example() {
	mixing := mat.NewDense(2, 2, []float64{1, 0.7, 0.7, 1})
	z := Mix(mixing, AR1(16, 0.9, -0.6), 16)
	for j := range 5 {
		fmt.Printf("iteration %d: divergence %.2f nats per position, MCC %.2f\n", j, z.Divergence(), z.MCC())
		z = z.Move(z.Refinement(1))
	}
	// Output:
	// iteration 0: divergence 1.81 nats per position, MCC 0.82
	// iteration 1: divergence 0.56 nats per position, MCC 0.82
	// iteration 2: divergence 1.17 nats per position, MCC 0.80
	// iteration 3: divergence 1.00 nats per position, MCC 0.73
	// iteration 4: divergence 2.07 nats per position, MCC 0.66
}

// The exact rectified flow raises the divergence, too.
func TestRectifiedFlowRaisesTheDivergence(t *testing.T) {
	for _, test := range []struct {
		name  string
		start *Signals
		want  []float64
		mcc   float64 // after the last
		// same says whether S and D commute: then the map is the optimal transport.
		same bool
	}{
		{"AR .9 and −.6", Mix(towards, AR1(16, 0.9, -0.6), 16),
			[]float64{1.81, 0.49, 1.71, 2.42, 4.29}, 0.59, false},
		{"AR .8 and −.8, rotated by 45°", Mix(rotation45, AR1(16, 0.8, -0.8), 16),
			[]float64{0.67, 0.87, 1.24, 0.80, 0.60}, 0.50, true},
		{"AR(7) behind five steps", ar7(5), []float64{0.191, 0.025, 0.022, 0.035, 0.062}, 0.966, true},
	} {
		s := test.start
		for j, want := range test.want {
			if got := s.Divergence(); math.Abs(got-want) > 0.006 {
				t.Errorf("%s: divergence %.4f after %d iterations, want %.3f", test.name, got, j, want)
			}
			if j < len(test.want)-1 {
				a := s.RectifiedFlow(1)
				if same := mat.EqualApprox(a, s.Refinement(1), 1e-6); same != test.same {
					t.Errorf("%s, iteration %d: it is the optimal transport: %t, want %t",
						test.name, j, same, test.same)
				}
				s = s.Move(a)
			}
		}
		if got := s.MCC(); math.Abs(got-test.mcc) > 0.006 {
			t.Errorf("%s: MCC %.4f at the end, want %.3f", test.name, got, test.mcc)
		}
	}
}
