package sica

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The conditional divergence is near 0 for true sources, also for digits,
// which depend on each other, and well above it for what whitening leaves of
// their nonlinear mixtures.
func TestJudge(t *testing.T) {
	b := open(t, backend.Available()[0])
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
		truth, err := EstimateDivergence(context.Background(), b, test.run.X, 1, test.shape...)
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
		mixture, err := EstimateDivergence(context.Background(), b, white, 1, test.shape...)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if mixture.Conditional < 0.03 {
			t.Errorf("%s: the whitened mixture has %+v, want a conditional divergence of at least 0.03", name, mixture)
		}
	}
	if _, err := EstimateDivergence(context.Background(), b, nil, 1); err == nil {
		t.Error("no signals gave no error")
	}
}

// What each kind of mixture asks for is chosen, and separates it: nothing where
// whitening is enough, a rotation of whitened signals, a flow for dependent
// digits, the nonlinear start for GELU steps.
func TestFitChoosesStart(t *testing.T) {
	b := open(t, backend.Available()[0])
	gaussian := twoSpectra(t, 31)
	rotated := new(mat.Dense)
	rotated.Mul(mat.NewDense(2, 2, []float64{1, 0.8, -0.9, 1}), gaussian)
	linear, s := mixedAR7(t, 21, 1024, 5, false)
	gelu, _ := mixedAR7(t, 21, 1024, 5, true)
	for _, test := range []struct {
		name    string
		x, s    *mat.Dense
		start   preprocess.Transform
		rotated bool
		stopped Status
		mcc     float64
	}{
		{"linear AR(7)", linear, s, preprocess.ZCA, false, StoppedSettled, 0.97},
		{"GELU AR(7)", gelu, s, preprocess.Conditional, false, StoppedSettled, 0.9},
		{"two spectra", rotated, gaussian, preprocess.ZCA, true, StoppedSettled, 0.999},
	} {
		result := fit(t, b, test.x, Default())
		if len(result.Start) != 1 || result.Start[0] != test.start || result.Rotated != test.rotated || result.Stopped != test.stopped {
			t.Errorf("%s: start %v, rotated %v, stopped %q; %s", test.name, result.Start, result.Rotated, result.Stopped, result.Why)
		}
		if m, err := metric.MCC(result.Z, test.s); err != nil || m.MCC < test.mcc {
			t.Errorf("%s: MCC %.4f, %v; want %g", test.name, m.MCC, err, test.mcc)
		}
		if !strings.Contains(result.Why, "took the start "+string(test.start)) {
			t.Errorf("%s: why: %s", test.name, result.Why)
		}
	}
}

// Dependent digits are never settled: the flow moves them, and less dependence
// is what it ends with.
func TestFitMovesDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("a separation of full size")
	}
	s, _, err := datasets.MNIST(rng(3), 3)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Shape = []int{datasets.MNISTSide, datasets.MNISTSide}
	result := fit(t, open(t, backend.Available()[0]), mixed(t, s, 20, true), cfg)
	if m, err := metric.MCC(result.Z, s); err != nil || m.MCC < 0.99 {
		t.Errorf("MCC %.4f, %v; %s", m.MCC, err, result.Why)
	}
	if first := result.Candidates[0].Dependence.Total(); result.Best == 0 || result.Dependence.Total() > first {
		t.Errorf("iterate %d with a dependence of %.3f, the start's was %.3f", result.Best, result.Dependence.Total(), first)
	}
}

// Every choice can be overridden: without any, Fit moves from the start that it
// is told, whatever the data say.
func TestFitOverridesChoice(t *testing.T) {
	b := open(t, backend.Go)
	x, _ := mixedAR7(t, 22, 256, 5, true)
	cfg := Default().Smoke()
	cfg.Rotations, cfg.Alternatives = 0, nil
	alone := fit(t, b, x, cfg)
	if len(alone.Candidates) != 0 || alone.Start[0] != preprocess.ZCA || alone.Iterations != 2 || alone.Best != 2 {
		t.Errorf("start %v, candidates %v, iterate %d of %d", alone.Start, alone.Candidates, alone.Best, alone.Iterations)
	}
	cfg.Start = []preprocess.Transform{preprocess.Conditional}
	other := fit(t, b, x, cfg)
	if other.Start[0] != preprocess.Conditional || mat.Equal(other.Z, alone.Z) {
		t.Errorf("start %v", other.Start)
	}
	cfg.Settled = 1e6
	settled := fit(t, b, x, cfg)
	start, err := preprocess.Apply(x, preprocess.Conditional)
	if err != nil {
		t.Fatal(err)
	}
	if settled.Stopped != StoppedSettled || settled.Iterations != 0 || !mat.Equal(settled.Z, start) {
		t.Errorf("stopped %q after %d iterations", settled.Stopped, settled.Iterations)
	}
	cfg.Settled, cfg.Budget, cfg.Iterations = 0, 1, 100
	if short := fit(t, b, x, cfg); short.Stopped != StoppedBudget || short.Iterations != 1 {
		t.Errorf("a budget of 1 ns: stopped %q after %d iterations", short.Stopped, short.Iterations)
	}
}

