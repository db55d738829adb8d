package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/linear"
)

// Signals are numbered by the share of the channels' variance that they explain, whatever the units of
// the channels: with all positions, with a part of them, and with noise in the models.
func TestOrderByShare(t *testing.T) {
	const d = 4
	for name, test := range map[string]struct {
		positions int
		noise     float64 // in standard deviations of each channel
	}{
		"all": {2000, 0}, "part": {20_000, 0}, "noise": {4000, 0.2},
	} {
		s := laplaceProcesses(3, test.positions, 0.1, 0.4, 0.7, 0.9)
		rng := rand.New(rand.NewPCG(4, 9))
		a, x := mat.NewDense(d, d, nil), new(mat.Dense)
		units := []float64{1, 1e-3, 50, 1} // of the channels
		a.Apply(func(i, j int, _ float64) float64 {
			return rng.NormFloat64() * float64(j+1) * units[i] // the last source is the strongest
		}, a)
		x.Mul(a, s)
		for i := range d {
			row := x.RawRowView(i)
			noise := test.noise * floats.Norm(row, 2) / math.Sqrt(float64(len(row)))
			for p := range row {
				row[p] += noise * rng.NormFloat64()
			}
		}
		sol := separate(t, x, linear.Config{Seed: 1})
		var mixing mat.Dense
		if err := mixing.Inverse(sol.Demixing); err != nil {
			t.Fatal(err)
		}
		z := recovered(sol, x)
		shares := make([]float64, d)
		for j := range d {
			for i := range d {
				contribution := mixing.At(j, i) * floats.Norm(z.RawRowView(i), 2) /
					floats.Norm(x.RawRowView(j), 2)
				shares[i] += contribution * contribution / d
			}
		}
		slices.Reverse(shares)
		if !slices.IsSorted(shares) {
			t.Errorf("%s: the shares are, from the last signal on, %.3f", name, shares)
		}
	}
}

// A recovered signal has the same sign whatever the seed and the order of the channels: that of the
// channels where it is strongest.
func TestSignsAreOfTheData(t *testing.T) {
	const d = 4
	s := laplaceProcesses(5, 3000, 0.1, 0.4, 0.7, 0.9)
	rng := rand.New(rand.NewPCG(6, 9))
	a, x, reversed := mat.NewDense(d, d, nil), new(mat.Dense), mat.NewDense(d, 3000, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	x.Mul(a, s)
	for i := range d {
		reversed.SetRow(i, x.RawRowView(d-1-i))
	}
	z := recovered(separate(t, x, linear.Config{Seed: 1}), x)
	other := recovered(separate(t, reversed, linear.Config{Seed: 2}), reversed)
	for i := range d {
		if c := stat.Correlation(z.RawRowView(i), other.RawRowView(i), nil); c < 0.99 {
			t.Errorf("signal %d correlates by %.3f with that of another seed and order", i+1, c)
		}
	}
}

// An order that isn't one of the signals panics with what would be valid.
func TestReorderedRefusesOtherOrders(t *testing.T) {
	f := &linear.Findings{Groups: [][]int{{0, 2}, {1}}}
	for _, order := range [][]int{nil, {0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}} {
		reason := func() (reason any) {
			defer func() { reason = recover() }()
			linear.Reordered(f, order)
			return nil
		}()
		if text, _ := reason.(string); !strings.HasSuffix(text, "must have each of the signals [0 1 2] once") {
			t.Errorf("%v: panic %v", order, reason)
		}
	}
	if got := linear.Reordered(f, []int{2, 0, 1}).Groups; len(got) != 2 || !slices.Equal(got[0], []int{0, 1}) {
		t.Errorf("groups %v", got)
	}
	if none := (*linear.Findings)(nil); none.Identified(0) || linear.Reordered(none, nil) != nil {
		t.Error("findings of nil")
	}
}
