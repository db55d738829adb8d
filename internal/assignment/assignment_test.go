package assignment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// largest is the largest sum over all assignments of the rows from the first on to the columns not yet
// used.
func largest(value *mat.Dense, first int, used []bool) float64 {
	if rows, _ := value.Dims(); first == rows {
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

func TestMaxAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for d := 1; d <= 6; d++ {
		for trial := range 100 {
			m := d + trial/2%3 // columns
			value := mat.NewDense(d, m, nil)
			value.Apply(func(int, int, float64) float64 {
				if trial%2 == 0 { // with ties
					return float64(rng.IntN(4))
				}
				return rng.NormFloat64()
			}, value)
			columns := Max(value)
			if distinct := slices.Compact(slices.Sorted(slices.Values(columns))); len(distinct) != d {
				t.Fatalf("%v of %v isn't one to one", columns, mat.Formatted(value))
			}
			sum := 0.0
			for i, j := range columns {
				sum += value.At(i, j)
			}
			if want := largest(value, 0, make([]bool, m)); math.Abs(sum-want) > 1e-12 {
				t.Fatalf("%v of %v has the sum %g, the largest is %g", columns, mat.Formatted(value), sum,
					want)
			}
		}
	}
}

// The largest value of all, 9, is not in the best assignment.
func TestMaxIsNotGreedy(t *testing.T) {
	value := mat.NewDense(2, 2, []float64{
		9, 8,
		7, 0,
	})
	if got, want := Max(value), []int{1, 0}; !slices.Equal(got, want) {
		t.Errorf("assigned %v, want %v", got, want)
	}
}
