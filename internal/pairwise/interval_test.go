package pairwise

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// The dependence of short signals is within its interval: 0 for independent signals, and for
// rotated ones the value of a long sample.
func TestDependenceIntervalCovers(t *testing.T) {
	const trials, positions = 40, 512
	measure := func(seed uint64, n int, angle float64) (estimate, low, high float64) {
		white, err := mapping.Whitened(noise(newRand(seed), 2, n, datasets.Uniform))
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		var rotated mat.Dense
		rotated.Mul(rotation.Plane(angle), white)
		a, err := Analyse(t.Context(), &rotated, g)
		if err != nil {
			t.Fatal(err)
		}
		worst, err := a.Worst(t.Context(), JackknifeBlocks)
		if err != nil {
			t.Fatal(err)
		}
		low, high = a.Interval(worst, seed)
		return worst.Total(), low, high
	}
	for _, angle := range []float64{0, math.Pi / 8} {
		truth, _, _ := measure(1, 1<<15, angle)
		if angle == 0 && truth > 5e-3 {
			t.Fatalf("independent signals depend by %g", truth)
		}
		covered := 0
		for k := range trials {
			// The estimate is of all positions without a block, and so lower.
			_, low, high := measure(uint64(100+k), positions, angle)
			if low <= truth && truth <= high {
				covered++
			}
		}
		if share := float64(covered) / trials; share < 0.85 {
			t.Errorf("angle %.2f: %.3f of the intervals cover %.4f", angle, share, truth)
		}
	}
}
