package sica

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// breaking are ways in which a function of the caller's stops, with a part of the error.
var breaking = map[string]func(){
	"mine":                          func() { panic("mine") },
	"own":                           func() { panic(errors.New("own")) },
	"runtime error: invalid memory": func() { **new(*int) = 1 },
	"exited its goroutine":          runtime.Goexit,
}

// A custom is a transform and a candidate that calls its functions.
type custom struct{ name, fit, apply func() }

func (c custom) Name() string { c.name(); return "mine" }

func (c custom) Apply(x *mat.Dense) (*mat.Dense, error) { c.apply(); return x, nil }

func (c custom) Invert(z *mat.Dense) (*mat.Dense, error) { return z, nil }

func (c custom) LogDet(x *mat.Dense) ([]float64, error) {
	_, n := x.Dims()
	return make([]float64, n), nil
}

type customFitter struct{ custom }

func (c customFitter) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) {
	c.fit()
	return c.custom, nil
}

type customMethod struct{ custom }

func (c customMethod) Fit(_ context.Context, x *ica.Signals) (*ica.Model, error) {
	c.fit()
	return &ica.Model{Signals: x.X(), Map: c.custom}, nil
}

// soonFit fits, and fails the test if that takes more than 20 seconds. An exit of the goroutine is
// an error.
func soonFit(t *testing.T, x *mat.Dense, cfg Config) (r *Result, err error) {
	t.Helper()
	b := backendtest.Open(t, backend.Go)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // so that work has a goroutine
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = errors.New("the goroutine exited its goroutine")
		r, err = Fit(ctx, x, cfg.On(b))
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("hangs")
	}
	return r, err
}

// A function of the caller's that panics with anything, or exits its goroutine, ends the fit with
// an error that names it. Callbacks may exit the goroutine of Fit.
func TestPanicsOfCallersAreErrors(t *testing.T) {
	x, _ := mixedAR7(t, 1, 128, 3, true)
	never := func() {}
	for want, stop := range breaking {
		for name, change := range map[string]func(*Config){
			"Flow.Network": func(c *Config) {
				first := 0
				c.Flow.Network = func(scope *model.Scope, x *graph.Node, outputs int) *graph.Node {
					if first == 0 {
						first = x.Shape().Dim(1)
					} else if x.Shape().Dim(1) != first { // when it is compiled to evaluate
						stop()
					}
					return layers.MLP(scope, x).Hidden(8).Outputs(outputs).Done()
				}
			},
			"Flow.NewOptimizer": func(c *Config) {
				c.Flow.NewOptimizer = func() optimizer.Interface { stop(); return nil }
			},
			"Flow.OnIteration": func(c *Config) { c.Flow.OnIteration = func(int, klflow.Iteration) { stop() } },
			"Flow.Stop": func(c *Config) {
				c.Flow.Stop = func(int, klflow.Iteration) bool { stop(); return true }
			},
			"OnProgress": func(c *Config) {
				*c = Direct().Smoke()
				c.OnProgress = func(int, string, float64) { stop() }
			},
			"sica.customMethod: Name": func(c *Config) {
				c.Mode, c.Transforms = LinearOnly, nil
				c.Candidates = []ica.Method{customMethod{custom{stop, never, never}}}
			},
			"Fit":                func(c *Config) { c.Prepare = customFitter{custom{never, stop, never}} },
			"sica.custom: Apply": func(c *Config) { c.Prepare = customFitter{custom{never, never, stop}} },
		} {
			cfg := smokes()["window"]
			change(&cfg)
			r, err := soonFit(t, x, cfg)
			if err == nil || r != nil || !strings.Contains(err.Error(), want) ||
				want != "exited its goroutine" && want != "own" && !strings.Contains(err.Error(), name+" ") {
				t.Errorf("%s: %v, result %v, want %q", name, err, r != nil, want)
			}
		}
	}
}

// A candidate that panics has failed, and the others are compared.
func TestPanickingCandidateHasFailed(t *testing.T) {
	x, _ := mixedAR7(t, 1, 128, 3, true)
	never := func() {}
	for want, stop := range breaking {
		for place, broken := range []custom{{never, stop, never}, {never, never, stop}} {
			cfg := Default()
			cfg.Mode = LinearOnly
			cfg.Candidates = []ica.Method{customMethod{broken}, fastica.Default()}
			r, err := soonFit(t, x, cfg)
			if err != nil {
				t.Errorf("%s %d: %v", want, place, err)
				continue
			}
			got := fmt.Sprint(r.Candidates[1].Failed, r.Candidates[2].Failed)
			if !strings.Contains(got, want) || !r.Candidates[2].Compared {
				t.Errorf("%s %d: %+v", want, place, r.Candidates)
			}
		}
	}
}
