package sica

import (
	"context"
	"errors"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// A fit whose context ends while a program is compiled returns its result so far at once. The
// program is compiled in the background; the next fit waits for it and uses it, unless its own
// context ends before.
func TestDeadlineWhileCompiling(t *testing.T) {
	x, _ := mixedAR7(t, 1, 64, 3, true)
	fast := smokes()["window"]
	for name, fitOf := range map[string]func(context.Context, compute.Backend) (*mat.Dense, error){
		"network": func(ctx context.Context, b compute.Backend) (*mat.Dense, error) {
			return signalsOf(Fit(ctx, x, Config{Mode: NetworkOnly, NetworkSteps: 50}.On(b)))
		},
		"flow": func(ctx context.Context, b compute.Backend) (*mat.Dense, error) {
			return signalsOf(Fit(ctx, x, fast.On(b)))
		},
		"divergence": func(ctx context.Context, b compute.Backend) (*mat.Dense, error) {
			d, err := EstimateDivergence(ctx, x, DivergenceOptions{Backend: b, Seed: 1})
			return mat.NewDense(1, 1, []float64{d.Joint}), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			below := backendtest.Open(t, backend.Go)
			counting := backendtest.Count(below, nil)
			want, err := fitOf(t.Context(), counting)
			if err != nil {
				t.Fatal(err)
			}

			slow := backendtest.Count(below, nil)
			compiling, goOn := make(chan struct{}), make(chan struct{})
			slow.OnCompile(func(n int64) {
				if n == 1 {
					close(compiling)
					<-goOn
				}
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-compiling
				cancel()
			}()
			z, err := fitOf(ctx, slow) // hangs if it waits for the compilation
			if !errors.Is(err, context.Canceled) || z == nil {
				t.Fatalf("result %v, error %v", z, err)
			}
			short, stop := context.WithCancel(t.Context())
			stopped := make(chan error)
			go func() {
				_, err := fitOf(short, slow)
				stopped <- err
			}()
			stop()
			if err := <-stopped; !errors.Is(err, context.Canceled) {
				t.Errorf("a second fit while it is compiled: %v", err)
			}
			if n := slow.Compilations(); n != 1 {
				t.Errorf("%d compilations, want the one that hangs", n)
			}
			close(goOn)
			after, err := fitOf(t.Context(), slow)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(after, want) {
				t.Error("the fit with the program that was left behind is another than the one alone")
			}
			if got, want := slow.Compilations(), counting.Compilations(); got != want {
				t.Errorf("%d compilations in all, want the %d of one fit", got, want)
			}
		})
	}
}

// signalsOf returns the signals of a fit.
func signalsOf(r *Result, err error) (*mat.Dense, error) {
	if r == nil {
		return nil, err
	}
	return r.Z, err
}
