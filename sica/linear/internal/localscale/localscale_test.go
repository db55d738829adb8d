package localscale

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

func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, shape := range [][]int{{50}, {7, 9}, {4, 5, 6}} {
		n := grid.Product(shape)
		p := past.New(shape, nil)
		r, s, space := normals(rng, n), make([]float64, n), make([]float64, n)
		const window = 13 // 27 positions: all of 3 sides of 3
		Grid(s, r, p.Sides, window, space)
		if len(shape) == 1 {
			u, fast := make([]float64, n), make([]float64, n)
			sums := make([]float64, n+1)
			for t, v := range r {
				sums[t+1] = sums[t] + math.Abs(v)
			}
			got := Sequence(u, fast, r, sums, window)
			want := MeasureSpread(u)
			if math.Abs(got.Absolute-want.Absolute) > 1e-12 || math.Abs(got.Square-want.Square) > 1e-12 ||
				math.Abs(got.LogScale-MeanLog(fast)) > 1e-15 {
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
