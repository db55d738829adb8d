package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// cheapest returns the smallest total cost over all assignments of the rows
// from the first on to the columns not yet used.
func cheapest(cost [][]float64, first int, used []bool) float64 {
	if first == len(cost) {
		return 0
	}
	best := math.Inf(1)
	for j, c := range cost[first] {
		if !used[j] {
			used[j] = true
			best = min(best, c+cheapest(cost, first+1, used))
			used[j] = false
		}
	}
	return best
}

func TestAssignAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for d := 1; d <= 6; d++ {
		for trial := range 100 {
			cost := make([][]float64, d)
			for i := range cost {
				cost[i] = make([]float64, d)
				for j := range cost[i] {
					cost[i][j] = rng.NormFloat64()
					if trial%2 == 0 { // with ties
						cost[i][j] = float64(rng.IntN(4))
					}
				}
			}
			columns := assign(cost)
			var total float64
			for i, j := range columns {
				total += cost[i][j]
			}
			sorted := slices.Sorted(slices.Values(columns))
			for j := range d {
				if sorted[j] != j {
					t.Fatalf("assign(%v) = %v is not a permutation", cost, columns)
				}
			}
			if want := cheapest(cost, 0, make([]bool, d)); math.Abs(total-want) > 1e-12 {
				t.Fatalf("assign(%v) = %v costs %g, the cheapest %g", cost, columns, total, want)
			}
		}
	}
}

func TestAssignIsNotGreedy(t *testing.T) {
	// The smallest cost of all, 0, is not in the best assignment.
	cost := [][]float64{
		{0, 1},
		{2, 9},
	}
	if got, want := assign(cost), []int{1, 0}; !slices.Equal(got, want) {
		t.Errorf("assign = %v, want %v", got, want)
	}
}
