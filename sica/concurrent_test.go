package sica

import (
	"context"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// Concurrent fits on one backend, and concurrent transforms by one result, give what they give one
// after another.
func TestConcurrentFitsAreIndependent(t *testing.T) {
	x, _ := mixedAR7(t, 1, 128, 3, true)
	linear := Default()
	linear.Method = LinearOnly
	cfgs := []Config{smokes()["free"], linear}
	onBackendsOrGo(t, "concurrent", func(t *testing.T, b compute.Backend) {
		var alone []*Result
		for _, cfg := range cfgs {
			alone = append(alone, fit(t, b, x, cfg))
		}
		var group sync.WaitGroup
		for k, cfg := range cfgs {
			group.Go(func() {
				result, err := Fit(context.Background(), b, x, cfg)
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
