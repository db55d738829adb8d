package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Gaussian autoregression u has no logarithm with a shorter code; that of exp u, or of −exp u, is nearly
// u again.
func TestLogarithm(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 0))
	u := make([]float64, n)
	for k := 1; k < n; k++ {
		u[k] = 0.9*u[k-1] + 0.4*rng.NormFloat64()
	}
	if logarithm(u) != nil {
		t.Error("a Gaussian signal has a logarithm")
	}
	for _, sign := range []float64{1, -1} {
		z := make([]float64, n)
		for k, v := range u {
			z[k] = sign * math.Exp(v)
		}
		y := logarithm(z)
		if y == nil {
			t.Fatalf("sign %g: no logarithm", sign)
		}
		if r := stat.Correlation(y, u, nil); r < 0.995 {
			t.Errorf("sign %g: correlation %.4f with the exponent", sign, r)
		}
		// The logarithm of the slope, Δy/Δz of neighbouring values, is −y.
		order := make([]int, n)
		floats.Argsort(append([]float64(nil), z...), order)
		for k := n / 4; k < 3*n/4; k++ {
			a, b := order[k], order[k+1]
			slope := math.Log(math.Abs((y[b] - y[a]) / (z[b] - z[a])))
			if mean := -(y[a] + y[b]) / 2; math.Abs(slope-mean) > 1e-3 {
				t.Fatalf("sign %g: slope %g, want %g", sign, mean, slope)
			}
		}
	}
}

// The rule's code with logarithms has them where they shorten the code, and counts as the rule.
func TestAddLogarithms(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(2, 0))
	z := mat.NewDense(2, n, nil)
	for i := range 2 {
		v := 0.0
		for k := range n {
			v = 0.9*v + 0.4*rng.NormFloat64()
			z.Set(i, k, v)
		}
	}
	compare := func() *codeSet {
		c := &codeSet{codes: make([]Code, linearPlace+1)}
		c.codes[linearPlace] = Code{signals: z, logDet: []float64{2}, place: linearPlace}
		c.addLogarithms()
		return c
	}
	if c := compare(); len(c.codes) > linearPlace+1 {
		t.Error("Gaussian signals have a code with logarithms")
	}
	for k, v := range z.RawRowView(1) {
		z.Set(1, k, math.Exp(v))
	}
	c := compare()
	if len(c.codes) != linearPlace+2 {
		t.Fatalf("%d codes", len(c.codes))
	}
	b := c.codes[linearPlace+1]
	if b.place != linearPlace {
		t.Errorf("its place is %d", b.place)
	}
	if !floats.Equal(b.signals.RawRowView(0), z.RawRowView(0)) {
		t.Error("the Gaussian signal changed")
	}
	for k, v := range logarithm(z.RawRowView(1)) {
		if math.Abs(b.logDet[k]-2+v) > 1e-12 {
			t.Fatalf("log-determinant %g at %d, want %g", b.logDet[k], k, 2-v)
		}
	}
}
