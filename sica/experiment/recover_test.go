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

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// SICA with the paper's settings that was interrupted comes to the same signals,
// and its time counts whole; with others it leaves no checkpoint.
func TestSeparateGoesOn(t *testing.T) {
	b, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	_, in, err := Problem{Data: AR7, Mixing: LinearMixing, Steps: 5, Seed: 1}.Draw()
	if err != nil {
		t.Fatal(err)
	}
	in.X = mat.DenseCopyOf(in.X.Slice(0, 2, 0, 128))
	stop := 0 // after this iteration
	var made []int
	var cancel context.CancelFunc
	run := Method{Presets: []Preset{PaperPreset, SmokePreset}, sica: func() sica.Config {
		cfg := sica.PaperWGF().Smoke()
		cfg.Iterations = 4
		cfg.OnIteration = func(_ int, it sica.Iteration) {
			made = append(made, it.J)
			if it.J == stop {
				cancel()
			}
		}
		return cfg
	}}.separate
	recover := func(p Preset) (*Recovery, error) {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		return run(ctx, b, in, p, 1)
	}
	whole, err := recover(PaperPreset)
	if err != nil {
		t.Fatal(err)
	}

	in.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	stop = 2
	if _, err := recover(PaperPreset); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	stop, made = 0, nil
	again, err := recover(PaperPreset)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(again.Z, whole.Z) || !slices.Equal(again.Loss, whole.Loss) {
		t.Error("the interrupted separation came to other signals or losses")
	}
	if made[0] < 2 || made[len(made)-1] != 4 {
		t.Errorf("going on made iterations %v", made)
	}
	began := time.Now()
	last, err := recover(PaperPreset) // which has nothing left to make
	if took := time.Since(began); err != nil || last.Elapsed <= took {
		t.Errorf("Elapsed %v, of which %v were in the last process (%v): want the time of all", last.Elapsed, took, err)
	}

	in.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if _, err := recover(SmokePreset); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(in.Checkpoint); !os.IsNotExist(err) {
		t.Errorf("the preset %s left a checkpoint (%v)", SmokePreset, err)
	}
}

// The settings that the rivals' committed outcomes were made with are those of
// today, and no backend is among them.
func TestCommittedSettings(t *testing.T) {
	results, err := Read("../../notebooks/results", Cells)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	for name, configure := range map[string]func(compute.Backend, Signals, Preset, uint64) baseline.Method{
		"fastica": fastICA, "lica": lICA, "pcl": pCL, "ivae": iVAE,
	} {
		cell := Cell{Problem: Problem{Data: Heart, Mixing: MatrixMixing, Seed: FirstSeed}, Method: name, Preset: PaperPreset}
		o, ok := results.find(cell)
		if !ok {
			t.Errorf("%s isn't among the committed outcomes", cell)
			continue
		}
		text, err := json.Marshal(configure(b, Signals{}, PaperPreset, FirstSeed))
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
