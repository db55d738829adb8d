package sica

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// SICA stands beside its rivals behind one interface, and is Fit and its Result there. With
// no more than symmetric whitening for a start it is the rival that does the same.
func TestMethod(t *testing.T) {
	b := open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, false)
	linear, start, flow := Default(), Default(), quick()
	linear.Rule = LinearRule
	start.Rule, start.Start = NoRule, []preprocess.Transform{preprocess.ZCA}
	for name, test := range map[string]struct {
		method    ica.Method
		want      *mat.Dense
		converged bool
	}{
		"linear": {Method{b, linear}, fit(t, b, x, linear).Z, true},
		"flow":   {Method{b, flow}, fit(t, b, x, flow).Z, false}, // made all iterations
		"start":  {Method{b, start}, whitened(t, x), true},
		"zca":    {zca.Whitening{}, whitened(t, x), true},
	} {
		model, err := ica.Separate(t.Context(), test.method, x)
		if err != nil {
			t.Fatal(err)
		}
		if far := largestDifference(model.Signals, test.want); far > 1e-9 {
			t.Errorf("%s: differs by %g", name, far)
		}
		z, err := model.Transform(x)
		if err != nil || largestDifference(z, model.Signals) > 1e-6 {
			t.Errorf("%s: transforms to other signals, %v", name, err)
		}
		back, err := model.InverseTransform(z)
		if err != nil || largestDifference(back, x) > 1e-6 {
			t.Errorf("%s: leads back to other signals, %v", name, err)
		}
		if got := model.Convergence; got.Converged != test.converged || got.Warning != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}

	ended, cancel := context.WithCancel(t.Context())
	flow.OnIteration = func(int, Iteration) { cancel() }
	if model, err := ica.Separate(ended, Method{b, flow}, x); model != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: model %v, error %v", model, err)
	}
	if model, err := ica.Separate(t.Context(), Method{Config: linear}, x); model != nil || err == nil {
		t.Errorf("without a backend: model %v, error %v", model, err)
	}
	led := &Result{Summary: Summary{Stopped: StoppedDiverged, Why: "it led away"}}
	if got := led.Convergence(); got.Converged || got.Warning != "it led away" {
		t.Errorf("led away: %+v", got)
	}
}

func whitened(t *testing.T, x *mat.Dense) *mat.Dense {
	t.Helper()
	z, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
