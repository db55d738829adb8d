package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func simulateFetal(t *testing.T, seed uint64) *SimulatedFetalECG {
	t.Helper()
	e, err := SimulateFetalECG(newRand(seed), DefaultFetalECG())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The leads are the patterns times the sources, and noise of the given size. The mother's heart is
// larger at the chest than at the abdomen, and the child's is small and the other way round.
func TestSimulatedFetalECG(t *testing.T) {
	for seed := range uint64(5) {
		e := simulateFetal(t, seed)
		if !mat.Equal(e.Recording.Signals, simulateFetal(t, seed).Recording.Signals) {
			t.Error("a seed gives two recordings")
		}
		var noise mat.Dense
		noise.Mul(e.Patterns, e.Sources)
		noise.Sub(e.Recording.Signals, &noise)
		if sd := stat.PopStdDev(noise.RawMatrix().Data, nil); math.Abs(sd-2) > 0.02 {
			t.Errorf("the noise has a standard deviation of %g µV, want 2", sd)
		}
		size := func(from, to int, leads ...int) (largest float64) { // of the sum of sources
			var x mat.Dense
			_, n := e.Sources.Dims()
			x.Mul(e.Patterns.Slice(0, 8, from, to), e.Sources.Slice(from, to, 0, n))
			for _, i := range leads {
				largest = max(largest, floats.Norm(x.RawRowView(i), math.Inf(1)))
			}
			return largest
		}
		abdomen, chest := []int{0, 1, 2, 3, 4}, []int{5, 6, 7}
		if here, there := size(0, 3, chest...), size(0, 3, abdomen...); here < 300 || here > 1500 ||
			there < 30 || there > here/3 {
			t.Errorf("the mother's heart is %.0f µV at the chest and %.0f at the abdomen", here, there)
		}
		if here, there := size(3, 4, abdomen...), size(3, 4, chest...); math.Abs(here-50) > 5 ||
			there > here/2 {
			t.Errorf("the child's heart is %.0f µV at the abdomen and %.0f at the chest", here, there)
		}
	}
}

// Beats are where the R waves are, as many as hearts have, and the mother's three sources are those
// of a dipole that turns.
func TestFetalBeats(t *testing.T) {
	for seed := range uint64(5) {
		e := simulateFetal(t, seed)
		for _, c := range []struct {
			times       []float64
			source      int
			least, most int
		}{{e.Mother, 0, 68, 92}, {e.Child, 3, 117, 163}} {
			if k := len(c.times); k < c.least || k > c.most || !slices.IsSorted(c.times) {
				t.Errorf("%s: %d beats in a minute, want %d to %d", e.Kinds[c.source], k, c.least, c.most)
			}
			row := e.Sources.RawRowView(c.source)
			highest := floats.Max(row)
			for _, at := range c.times {
				p := int(math.Round(at * e.Recording.Rate))
				if p < len(row) && row[p] < 0.7*highest {
					t.Errorf("%s: %.1f µV at a beat, of %.1f", e.Kinds[c.source], row[p], highest)
				}
			}
		}
		var svd mat.SVD
		_, n := e.Sources.Dims()
		if !svd.Factorize(e.Sources.Slice(0, 3, 0, n), mat.SVDNone) {
			t.Fatal("no singular values")
		}
		if v := svd.Values(nil); v[2] < 0.02*v[0] {
			t.Errorf("the mother's sources have singular values %.1f", v)
		}
	}
}

func TestSimulateFetalECGErrors(t *testing.T) {
	for want, change := range map[string]func(*FetalECGOptions){
		"Rate":    func(o *FetalECGOptions) { o.Rate = 100 },
		"Seconds": func(o *FetalECGOptions) { o.Seconds = math.NaN() },
		"values":  func(o *FetalECGOptions) { o.Seconds = 1e9 },
		"Noise":   func(o *FetalECGOptions) { o.Noise = -1 },
	} {
		opt := DefaultFetalECG()
		change(&opt)
		if _, err := SimulateFetalECG(newRand(1), opt); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %s", err, want)
		}
	}
	if _, err := SimulateFetalECG(nil, DefaultFetalECG()); err == nil {
		t.Error("nil rng: no error")
	}
}