// Of more than three signals a rotation is taken where it gains more than chance:
// of Laplace signals, though no pair of their mixture is plainly dependent, but not
// of Gaussian ones with one spectrum, nor of AR(7), whose first values are far out.
func TestFitRotatesManySignals(t *testing.T) {
	const n = 1024
	even := make([]datasets.ARProcess, 6)
	for i := range even {
		even[i] = datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100}
	}
	gaussian, err := datasets.AR(rng(2), n, even...)
	if err != nil {
		t.Fatal(err)
	}
	autoregressive, err := datasets.AR7(rng(3), 4, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		sources *mat.Dense
		rotated bool
	}{
		{"Laplace", noise(rng(1), 12, n, datasets.Laplace), true},
		{"one spectrum", gaussian, false},
		{"AR(7)", autoregressive, false},
	} {
		d, _ := test.sources.Dims()
		x := mixed(t, test.sources, 2, false)
		if test.rotated {
			x.Mul(rotation.Random(rng(9), d), test.sources)
		}
		g, err := grid.New(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := Default().chooseStart(context.Background(), x, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		looked := chosen.candidates[1]
		if chosen.taken.Rotated != test.rotated || looked.Chance <= 0 || test.rotated != (looked.Gain > 1.5*looked.Chance) {
			t.Errorf("%s: %s", test.name, chosen.explain())
		}
		if m, err := metric.MCC(chosen.z, test.sources); err != nil || m.MCC < 0.9 {
			t.Errorf("%s: MCC %.4f, %v", test.name, m.MCC, err)
		}
	}
}

// Smooth signals, which any mixture of them foretells as well, are told apart
// by their values.
func TestFitForeseeable(t *testing.T) {
	s := mat.NewDense(2, 1024, nil)
	for k := range 1024 {
		_, cycle := math.Modf(0.0171 * float64(k))
		s.SetCol(k, []float64{math.Abs(2*cycle - 1), math.Exp(2 * math.Sin(0.083*float64(k)))})
	}
	x := new(mat.Dense)
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.8, -0.6, 1}), s)
	g, err := grid.New(nil, 1024)
	if err != nil {
		t.Fatal(err)
	}
	white, err := preprocess.Standardised(x)
	if err != nil {
		t.Fatal(err)
	}
	if _, predictable := predict.Own(white, g.Own()); !predictable {
		t.Error("smooth signals aren't predictable")
	}
	result := fit(t, open(t, backend.Available()[0]), x, Default())
	if m, err := metric.MCC(result.Z, s); err != nil || m.MCC < 0.99 {
		t.Errorf("MCC %.4f, %v; %s", m.MCC, err, result.Why)
	}
}

// endsAfter is a context that is cancelled once it was looked at so often.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever in the choice of the start the context ends, the fit says so and has
// signals: those of the start that it had come to.
func TestChoiceCancelled(t *testing.T) {
	b := open(t, backend.Go)
	s := noise(rng(3), 4, 300, datasets.Laplace)
	var x mat.Dense
	x.Mul(rotation.Random(rng(4), 4), s)
	cfg := Default()
	cfg.Iterations = 1
	for looks := 1; looks < 120; looks += 7 {
		r, err := Fit(&endsAfter{t.Context(), looks}, b, &x, cfg)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if r == nil || r.Stopped != StoppedCancelled || signal.Check("z", r.Z) != nil {
			t.Errorf("after %d looks: result %+v", looks, r)
		}
	}
}
