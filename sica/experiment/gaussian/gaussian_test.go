package gaussian

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var (
	towards = mat.NewDense(2, 2, []float64{1, 0.7, 0.7, 1})
	turn    = mat.NewDense(2, 2, []float64{1, -1, 1, 1})
)

// ar7 are two of the paper's AR(7) sources behind J linear steps x + 0.1·W·x.
func ar7(steps int) *Signals {
	const n = 16
	r := AR(n, 0.1, 0.4, 0.3, 0.2, 0.1, -0.05, 0.03, -0.02)
	m := mat.NewDense(2, 2, []float64{1.1, 0.07, 0.07, 1.1})
	var mixing mat.Dense
	mixing.Pow(m, steps)
	return Mix(&mixing, [][]float64{r, r}, n)
}

// Without contexts all is known in closed form: correlation ρ has the divergence
// −½·log(1 − ρ²), and an Euler step makes a known covariance.
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

// With contexts, a whole refinement reaches the product of the conditionals that it began
// with: the paper's theorem on the rectified flow.
func TestRefinementReachesItsAim(t *testing.T) {
	s := Mix(towards, AR1(8, 0.9, -0.6), 8)
	for at := range s.n {
		a := s.Refinement(1)
		// z_t after the move, given the context of before, which isn't moved.
		only := mat.NewDense(16, 16, nil)
		for k := range 16 {
			only.Set(k, k, 1)
		}
		for i := range 2 {
			copy(only.RawRowView(i*s.n+at), a.RawRowView(i*s.n+at))
		}
		moved := s.Move(only)
		after := inverse(moved.across(inverse(moved.c), at))
		for i := range 2 {
			want := 1 / inverse(s.signal(i)).At(at, at)
			if math.Abs(after.At(i, i)-want) > 1e-9 || math.Abs(after.At(0, 1)) > 1e-9 {
				t.Errorf("position %d: conditional covariance %.6g, want a diagonal with %.6g", at, mat.Formatted(after), want)
			}
		}
	}
	if s.Divergence() < 1 {
		t.Error("the signals are nearly independent from the start: nothing was tested")
	}
}

// Yet the criterion rises, since the contexts have moved too: the counterexample to the
// paper's theorem that it never does.
func TestWholeRefinementsRaiseTheDivergence(t *testing.T) {
	for _, test := range []struct {
		name  string
		start *Signals
		want  []float64
	}{
		{"AR .9 and −.6", Mix(towards, AR1(16, 0.9, -0.6), 16), []float64{1.81, 0.56, 1.17, 1.00, 2.07}},
		{"AR .8 and −.8, turned by 45°", Mix(turn, AR1(16, 0.8, -0.8), 16), []float64{0.67, 0.87, 1.24}},
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

// What a small step of the gradient flow lowers is the mutual information of the whole
// signals, at the rate E‖v‖².
func TestRateOfDescent(t *testing.T) {
	for name, s := range cases() {
		const eta = 1e-6
		scale := s.MaxStep()
		rate := (s.Move(s.EulerStep(eta*scale)).MutualInformation() - s.MutualInformation()) * float64(s.n) / (eta * scale)
		if math.Abs(rate+s.Speed()) > 1e-4*s.Speed() {
			t.Errorf("%s: the mutual information changes at the rate %.6g, want −%.6g", name, rate, s.Speed())
		}
	}
}

// A step of up to half of the smallest eigenvalue lowers it by at least η/4·E‖v‖².
func TestStepBound(t *testing.T) {
	for name, s := range cases() {
		for j := range 60 {
			eta, before := s.MaxStep(), s.MutualInformation()*float64(s.n)
			promised := eta / 4 * s.Speed()
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
		"AR .8 and −.8, turned":         Mix(turn, AR1(8, 0.8, -0.8), 8),
		"equal spectra":                 Mix(towards, AR1(8, 0.5, 0.5), 8),
		"AR(7) behind twenty steps":     ar7(20),
		"white, strongly correlated":    Mix(mat.NewDense(2, 2, []float64{1, 0.95, 0.95, 1}), AR1(4, 0, 0), 4),
		"different scales, long memory": Mix(mat.NewDense(2, 2, []float64{3, 0.1, 2, 0.5}), AR1(8, 0.99, 0.1), 8),
	}
}

// Both measures are 0 for the same signals: independent ones. They needn't be the sources.
func TestIndependentIsNotSeparated(t *testing.T) {
	s := Mix(turn, AR1(16, 0.8, -0.8), 16)
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
