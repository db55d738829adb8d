package start

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/network"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// What isn't known replaces only what isn't either.
func TestTaken(t *testing.T) {
	apart := &linear.Findings{Groups: [][]int{{0}, {1}, {2}}}
	together := &linear.Findings{Groups: [][]int{{0}, {1, 2}}}
	fitted := func(agreement float64, gains ...float64) *network.Model {
		m := &network.Model{Agreement: agreement, Agreeing: 2}
		for _, g := range gains {
			m.PastGain = append(m.PastGain, Difference{Mean: g, SE: .01})
		}
		return m
	}
	alone := fitted(1, .2, .3, .2)
	alone.Agreeing = 0
	rotated := fitted(.9, .2, .3, .2)
	rotated.Groups = [][]int{{0, 2}}
	white := fitted(.99, .2, .02, .2)
	white.Groups = [][]int{{0, 1}}
	for _, test := range []struct {
		name                   string
		network                *network.Model
		overKnown, overUnknown bool
	}{
		{"known", fitted(.99, .2, .3, .2), true, true},
		{"one is white", fitted(.99, .2, .02, .2), false, true},
		{"one is white, and of any rotation", white, false, true},
		{"others recovered other signals", fitted(.9, .2, .3, .2), false, true},
		{"others recovered others, and of any rotation", rotated, false, false},
		{"no other is as good", alone, false, true},
	} {
		for _, in := range []struct {
			place string
			start int
			found *linear.Findings
			want  bool
		}{
			{"an identified demixing", linearStart, apart, test.overKnown},
			{"one with a group", linearStart, together, test.overUnknown},
			{"conditional normalisation", conditionalStart, apart, test.overUnknown},
		} {
			if got := taken(test.network, in.start, in.found); got != in.want {
				t.Errorf("%s, in the place of %s: %v, want %v", test.name, in.place, got, in.want)
			}
		}
	}
}

// Starts behind a caller's transforms that aren't linear have the Jacobian of each position,
// and conditional normalisation comes behind them too, but not twice.
func TestStartsBehindTransforms(t *testing.T) {
	x := mixed(t, 5)
	_, n := x.Dims()
	g, err := grid.New(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		transforms []preprocess.Transform
		linear     bool // both of the first two are
		starts     int
	}{
		{nil, true, 3},
		{[]preprocess.Transform{preprocess.Standardise}, true, 3},
		{[]preprocess.Transform{preprocess.Gaussianise}, false, 3},
		{[]preprocess.Transform{preprocess.Conditional}, false, 2},
	} {
		c := chooser{Options{Transforms: test.transforms, Rule: AnyRule, Shape: g.Shape()}, nil, x, g}
		white, err := c.whiten(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		linear, err := c.demix(t.Context(), white)
		if err != nil {
			t.Fatal(err)
		}
		starts, err := c.starts(t.Context(), x, white, linear, c.networkOptions())
		if err != nil {
			t.Fatalf("%v: %v", test.transforms, err)
		}
		if len(starts.all) != test.starts {
			t.Fatalf("%v: %d starts, want %d", test.transforms, len(starts.all), test.starts)
		}
		for k, s := range starts.compared[:2] {
			if (len(s.LogDet) == 1) != test.linear {
				t.Errorf("%v: start %d has %d log-determinants", test.transforms, k, len(s.LogDet))
			}
		}
		if test.starts == 3 {
			want := append(slices.Clone(test.transforms), preprocess.Conditional)
			if got := starts.all[conditionalStart].Taken.Start; !slices.Equal(got, want) {
				t.Errorf("%v: the third start is %v, want %v", test.transforms, got, want)
			}
		}
	}
}

// What networks are compared on is spread over all of a long recording.
func TestPart(t *testing.T) {
	const n = 100_000
	x := mat.NewDense(1, n, nil)
	for k := range n {
		x.Set(0, k, float64(k))
	}
	y := part(x)
	_, positions := y.Dims()
	if positions != comparedBlocks*comparedBlock || y.At(0, 0) != 0 || y.At(0, positions-1) != n-1 {
		t.Errorf("%d positions from %g to %g", positions, y.At(0, 0), y.At(0, positions-1))
	}
	seams := 0
	for k := 1; k < positions; k++ {
		if y.At(0, k) != y.At(0, k-1)+1 {
			seams++
		}
	}
	if seams != comparedBlocks-1 {
		t.Errorf("%d seams, want %d", seams, comparedBlocks-1)
	}
	if short := mat.NewDense(1, 500, nil); part(short) != short {
		t.Error("a short one was cut")
	}
}

// voices are n positions of d of the four voices.
func voices(t *testing.T, rng *rand.Rand, d, n int) *mat.Dense {
	t.Helper()
	v, err := datasets.Voices()
	if err != nil {
		t.Fatal(err)
	}
	of, all := v.Signals.Dims()
	from := rng.IntN(all - n + 1)
	s := mat.NewDense(d, n, nil)
	for i, voice := range rng.Perm(of)[:d] {
		s.SetRow(i, v.Signals.RawRowView(voice)[from:from+n])
	}
	if s, err = preprocess.Apply(s, preprocess.Standardise); err != nil {
		t.Fatal(err)
	}
	return s
}

// Two voices that are loud at the same times, by chance, call for a network, but to one who knows
// that voices stay loud for a while the linear demixing is the shorter description.
func TestLoudTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if backend.NameOf(b) == backend.Go {
		t.Skip("minutes in pure Go")
	}
	// Mixture 809 of voice-2-linear in scripts/nonlinear, which a network took before: .991.
	rng := rand.New(rand.NewPCG(809, 0x6973ea240ab74ac6))
	s := voices(t, rng, 2, 4000)
	x, err := datasets.LayeredMix(rng, s, 0, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Choose(t.Context(), b, x, Options{Rule: AnyRule, Seed: 809})
	if err != nil {
		t.Fatal(err)
	}
	match, err := metric.MCC(found.Z, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("MCC %.4f. %s", match.MCC, found.Why)
	if len(found.Candidates) < 2 {
		t.Error("no network was asked")
	}
	if found.Network != nil || match.MCC < .999 {
		t.Errorf("MCC %.4f. %s", match.MCC, found.Why)
	}
}

// Of voices with silences, whose positions repeat, conditional normalisation isn't the
// shorter description: all starts are compared with the same noise. It was by nats without
// bound, at the point that the silence is.
func TestSilence(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(8, 0))
	s := mat.NewDense(2, n, nil)
	for i := range 2 {
		v := 0.
		for k := range n {
			v = .9*v + rng.ExpFloat64()*math.Copysign(1, rng.Float64()-.5)
			if on := k < n/3 || i == 0 && k > 2*n/3; on { // both are silent in the middle third
				s.Set(i, k, v)
			}
		}
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{.6, .3, .35, .6}), s)
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	c := chooser{Options{Rule: AnyRule, Shape: g.Shape()}, nil, x, g}
	white, err := c.whiten(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	linear, err := c.demix(t.Context(), white)
	if err != nil {
		t.Fatal(err)
	}
	starts, err := c.starts(t.Context(), x, white, linear, c.networkOptions())
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := network.Choose(t.Context(), starts.compared, c.networkOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range chosen.Candidates {
		t.Logf("%s: %.3f nats a position", starts.compared[of.Start].Name, of.CodeLength)
	}
	if chosen.Start != linearStart {
		t.Errorf("%s is the shortest description", starts.compared[chosen.Start].Name)
	}
}
