package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
)

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for t := range v {
		v[t] = rng.NormFloat64()
	}
	return v
}

// A past is as long as there are positions for its weights.
func TestPast(t *testing.T) {
	for _, c := range []struct {
		shape []int
		d     int
		want  int
	}{
		{[]int{1000}, 2, maxLags},
		{[]int{120}, 2, 10},
		{[]int{120}, 10, 4},
		{[]int{100, 100}, 2, maxNeighbours},
		{[]int{20, 30, 40}, 2, 16}, // a complete shell
	} {
		if p := newPast(c.shape, c.d); len(p.Lags) != c.want {
			t.Errorf("%d signals of shape %v: %d values, want %d", c.d, c.shape, len(p.Lags), c.want)
		}
	}
}

func TestLocalScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, shape := range [][]int{{50}, {7, 9}, {4, 5, 6}} {
		n := grid.Product(shape)
		p := past.New(shape, nil)
		r, s, space := normals(rng, n), make([]float64, n), make([]float64, n)
		const window = 13 // 27 positions: all of 3 sides of 3
		localScale(s, r, p.Sides, window, space)
		if len(shape) == 1 {
			u, fast := make([]float64, n), make([]float64, n)
			sums := make([]float64, n+1)
			for t, v := range r {
				sums[t+1] = sums[t] + math.Abs(v)
			}
			got := scaleSequence(u, fast, r, sums, window)
			want := measureSpread(u)
			if math.Abs(got.absolute-want.absolute) > 1e-12 || math.Abs(got.square-want.square) > 1e-12 ||
				math.Abs(got.logScale-meanLog(fast)) > 1e-15 {
				t.Errorf("of the sequence the spread is %v, want %v", got, want)
			}
			for at, v := range fast {
				if math.Abs(v-s[at]) > 1e-12 || math.Abs(u[at]*v-r[at]) > 1e-12 {
					t.Errorf("of the sequence %g at %d, want %g", v, at, s[at])
				}
			}
		}
		h := map[int]int{1: 13, 2: 2, 3: 1}[len(shape)]
		overallMean := floats.Norm(r, 1) / float64(n)
		index := func(t int) []int {
			i := make([]int, len(shape))
			for a := len(shape) - 1; a >= 0; a-- {
				i[a], t = t%shape[a], t/shape[a]
			}
			return i
		}
		for at := range n {
			sum, count := 0.0, 0.0
			for other := range n {
				near := other != at
				for a, i := range index(at) {
					near = near && math.Abs(float64(i-index(other)[a])) <= float64(h)
				}
				if near {
					sum += math.Abs(r[other])
					count++
				}
			}
			if want := (1-overallShare)*sum/count + overallShare*overallMean; math.Abs(s[at]-want) > 1e-12 {
				t.Fatalf("shape %v: local scale %g at %d, want %g", shape, s[at], at, want)
			}
		}
	}
}
