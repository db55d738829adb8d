package files

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// ramp is a recording of 100 positions at 10 Hz, whose value is the position.
func ramp() (blockwise.Source, *datasets.Recording) {
	x := mat.NewDense(1, 100, nil)
	for t := range 100 {
		x.Set(0, t, float64(t))
	}
	return blockwise.InMemory{Dense: x}, &datasets.Recording{Rate: 10, Events: []datasets.Event{
		{Onset: 3, Duration: 0.5, Text: "BAD_blink"}, {Onset: 7, Duration: -1, Text: "bad"},
		{Onset: 5, Duration: 1, Text: "stimulus"},
	}}
}

// The first piece has nothing left out: one of the length that is asked for or, without, the longest.
func TestFirstPiece(t *testing.T) {
	for skip, want := range map[string][3]int{
		"": {0, 20, 0}, "11-12,41-42": {10, 30, 12}, "1-90": {0, 10, 90}, "11-20,31-40,56-100": {20, 35, 40},
	} {
		x, about := ramp()
		o := Fitting{Skip: strings.FieldsFunc(skip, func(r rune) bool { return r == ',' })}
		fitted, err := o.Apply(t.Context(), x, about)
		if err != nil {
			t.Fatal(err)
		}
		if begin, end, where := FirstPiece(fitted.Source, 20); [3]int{begin, end, where} != want {
			t.Errorf("--skip %q: %d to %d, at %d; want %v", skip, begin, end, where, want)
		}
	}
}

// Stretches are skipped by times, positions and annotations, whatever the blocks.
func TestSkip(t *testing.T) {
	for text, c := range map[string]struct{ skipped, err string }{
		"1s-2s":          {"10-19", ""},
		"1.05s-2s":       {"11-19", ""},
		"90-100":         {"89-99", ""},
		"90-200":         {"", "from 1 to 100"},
		"1-1":            {"0-0", ""},
		"1s-2s,15-25":    {"10-24", ""},
		"1s-2s,41-42":    {"10-19 40-41", ""},
		"Bad":            {"30-34 70-70", ""},
		"stim,1-2,9s-1m": {"0-1 50-59 90-99", ""},
		"99s-100s":       {"", "from 0 s to 10 s"},
		"2s-1s":          {"", "the earlier first"},
		"10s":            {"", "two times"},
		"0-5":            {"", "from 1 to 100"},
		"5":              {"", "from 1 to 100"},
		"eyes":           {"", `begins so (the first are ["BAD_blink"`},
		"1-100":          {"", "0 of 100 positions are left"},
	} {
		x, about := ramp()
		o := Fitting{Skip: strings.Split(text, ",")}
		fitted, err := o.Apply(t.Context(), x, about)
		if c.err != "" || err != nil {
			if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", text, err, c.err)
			}
			continue
		}
		skipped := make([]bool, 100)
		for i := range skipped {
			skipped[i] = true
		}
		_, n := fitted.Source.Dims()
		first := 100
		var where []int // in the recording
		for z, err := range fitted.Source.Blocks(7) {
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range z.RawRowView(0) {
				first = min(first, int(v))
				where = append(where, int(v))
				skipped[int(v)] = false
				n--
			}
		}
		for k, position := range blockwise.Positions(fitted.Source, len(where)) {
			if position != where[k] {
				t.Errorf("%s: position %d is %d of the recording, want %d", text, k, position, where[k])
			}
		}
		if _, _, begin := FirstPiece(fitted.Source, 1); begin != first {
			t.Errorf("%s: begins at %d, want %d", text, begin, first)
		}
		var got []string
		for begin := 0; begin < 100; begin++ {
			end := begin
			for end < 100 && skipped[end] {
				end++
			}
			if end > begin {
				got = append(got, fmt.Sprintf("%d-%d", begin, end-1))
				begin = end
			}
		}
		if strings.Join(got, " ") != c.skipped || n != 0 || len(fitted.Notes) != 1 {
			t.Errorf("%s: skipped %q, want %q; %d positions amiss; notes %q", text, got, c.skipped, n,
				fitted.Notes)
		}
	}
}

// A stretch that is skipped doesn't reach what is filtered beside it.
func TestFilterAndSkip(t *testing.T) {
	x := mat.NewDense(1, 2000, nil)
	for k := range 2000 {
		x.Set(0, k, math.Sin(float64(k)))
		if k >= 900 && k < 950 {
			x.Set(0, k, 1e6)
		}
	}
	o := Fitting{Filter: filter.Filter{Highpass: 1}, Skip: []string{"901-950"}, rate: 100}
	fitted, err := o.Apply(t.Context(), blockwise.InMemory{Dense: x}, &datasets.Recording{})
	if err != nil {
		t.Fatal(err)
	}
	for z := range fitted.Source.Blocks(2000) {
		if top := mat.Max(z); top > 1.5 {
			t.Errorf("a value of %g is left", top)
		}
	}
	notes := fitted.Notes
	if len(notes) != 2 || !strings.Contains(notes[0], "high-pass at 1 Hz") || x.At(0, 920) != 1e6 {
		t.Errorf("notes %q", notes)
	}
	o.rate = 0
	_, err = o.Apply(t.Context(), blockwise.InMemory{Dense: x}, &datasets.Recording{})
	if err == nil || !strings.Contains(err.Error(), "use --rate") {
		t.Errorf("without a rate: %v", err)
	}
}

