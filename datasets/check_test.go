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

// The rate in an EDF file is the recording's, also of a few positions, or it is refused.
func TestRatesOfEDF(t *testing.T) {
	for _, test := range []struct {
		rate    float64
		d, n    int
		isValid bool
	}{
		{250.5, 1, 1, true}, {250.5, 1, 1000, true}, {44100.7, 2, 7, true}, {1e7 / 3, 1, 100, true},
		{1. / 3600, 1, 7, true}, {1e-9, 1, 7, false}, {1e300, 1, 7, false},
		{533334.9, 52, 83, false},
	} {
		path := filepath.Join(t.TempDir(), "x.edf")
		r := &Recording{Signals: mat.NewDense(test.d, test.n, nil), Rate: test.rate}
		err := WriteRecording(path, r)
		if !test.isValid {
			if err == nil || !strings.Contains(err.Error(), "Rate is ") {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", test, err)
		}
		file := readTestEDF(t, path)
		if got := file.Signals[0].Rate(file); math.Abs(got/test.rate-1) > 1e-5 {
			t.Errorf("%+v: %v Hz", test, got)
		}
	}
}
