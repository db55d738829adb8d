package sica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// Every result can be written as JSON, with null for numbers that are unknown, and read back
// without its signals; it then says that it cannot map any.
func TestResultJSON(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	results := map[string]*Result{}
	for _, name := range []string{"paper RF", "free windows", "best"} {
		results[name], _ = followedFit(t, b, name)
	}
	linear := Default()
	linear.Mode = LinearOnly
	results["identified"] = fit(t, b, mixed(t, twoSpectra(t, 1), 2, false), linear)
	results["not identified"] = fit(t, b, noise(rng(1), 3, 300, (*rand.Rand).NormFloat64), linear)

	grown := followed()["free window"]
	grown.Flow.MaxMove, grown.Flow.FirstStep, grown.Flow.LastStep = 0, 1e300, 1e300
	x, _ := mixedAR7(t, 1, 200, 3, true)
	blown, err := Fit(context.Background(), x, grown.On(b))
	if !errors.Is(err, signal.ErrNotFinite) {
		t.Fatalf("the error is %v", err)
	}
	results["not finite"] = blown

	for name, result := range results {
		data, err := json.Marshal(result)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		for _, large := range []string{"Z", "z", "Initial", "initial"} {
			if _, there := fields[large]; there {
				t.Errorf("%s: JSON has %q", name, large)
			}
		}
		if versions := fields["versions"].(map[string]any); versions[provenance.Module] == nil {
			t.Errorf("%s: versions %v: want this module's", name, versions)
		}
		var read Result
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatal(err)
		}
		want := exported(result)
		want.Z, want.Initial = nil, nil
		if got := exported(&read); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v", name, got, want)
		}
		if _, err := read.Transform(x); err == nil || !strings.Contains(err.Error(), "Fit or Load") {
			t.Errorf("%s: its transform: %v", name, err)
		}
		if _, err := read.InverseTransform(x); err == nil || !strings.Contains(err.Error(), "Fit or Load") {
			t.Errorf("%s: its inverse transform: %v", name, err)
		}
	}
	curve, err := json.Marshal(klflow.Curve{1, math.NaN(), math.Inf(1)})
	if err != nil || string(curve) != "[1,null,null]" {
		t.Errorf("a curve is %s, %v", curve, err)
	}
}

// A setting that is not finite, or that nothing would use, is an error before the fit.
func TestConfigNumbersMustBeFinite(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"FirstStep":        func(c *Config) { c.Flow.FirstStep = math.NaN() },
		"LastStep":         func(c *Config) { c.Flow.LastStep = math.Inf(1) },
		"MaxMove":          func(c *Config) { c.Flow.MaxMove = math.NaN() },
		"LearningRate":     func(c *Config) { c.Flow.LearningRate = math.Inf(-1) },
		"Noise":            func(c *Config) { c.Flow.Noise = math.NaN() },
		"Components: is 1": func(c *Config) { c.Components = 1 },
		"Components: is 3": func(c *Config) { c.Components = 3 },
		"Rounding: has 1":  func(c *Config) { c.Rounding = []float64{1} },
		"Rounding: step 2": func(c *Config) { c.Rounding = []float64{1, -1} },
		"NetworkSteps":     func(c *Config) { c.NetworkSteps = -1 },
	} {
		cfg := FastWGF()
		cfg.Mode = Auto
		change(&cfg)
		if err := cfg.Validate(2, 256); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := Config{Mode: LinearOnly, NetworkSteps: 5}
	if err := cfg.Validate(2, 256); !errors.Is(err, ErrConfig) ||
		!strings.Contains(err.Error(), "NetworkSteps: is 5; must be 0") {
		t.Errorf("steps of networks for a method without them: %v", err)
	}
	if err := Direct().Validate(2, 18); !errors.Is(err, ErrSignals) ||
		!strings.Contains(err.Error(), "must be at least [20]") {
		t.Errorf("error %v for 18 positions and a network", err)
	}
	if err := Default().Validate(1, 256); !errors.Is(err, ErrSignals) || errors.Is(err, ErrConfig) {
		t.Errorf("one signal: %v", err)
	}
}

// The text of a divergence has no number for each position.
func TestDivergenceString(t *testing.T) {
	d := klflow.Divergence{Joint: 0.5, Context: 0.2, Conditional: 0.3, Influence: make([]float64, 1000)}
	if got := fmt.Sprint(d); got != "0.3000 nats per position (joint 0.5000, contexts 0.2000)" {
		t.Errorf("%q", got)
	}
}

