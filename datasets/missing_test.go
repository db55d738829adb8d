package datasets

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/edf"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// Numbers that programs write for missing values are named, and filled in or left out if asked, also
// of float32, in one channel of several, and where channels are chosen by name. Large signals and rare
// large values are none.
func TestNumbersForMissingValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		code, scale float64
		at          []int
		isCode      bool
	}{
		{-1.6375e30, 100, []int{3, 17, 18, 90}, true},
		{9.969209968386869e36, 1, []int{3, 17}, true},
		{float64(float32(1e20)), 1e-6, []int{5}, true},
		{-1e30, 1, []int{0, 1, 2, 99}, true},
		{1e20, 1e3, []int{50, 52, 54}, true},
		{-math.MaxFloat32, 1, []int{50, 51}, true},
		{math.MinInt16, 1000, []int{2, 4, 6}, true},
		{float64(float32(-9999.99)), 100, []int{2, 4}, true},
		{math.MinInt16, 3000, []int{2, 4}, true},
		{9999, 800, []int{2, 4}, false},
		{1e20, 1e18, []int{50}, false},
		{math.MinInt16, 10_000, []int{2, 4}, false},
		{-9999, 1, []int{2}, false},
		{500, 1, []int{2, 3}, false},
	} {
		x := mat.NewDense(3, 100, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return c.scale * rng.NormFloat64() }, x)
		for _, k := range c.at {
			x.Set(1, k, c.code)
		}
		path := t.TempDir() + "/x.npy"
		if err := WriteFile(path, x); err != nil {
			t.Fatal(err)
		}
		for _, o := range []ReadOptions{{}, {Signals: []string{"a", "b", "c"}}} {
			if _, err := o.Recording(path); (err != nil) != c.isCode {
				t.Errorf("%g among %g: error %v", c.code, c.scale, err)
			}
		}
		r, err := ReadOptions{Missing: MissingInterpolate}.Recording(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		if c.isCode {
			want = c.at
		}
		var filled []int
		for _, s := range r.Interpolated {
			filled = append(filled, grid.Range(s.End)[s.Begin:]...)
		}
		if !slices.Equal(filled, want) {
			t.Errorf("%g among %g: filled in %v, want %v", c.code, c.scale, filled, want)
		}
	}
}

// Leaving positions out doesn't turn a clock or a counter into a signal.
func TestDropJudgesColumnsBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(4, 400, nil)
	for k := range 400 {
		x.SetCol(k, []float64{float64(k), rng.NormFloat64(), 2015 + float64(k)/365.25, rng.NormFloat64()})
		if k%90 < 45 || rng.IntN(3) == 0 {
			x.Set(1, k, math.NaN())
		}
	}
	columns := &reading{
		Recording: &Recording{Signals: x, Names: []string{"nr", "a", "decyear", "b"}},
	}
	r, err := columns.finish(&ReadOptions{Missing: MissingDrop})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Names, []string{"a", "b"}) {
		t.Errorf("signals %q", r.Names)
	}
}

