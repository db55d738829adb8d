package sica

import (
	"context"
	"errors"
	"strings"
	"testing"

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

// A linear mixture keeps its linear start, a nonlinear one takes the other.
func TestFitChoosesStart(t *testing.T) {
	if testing.Short() {
		t.Skip("two separations of full size")
	}
	b := open(t, backend.Available()[0])
	for _, test := range []struct {
		gelu bool
		want Transform
		mcc  float64
	}{{false, ZCA, 0.97}, {true, Conditional, 0.9}} {
		x, s := mixedAR7(t, 21, 1024, 5, test.gelu)
		result := fit(t, b, x, Default())
		if len(result.Start) != 1 || result.Start[0] != test.want {
			t.Errorf("GELU %v: took the start %v; %s", test.gelu, result.Start, result.Why)
		}
		if m, err := MCC(result.Z, s); err != nil || m.MCC < test.mcc {
			t.Errorf("GELU %v: MCC %.3f, %v; want %g", test.gelu, m.MCC, err, test.mcc)
		}
		if !strings.Contains(result.Why, "took the start "+string(test.want)) {
			t.Errorf("why: %s", result.Why)
		}
	}
}

// An alternative that promises nothing isn't tried, and the result of the first
// start is what Fit without alternatives gives.
func TestFitKeepsFirstStart(t *testing.T) {
	b := open(t, backend.Available()[0])
	x, _ := mixedAR7(t, 22, 256, 5, true)
	cfg := Default().Smoke()
	cfg.Alternatives = [][]Transform{{Standardise, ZCA}} // whitening again
	result := fit(t, b, x, cfg)
	cfg.Alternatives = nil
	alone := fit(t, b, x, cfg)
	if diff := largestDifference(result.Z, alone.Z); diff != 0 {
		t.Errorf("the signals differ by %g from a fit without alternatives", diff)
	}
	if n := len(result.Candidates); n != 2 || result.Candidates[1].Judgement != nil || result.Candidates[1].AtStart == nil {
		t.Errorf("candidates %+v", result.Candidates)
	}
}

// Cancelled in its second start, a fit gives the result of the first.
func TestFitCancelledInAlternative(t *testing.T) {
	b := open(t, backend.Available()[0])
	x, _ := mixedAR7(t, 21, 1024, 5, true)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := Default().Smoke()
	cfg.Alternatives = Default().Alternatives
	begun := false
	cfg.OnIteration = func(_ int, it Iteration) {
		if it.Start == 1 {
			begun = true
			cancel()
		}
	}
	result, err := Fit(ctx, b, x, cfg)
	if !begun || !errors.Is(err, context.Canceled) || result == nil {
		t.Fatalf("second start begun: %v, result %v, error %v", begun, result, err)
	}
	if result.Start[0] != ZCA || result.Stopped != StoppedCancelled || !strings.Contains(result.Why, "zca") {
		t.Errorf("result of the start %v, stopped %q: %s", result.Start, result.Stopped, result.Why)
	}
}
