package sica

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Clipped positions are those at a limit that is met again and again. Other signals have none, nor
// have signals rounded to whole numbers, telegraphs, images, and what is clipped for half of the time.
func TestClippedPositions(t *testing.T) {
	const n = 4000
	slow := noise(rng(3), 1, n, datasets.Laplace).RawRowView(0)
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
	whole, err := grid.New(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	image, err := grid.New([]int{50, 80}, n)
	if err != nil {
		t.Fatal(err)
	}
	same := func(_ int, v float64) float64 { return v }
	for name, test := range map[string]struct {
		x    *mat.Dense
		g    *grid.Grid
		want int
	}{
		"not clipped": {changed(same), whole, 0},
		"clipped":     {clip(limit), whole, want},
		"image":       {clip(limit), image, 0},
		"half":        {clip(limit / 10), whole, 0},
		"rounded":     {changed(func(_ int, v float64) float64 { return math.Round(10 * v) }), whole, 0},
		"telegraph":   {changed(func(k int, _ float64) float64 { return float64(k / 37 % 2) }), whole, 0},
	} {
		if got := clippedPositions(test.x, test.g); got != test.want {
			t.Errorf("%s: %d positions, want %d", name, got, test.want)
		}
	}
}

// No network is fitted to clipped voices, whose linear separation is good.
func TestClippedVoicesAreSeparatedLinearly(t *testing.T) {
	s := voices(t, rng(4), 3, 8000)
	d, n := s.Dims()
	mixing := mat.NewDense(d, d, nil)
	mixing.Apply(func(i, j int, _ float64) float64 { return 1 / (1 + math.Abs(float64(i-j))) }, mixing)
	var x mat.Dense
	x.Mul(mixing, s)
	for i := range d {
		row := x.RawRowView(i)
		limit := 0.0
		for _, v := range row {
			limit = max(limit, 0.6*math.Abs(v))
		}
		for k, v := range row {
			row[k] = min(max(v, -limit), limit)
		}
	}
	g, err := grid.New(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(t.Context(), nil, &x, Default())
	if err != nil {
		t.Fatal(err)
	}
	m, err := metric.MCC(r.Z, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clipped positions; MCC %.4f; %s", clippedPositions(&x, g), m.MCC, r.Why)
	if !strings.Contains(r.Why, "none can undo clipping") || r.Network != nil || m.MCC < 0.95 {
		t.Errorf("MCC %.4f: %s", m.MCC, r.Why)
	}
}
