package sica

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// For extreme scales, offsets and condition numbers of the mixing a fit is as good as without them,
// and its map and inverse are exact.
func TestExtremeSignals(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s, err := preprocess.Apply(goldenSignals(t), preprocess.ZCA)
	if err != nil {
		t.Fatal(err)
	}
	x := func(a, b, c, d, offset float64) *mat.Dense {
		var x mat.Dense
		x.Mul(mat.NewDense(2, 2, []float64{a, b, c, d}), s)
		return signal.Added(&x, []float64{offset, -offset}, 1)
	}
	tests := []struct {
		name      string
		x         *mat.Dense
		tolerance float64 // of what float64 leaves of the signals
	}{
		{"1e-12", x(2e-12, 1e-12, 1e-12, 3e-12, 0), 1e-5},
		{"1e12", x(2e12, 1e12, 1e12, 3e12, 0), 1e-5},
		{"1e-12 and 1e12", x(2e-12, 1e-12, 1e12, 3e12, 0), 1e-5},
		{"offset 1e9", x(2, 1, 1, 3, 1e9), 1e-5},
		{"condition 1e8", x(1, 1, 1, 1+1e-8, 0), 1e-5},
		{"condition 1e12", x(1, 1, 1, 1+1e-12, 0), 5e-2},
	}
	var runs []Run
	for _, test := range tests {
		runs = append(runs, Run{X: test.x, Seed: 1})
	}
	cfg := FastWGF()
	cfg.Flow.Iterations, cfg.Flow.Steps = 5, 10
	results, err := FitRuns(context.Background(), runs, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for r, test := range tests {
		name, result := test.name, results[r]
		if err := signal.Check("z", result.Z); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		z, err := result.Transform(test.x)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		there := largestDifference(z, result.Z)
		back, err := result.InverseTransform(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		roundTrip, err := result.RoundTrip(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back.Sub(back, test.x)
		off := max(mat.Max(back), -mat.Min(back)) / max(mat.Max(test.x), -mat.Min(test.x))
		t.Logf("%s: start %v, transform %.1e, inverse %.1e of the largest value, round trip %.1e", name, result.Chosen.Transforms, there, off, roundTrip)
		if !(there <= test.tolerance && roundTrip <= test.tolerance && off <= 1e-9) {
			t.Errorf("%s: beyond the tolerance of %g", name, test.tolerance)
		}
	}
}

// From the smallest numbers of signals and positions to many signals.
func TestExtremeSizes(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	r := rng(4)
	noise := func(d, t int) *mat.Dense {
		x := mat.NewDense(d, t, nil)
		x.Apply(func(int, int, float64) float64 { return math.Pow(r.NormFloat64(), 3) }, x)
		return x
	}
	cfg := FastWGF().Smoke()
	for _, size := range [][2]int{{2, 64}, {3, 129}, {32, 512}} {
		x := noise(size[0], size[1])
		result := fit(t, b, x, cfg)
		there, back := checkFollows(t, result, x)
		t.Logf("%d×%d: transform %.1e, inverse %.1e", size[0], size[1], there, back)
	}
	for _, test := range []struct {
		d, t int
		want string
	}{
		{2, 63, "at least 64"}, {1, 1024, "at least 2"},
	} {
		if _, err := Fit(context.Background(), noise(test.d, test.t), FastWGF().On(b)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d×%d: %v, want an error with %q", test.d, test.t, err, test.want)
		}
	}
}

// Single precision gives the results of double precision, up to its rounding.
func TestFloat32AgainstFloat64(t *testing.T) {
	for _, name := range []string{"best", "free windows", "paper WGF", "local RF"} {
		cfg := followed()[name]
		single, x := followedFit(t, backendtest.Open(t, backend.Go), name)
		cfg.Flow.Float64 = true
		diff := largestDifference(single.Z, fit(t, backendtest.Open(t, backend.Go), x, cfg).Z)
		t.Logf("%s: float32 differs from float64 by %.1e", name, diff)
		if !(diff < 1e-3) {
			t.Errorf("%s: float32 differs from float64 by %g", name, diff)
		}
	}
}

// A flow whose signals grow without bound is stopped, and its last iterate before that is the
// result.
func TestDivergingFlowIsStopped(t *testing.T) {
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := followed()["free window"]
	cfg.Flow.FirstStep, cfg.Flow.LastStep, cfg.Flow.MaxMove, cfg.Flow.Standardise, cfg.Flow.Iterations = 1e8, 1e8, 0, false, 12
	result := fit(t, backendtest.Open(t, backend.Go), x, cfg)
	if result.Stopped != klflow.StoppedDiverged || result.Best >= result.Iterations || !strings.Contains(result.Why, "grown") {
		t.Fatalf("stopped %q after %d iterations, iterate %d: %s", result.Stopped, result.Iterations, result.Best, result.Why)
	}
	if c := result.Convergence(); c.Converged || c.Warning != result.Why {
		t.Errorf("its convergence is %+v", c)
	}
	if z, err := result.Transform(x); err != nil || largestDifference(z, result.Z) > 1e-5*signal.RMS(z) {
		t.Errorf("the transform isn't the result: %v, %g of %g", err, largestDifference(z, result.Z), signal.RMS(z))
	}
	if signal.RMS(result.Z) > 1e6*signal.RMS(result.Initial) {
		t.Errorf("a result of size %g", signal.RMS(result.Z))
	}
}
