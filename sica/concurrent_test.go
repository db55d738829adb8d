package sica

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// The goroutine of Fit calls OnProgress, one call at a time, also while networks are trained in
// another.
func TestOnProgressIsCalledByFit(t *testing.T) {
	goroutine := func() string { // its number begins a stack
		stack := make([]byte, 64)
		number, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), " [")
		return number
	}
	x, _ := mixedAR7(t, 1, 128, 2, true)
	cfg := Direct()
	cfg.NetworkSteps = 10
	caller, seen := goroutine(), map[string]bool{}
	cfg.OnProgress = func(_ int, doing string, _ float64) {
		seen[doing] = true
		if g := goroutine(); g != caller {
			t.Errorf("%q: called by %s, not by %s of Fit", doing, g, caller)
		}
	}
	ctx, cancel := context.WithCancel(t.Context()) // one that can end: networks are then trained apart
	defer cancel()
	if _, err := Fit(ctx, x, cfg); err != nil || len(seen) < 2 {
		t.Errorf("%v, error %v", seen, err)
	}
}

// Concurrent fits on one backend, and concurrent transforms by one result, give what they give one
// after another.
func TestConcurrentFitsAreIndependent(t *testing.T) {
	x, _ := mixedAR7(t, 1, 128, 3, true)
	linear := Default()
	linear.Mode = LinearOnly
	cfgs := []Config{smokes()["free"], linear}
	onBackendsOrGo(t, "concurrent", func(t *testing.T, b compute.Backend) {
		var alone []*Result
		for _, cfg := range cfgs {
			alone = append(alone, fit(t, b, x, cfg))
		}
		var group sync.WaitGroup
		for k, cfg := range cfgs {
			group.Go(func() {
				result, err := Fit(context.Background(), x, cfg.On(b))
				if err != nil || !mat.Equal(result.Z, alone[k].Z) {
					t.Errorf("fit %d differs from that alone, %v", k, err)
				}
			})
			group.Go(func() {
				z, err := alone[k].Transform(x)
				if err != nil || largestDifference(z, alone[k].Z) > 1e-5 {
					t.Errorf("transform %d differs, %v", k, err)
				}
			})
		}
		group.Wait()
	})
}
