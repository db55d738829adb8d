package sica

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
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
		truth, err := Judge(context.Background(), b, test.run.X, 1, test.shape...)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if truth.Conditional > 0.01 {
			t.Errorf("%s: the true sources have %+v, want a conditional divergence near 0", name, truth)
		}
		white, err := Preprocess(mixed(t, test.run.X, 5, true), ZCA)
		if err != nil {
			t.Fatal(err)
		}
		mixture, err := Judge(context.Background(), b, white, 1, test.shape...)
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if mixture.Conditional < 0.03 {
			t.Errorf("%s: the whitened mixture has %+v, want a conditional divergence of at least 0.03", name, mixture)
		}
	}
	if _, err := Judge(context.Background(), b, nil, 1); err == nil {
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
		start   Transform
		rotated bool
		stopped StopReason
		mcc     float64
	}{
		{"linear AR(7)", linear, s, ZCA, false, StoppedSettled, 0.97},
		{"GELU AR(7)", gelu, s, Conditional, false, StoppedSettled, 0.9},
		{"two spectra", rotated, gaussian, ZCA, true, StoppedSettled, 0.999},
	} {
		result := fit(t, b, test.x, Default())
		if len(result.Start) != 1 || result.Start[0] != test.start || result.Rotated != test.rotated || result.Stopped != test.stopped {
			t.Errorf("%s: start %v, rotated %v, stopped %q; %s", test.name, result.Start, result.Rotated, result.Stopped, result.Why)
		}
		if m, err := MCC(result.Z, test.s); err != nil || m.MCC < test.mcc {
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
	if m, err := MCC(result.Z, s); err != nil || m.MCC < 0.99 {
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
	if len(alone.Candidates) != 0 || alone.Start[0] != ZCA || alone.Iterations != 2 || alone.Best != 2 {
		t.Errorf("start %v, candidates %v, iterate %d of %d", alone.Start, alone.Candidates, alone.Best, alone.Iterations)
	}
	cfg.Start = []Transform{Conditional}
	other := fit(t, b, x, cfg)
	if other.Start[0] != Conditional || mat.Equal(other.Z, alone.Z) {
		t.Errorf("start %v", other.Start)
	}
	cfg.Settled = 1e6
	settled := fit(t, b, x, cfg)
	start, err := Preprocess(x, Conditional)
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
