package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/dipole"
)

// simulate returns a short simulated EEG of a seed.
func simulate(t *testing.T, seed uint64) *SimulatedEEG {
	t.Helper()
	opt := DefaultEEG()
	opt.Seconds = 40
	e, err := SimulateEEG(newRand(seed), opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The channels are the patterns times the sources, and noise of the given size. A seed gives the
// same recording each time, and another seed another one.
func TestSimulatedEEG(t *testing.T) {
	e := simulate(t, 1)
	if !mat.Equal(e.Recording.Signals, simulate(t, 1).Recording.Signals) {
		t.Error("a seed gives two recordings")
	}
	if mat.Equal(e.Recording.Signals, simulate(t, 2).Recording.Signals) {
		t.Error("two seeds give one recording")
	}
	d, n := e.Recording.Signals.Dims()
	k, _ := e.Sources.Dims()
	if d != 32 || n != 40*128 || k != 46 || len(e.Kinds) != k || len(e.Recording.Names) != d {
		t.Fatalf("%d channels, %d samples, %d sources of %d kinds", d, n, k, len(e.Kinds))
	}
	var noise mat.Dense
	noise.Mul(e.Patterns, e.Sources)
	noise.Sub(e.Recording.Signals, &noise)
	if sd := stat.PopStdDev(noise.RawMatrix().Data, nil); math.Abs(sd-1) > 0.01 {
		t.Errorf("the noise has a standard deviation of %g µV, want 1", sd)
	}
}

// Patterns are against the channels' mean, except that of the line, and those of one dipole are
// recognised as such.
func TestSimulatedEEGPatterns(t *testing.T) {
	e := simulate(t, 3)
	residuals := dipole.NewMontage(e.Recording.Names).Residuals(e.Patterns)
	for i, kind := range e.Kinds {
		p := mat.Col(nil, i, e.Patterns)
		if math.Abs(floats.Norm(p, math.Inf(1))-1) > 1e-9 {
			t.Errorf("%s: the largest entry is %g, want 1", kind, floats.Norm(p, math.Inf(1)))
		}
		if kind != "line" && math.Abs(floats.Sum(p)) > 1e-9 {
			t.Errorf("%s: the sum is %g, want 0", kind, floats.Sum(p))
		}
		single := kind == "alpha" || kind == "background" || kind == "muscle"
		if single && residuals[i] > 0.01 || kind == "line" && residuals[i] < 0.3 {
			t.Errorf("%s, source %d: a dipole leaves %.3f over", kind, i, residuals[i])
		}
	}
	strongest := func(source int) string {
		p := mat.Col(nil, source, e.Patterns)
		floats.MulTo(p, p, p)
		return e.Recording.Names[floats.MaxIdx(p)]
	}
	for source, want := range [][]string{
		{"Fp1", "Fp2"}, {"F7", "F8"}, {"O1", "PO3"}, {"P4", "PO4"}, {"T8"},
	} {
		if got := strongest(source); !slices.Contains(want, got) {
			t.Errorf("%s are strongest in %s, want one of %s", e.Kinds[source], got, want)
		}
	}
	if fp1, fp2 := e.Patterns.At(0, 0), e.Patterns.At(1, 0); fp1 < 0.9 || fp2 < 0.9 {
		t.Errorf("blinks are %g in Fp1 and %g in Fp2, want about 1", fp1, fp2)
	}
}

// Coloured noise has variance 1, mean 0 and its power in its band.
func TestColoured(t *testing.T) {
	g := &generator{rng: newRand(4), rate: 128, n: 5000}
	x := g.coloured(band(10, 1))
	crossings := 0 // twice the mean frequency
	for t := range x[1:] {
		if x[t] < 0 != (x[t+1] < 0) {
			crossings++
		}
	}
	if hertz := float64(crossings) / 2 / (5000. / 128); math.Abs(hertz-10) > 0.5 {
		t.Errorf("a rhythm of %g Hz, want 10", hertz)
	}
	if v := stat.PopVariance(x, nil); math.Abs(v-1) > 1e-9 || math.Abs(stat.Mean(x, nil)) > 1e-9 {
		t.Errorf("variance %g and mean %g, want 1 and 0", v, stat.Mean(x, nil))
	}
}

func TestSimulateEEGErrors(t *testing.T) {
	for want, change := range map[string]func(*EEGOptions){
		`"EOG1"`:     func(o *EEGOptions) { o.Channels = append(o.Channels, "EOG1") },
		`"T3"`:       func(o *EEGOptions) { o.Channels = append(o.Channels, "T3") }, // T7
		"at least 8": func(o *EEGOptions) { o.Channels = o.Channels[:7] },
		"Rate":       func(o *EEGOptions) { o.Rate = 100 },
		"Seconds":    func(o *EEGOptions) { o.Seconds = math.NaN() },
		"values":     func(o *EEGOptions) { o.Seconds = 1e9 },
		"most":       func(o *EEGOptions) { o.Background = math.MaxInt },
		"Background": func(o *EEGOptions) { o.Background = -1 },
		"Bursts":     func(o *EEGOptions) { o.Bursts = math.Inf(1) },
	} {
		opt := DefaultEEG()
		change(&opt)
		_, err := SimulateEEG(newRand(1), opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %s", err, want)
		}
	}
	if _, err := SimulateEEG(nil, DefaultEEG()); err == nil {
		t.Error("nil rng: no error")
	}
}