// What is said of many columns is one note: codes, constants, and what several files say.
func TestNotesOfManyColumns(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(20, 100, nil)
	x.Apply(func(i, k int, _ float64) float64 {
		switch {
		case i < 8:
			return 7
		case k == 3 || k == 40:
			return -9999
		}
		return rng.NormFloat64()
	}, x)
	var paths []string
	for _, name := range []string{"a.npy", "b.npy", "c.npy"} {
		paths = append(paths, dir+"/"+name)
		if err := WriteFile(dir+"/"+name, x); err != nil {
			t.Fatal(err)
		}
	}
	o := ReadOptions{Missing: MissingInterpolate}
	r, err := o.Recording(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := r.Signals.Dims(); d != 12 || len(r.Notes) != 3 || len(r.Aside) != 8 {
		t.Errorf("%d signals, notes %q", d, r.Notes)
	}
	if r, err = o.Recordings(paths...); err != nil || len(r.Notes) != 4 {
		t.Errorf("of three files %q, %v", r.Notes, err)
	}
}

// Positions that are left out are left out of signals of other rates, too, and events move with what
// they are at. EDF files that are written have both.
func TestDropMovesEventsAndOtherRates(t *testing.T) {
	const rate, n = 10., 400
	isLeftOut := func(t int) bool { return 100 <= t && t < 130 || t == 250 }
	slow := func(second float64) float64 { return 50 * math.Sin(2*math.Pi*second/20) }
	f := &edf.File{Format: edf.EDFPlus, RecordSeconds: 1, Signals: []edf.Signal{
		{Label: "a", PerRecord: 10}, {Label: "b", PerRecord: 10},
		{Label: "slow", PerRecord: 2}, {Label: "fast", PerRecord: 40},
	}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range f.Signals {
		s := &f.Signals[i]
		s.PhysicalMin, s.PhysicalMax, s.DigitalMin, s.DigitalMax = -32768, 32767, -32768, 32767
		for k := range n * s.PerRecord / 10 {
			v := float64(rng.IntN(200) - 100)
			switch {
			case s.Label == "a" && isLeftOut(k):
				v = -9999
			case s.Label == "slow":
				v = slow(float64(k) / 2)
			}
			s.Values = append(s.Values, v)
		}
	}
	f.Annotations = []edf.Annotation{
		{Onset: 9.5, Duration: -1, Text: "before"}, {Onset: 9.5, Duration: 0.5, Text: "up to it"},
		{Onset: 9, Duration: 2, Text: "into it"}, {Onset: 10, Duration: -1, Text: "at its first"},
		{Onset: 11, Duration: 1, Text: "in it"}, {Onset: 12.5, Duration: 2.5, Text: "out of it"},
		{Onset: 13, Duration: -1, Text: "behind it"}, {Onset: 9, Duration: 6, Text: "over it"},
		{Onset: 30.25, Duration: -1, Text: "behind both"},
	}
	want := []Event{
		{9.5, -1, "before"}, {9.5, 0.5, "up to it"}, {9, 1, "into it"}, {9, 3, "over it"},
		{10, 2, "out of it"}, {10, -1, "behind it"}, {27.15, -1, "behind both"},
	}
	var file bytes.Buffer
	if err := edf.Write(&file, f); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.edf")
	put(t, path, file.Bytes())
	r, err := ReadOptions{Missing: MissingDrop}.Recording(path)
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b Event) bool {
		return a.Text == b.Text && math.Abs(a.Onset-b.Onset) < 1e-9 &&
			math.Abs(a.Duration-b.Duration) < 1e-9
	}
	if !slices.EqualFunc(r.Events, want, same) {
		t.Errorf("events %v, want %v", r.Events, want)
	}
	var kept []int
	for k := range n {
		if !isLeftOut(k) {
			kept = append(kept, k)
		}
	}
	if len(r.OtherRates) != 2 {
		t.Fatalf("signals of other rates: %v", r.OtherRates)
	}
	resampled := Resample(r.OtherRates[0].Values, len(kept))
	for i, k := range kept {
		isInside := 50 < k && k < n-50
		if got, want := resampled[i], slow(float64(k)/rate); isInside && math.Abs(got-want) > 1 {
			t.Fatalf("at %g s the slow signal is %g, want %g", float64(k)/rate, got, want)
		}
		fast := r.OtherRates[1].Values[4*i : 4*i+4]
		if want := f.Signals[3].Values[4*k : 4*k+4]; !slices.Equal(fast, want) {
			t.Fatalf("at %g s the fast signal is %v, want %v", float64(k)/rate, fast, want)
		}
	}
	out := filepath.Join(t.TempDir(), "out.edf")
	if err := WriteRecording(out, r); err != nil {
		t.Fatal(err)
	}
	back := readTestEDF(t, out)
	if len(back.Signals) != 4 || len(back.Annotations) != len(want) {
		t.Errorf("written: %d signals and %d annotations", len(back.Signals), len(back.Annotations))
	}
}
