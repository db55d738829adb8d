package methods

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// An interrupted trial of SICA with the paper's settings continues to the same signals, and its
// time is that of both parts; with other settings there is no checkpoint.
func TestInterruptedTrialContinues(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 128)
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := datasets.Mix(s, datasets.MixOptions{Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	x, err := ica.New(mixed)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := ""
	stop := 0 // after this iteration
	var made []int
	var cancel context.CancelFunc
	run := Entry{Presets: []Preset{Paper, Smoke}, New: SICA(func() sica.Config {
		cfg := sica.PaperWGF().Smoke()
		cfg.Flow.Iterations = 4
		cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
			made = append(made, it.J)
			if it.J == stop {
				cancel()
			}
		}
		return cfg
	})}.Fit
	fit := func(p Preset) (*Fitted, error) {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		return run(ctx, Task{Backend: b, Signals: x, Preset: p, Seed: 1, Checkpoint: checkpoint})
	}
	whole, err := fit(Paper)
	if err != nil {
		t.Fatal(err)
	}

	checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	stop = 2
	if _, err := fit(Paper); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	stop, made = 0, nil
	again, err := fit(Paper)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(again.Signals, whole.Signals) || !slices.Equal(loss(again), loss(whole)) {
		t.Error("the interrupted separation came to other signals or losses")
	}
	if made[0] < 2 || made[len(made)-1] != 4 {
		t.Errorf("going on made iterations %v", made)
	}
	began := time.Now()
	last, err := fit(Paper) // which has nothing left to make
	if took := time.Since(began); err != nil || last.Elapsed <= took {
		t.Errorf("Elapsed %v, of which %v were in the last process (%v): want the time of all",
			last.Elapsed, took, err)
	}

	checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if _, err := fit(Smoke); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(checkpoint); !os.IsNotExist(err) {
		t.Errorf("the preset %s left a checkpoint (%v)", Smoke, err)
	}
}

func loss(f *Fitted) []float64 { return f.Details.(*sica.Result).Loss }
