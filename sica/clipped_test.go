package sica

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// No network is fitted to clipped voices, whose linear separation is good.
func TestClippedVoicesAreSeparatedLinearly(t *testing.T) {
	s := voices(t, rng(4), 3, 8000)
	d, _ := s.Dims()
	mixing := mat.NewDense(d, d, nil)
	mixing.Apply(func(i, j int, _ float64) float64 { return 1 / (1 + math.Abs(float64(i-j))) }, mixing)
	var x mat.Dense
	x.Mul(mixing, s)
	for i := range d {
		row := x.RawRowView(i)
		limit := 0.0
		for _, v := range row {
			limit = max(limit, 0.6*math.Abs(v))
		}
		for k, v := range row {
			row[k] = min(max(v, -limit), limit)
		}
	}
	r, err := Fit(t.Context(), &x, Default())
	if err != nil {
		t.Fatal(err)
	}
	m, err := metric.MCC(r.Z, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("MCC %.4f; %s", m.MCC, r.Why)
	if !strings.Contains(r.Why, "none can undo clipping") || len(r.Clipped) != d ||
		!strings.Contains(r.Why, "Mixed signals 1, 2 and 3 are clipped, at") || r.Network != nil || m.MCC < 0.95 {
		t.Errorf("MCC %.4f: %s", m.MCC, r.Why)
	}
}

// What is said of clipping stands beside a custom method that was chosen, too.
func TestClippingBesideACustomMethod(t *testing.T) {
	y, err := mapping.Standardised(twoSpectra(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1.2, .8, -.7, 1}), y)
	x.Apply(func(_, _ int, v float64) float64 { return math.Sinh(min(max(2*v, -4.5), 4.5)) }, &x)
	for _, method := range []Mode{LinearOnly, Auto} {
		r, err := Fit(t.Context(), &x, Config{
			Mode:       method,
			Candidates: []ica.Method{afterTransform{name: "arsinh", fitter: arsinh{}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Chosen.Name != "arsinh" || r.Clipped == nil ||
			!strings.Contains(r.Why, "Mixed signal 1 is clipped, at") ||
			strings.Contains(r.Why, "No network was fitted") {
			t.Errorf("%s: chose %s, clipped %v: %s", method, r.Chosen, r.Clipped, r.Why)
		}
	}
}

// Why says that signals are clipped whatever separates them, and if a fit is cut short.
func TestClippingIsSaidByEveryMethod(t *testing.T) {
	x, err := mapping.Standardised(twoSpectra(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	x.Apply(func(_, _ int, v float64) float64 { return min(max(v, -2), 2) }, x)
	for name, test := range map[string]struct {
		cfg      Config
		cutShort bool
	}{
		"linear rule":            {Config{Mode: LinearOnly}, false},
		"linear rule, cut short": {Config{Mode: LinearOnly}, true},
		"auto":                   {Config{}, false},
		"auto, cut short":        {Config{}, true},
		"network":                {Config{Mode: NetworkOnly, NetworkSteps: 5}, false},
		"network, cut short":     {Config{Mode: NetworkOnly}, true},
		"no method":              {Config{Mode: TransformsOnly}, false},
		"flow":                   {FastWGF().Smoke(), false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if test.cutShort {
			test.cfg.OnProgress = func(int, string, float64) { cancel() }
		}
		r, err := Fit(ctx, x, test.cfg)
		if r == nil || err != ctx.Err() || r.CutShort != test.cutShort {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if r.Clipped == nil || strings.Count(r.Why, "clipped, at") != 1 {
			t.Errorf("%s: clipped %v: %s", name, r.Clipped, r.Why)
		}
	}
}
