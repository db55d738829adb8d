package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Samples of EyeLink have names by their eyes and the rate of their times; blinks lack values, and lines
// of events between them aren't lost positions.
func TestEyeLink(t *testing.T) {
	var text strings.Builder
	text.WriteString("** CONVERTED FROM a.edf using edf2asc\n** DATE: Mon\n\nMSG\t99 !CAL\nSTART\t5000 \tLEFT\tRIGHT" +
		"\tSAMPLES\tEVENTS\nSAMPLES\tGAZE\tLEFT\tRIGHT\tRATE\t 500.00\tTRACKING\tCR\tFILTER\t2\n")
	for k := range 100 {
		if k%20 == 5 {
			fmt.Fprintf(&text, "MSG\t%d trial %d\nEFIX L %d %d 20 1.5 2.5 900\n", 5000+2*k, k, k, k+9)
		}
		if k == 30 {
			fmt.Fprintf(&text, "%d\t   .\t   .\t    0.0\t 7.5\t 8.5\t 600.0\t.C...\n", 5000+2*k)
			continue
		}
		fmt.Fprintf(&text, "%d\t %d.5\t %d.25\t 9%d.0\t %d.5\t %d.5\t 6%d.0\t.....\n", 5000+2*k, k*k%17, k*k%13,
			k*7%90+10, k*k%11, k*k%19, k*5%80+10)
	}
	path := filepath.Join(t.TempDir(), "a.asc")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), `("left x")`) {
		t.Errorf("with a blink: %v", err)
	}
	r, err := ReadOptions{Missing: MissingInterpolate}.Recording(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"left x", "left y", "left pupil", "right x", "right y", "right pupil"}
	if _, n := r.Signals.Dims(); !slices.Equal(r.Names, want) || r.Rate != 500 || r.Start != 5 || n != 100 {
		t.Errorf("%q at %g Hz from %g s, %d positions", r.Names, r.Rate, r.Start, n)
	}
	if r.Signals.At(3, 31) != 31*31%11+0.5 || !slices.Equal(r.Interpolated, []Stretch{{30, 31}}) {
		t.Errorf("%g, filled in %v", r.Signals.At(3, 31), r.Interpolated)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "15 lines of messages and events") {
		t.Errorf("notes %q", notes)
	}
	for _, other := range []string{"1 2 3\n4 5 6\n", "", "SAMPLES GAZE LEFT\n", "SAMPLES LEFT\n1 2 3 4\n2 3 4\n"} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRecording(path); err == nil {
			t.Errorf("%q: %v", other, r)
		}
	}
}

func FuzzReadEyeLink(f *testing.F) {
	f.Add("SAMPLES GAZE LEFT RIGHT\n1 2.5 . 3 4 5 6 ...\nMSG 1\n2 2.5 1 3 4 5 6 ...\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := formatOf(".asc").read(strings.NewReader(text))
		if err != nil {
			checkError(t, err)
		} else if _, _, err := checkSignals(r.Signals); err != nil {
			t.Error(err)
		}
	})
}
