package datasets

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A recording with an invalid field is written to no format, and the error says which field it is
// and what is valid.
func TestInvalidRecordings(t *testing.T) {
	z := mat.NewDense(2, 300, nil)
	for k := range 300 {
		z.Set(0, k, math.Sin(float64(k)))
	}
	event := func(onset, duration float64) []Event { return []Event{{onset, duration, "blink"}} }
	for _, test := range []struct {
		r     Recording
		error string
	}{
		{Recording{Names: []string{"a"}}, "Names: 1 for 2 signals; must be one for each"},
		{Recording{Units: []string{}}, "Units: 0 for 2 signals; must be one for each"},
		{Recording{Places: []int{0, 1, 2}}, "Places: 3 for 2 signals; must be one for each"},
		{Recording{Places: []int{0, -1}}, "Places: signal 2 has -1; must be at least 0"},
		{Recording{Aside: []Column{{Name: "n", Place: -2}}}, "Aside: column 1 has Place -2; must be"},
		{Recording{Rate: -1}, "Rate is -1; must be finite and at least 0"},
		{Recording{Rate: math.Inf(1)}, "Rate is +Inf; must be"},
		{Recording{Start: math.NaN()}, "Start is NaN; must be finite"},
		{Recording{Highpass: math.NaN()}, "Highpass is NaN; must be"},
		{Recording{Events: event(math.NaN(), 1)},
			"Events: event 1 has Onset NaN and Duration 1; must be finite"},
		{Recording{Events: event(1, math.Inf(1))},
			"Events: event 1 has Onset 1 and Duration +Inf; must be finite"},
	} {
		for _, ending := range []string{".csv", ".npy", ".wav", ".edf", ".bdf"} {
			dir, r := t.TempDir(), test.r
			if r.Signals = z; r.Rate == 0 {
				r.Rate = 250
			}
			err := WriteRecording(filepath.Join(dir, "x"+ending), &r)
			if err == nil || !strings.Contains(err.Error(), ": "+test.error) {
				t.Errorf("%s: %v, want %q", ending, err, test.error)
			}
			if left := names(t, dir); left != nil {
				t.Errorf("%s: %s: left %q", ending, test.error, left)
			}
		}
	}
}

// EDF holds a rate up to 1/100,000 even in a few positions, or says which it can't hold.
func TestRatesOfEDF(t *testing.T) {
	for rate, isValid := range map[float64]bool{
		250.5: true, 44100.7: true, 1e7 / 3: true, 1. / 3600: true, 1e-9: false, 1e300: false,
	} {
		for _, n := range []int{1, 7, 1000} {
			path := filepath.Join(t.TempDir(), "x.edf")
			err := WriteRecording(path, &Recording{Signals: mat.NewDense(1, n, nil), Rate: rate})
			if !isValid {
				if err == nil || !strings.Contains(err.Error(), "must be one of EDF's data records") {
					t.Errorf("%g Hz, %d positions: %v", rate, n, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			file := readTestEDF(t, path)
			if got := file.Signals[0].Rate(file); math.Abs(got/rate-1) > 1e-5 {
				t.Errorf("%g Hz, %d positions: %v Hz", rate, n, got)
			}
		}
	}
}
