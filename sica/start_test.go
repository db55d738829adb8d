package sica

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The conditional divergence is near 0 for true sources, also for digits, which depend on each
// other, and clearly above it for whitened nonlinear mixtures.
func TestDivergenceOfTrueSourcesIsNearZero(t *testing.T) {
	b := backendtest.Open(t, backend.Available()[0])
	digits, _, err := datasets.MNIST(rng(3), 3)
	if err != nil {
		t.Fatal(err)
	}
	autoregressive, err := datasets.AR7(rng(4), 2, 1024)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		run   Run
		shape []int
	}{
		"AR(7)": {Run{X: autoregressive}, nil},
		"MNIST": {Run{X: digits}, []int{32, 32}},
	} {
		truth, err := EstimateDivergence(t.Context(), test.run.X, DivergenceOptions{b, test.shape, 1})
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if truth.Conditional > 0.01 {
			t.Errorf("%s: the true sources have %+v, want a conditional divergence near 0", name, truth)
		}
		white, err := preprocess.Apply(mixed(t, test.run.X, 5, true), preprocess.ZCA)
		if err != nil {
			t.Fatal(err)
		}
		mixture, err := EstimateDivergence(t.Context(), white, DivergenceOptions{b, test.shape, 1})
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if mixture.Conditional < 0.03 {
			t.Errorf("%s: the whitened mixture has %+v, want a conditional divergence of at least 0.03", name, mixture)
		}
	}
	if _, err := EstimateDivergence(t.Context(), nil, DivergenceOptions{Backend: b}); err == nil {
		t.Error("no signals gave no error")
	}
}

// Fit chooses the method that the mixture needs, and separates it: symmetric whitening without
// evidence for more, a rotation with it, a network or conditional normalisation for GELU steps.
func TestFitChoosesMethodOfTheMixture(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	b := backendtest.Open(t, backend.Available()[0])
	gaussian := twoSpectra(t, 31)
	rotated := new(mat.Dense)
	rotated.Mul(mat.NewDense(2, 2, []float64{1, 0.8, -0.9, 1}), gaussian)
	smooth := mat.NewDense(2, 1024, nil)
	for k := range 1024 {
		_, cycle := math.Modf(0.0171 * float64(k))
		smooth.SetCol(k, []float64{math.Abs(2*cycle - 1), math.Exp(2 * math.Sin(0.083*float64(k)))})
	}
	smoothed := new(mat.Dense)
	smoothed.Mul(mat.NewDense(2, 2, []float64{1, 0.8, -0.6, 1}), smooth)
	linear, s := mixedAR7(t, 21, 1024, 5, false)
	gelu, _ := mixedAR7(t, 21, 1024, 5, true)
	for _, test := range []struct {
		name   string
		x, s   *mat.Dense
		linear bool // by the linear rule
		groups int  // that are distinguishable
		mcc    float64
	}{
		{"linear AR(7)", linear, s, true, 1, 0.999},
		{"GELU AR(7)", gelu, s, false, 0, 0.95},
		{"two spectra", rotated, gaussian, true, 2, 0.999},
		{"smooth signals", smoothed, smooth, true, 2, 0.999},
	} {
		cfg := Default()
		cfg.NetworkSteps = 400
		r := fit(t, b, test.x, cfg)
		if len(r.Candidates) > 1 && !slices.ContainsFunc(r.Candidates, func(c Candidate) bool {
			return c.Compared && reflect.DeepEqual(c, r.Chosen)
		}) {
			t.Errorf("%s: %+v isn't among %+v", test.name, r.Chosen, r.Candidates)
		}
		if (r.Chosen.Mode == LinearOnly) != test.linear || r.Stopped != klflow.StoppedMethod || (r.Linear != nil) != test.linear || (r.Network != nil) != (r.Chosen.Mode == NetworkOnly) {
			t.Errorf("%s: start %v, rule %q, stopped %q; %s", test.name, r.Chosen.Transforms, r.Chosen.Mode, r.Stopped, r.Why)
		}
		if r.Linear != nil && len(r.Linear.Groups) != test.groups {
			t.Errorf("%s: groups %v; %s", test.name, r.Linear.Groups, r.Why)
		}
		if m, err := metric.MCC(r.Z, test.s); err != nil || m.MCC < test.mcc {
			t.Errorf("%s: MCC %.4f, %v; want %g", test.name, m.MCC, err, test.mcc)
		}
	}
}

