package quantile

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// The order is that of a stable sort, for all signs and sizes, equal values and zeros of both signs.
func TestOrderIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, n := range []int{0, 1, 2, 1000, 5000} {
		row := make([]float64, n)
		for k := range row {
			switch k % 4 {
			case 0:
				row[k] = math.Copysign(0, rng.NormFloat64())
			case 1:
				row[k] = math.Round(10 * rng.NormFloat64())
			case 2:
				row[k] = rng.NormFloat64() * math.Exp(300*rng.NormFloat64())
			case 3:
				row[k] = rng.NormFloat64()
			}
		}
		want := make([]int, n)
		for k := range want {
			want[k] = k
		}
		sort.SliceStable(want, func(i, j int) bool { return row[want[i]] < row[want[j]] })
		if got := Order(row); !slices.Equal(got, want) {
			t.Errorf("the order of %d values isn't that of a stable sort", n)
		}
	}
}

func BenchmarkOrder(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 0))
	row := make([]float64, 38400)
	for k := range row {
		row[k] = rng.NormFloat64()
	}
	for b.Loop() {
		Order(row)
	}
}

// The k-th smallest value is at place k of the sorted ones, of random and of few different values.
func TestSelectAgainstSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 2, 3, 10, 1000} {
		for _, levels := range []float64{1, 3, 1e9} {
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Floor(levels * rng.Float64())
			}
			sorted := slices.Sorted(slices.Values(values))
			for _, k := range []int{0, n / 3, n / 2, n - 1} {
				if got := Select(values, k); got != sorted[k] { // of those reordered before, too
					t.Errorf("n = %d, %g levels: value %d is %g, want %g", n, levels, k, got, sorted[k])
				}
			}
			if k := n / 2; Select(sorted, k) != Select(values, k) {
				t.Errorf("n = %d, %g levels: another median of sorted values", n, levels)
			}
		}
	}
}
