package datasets

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Given the innovations that were drawn, the signal is the recursion to the
// last bit.
func TestARRecursion(t *testing.T) {
	const T = 100
	var drawn []float64
	p := PaperAR7()
	p.Innovation = func(rng *rand.Rand) float64 {
		drawn = append(drawn, Normal(rng))
		return drawn[len(drawn)-1]
	}
	z, err := AR(newRand(3), T, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) != T-7 {
		t.Fatalf("%d innovations drawn, want %d", len(drawn), T-7)
	}
	s := z.RawRowView(0)
	beta := [...]float64{4, 3, 2, 1, -.5, .3, -.2}
	for i := 7; i < T; i++ {
		want := 0.1 * drawn[i-7]
		for k, b := range beta {
			want += b * 0.1 * s[i-1-k]
		}
		if math.Abs(s[i]-want) > 1e-14 {
			t.Fatalf("position %d is %v, want %v", i, s[i], want)
		}
	}
}

// Least squares of a signal on its past finds the paper's coefficients again
// and leaves the innovations' variance, 0.01; the first seven values are
// standard normal and the signals independent.
func TestAR7Regression(t *testing.T) {
	const T, p = 20_000, 7
	z, err := AR7(newRand(4), 2, T)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		s := z.RawRowView(i)
		past := mat.NewDense(T-p, p, nil)
		past.Apply(func(r, k int, _ float64) float64 { return s[p+r-1-k] }, past)
		now := mat.NewVecDense(T-p, s[p:])
		var beta, left mat.VecDense
		if err := beta.SolveVec(past, now); err != nil {
			t.Fatal(err)
		}
		for k, want := range []float64{.4, .3, .2, .1, -.05, .03, -.02} {
			// The standard error of a coefficient is at most 1/√T = .007.
			if got := beta.AtVec(k); math.Abs(got-want) > .03 {
				t.Errorf("signal %d: β%d = %v, want %v", i+1, k+1, got, want)
			}
		}
		left.MulVec(past, &beta)
		left.SubVec(now, &left)
		// The standard error is .01·√(2/T) = .0001.
		if got := mat.Dot(&left, &left) / (T - 2*p); math.Abs(got-.01) > .0005 {
			t.Errorf("signal %d: residual variance %v, want .01", i+1, got)
		}
	}

	first, err := AR7(newRand(5), 3000, p)
	if err != nil {
		t.Fatal(err)
	}
	values := first.RawMatrix().Data
	// 21 000 values: five standard errors of the mean and the variance.
	if m, v := stat.MeanVariance(values, nil); math.Abs(m) > .035 || math.Abs(v-1) > .05 {
		t.Errorf("the first seven values have mean %v and variance %v, want 0 and 1", m, v)
	}
}

// A stationary AR(1) of coefficient φ has variance Scale²/(1 − φ²) and lag-1
// correlation φ, from the first position on after a burn-in.
func TestARStationary(t *testing.T) {
	const phi, d = .8, 4000
	signals := make([]ARProcess, d)
	for i := range signals {
		signals[i] = ARProcess{Coefficients: []float64{phi}, Scale: 3, BurnIn: 100}
	}
	z, err := AR(newRand(6), 2, signals...)
	if err != nil {
		t.Fatal(err)
	}
	now, next := mat.Col(nil, 0, z), mat.Col(nil, 1, z)
	want := 9 / (1 - phi*phi)
	if got := stat.Variance(now, nil); math.Abs(got/want-1) > 5*math.Sqrt(2./d) {
		t.Errorf("variance %v, want %v", got, want)
	}
	if got := stat.Correlation(now, next, nil); math.Abs(got-phi) > 5*(1-phi*phi)/math.Sqrt(d) {
		t.Errorf("lag-1 correlation %v, want %v", got, phi)
	}
}

// Every innovation has mean 0 and variance 1; the kurtosis tells which it is.
func TestInnovations(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name     string
		draw     func(*rand.Rand) float64
		kurtosis float64
		within   float64 // Five standard errors of the fourth moment.
	}{
		{"Normal", Normal, 3, 5 * math.Sqrt(105-9) / math.Sqrt(n)},
		{"Laplace", Laplace, 6, 5 * math.Sqrt(2520-36) / math.Sqrt(n)},
		{"Uniform", Uniform, 1.8, 5 * math.Sqrt(9-3.24) / math.Sqrt(n)},
	} {
		z, err := AR(newRand(7), n, ARProcess{Scale: 1, Innovation: c.draw})
		if err != nil {
			t.Fatal(err)
		}
		x := z.RawRowView(0)
		for m, want := range map[float64]float64{1: 0, 2: 1, 3: 0, 4: c.kurtosis} {
			within := c.within
			if m == 3 {
				within *= 2 // Var x³ ≤ E x⁶, at most 90.
			}
			if got := stat.MomentAbout(m, x, 0, nil); math.Abs(got-want) > within {
				t.Errorf("%s: moment %v is %v, want %v", c.name, m, got, want)
			}
		}
	}
}

func TestARErrors(t *testing.T) {
	rng := newRand(8)
	stable := ARProcess{Coefficients: []float64{.5}, Scale: 1}
	for name, f := range map[string]func() (*mat.Dense, error){
		"nil rng":       func() (*mat.Dense, error) { return AR(nil, 10, stable) },
		"no signals":    func() (*mat.Dense, error) { return AR(rng, 10) },
		"no positions":  func() (*mat.Dense, error) { return AR(rng, 0, stable) },
		"burn-in":       func() (*mat.Dense, error) { return AR(rng, 10, ARProcess{BurnIn: -1}) },
		"unstable":      func() (*mat.Dense, error) { return AR(rng, 2000, ARProcess{Coefficients: []float64{2}}) },
		"NaN scale":     func() (*mat.Dense, error) { return AR(rng, 10, ARProcess{Scale: math.NaN()}) },
		"AR7 no signal": func() (*mat.Dense, error) { return AR7(rng, 0, 10) },
		"AR7 too large": func() (*mat.Dense, error) { return AR7(rng, math.MaxInt, 10) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if z, err := AR7(rng, 3, 4); err != nil || z.RawMatrix().Cols != 4 {
		t.Errorf("four positions, fewer than the order: %v", err)
	}
}