// The linear rule separates dependent digits. The flow from whitening moves them too, and ends with
// less dependence.
func TestFitSeparatesDependentDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("a separation of full size")
	}
	s, _, err := datasets.MNIST(rng(3), 3)
	if err != nil {
		t.Fatal(err)
	}
	x := mixed(t, s, 5, false)
	for name, cfg := range map[string]Config{"default": Default(), "flow": FastWGF()} {
		cfg.Shape = []int{datasets.MNISTSide, datasets.MNISTSide}
		r := fit(t, backendtest.Open(t, backend.Available()[0]), x, cfg)
		if m, err := metric.MCC(r.Z, s); err != nil || m.MCC < 0.99 {
			t.Errorf("%s: MCC %.4f, %v; %s", name, m.MCC, err, r.Why)
		}
		if name == "flow" {
			g, err := grid.New(cfg.Shape, len(x.RawRowView(0)))
			if err != nil {
				t.Fatal(err)
			}
			analysis, err := pairwise.Analyse(t.Context(), r.Initial, g)
			if err != nil {
				t.Fatal(err)
			}
			first, err := analysis.Worst(t.Context(), 0)
			if err != nil || r.Best == 0 || r.Dependence.Total() >= first.Dependence.Total() {
				t.Errorf("iterate %d with a dependence of %.3f, before it was %.3f", r.Best, r.Dependence.Total(), first.Dependence.Total())
			}
		}
	}
}

// With TransformsOnly the iterations begin with the transformed signals, whatever the data say.
func TestIterationsBeginWithTransforms(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 22, 256, 5, true)
	cfg := FastWGF().Smoke()
	alone := fit(t, b, x, cfg)
	if len(alone.Candidates) != 0 || alone.Chosen.Transforms[0] != preprocess.ZCA || alone.Iterations != 2 || alone.Best != 2 {
		t.Errorf("start %v, candidates %v, iterate %d of %d", alone.Chosen.Transforms, alone.Candidates, alone.Best, alone.Iterations)
	}
	cfg.Transforms = []preprocess.Transform{preprocess.Conditional}
	other := fit(t, b, x, cfg)
	if other.Chosen.Transforms[0] != preprocess.Conditional || mat.Equal(other.Z, alone.Z) {
		t.Errorf("start %v", other.Chosen.Transforms)
	}
	cfg.Flow = nil
	unmoved := fit(t, b, x, cfg)
	start, err := preprocess.Apply(x, preprocess.Conditional)
	if err != nil {
		t.Fatal(err)
	}
	if unmoved.Stopped != klflow.StoppedMethod || unmoved.Iterations != 0 || !mat.Equal(unmoved.Z, start) {
		t.Errorf("stopped %q after %d iterations", unmoved.Stopped, unmoved.Iterations)
	}
	cfg.Flow = FastWGF().Smoke().Flow
	cfg.Flow.Budget, cfg.Flow.Iterations = 1, 100
	if short := fit(t, b, x, cfg); short.Stopped != klflow.StoppedBudget || short.Iterations != 1 {
		t.Errorf("a budget of 1 ns: stopped %q after %d iterations", short.Stopped, short.Iterations)
	}
}

// Wherever the context ends during the choice of a method, the fit returns its error with the
// signals of the best candidate so far.
func TestCancelledFitHasSignals(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s := noise(rng(3), 4, 300, datasets.Laplace)
	var x mat.Dense
	x.Mul(rotation.Random(rng(4), 4), s)
	cfg := Default()
	for looks := 1; looks < 120; looks += 7 {
		r, err := Fit(contexttest.EndsAfter(t.Context(), looks), &x, cfg.On(b))
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if r == nil || r.Stopped != klflow.StoppedCancelled || signal.Check("z", r.Z) != nil {
			t.Errorf("after %d looks: result %+v", looks, r)
		}
	}
}
