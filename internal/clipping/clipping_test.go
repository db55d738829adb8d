package clipping

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// The limit of a tenth of the positions is one on each channel, not on all together.
func TestEachChannelHasItsOwnLimit(t *testing.T) {
	const n = 1000
	x := mat.NewDense(3, n, nil)
	for k := range n {
		for i := range 3 {
			x.Set(i, k, math.Sin(float64((i+2)*k))/2)
		}
		if k/10%10 == 0 { // a tenth of the positions, in runs of ten
			x.Set(0, k, 1)
		}
		if k/8%12 == 5 { // others
			x.Set(1, k, -1)
		}
		if k%2 == 0 && k > n/2 || k/10%10 == 7 { // more
			x.Set(2, k, 1)
		}
	}
	got := Find(x)
	if !slices.Equal(got.Channels, []int{0, 1}) || len(got.Positions) < 120 || len(got.Positions) > 184 {
		t.Errorf("%+v, want channels 0 and 1", got)
	}
}

// Clipped positions are those at a limit that is met again and again. Other signals have none, nor
// have signals rounded to whole numbers, telegraphs, and what is clipped for half of the time.
func TestFind(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(3, 0))
	slow := make([]float64, n)
	for k := range slow {
		slow[k] = datasets.Laplace(rng)
	}
	for k := 1; k < n; k++ {
		slow[k] += 0.95 * slow[k-1]
	}
	changed := func(change func(k int, v float64) float64) *mat.Dense {
		x := mat.NewDense(2, n, nil)
		for k, v := range slow {
			x.Set(0, k, v)
			x.Set(1, k, change(k, v))
		}
		return x
	}
	clip := func(limit float64) *mat.Dense {
		return changed(func(_ int, v float64) float64 { return min(max(v, -limit), limit) })
	}
	limit, want := 0.0, 0
	for _, v := range slow {
		limit = max(limit, 0.4*math.Abs(v))
	}
	for _, v := range slow {
		if math.Abs(v) >= limit {
			want++
		}
	}
	same := func(_ int, v float64) float64 { return v }
	for name, test := range map[string]struct {
		x    *mat.Dense
		want int
	}{
		"not clipped": {changed(same), 0},
		"clipped":     {clip(limit), want},
		"half":        {clip(limit / 10), 0},
		"rounded":     {changed(func(_ int, v float64) float64 { return math.Round(10 * v) }), 0},
		"telegraph":   {changed(func(k int, _ float64) float64 { return float64(k / 37 % 2) }), 0},
	} {
		got := Find(test.x)
		if want := test.want > 0; len(got.Positions) != test.want || !slices.IsSorted(got.Positions) || slices.Equal(got.Channels, []int{1}) != want {
			t.Errorf("%s: %+v, want %d positions", name, got, test.want)
		}
	}
}
