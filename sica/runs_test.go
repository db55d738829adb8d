package sica

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The settings of each result of FitRuns have the seed of its run, so that Fit repeats it.
func TestRunsKeepTheirSeeds(t *testing.T) {
	x, _ := mixedAR7(t, 3, 256, 2, false)
	cfg := Default()
	cfg.Mode = LinearOnly
	results, err := FitRuns(t.Context(), []Run{{X: x, Seed: 7}, {X: x, Seed: 8}}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if want := uint64(7 + i); r.Config.Seed != want {
			t.Errorf("run %d: seed %d in the settings, want %d", i, r.Config.Seed, want)
		}
		again, err := Fit(t.Context(), x, r.Config)
		if err != nil || !mat.Equal(again.Z, r.Z) {
			t.Errorf("run %d: its settings give other signals, error %v", i, err)
		}
	}
}

// A change to the settings or the shape of one result changes neither another run's nor the
// caller's.
func TestResultsShareNoSettings(t *testing.T) {
	x, _ := mixedAR7(t, 3, 256, 2, false)
	settings := func() Config {
		cfg := followed()["gaussianised"]
		cfg.Mode, cfg.Shape, cfg.Rounding = LinearOnly, []int{256}, []float64{1e-9, 1e-9}
		cfg.Candidates, cfg.Flow.Iterations = []ica.Method{whitening{}}, 1
		return cfg
	}
	cfg := settings()
	results, err := FitRuns(t.Context(), []Run{{X: x, Seed: 7}, {X: x, Seed: 8}}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	changed := &results[0].Config
	changed.Shape[0], changed.Rounding[0], changed.Transforms[0] = 1, 1, preprocess.ZCA
	changed.Candidates[0], changed.Flow.Iterations = nil, 0
	changed.Flow.Windows[0], changed.Flow.Hidden[0] = 9, 9
	results[0].Shape[0] = 1
	want := settings()
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("the caller's settings became %+v", cfg)
	}
	want.Seed = 8
	if got := results[1]; !reflect.DeepEqual(got.Config, want) || got.Shape[0] != 256 {
		t.Errorf("those of the second run became %+v, its shape %v", got.Config, got.Shape)
	}
}

// An error of a run names it, also if it comes from its separation.
func TestRunsNameTheirErrors(t *testing.T) {
	x, _ := mixedAR7(t, 3, 256, 2, false)
	monotone := mat.DenseCopyOf(x) // whose second signal has the ranks of the first
	for k, v := range x.RawRowView(0) {
		monotone.Set(1, k, math.Exp(v))
	}
	cfg := Config{Mode: LinearOnly, Transforms: []preprocess.Transform{preprocess.Gaussianise}}
	_, err := FitRuns(t.Context(), []Run{{X: x}, {X: monotone}}, cfg)
	if err == nil || !strings.HasPrefix(err.Error(), "sica: run 2: ") {
		t.Errorf("error %v of run 2", err)
	}

	// One of the settings, or of what all runs have in common, names none.
	short := mat.DenseCopyOf(x.Slice(0, 2, 0, 9))
	for want, wrong := range map[string]struct {
		runs []Run
		cfg  Config
	}{
		`sica: Mode: is "ica"`:     {[]Run{{X: x}, {X: x}}, Config{Mode: "ica"}},
		"sica: x: has 9 positions": {[]Run{{X: short}, {X: short}}, Default()},
	} {
		_, err := FitRuns(t.Context(), wrong.runs, wrong.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A nil backend is that of Open(Go) for a result and for a divergence, as for Fit.
func TestNilBackend(t *testing.T) {
	x, _ := mixedAR7(t, 3, 128, 2, false)
	cfg := Default()
	cfg.Mode = LinearOnly
	r, err := Fit(t.Context(), x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBackend(nil)
	if z, err := r.Transform(x); err != nil || !mat.EqualApprox(z, r.Z, 1e-12) {
		t.Errorf("Transform: error %v", err)
	}
	if d, err := EstimateDivergence(t.Context(), r.Z, DivergenceOptions{Seed: 1}); err != nil || d.Conditional < 0 {
		t.Errorf("EstimateDivergence: %+v, error %v", d, err)
	}
}

// No gain has the wrong sign, and a gain within chance is said to be none.
func TestGainOverWhitening(t *testing.T) {
	for gain, want := range map[nonlinear.Difference]string{
		{Mean: -0.169, SE: 0.048}: "its code is 0.169 nats per position longer than that of whitening (SE 0.048).",
		{Mean: 0.9, SE: 0.2}:      "its code is 0.900 nats per position shorter than that of whitening (SE 0.200).",
		{Mean: 0.052, SE: 0.047}: "its code isn't significantly shorter than that of whitening, which may do as " +
			"well (0.052 nats per position, SE 0.047).",
	} {
		want = "An invertible network: " + want
		if got := gainOverWhitening(gain); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
