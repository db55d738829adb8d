package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// An interrupted trial of SICA with the paper's settings continues to the same signals, and its
// time is that of both parts; with other settings there is no checkpoint.
func TestInterruptedTrialContinues(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	_, x, err := Problem{Data: AR7, Mixing: LinearMixing, Steps: 5, Seed: 1}.Draw()
	if err != nil {
		t.Fatal(err)
	}
	x, err = ica.New(mat.DenseCopyOf(x.X().Slice(0, 2, 0, 128)))
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := ""
	stop := 0 // after this iteration
	var made []int
	var cancel context.CancelFunc
	run := Method{Presets: []Preset{PaperPreset, SmokePreset}, SICA: func() sica.Config {
		cfg := sica.PaperWGF().Smoke()
		cfg.Flow.Iterations = 4
		cfg.Flow.OnIteration = func(_ int, it sica.Iteration) {
			made = append(made, it.J)
			if it.J == stop {
				cancel()
			}
		}
		return cfg
	}}.fitSICA
	fit := func(p Preset) (*Fitted, error) {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		return run(ctx, Task{Backend: b, Signals: x, Preset: p, Seed: 1, checkpoint: checkpoint})
	}
	whole, err := fit(PaperPreset)
	if err != nil {
		t.Fatal(err)
	}

	checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	stop = 2
	if _, err := fit(PaperPreset); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	stop, made = 0, nil
	again, err := fit(PaperPreset)
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
	last, err := fit(PaperPreset) // which has nothing left to make
	if took := time.Since(began); err != nil || last.Elapsed <= took {
		t.Errorf("Elapsed %v, of which %v were in the last process (%v): want the time of all",
			last.Elapsed, took, err)
	}

	checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if _, err := fit(SmokePreset); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(checkpoint); !os.IsNotExist(err) {
		t.Errorf("the preset %s left a checkpoint (%v)", SmokePreset, err)
	}
}

func loss(f *Fitted) []float64 { return f.Details.(*sica.Result).Loss }

// The settings in the committed outcomes of the rivals are the present ones, without a backend.
func TestCommittedSettings(t *testing.T) {
	results, err := Read("results", OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	b := backendtest.Open(t, backend.Go)
	for _, name := range []string{"fastica", "lica", "pcl", "ivae"} {
		m, err := MethodNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		trial := Trial{Problem: Problem{Data: Heart, Mixing: MatrixMixing, Seed: FirstSeed},
			Method: name, Preset: PaperPreset}
		o, ok := results.find(trial)
		if !ok {
			t.Errorf("%s isn't among the committed outcomes", trial)
			continue
		}
		_, x, err := trial.Draw()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m.New(Task{Backend: b, Signals: x, Preset: PaperPreset,
			Seed: FirstSeed}))
		if err != nil {
			t.Fatal(err)
		}
		var settings any
		if err := json.Unmarshal(text, &settings); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(settings, o.Config) {
			t.Errorf("%s: settings %v, those committed are %v", name, settings, o.Config)
		}
	}
}
