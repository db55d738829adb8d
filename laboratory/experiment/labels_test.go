package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A recording of the labels is its sources, and the noise of its channels: a regression on them
// leaves a deviation of 1 µV. Each of the sources that datasets.SimulateEEG hasn't is in some.
func TestLabelRecordingsAreTheirSources(t *testing.T) {
	k := labelledEEG{channels: 8, background: 2, bursts: 0.5}
	drawn := map[string]bool{}
	for seed := range uint64(4) {
		recording, sources, err := k.draw(rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		x := recording.Signals
		d, n := x.Dims()
		design := mat.NewDense(n, len(sources), nil)
		for j, s := range sources {
			design.SetCol(j, s.rows[0])
			drawn[s.label] = true
		}
		var weights, left mat.Dense
		if err := weights.Solve(design, x.T()); err != nil {
			t.Fatal(err)
		}
		left.Mul(design, &weights)
		left.Sub(x.T(), &left)
		for i := range d {
			if sd := stat.StdDev(mat.Col(nil, i, &left), nil); math.Abs(sd-1) > 0.05 {
				t.Errorf("seed %d: %.3f µV are left in channel %d", seed, sd, i)
			}
		}
	}
	for _, kind := range []string{"heartbeat", "drift", "one electrode"} {
		if !drawn[kind] {
			t.Errorf("%s is in none", kind)
		}
	}
	if c := spreadChannels(8); len(slices.Compact(slices.Sorted(slices.Values(c)))) != 8 {
		t.Errorf("channels %v", c)
	}
}

// Of signals that are two sources rotated, each has the cosine of the angle with one source, and
// both together are the two.
func TestSourceCorrelation(t *testing.T) {
	p := Problem{Seed: 1, Mixture: noisePrefix + "Laplace AR(1), d=4, noise 0"}
	sources, _, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	z := mat.DenseCopyOf(sources)
	sin, cos := math.Sincos(0.5)
	_, n := z.Dims()
	rotation := mat.NewDense(2, 2, []float64{cos, -sin, sin, cos})
	for i := range 2 { // of variance 1
		sd := stat.StdDev(z.RawRowView(i), nil)
		for k := range n {
			z.Set(i, k, z.At(i, k)/sd)
		}
	}
	pair := z.Slice(0, 2, 0, n).(*mat.Dense)
	pair.Mul(rotation, mat.DenseCopyOf(pair))
	for _, c := range []struct {
		group []int
		want  float64
	}{{[]int{0}, cos}, {[]int{3}, 1}, {[]int{0, 1}, 1}, {[]int{0, 3}, cos}} {
		got, err := sourceCorrelation(z, sources, c.group)
		if err != nil || math.Abs(got-c.want) > 0.05 {
			t.Errorf("%v: %.3f, want %.3f; error %v", c.group, got, c.want, err)
		}
	}
}
