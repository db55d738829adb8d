package column

import (
	"math"
	"slices"
	"testing"
)

// The name of a column of times says its unit, in brackets or behind a sign.
func TestTimeUnit(t *testing.T) {
	for _, c := range []struct {
		name, unit string
		seconds    float64
		isTime     bool
	}{
		{"time", "", 1, true}, {"Time (ms)", "", 1e-3, true}, {"t [s]", "", 1, true},
		{"time_us", "", 1e-6, true}, {"Time,s", "", 1, true}, {"Run 1: Elapsed Time", "", 1, true},
		{"'Time (s) Run 1'", "", 1, true}, {"millis", "", 1e-3, true}, {"time", "[ms]", 1e-3, true},
		{"time", "volt", 1, false}, {"Fp1", "", 1, false}, {"Fp1 (ms)", "", 1e-3, false},
	} {
		if seconds, isTime := TimeUnit(c.name, c.unit); seconds != c.seconds || isTime != c.isTime {
			t.Errorf("%q, %q: %g s, %t; want %g s, %t", c.name, c.unit, seconds, isTime, c.seconds, c.isTime)
		}
	}
}

func TestRoundRate(t *testing.T) {
	for rate, want := range map[float64]float64{
		249.99999: 250, 249.9: 249.9, 0.4: 0.4, 1e-9: 1e-9, math.Inf(1): math.Inf(1),
	} {
		if got := RoundRate(rate); got != want {
			t.Errorf("%g is rounded to %g, want %g", rate, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	if got := DistinctNames([]string{"a", "b", "a"}); !slices.Equal(got, []string{"a", "b", "a (2)"}) {
		t.Errorf("distinct names are %q", got)
	}
	if !IsMarker("EEG Trig-1") || IsMarker("Striggers") {
		t.Error("a word of the name decides whether it is one of markers")
	}
	if got := Name(nil, 1) + Name([]string{"a", "b"}, 1); got != "column 2b" {
		t.Errorf("named %q", got)
	}
}

// Columns of which the same is said share a note if they are many.
func TestNotes(t *testing.T) {
	var notes Notes
	for _, name := range []string{"a", "b", "c", "d"} {
		notes.Add(name, "is text")
	}
	notes.Add("e", "is empty")
	want := []string{`4 columns, such as "a", "b", "c": each is text`, `"e" is empty`}
	if got := notes.List(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
