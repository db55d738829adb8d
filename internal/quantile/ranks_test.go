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
