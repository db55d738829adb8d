package sica

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// AsMethod gives the signals of Fit as an ica.Method, with the Result as its details. With
// symmetric whitening only, it equals baseline/zca.
func TestAsMethod(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, false)
	white, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		t.Fatal(err)
	}
	linear, start, flow := Default(), Default(), followed()["gaussianised"]
	linear.Mode = LinearOnly
	start.Mode, start.Transforms = TransformsOnly, []preprocess.Transform{preprocess.ZCA}
	_, channels := leads(200) // six, of rank four
	for name, test := range map[string]struct {
		method    ica.Method
		x, want   *mat.Dense
		converged bool
	}{
		"linear":  {AsMethod(linear.On(b)), x, fit(t, b, x, linear).Z, true},
		"flow":    {AsMethod(flow.On(b)), x, fit(t, b, x, flow).Z, false}, // made all iterations
		"start":   {AsMethod(start.On(b)), x, white, true},
		"zca":     {zca.Whitening{}, x, white, true},
		"reduced": {AsMethod(linear.On(b)), channels, fit(t, b, channels, linear).Z, true},
	} {
		model, err := ica.Separate(t.Context(), test.method, test.x)
		if err != nil {
			t.Fatal(err)
		}
		if far := largestDifference(model.Signals, test.want); far > 1e-9 {
			t.Errorf("%s: differs by %g", name, far)
		}
		z, err := model.Transform(test.x)
		if err != nil || largestDifference(z, model.Signals) > 1e-6 {
			t.Errorf("%s: transforms to other signals, %v", name, err)
			continue
		}
		back, err := model.InverseTransform(z)
		if err != nil || largestDifference(back, test.x) > 1e-6 {
			t.Errorf("%s: leads back to other signals, %v", name, err)
		}
		if got := model.Convergence; got.Converged != test.converged || got.Warning != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	model, err := ica.Separate(ended, AsMethod(flow.On(b)), x)
	if model != nil || !errors.Is(err, context.Canceled) || err.Error() != "sica: context canceled" {
		t.Errorf("cancelled: model %v, error %v", model, err)
	}
	if model, err := ica.Separate(t.Context(), AsMethod(linear), x); model == nil || err != nil {
		t.Errorf("pure Go, as no backend is given: model %v, error %v", model, err)
	}
}
