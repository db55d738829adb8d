package sica_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// noGoroutineStays fails if after f there are more goroutines than before it. The
// ones that are about to end have some minutes for it.
func noGoroutineStays(t *testing.T, f func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	f()
	for deadline := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// However a separation ends, none of its goroutines stays. The backends keep none either: the
// pure-Go one starts its workers for each operation, and XLA's threads are not Go's.
func TestNoGoroutineStays(t *testing.T) {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 200)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 3, H: datasets.GELU})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range backend.Available() {
		if testing.Short() && name != backend.Go {
			continue // compiling takes seconds
		}
		b := backendtest.Open(t, name)
		for what, end := range endings(t, b, x) {
			if name != backend.Go && !slices.Contains([]string{"done", "Fit cancelled", "not finite"}, what) {
				continue // which compiles anew, for an ending of each kind
			}
			t.Run(name+"/"+what, func(t *testing.T) { noGoroutineStays(t, func() { end(t) }) })
		}
	}
}

// endings are functions that separate x and end in one way each.
func endings(t *testing.T, b compute.Backend, x *mat.Dense) map[string]func(*testing.T) {
	cfg := sica.FastWGF()
	cfg.Flow.KeepBest = false
	cfg.Flow.Iterations, cfg.Flow.Steps = 3, 10

	// cancelled gives cfg a context that ends with the first iteration.
	cancelled := func() (context.Context, sica.Config) {
		ctx, cancel := context.WithCancel(context.Background())
		cfg := cfg.Clone()
		cfg.Flow.OnIteration = func(int, klflow.Iteration) { cancel() }
		return ctx, cfg
	}
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	failed := func(t *testing.T, err error) {
		t.Helper()
		if err == nil {
			t.Error("there was no error")
		}
	}
	return map[string]func(*testing.T){
		"done": func(t *testing.T) {
			if _, err := sica.Fit(context.Background(), x, cfg.On(b)); err != nil {
				t.Error(err)
			}
		},
		"Fit cancelled": func(t *testing.T) {
			ctx, cfg := cancelled()
			_, err := sica.Fit(ctx, x, cfg.On(b))
			failed(t, err)
		},
		"FitRuns cancelled": func(t *testing.T) {
			ctx, cfg := cancelled()
			_, err := sica.FitRuns(ctx, []sica.Run{{X: x, Seed: 1}, {X: x, Seed: 2}}, cfg.On(b))
			failed(t, err)
		},
		"start cancelled": func(t *testing.T) {
			long := mat.NewDense(8, 20000, nil) // half a second's
			r := rand.New(rand.NewPCG(1, 0))
			long.Apply(func(int, int, float64) float64 { return datasets.Laplace(r) }, long)
			_, err := sica.Fit(soon(), long, sica.Default().On(b))
			failed(t, err)
		},
		"bad setting": func(t *testing.T) {
			cfg := cfg.Clone()
			cfg.Flow.LearningRate = -1
			_, err := sica.Fit(context.Background(), x, cfg.On(b))
			failed(t, err)
		},
		"not finite": func(t *testing.T) {
			cfg := cfg.Clone()
			cfg.Flow.Standardise, cfg.Flow.Folds, cfg.Flow.Family, cfg.Flow.MaxMove = false, 0, klflow.Free, 0
			cfg.Flow.FirstStep, cfg.Flow.LastStep = 1e300, 1e300
			_, err := sica.Fit(context.Background(), x, cfg.On(b))
			failed(t, err)
		},
		"checkpoint not writable": func(t *testing.T) {
			cfg := cfg.Clone()
			cfg.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
			cfg.Flow.OnIteration = func(int, klflow.Iteration) { os.RemoveAll(cfg.Checkpoint) }
			_, err := sica.Fit(context.Background(), x, cfg.On(b))
			failed(t, err)
		},
		"Judge cancelled": func(t *testing.T) {
			_, err := sica.EstimateDivergence(soon(), x, sica.DivergenceOptions{Backend: b, Seed: 1})
			failed(t, err)
		},
		"fastica cancelled": func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, err := ica.Separate(ctx, fastica.Default(), x)
			failed(t, err)
		},
		"lica cancelled": func(t *testing.T) {
			_, err := ica.Separate(soon(), lica.Default(), x)
			failed(t, err)
		},
		"pcl cancelled": func(t *testing.T) {
			cfg := pcl.Default()
			cfg.Backend, cfg.Epochs = b, 1<<20
			_, err := ica.Separate(soon(), cfg, x)
			failed(t, err)
		},
		"ivae cancelled": func(t *testing.T) {
			cfg := ivae.Default()
			cfg.Backend = b
			_, err := ica.Separate(soon(), cfg, x)
			failed(t, err)
		},
	}
}
