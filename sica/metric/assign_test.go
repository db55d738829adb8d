package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// largest is the largest sum over all assignments of the rows from the first on to
// the columns not yet used.
func largest(value *mat.Dense, first int, used []bool) float64 {
	if first == len(used) {
		return 0
	}
	best := math.Inf(-1)
	for j, v := range value.RawRowView(first) {
		if !used[j] {
			used[j] = true
			best = max(best, v+largest(value, first+1, used))
			used[j] = false
		}
	}
	return best
}

func TestMaxAssignmentAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for d := 1; d <= 6; d++ {
		for trial := range 100 {
			value := mat.NewDense(d, d, nil)
			value.Apply(func(int, int, float64) float64 {
				if trial%2 == 0 { // with ties
					return float64(rng.IntN(4))
				}
				return rng.NormFloat64()
			}, value)
			columns := maxAssignment(value)
			for j, column := range slices.Sorted(slices.Values(columns)) {
				if column != j {
					t.Fatalf("%v of %v is not a permutation", columns, mat.Formatted(value))
				}
			}
			sum := 0.0
			for i, j := range columns {
				sum += value.At(i, j)
			}
			if want := largest(value, 0, make([]bool, d)); math.Abs(sum-want) > 1e-12 {
				t.Fatalf("%v of %v has the sum %g, the largest is %g", columns, mat.Formatted(value), sum, want)
			}
		}
	}
}

// The largest value of all, 9, is not in the best assignment.
func TestMaxAssignmentIsNotGreedy(t *testing.T) {
	value := mat.NewDense(2, 2, []float64{
		9, 8,
		7, 0,
	})
	if got, want := maxAssignment(value), []int{1, 0}; !slices.Equal(got, want) {
		t.Errorf("assigned %v, want %v", got, want)
	}
}
