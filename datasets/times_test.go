package datasets

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// gappy returns a table of 200 positions at 100 Hz whose times, in the format of clock, lack those
// of lacking.
func gappy(header string, clock func(t float64) string, lacking ...Stretch) string {
	var text strings.Builder
	text.WriteString(header + "\n")
	for k := range 200 {
		isLacking := func(s Stretch) bool { return k >= s.Begin && k < s.End }
		if !slices.ContainsFunc(lacking, isLacking) {
			fmt.Fprintf(&text, "%s,%g,%d\n", clock(5+float64(k)/100), math.Sin(float64(k*k)), k*k%17)
		}
	}
	return text.String()
}

func writeText(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Gaps in the times are filled in with the positions that they lack, or passed over.
func TestGapsInTimes(t *testing.T) {
	number := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	jitter := func(v float64) string { return fmt.Sprintf("%.4f", v+0.004*math.Sin(1e4*v)) }
	date := func(v float64) string {
		return time.Unix(0, int64(math.Round(v*1e3))*1e6).UTC().Format("2006-01-02 15:04:05.000")
	}
	one, two := Stretch{50, 85}, Stretch{120, 130}
	for name, c := range map[string]struct {
		text    string
		lacking []Stretch
	}{
		"one gap":          {gappy("time,a,b", number, one), []Stretch{one}},
		"two":              {gappy("time,a,b", number, one, two), []Stretch{one, two}},
		"single positions": {gappy("time,a,b", number, Stretch{9, 10}, Stretch{20, 21}, Stretch{30, 31}, Stretch{40, 41}, Stretch{50, 51}, Stretch{60, 61}), []Stretch{{9, 10}, {20, 21}, {30, 31}, {40, 41}, {50, 51}, {60, 61}}},
		"jitter":           {gappy("time,a,b", jitter, one), []Stretch{one}},
		"dates":            {gappy("Date,a,b", date, one), []Stretch{one}},
	} {
		path := writeText(t, c.text)
		if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), "fill the gap in (MissingInterpolate") && name != "single positions" {
			t.Errorf("%s: error %v", name, err)
		}
		r, err := ReadOptions{Missing: MissingInterpolate}.Recording(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d, n := r.Signals.Dims(); d != 2 || n != 200 || math.Abs(r.Rate-100) > 0.2 ||
			!slices.Equal(r.Interpolated, c.lacking) || r.Signals.At(0, 199) != math.Sin(199*199) {
			t.Errorf("%s: %d×%d at %g Hz, filled in %v", name, d, n, r.Rate, r.Interpolated)
		}
		out := filepath.Join(t.TempDir(), "out.csv")
		if err := WriteRecording(out, r); err != nil {
			t.Fatal(err)
		}
		again, err := ReadRecording(out)
		if err != nil || !mat.Equal(again.Signals, r.Signals) {
			t.Errorf("%s, written: %v", name, err)
		}
		r, err = ReadOptions{Missing: MissingDrop}.Recording(path)
		if err != nil {
			t.Errorf("%s, dropped: %v", name, err)
			continue
		}
		lost := 0
		for _, s := range c.lacking {
			lost += s.End - s.Begin
		}
		if _, n := r.Signals.Dims(); n != 200-lost || math.Abs(r.Rate-100) > 0.2 || r.Interpolated != nil ||
			!strings.Contains(strings.Join(r.Notes, "\n"), "later times are earlier") {
			t.Errorf("%s, dropped: %d positions at %g Hz, notes %q", name, n, r.Rate, r.Notes)
		}
	}
}

// What isn't a recording with gaps stays an error, and so does a gap longer than the recording.
func TestOtherGaps(t *testing.T) {
	twoRates := "time,a\n"
	for k := range 60 {
		twoRates += fmt.Sprintf("%g,%d\n", float64(k)+float64(max(0, k-30))*1.4, k*k%7)
	}
	long := "time,a\n0,1\n1,2\n2,1\n3,2\n4,1\n5,3\n16,2\n"
	for text, want := range map[string]string{twoRates: "aren't evenly spaced", long: "it lacks 10 of 17 positions"} {
		_, err := ReadOptions{Missing: MissingInterpolate}.Recording(writeText(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A column of times with a gap isn't a signal under another name either.
func TestGapUnderAnotherName(t *testing.T) {
	for _, format := range []string{"%.2f", "%.3f"} {
		clock := func(v float64) string { return fmt.Sprintf(format, v+0.003*math.Sin(1e4*v)) }
		path := writeText(t, gappy("progress,a,b", clock, Stretch{50, 85}))
		r, err := ReadRecording(path)
		if err != nil || !slices.Equal(r.Names, []string{"a", "b"}) ||
			!strings.Contains(strings.Join(r.Notes, "\n"), "but for gaps") {
			t.Errorf("%+v, error %v", r, err)
		}
		s, err := OpenStream(path)
		if err != nil || !slices.Equal(s.About().Names, []string{"a", "b"}) {
			t.Errorf("in blocks: error %v", err)
		}
	}
	var slow strings.Builder // signals that never fall, either at random steps or faster and faster
	slow.WriteString("a,b,c\n")
	level := 0.0
	for k := range 200 {
		level += math.Abs(math.Tan(float64(k * k)))
		fmt.Fprintf(&slow, "%g,%g,%d\n", level, math.Exp(float64(k)/20), k*k%17)
	}
	if r, err := ReadRecording(writeText(t, slow.String())); err != nil || len(r.Names) != 3 {
		t.Errorf("slow signals: %+v, error %v", r, err)
	}
}
