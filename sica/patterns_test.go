package sica

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// surplusMixture returns seven autoregressive sources in four channels: strong blinks, mixed by 30,
// 27, 3 and 0, and six of the background.
func surplusMixture(seed uint64, n int) (blinks []float64, x *mat.Dense) {
	r := rng(seed)
	s := noise(r, 7, n, datasets.Laplace)
	for i := range 7 {
		row := s.RawRowView(i)
		for k := 1; k < n; k++ {
			row[k] += 0.15 * float64(i) * row[k-1]
		}
	}
	blinks = s.RawRowView(0)
	clear(blinks)
	for begin := r.IntN(200); begin+80 < n; begin += 150 + r.IntN(400) {
		for k := range 80 {
			blinks[begin+k] = math.Pow(math.Sin(math.Pi*float64(k)/80), 2)
		}
	}
	a := mat.NewDense(4, 7, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, a)
	a.SetCol(0, []float64{30, 27, 3, 0})
	x = new(mat.Dense)
	x.Mul(a, s)
	return blinks, x
}

// With more sources than channels, what is left of the channels doesn't correlate with the
// strongest signal, the blinks, or with its cube, by a pattern of one kind alone, and is their
// means if all signals are removed. The blinks' patterns are nearer to the true ones than the
// columns of A. A saved result removes the same.
func TestPatternsOfSurplusSources(t *testing.T) {
	var regressed, inverse float64 // mean distances
	weaker := 0                    // mixtures in which another signal is stronger than the blinks
	for seed := range uint64(4) {
		blinks, x := surplusMixture(seed, 6000)
		r, err := Fit(t.Context(), x, Config{Mode: LinearOnly})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Linear.Groups) == 4 {
			t.Fatalf("seed %d: all signals are identified: %s", seed, r.Why)
		}
		blink, strongest := 0, 0 // rows
		var correlation, most float64
		for i := range 4 {
			z, its := r.Z.RawRowView(i), 0.0
			for c := range 4 {
				its = max(its, math.Abs(stat.Correlation(x.RawRowView(c), z, nil)))
			}
			if its > most {
				strongest, most = i, its
			}
			if c := math.Abs(stat.Correlation(z, blinks, nil)); c > correlation {
				blink, correlation = i, c
			}
		}
		if r.moments.Heavy != blink {
			t.Errorf("seed %d: the strongest heavy-tailed signal is %d", seed, r.moments.Heavy+1)
		}
		d, err := r.Demixing()
		if err != nil {
			t.Fatal(err)
		}
		patterns, err := r.Patterns()
		if err != nil {
			t.Fatal(err)
		}
		distance := func(m *mat.Dense) float64 { // of the last channels' share of the blinks
			first := m.At(0, blink)
			return math.Hypot(m.At(2, blink)/first-0.1, m.At(3, blink)/first)
		}
		regressed, inverse = regressed+distance(patterns)/4, inverse+distance(d.Mixing)/4
		t.Logf("seed %d: %.3f, with A %.3f; weight of cubes %.2f", seed, distance(patterns),
			distance(d.Mixing), r.moments.ByCubes)
		if strongest != blink {
			weaker++ // its regression is over the strongest, too
			continue
		}
		weight := r.moments.ByCubes
		if weight < 0 || weight >= 1 {
			t.Errorf("seed %d: the weight of the pattern by cubes is %g", seed, weight)
		}
		z := slices.Clone(r.Z.RawRowView(blink))
		floats.AddConst(-stat.Mean(z, nil), z)
		cubes := make([]float64, len(z))
		for i, v := range z {
			cubes[i] = v * v * v
		}
		for byCubes, g := range [][]float64{z, cubes} {
			r.moments.ByCubes = float64(byCubes)
			clean, err := r.Remove(x, []int{blink})
			if err != nil {
				t.Fatal(err)
			}
			for c := range 4 {
				if v := stat.Correlation(clean.RawRowView(c), g, nil); math.Abs(v) > 1e-9 {
					t.Errorf("seed %d: with the weight %d channel %d correlates by %g with what was removed",
						seed, byCubes, c, v)
				}
			}
		}
		r.moments.ByCubes = weight
		clean, err := r.Remove(x, []int{blink})
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Remove(x, []int{3, 2, 1, 0})
		if err != nil {
			t.Fatal(err)
		}
		for c := range 4 {
			if sd := stat.StdDev(all.RawRowView(c), nil); sd > 1e-9 {
				t.Errorf("seed %d: without all signals channel %d varies by %g", seed, c, sd)
			}
		}
		folder := filepath.Join(t.TempDir(), "fit")
		if err := r.Save(folder); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := loaded.Remove(x, []int{strongest, strongest}); err != nil || !mat.Equal(again, clean) {
			t.Errorf("seed %d: a saved result removes something else; %v", seed, err)
		}
	}
	if weaker > 1 {
		t.Errorf("another signal is stronger than the blinks in %d of 4 mixtures, want at most 1", weaker)
	}
	if regressed > 0.8*inverse {
		t.Errorf("the mean distance from the true pattern is %.3f, and %.3f with A; want at most 0.8 of it", regressed, inverse)
	}
}

// If all signals are identified the patterns are the columns of A; a nonlinear result has none.
func TestPatternsOfIdentifiedSignals(t *testing.T) {
	s, x := leads(1000)
	r := fit(t, backendtest.Open(t, backend.Go), x, Default())
	d, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	if patterns, err := r.Patterns(); err != nil || len(r.Linear.Groups) != 4 || !mat.Equal(patterns, d.Mixing) {
		t.Errorf("%s: the patterns aren't the columns of A; %v", r.Why, err)
	}
	cfg := FastWGF()
	cfg.Transforms, cfg.Flow = []preprocess.Transform{preprocess.Conditional}, nil
	if _, err := fit(t, backendtest.Open(t, backend.Go), s, cfg).Patterns(); !errors.Is(err, ErrNotLinear) {
		t.Errorf("of a nonlinear result: %v", err)
	}
}

// As few positions as a method takes have patterns, also of a heavy-tailed signal.
func TestPatternsOfFewPositions(t *testing.T) {
	heavy := 0
	for n := minPositions; n < 24; n++ {
		x := mixed(t, noise(rng(uint64(n)), 2, n, (*rand.Rand).ExpFloat64), 1, false)
		r, err := Fit(t.Context(), x, Config{Mode: LinearOnly})
		if err != nil {
			t.Fatalf("%d positions: %v", n, err)
		}
		if _, err := r.Patterns(); err != nil {
			t.Errorf("%d positions: %v", n, err)
		}
		if n < 20 && r.moments != nil && r.moments.Heavy >= 0 {
			heavy++
		}
	}
	if heavy == 0 {
		t.Error("no signal is heavy-tailed")
	}
}

// What the linear rule doesn't identify says nothing of the signals that a flow made of its own: their
// patterns are the columns of A, as those of a flow alone.
func TestPatternsAfterAFlow(t *testing.T) {
	_, x := surplusMixture(1, 600)
	r := fit(t, nil, x, Config{Mode: LinearOnly, Flow: FastWGF().Flow}.Smoke())
	if r.Best == 0 || len(r.Linear.Groups) == 4 {
		t.Fatalf("best %d, groups %v", r.Best, r.Linear.Groups)
	}
	d, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := r.Patterns()
	if err != nil {
		t.Fatal(err)
	}
	if r.Moments() != nil || !mat.Equal(patterns, d.Mixing) {
		t.Errorf("moments %v; patterns %v, want %v", r.Moments(), patterns, d.Mixing)
	}
}
