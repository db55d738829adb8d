package sica

import (
	"context"
	"reflect"
	"testing"

	"github.com/seed-47b1e431/gosica/backend"
)

// A call makes fewer steps of more networks, but never fewer than minChunk.
func TestChunk(t *testing.T) {
	long := Default()
	long.Steps = 5000
	for _, test := range []struct {
		name           string
		cfg            Config
		positions      int
		runs, expected int
	}{
		{"Default", Default(), 1024, 1, 50},
		{"Default", Default(), 1024, 20, 25}, // 80 networks
		{"Default", Default(), 1024, 100, 10},
		{"Default, 5000 steps", long, 1024, 1, 500},
		{"PaperRF", PaperRF(), 1024, 1, 64},
		{"PaperRF", PaperRF(), 256, 1, 256},
		{"PaperRF", PaperRF(), 4096, 1, 16},
		{"PaperRF", PaperRF(), 1024, 20, 10},
		{"Smoke", PaperRF().Smoke(), 400, 1, 4},
	} {
		if got := test.cfg.chunk(test.positions, test.runs*test.cfg.networks()); got != test.expected {
			t.Errorf("%s, %d runs of %d positions: %d steps a call, want %d", test.name, test.runs, test.positions, got, test.expected)
		}
	}
}

// The batches of an iteration are the same however its steps are parted.
func TestDrawsInChunks(t *testing.T) {
	b := open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 1, false)
	for name, cfg := range smokes() {
		s, err := newSeparation(b, cfg, 2, 200, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.field.close()
		s.runs = []*separationRun{{seed: 3, z: x}}
		chunk := cfg.chunk(200, s.field.lanes)
		whole := s.newDraws(1).next(chunk)
		parts := s.newDraws(1)
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

// A run among so many that its training takes several calls is what it is alone.
func TestFitRunsInChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 44 networks")
	}
	cfg := Default().Smoke()
	cfg.Rotations, cfg.Alternatives, cfg.Iterations, cfg.Steps = 0, nil, 1, 50
	x, _ := mixedAR7(t, 1, 200, 3, false)
	var runs []Run
	for seed := range uint64(11) {
		runs = append(runs, Run{X: x, Seed: seed})
	}
	if all := len(runs) * cfg.networks(); cfg.chunk(200, all) == cfg.Steps || cfg.chunk(200, cfg.networks()) < cfg.Steps {
		t.Fatal("want several calls for all runs, and one for a run alone")
	}
	b := open(t, backend.Available()[0])
	results, err := FitRuns(context.Background(), b, runs, cfg)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	cfg.Seed = runs[10].Seed
	if diff := largestDifference(results[10].Z, fit(t, b, x, cfg).Z); !(diff < 1e-4) {
		t.Errorf("the last run differs by %g from the run alone", diff)
	}
}
