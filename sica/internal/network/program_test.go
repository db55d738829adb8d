package network

import (
	"context"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/programs"
)

// A fit that reuses the program of another has the result that it has alone, and compiles nothing,
// also after a fit that was cancelled.
func TestPooledProgramGivesSameFit(t *testing.T) {
	_, first := leakyProblem(t, 1, 1, 512)
	_, second := leakyProblem(t, 2, 1, 600)
	o := Options{restarts: 2, layers: 2, Steps: 100, past: 2, batch: 128}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		idle = programs.NewPool((*program).finalize)
		alone := mustFit(t, b, second, o)

		idle = programs.NewPool((*program).finalize)
		mustFit(t, b, first, o)
		taken := trainingOf(t, b, first, o)
		if n := taken.trainer.Compilations(); n != 1 {
			t.Fatalf("%d compilations, want the program of the fit before", n)
		}
		taken.release()
		if after := mustFit(t, b, second, o); !reflect.DeepEqual(after, alone) {
			t.Errorf("with the program of another fit\n%+v\nby itself\n%+v", after, alone)
		}
		taken = trainingOf(t, b, second, o)
		if n := taken.trainer.Compilations(); n != 1 {
			t.Errorf("%d compilations in two fits, want 1", n)
		}
		taken.release()

		ctx, cancel := context.WithCancel(t.Context())
		o.OnProgress = func(doing string, fraction float64) {
			if doing == fitting && fraction > 0 {
				cancel()
			}
		}
		if _, err := Fit(ctx, first, with(o, b)); err == nil {
			t.Fatal("no error of a fit that was cut short")
		}
		o.OnProgress = nil
		if after := mustFit(t, b, second, o); !reflect.DeepEqual(after, alone) {
			t.Errorf("after a fit that was cut short\n%+v\nby itself\n%+v", after, alone)
		}
		taken = trainingOf(t, b, second, o)
		if n := taken.trainer.Compilations(); n != 1 {
			t.Errorf("%d compilations, want the program of the fit that was cut short", n)
		}
		taken.release()
	})
}

// trainingOf is the training of a fit to x, before its first step.
func trainingOf(t *testing.T, b compute.Backend, x *mat.Dense, o Options) *training {
	t.Helper()
	w, _, err := whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	o.Backend = b
	o = o.withDefaults(x.Dims())
	z := apply(t, w, x)
	index, err := o.index(t.Context(), []*mat.Dense{z})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTraining(t.Context(), []*problem{{whitened: z}}, index, o)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return tr
}