// Stretches at which no channel changes are left out where that is asked for.
func TestPauses(t *testing.T) {
	x := mat.NewDense(2, 1000, nil)
	for k := range 1000 {
		if k < 300 || k >= 500 {
			x.SetCol(k, []float64{math.Sin(float64(k)), 7}) // the other channel never changes
		}
	}
	for t := 600; t < 650; t++ {
		x.SetCol(t, []float64{1, 2}) // too short
	}
	o := Fitting{LeaveOutGaps: true, Skip: []string{"490-510"}}
	fitted, err := o.Apply(t.Context(), blockwise.InMemory{Dense: x}, &datasets.Recording{})
	if err != nil {
		t.Fatal(err)
	}
	notes := fitted.Notes
	if _, n := fitted.Source.Dims(); n != 790 ||
		!strings.Contains(notes[1], "no channel changes at 301-500") {
		t.Errorf("%d positions are left, notes %q", n, notes)
	}
	o = Fitting{LeaveOutGaps: true}
	still := blockwise.InMemory{Dense: mat.NewDense(2, 1000, nil)}
	if fitted, err := o.Apply(t.Context(), still, &datasets.Recording{}); err != nil ||
		fitted.Notes != nil || fitted.Source != blockwise.Source(still) {
		t.Errorf("of a recording that never changes something is left out: %q, %v", fitted.Notes, err)
	}
}

// After a low-pass filter fewer positions are learned from where that is asked for; they are those
// that are left of the skipped ones.
func TestThin(t *testing.T) {
	x, about := ramp() // 100 positions at 10 Hz
	o := Fitting{Thin: true, Filter: filter.Filter{Lowpass: 1}, Skip: []string{"1-20"}}
	fitted, err := o.Apply(t.Context(), x, about)
	if err != nil {
		t.Fatal(err)
	}
	notes := fitted.Notes
	if _, n := fitted.Source.Dims(); n != 20 || len(notes) != 3 ||
		!strings.Contains(notes[2], "1 position in 4 was kept") {
		t.Errorf("%d positions, notes %q", n, notes)
	}
	if got := blockwise.Positions(fitted.Source, 20); got[0] != 20 || got[1] != 24 || got[19] != 96 {
		t.Errorf("they are at %v of the recording, want 20, 24, … 96", got)
	}
	// Interpolated positions don't shift those after them.
	gaps := *about
	gaps.Interpolated = []datasets.Stretch{{Begin: 41, End: 43}, {Begin: 44, End: 45}}
	o.LeaveOutGaps = true
	fitted, err = o.Apply(t.Context(), x, &gaps)
	if err != nil {
		t.Fatal(err)
	}
	notes = fitted.Notes
	if got := blockwise.Positions(fitted.Source, 19); got[5] != 40 || got[6] != 48 || got[18] != 96 ||
		notes[2] != "left out of learning: 3 positions with interpolated values" {
		t.Errorf("they are at %v of the recording, want 20, …, 40, 48, … 96; notes %q", got, notes)
	}
	o.Thin = false
	fitted, err = o.Apply(t.Context(), x, about)
	if err != nil {
		t.Fatal(err)
	}
	if _, n := fitted.Source.Dims(); n != 80 || len(fitted.Notes) != 2 {
		t.Errorf("all: %d positions, notes %q", n, fitted.Notes)
	}
}

// Only what learns from a recording notes flat channels, with and without a filter: inspect doesn't
// repeat what the fit noted or left out.
func TestFlatIsNotedOnce(t *testing.T) {
	x := mat.NewDense(2, 1000, nil)
	for k := range 1000 {
		x.SetCol(k, []float64{float64(k % 7), float64(max(k, 300) % 5)})
	}
	for _, f := range []filter.Filter{{}, {Highpass: 1}} {
		for _, learns := range []bool{false, true} {
			o := Fitting{Filter: f, LeaveOutGaps: learns, rate: 100}
			fitted, err := o.Apply(t.Context(), blockwise.InMemory{Dense: x}, &datasets.Recording{})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(fitted.Notes, " ")
			if strings.Contains(said, "doesn't change") != learns {
				t.Errorf("%v, learns %v: notes %q", f, learns, fitted.Notes)
			}
		}
	}
}

// A channel that keeps a value for a second is named with its times, outside what is skipped.
func TestFlatNote(t *testing.T) {
	const n, rate = 1000, 100
	x := mat.NewDense(2, n, nil)
	for k := range n {
		x.SetCol(k, []float64{float64(k % 7), float64(k % 5)})
	}
	for k := 300; k < 420; k++ {
		x.Set(1, k, 4)
	}
	about := &datasets.Recording{Names: []string{"Fp1", "C3"}, Rate: rate}
	note := flatNote(x, nil, about)
	if !strings.HasPrefix(note, "C3 doesn't change from 2.99 s to 4.19 s: --skip") {
		t.Errorf("%q", note)
	}
	for _, skipped := range []stretch{{Begin: 250, End: 420}, {Begin: 330, End: 350}} {
		if note := flatNote(x, []stretch{skipped}, about); note != "" {
			t.Errorf("with %v skipped: %q", skipped, note)
		}
	}
}

// A channel that is at its limits for more than a tenth of the time is named, unless it has two values.
func TestLimitNote(t *testing.T) {
	const n = 1000
	x := mat.NewDense(3, n, nil)
	for k := range n {
		wave := math.Sin(float64(k) / 20)
		x.SetCol(k, []float64{wave, min(max(wave, -0.8), 0.8), float64(k / 30 % 2)})
	}
	about := &datasets.Recording{Names: []string{"Fp1", "C3", "switch"}}
	if note := limitNote(x, nil, about); !strings.Contains(note, "for long: C3 (41 %); leave out") {
		t.Errorf("%q", note)
	}
	if note := limitNote(x, []stretch{{Begin: 0, End: n}}, about); note != "" {
		t.Errorf("without positions: %q", note)
	}
}