// The settings of a result are the fit's without the Backend, which the result itself has. Clone
// keeps the Backend, and JSON leaves it out.
func TestConfigBackend(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := Config{Seed: 1, Mode: LinearOnly}
	on := cfg.On(b)
	if on.Backend != b || on.Clone().Backend != b || cfg.Backend != nil {
		t.Errorf("On and Clone: %v, %v, %v", on.Backend, on.Clone().Backend, cfg.Backend)
	}
	r, err := Fit(t.Context(), x, on)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Config, cfg) || r.backend != b || on.Backend != b {
		t.Errorf("settings %+v, backend %v", r.Config, r.backend)
	}
	with, err := json.Marshal(on)
	without, err2 := json.Marshal(cfg)
	if err != nil || err2 != nil || string(with) != string(without) {
		t.Errorf("JSON: %s and %s; %v, %v", with, without, err, err2)
	}
}

// A signal is identified as the findings of the method say that made it, and not without any.
func TestIdentified(t *testing.T) {
	two := make([]nonlinear.Difference, 2)
	for name, test := range map[string]struct {
		s    Summary
		want [2]bool
	}{
		"linear":       {Summary{Linear: &linear.Findings{Groups: [][]int{{0}, {1}}}}, [2]bool{true, true}},
		"linear pair":  {Summary{Linear: &linear.Findings{Groups: [][]int{{0, 1}}}}, [2]bool{}},
		"network":      {Summary{Network: &nonlinear.Findings{Identified: true, PastGain: two}}, [2]bool{true, true}},
		"unidentified": {Summary{Network: &nonlinear.Findings{}}, [2]bool{}},
		"neither":      {Summary{}, [2]bool{}},
		"linear, then a flow": {
			Summary{Linear: &linear.Findings{Groups: [][]int{{0}, {1}}}, Trace: klflow.Trace{Best: 3}}, [2]bool{},
		},
		"network, then a flow": {
			Summary{Network: &nonlinear.Findings{Identified: true, PastGain: two}, Trace: klflow.Trace{Best: 1}}, [2]bool{},
		},
	} {
		if got := [2]bool{test.s.Identified(0), test.s.Identified(1)}; got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if test.s.Identified(-1) || test.s.Identified(99) {
			t.Errorf("%s: signals that don't exist are identified", name)
		}
	}
}

// What a flow moved isn't examined, whatever the findings about the signals before it.
func TestNothingIsIdentifiedAfterAFlow(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	cfg := followed()["as given"]
	cfg.Mode = LinearOnly
	r := fit(t, b, mixed(t, twoSpectra(t, 1), 2, false), cfg)
	if r.Best != 3 || !r.Linear.Identified(0) {
		t.Fatalf("iterate %d, findings %+v: shows nothing", r.Best, r.Linear)
	}
	if r.Identified(0) || !strings.Contains(r.String(), "; identified: not examined\n") {
		t.Errorf("identified %v: %s", r.Identified(0), r)
	}
}

// Why is worded from the findings: anew after Explain, with times, and of a loaded result.
func TestWhyIsWordedFromFindings(t *testing.T) {
	x := new(mat.Dense)
	x.Mul(mat.NewDense(2, 2, []float64{0.5, 0.3, -0.2, 0.5}), twoSpectra(t, 1))
	x.Set(1, 400, 100)
	r := fit(t, nil, x, Config{Mode: LinearOnly})
	if len(r.Outliers) != 1 || !strings.Contains(r.Why, "Position 401 is an outlier") ||
		!strings.HasPrefix(r.Why, r.Linear.Why) {
		t.Fatalf("outliers %d: %s", r.Outliers, r.Why)
	}
	loaded := reloaded(t, r)
	if got, want := loaded.WhyAt(100, 2), r.WhyAt(100, 2); got != want ||
		!strings.Contains(got, "At 6 s is an outlier") {
		t.Errorf("with times: %s; before: %s", got, want)
	}
	loaded.Outliers = []int{7}
	if loaded.Explain("First."); !strings.HasPrefix(loaded.Why, "First. "+r.Linear.Why) ||
		!strings.Contains(loaded.Why, "Position 8 is an outlier") {
		t.Errorf("explained: %s", loaded.Why)
	}
}
