package datasets

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The innovations of a signal are its s_t − ρ·s_{t−1}: of variance 1, Laplace,
// whose fourth moment is 6.
func TestLaplaceAR(t *testing.T) {
	const T, rho = 50000, .7
	s, err := LaplaceAR(newRand(1), 2, T, rho)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		row := s.RawRowView(i)
		second, fourth := 0., 0.
		for k := 1; k < T; k++ {
			e := row[k] - rho*row[k-1]
			second += e * e / T
			fourth += e * e * e * e / T
		}
		// Standard errors √(5/T) and √((8!−36)/T), eighth moment 8!/2⁴.
		if math.Abs(second-1) > 4*math.Sqrt(5./T) || math.Abs(fourth-6) > 4*math.Sqrt((2520.-36)/T) {
			t.Errorf("signal %d: innovations of second moment %.3f and fourth %.3f, want 1 and 6", i, second, fourth)
		}
		if v, want := stat.Variance(row, nil), 1/(1-rho*rho); math.Abs(v-want) > .15 {
			t.Errorf("signal %d: variance %.3f, want %.3f", i, v, want)
		}
	}
}

// Each layer can be undone with the matrices of the same stream.
func TestLayeredMixInverts(t *testing.T) {
	const slope = .2
	s, err := LaplaceAR(newRand(1), 3, 200, .7)
	if err != nil {
		t.Fatal(err)
	}
	x, err := LayeredMix(newRand(2), s, 2, LeakyReLU(slope))
	if err != nil {
		t.Fatal(err)
	}
	rng := newRand(2)
	var weights []*mat.Dense
	for range 3 {
		weights = append(weights, wellConditioned(rng, 3))
	}
	back := mat.DenseCopyOf(x)
	for l := 2; l >= 0; l-- {
		if err := back.Solve(weights[l], mat.DenseCopyOf(back)); err != nil {
			t.Fatal(err)
		}
		if l > 0 {
			back.Apply(func(_, _ int, v float64) float64 { return LeakyReLU(1 / slope)(v) }, back)
		}
	}
	want, err := standardised(s)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, want, 1e-10) {
		t.Error("undone, the mixture isn't the standardised sources")
	}
}

// Columns of length 1 and a condition number that a quarter of all have.
func TestWellConditioned(t *testing.T) {
	for _, d := range []int{2, 5} {
		rng := newRand(3)
		below := 0
		for range 400 {
			if mat.Cond(uniformColumns(rng, d), 2) <= lowerQuartile(d) {
				below++
			}
		}
		if math.Abs(float64(below)/400-.25) > 4*math.Sqrt(.25*.75/400) {
			t.Errorf("d = %d: %d of 400 below the quartile", d, below)
		}
		for range 10 {
			a := wellConditioned(rng, d)
			if c := mat.Cond(a, 2); c > lowerQuartile(d) {
				t.Errorf("condition %g", c)
			}
			for j := range d {
				if n := mat.Norm(a.ColView(j), 2); math.Abs(n-1) > 1e-12 {
					t.Errorf("column %d has length %g", j, n)
				}
			}
		}
	}
}

// Behind its h a post-nonlinear mixture is linear, of condition 4 at most.
func TestPostNonlinearMix(t *testing.T) {
	s, err := LaplaceAR(newRand(1), 3, 500, .7)
	if err != nil {
		t.Fatal(err)
	}
	x, err := PostNonlinearMix(newRand(2), s, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	x.Apply(func(_, _ int, v float64) float64 { return math.Atanh(v) }, x)
	standard, err := standardised(s)
	if err != nil {
		t.Fatal(err)
	}
	var a, residual mat.Dense
	if err := a.Solve(standard.T(), x.T()); err != nil { // A', least squares
		t.Fatal(err)
	}
	residual.Mul(standard.T(), &a)
	residual.Sub(&residual, x.T())
	if n := mat.Norm(&residual, 2); n > 1e-6 {
		t.Errorf("atanh of it is linear up to %g", n)
	}
	if c := mat.Cond(&a, 2); c > 4 {
		t.Errorf("condition %g", c)
	}
}

func TestNonlinearErrors(t *testing.T) {
	s, err := LaplaceAR(newRand(1), 2, 50, .7)
	if err != nil {
		t.Fatal(err)
	}
	constant := mat.NewDense(2, 50, nil)
	wide := mat.NewDense(9, 50, nil)
	wide.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64((i + 1) * j)) }, wide)
	infinite := func(float64) float64 { return math.Inf(1) }
	for want, f := range map[string]func() (*mat.Dense, error){
		"rho is 1":         func() (*mat.Dense, error) { return LaplaceAR(newRand(1), 2, 10, 1) },
		"at least one of":  func() (*mat.Dense, error) { return LaplaceAR(newRand(1), 0, 10, .5) },
		"rng is nil":       func() (*mat.Dense, error) { return LaplaceAR(nil, 2, 10, .5) },
		"layers is -1":     func() (*mat.Dense, error) { return LayeredMix(newRand(1), s, -1, math.Tanh) },
		"mix: h is nil":    func() (*mat.Dense, error) { return LayeredMix(newRand(1), s, 1, nil) },
		"is constant":      func() (*mat.Dense, error) { return LayeredMix(newRand(1), constant, 1, math.Tanh) },
		"must be finite":   func() (*mat.Dense, error) { return LayeredMix(newRand(1), s, 1, infinite) },
		"nonlinear mix: n": func() (*mat.Dense, error) { return PostNonlinearMix(newRand(1), nil, math.Tanh) },
		"at most 8":        func() (*mat.Dense, error) { return PostNonlinearMix(newRand(1), wide, math.Tanh) },
		"is +Inf":          func() (*mat.Dense, error) { return PostNonlinearMix(newRand(1), s, infinite) },
		"mix: rng":         func() (*mat.Dense, error) { return LayeredMix(nil, s, 1, math.Tanh) },
	} {
		if want == "mix: rng" {
			want = "rng is nil"
		}
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
