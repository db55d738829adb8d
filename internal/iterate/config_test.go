package iterate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/purego"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// small are the networks of sica.FastWGF.
func small() Config {
	return Config{
		Kind: klflow.WGF, Context: klflow.Prediction, Windows: []int{3}, Hidden: []int{32, 32},
		Optimizer: klflow.Adam, LearningRate: 3e-3, BatchSize: 256, Steps: 50, FreshProduct: true, WarmStart: true,
		Noise: 0.3, Folds: 2, Block: 64,
		Family: klflow.Linear, Iterations: 25, FirstStep: 1, LastStep: 0.1,
	}
}

// whole are the networks of sica.PaperRF.
func whole() Config {
	return Config{
		Kind: klflow.RF, Context: klflow.WholeSequence, Solver: flows.Euler, SolverSteps: 100,
		Optimizer: klflow.Adagrad, LearningRate: 1e-5, BatchSize: 100, Epochs: 100,
		Family: klflow.Linear, Iterations: 30,
	}
}

// A call makes fewer steps of more networks, but never fewer than minChunk.
func TestChunkHasFewerStepsOfMoreNetworks(t *testing.T) {
	long, once := small(), whole()
	long.Steps, once.Epochs = 5000, 1
	for _, test := range []struct {
		name           string
		cfg            Config
		positions      int
		runs, expected int
	}{
		{"small", small(), 1024, 1, 50},
		{"small", small(), 1024, 20, 25}, // 80 networks
		{"small", small(), 1024, 100, 10},
		{"small, 5000 steps", long, 1024, 1, 500},
		{"whole", whole(), 1024, 1, 64},
		{"whole", whole(), 256, 1, 256},
		{"whole", whole(), 4096, 1, 16},
		{"whole", whole(), 1024, 20, 10},
		{"whole, one epoch", once, 400, 1, 4},
	} {
		if got := test.cfg.Chunk(test.positions, test.runs*test.cfg.Networks()); got != test.expected {
			t.Errorf("%s, %d runs of %d positions: %d steps a call, want %d", test.name, test.runs, test.positions, got, test.expected)
		}
	}
}

// The batches of an iteration don't depend on how its steps are divided into calls.
func TestDrawsDontDependOnChunks(t *testing.T) {
	b, err := purego.New()
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(nil, 200)
	if err != nil {
		t.Fatal(err)
	}
	windows, once := small(), whole()
	windows.Context, windows.Windows = klflow.LocalWindow, []int{0, 2}
	once.Epochs = 1
	ratio := once
	ratio.Kind, ratio.Solver, ratio.SolverSteps = klflow.WGF, "", 0
	ratio.FirstStep, ratio.LastStep = 1, 1
	for name, cfg := range map[string]Config{"small": small(), "windows": windows, "whole, RF": once, "whole, WGF": ratio} {
		if err := cfg.Validate(g); err != nil {
			t.Fatal(err)
		}
		e, err := newEnsemble(t.Context(), b, cfg, 2, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		seeds := []uint64{3}
		chunk := cfg.Chunk(200, e.count)
		whole := e.newDraws(seeds, 1).next(chunk)
		parts := e.newDraws(seeds, 1)
		for done, steps := 0, 1; done < chunk; done, steps = done+steps, min(2*steps, chunk-done-steps) {
			for k, part := range parts.next(steps) {
				want := reflect.ValueOf(whole[k].Value()).Slice(done, done+steps).Interface()
				if got := reflect.ValueOf(part.Value()).Slice(0, steps).Interface(); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: steps %d to %d of tensor %d differ", name, done, done+steps, k)
				}
			}
		}
	}
}

// A setting that the context or the flow does not use must be zero.
func TestUnusedSettingsAreErrors(t *testing.T) {
	g, err := grid.New(nil, 200)
	if err != nil {
		t.Fatal(err)
	}
	for want, test := range map[string]struct {
		cfg    Config
		change func(*Config)
	}{
		"Windows: is [3]; must not be set with the context whole": {Config(klflow.PaperWGF()), func(c *Config) { c.Windows = []int{3} }},
		"Hidden: is [32]; must not be set with the context whole": {Config(klflow.PaperRF()), func(c *Config) { c.Hidden = []int{32} }},
		"Solver: is euler; must not be set with the flow wgf":     {Config(klflow.PaperWGF()), func(c *Config) { c.Solver = flows.Euler }},
		"SolverSteps: is 5; must not be set with the flow wgf":    {Config(klflow.FastWGF()), func(c *Config) { c.SolverSteps = 5 }},
		"FirstStep: is 1; must not be set with the flow rf":       {Config(klflow.PaperRF()), func(c *Config) { c.FirstStep = 1 }},
		"LastStep: is 1; must not be set with the flow rf":        {Config(klflow.PaperRF()), func(c *Config) { c.LastStep = 1 }},
		"MaxMove: is 1; must not be set with the flow rf":         {Config(klflow.PaperRF()), func(c *Config) { c.MaxMove = 1 }},
	} {
		if err := test.cfg.Validate(g); err != nil {
			t.Errorf("a preset: %v", err)
		}
		test.change(&test.cfg)
		if err := test.cfg.Validate(g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
