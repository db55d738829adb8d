package column

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestClock(t *testing.T) {
	for _, test := range []struct {
		what                 string
		time                 func(t float64) float64
		rises, even, drifted bool
		coarse               float64 // rate
	}{
		{"even", func(t float64) float64 { return t / 250 }, true, true, false, 0},
		{"rounded", func(t float64) float64 { return math.Round(t/2.5) / 100 }, true, true, false, 0},
		{"falling", func(t float64) float64 { return t/250 - math.Floor(t/900) }, false, false, false, 0},
		{"drifting", func(t float64) float64 { return t + 4*math.Sin(t/300) }, true, false, true, 0},
		{"whole seconds", func(t float64) float64 { return math.Floor(t / 10) }, true, false, false, 10},
	} {
		c := ClockOf(sequence(1000, test.time))
		if c.Rises() != test.rises || c.IsEven() != test.even || c.Drifts() != test.drifted ||
			math.Abs(c.CoarseRate()-test.coarse) > 1e-9 {
			t.Errorf("%s: rises %v, even %v, drifts %v, coarse rate %g", test.what, c.Rises(), c.IsEven(),
				c.Drifts(), c.CoarseRate())
		}
		if err := c.Uneven(2, false); (err == nil) != test.even {
			t.Errorf("%s: error %v", test.what, err)
		}
	}
}

// Large numbers are times since 1970 in a smaller unit, which the name then says.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		first, step, unit float64
		name, title       string
		start, rate       float64
	}{
		{0, 0.004, 1, "time", "time", 0, 250},
		{1.7e12, 4, 1, "t", "t (ms)", 1.7e9, 250},
		{10, 4, 1e-3, "time (ms)", "time (ms)", 0.01, 250},
		{10, 4, 1e-3, "time", "time (ms)", 0.01, 250}, // of a second header row
	} {
		c := ClockOf(sequence(100, func(t float64) float64 { return test.first + test.step*t }))
		title, start, rate := c.Describe(test.name, test.unit)
		if title != test.title || math.Abs(start-test.start) > 1e-9 || rate != test.rate {
			t.Errorf("%q in %g s: %q from %g s on at %g Hz, want %+v", test.name, test.unit, title, start,
				rate, test)
		}
	}
}

// Gaps are found, and times without them are even; those that lack nothing have none.
func TestFindGaps(t *testing.T) {
	times := sequence(100, func(t float64) float64 { return t / 250 })
	if gaps, c := FindGaps(times); gaps != nil || c != nil {
		t.Errorf("even times have the gaps %v", gaps)
	}
	lacking := slices.Concat(times[:20], times[21:50], times[60:])
	gaps, c := FindGaps(lacking)
	if !slices.Equal(gaps, Gaps{{20, 1}, {49, 10}}) || gaps.Lacking() != 11 {
		t.Fatalf("gaps %v", gaps)
	}
	if !c.IsEven() || math.Abs(c.Step()-1./250) > 1e-12 {
		t.Errorf("the step is %g", c.Step())
	}
	err := ClockOf(lacking).Uneven(2, false)
	if err == nil || !strings.HasPrefix(err.Error(), "line 51: the times have a gap of 0.044") {
		t.Errorf("error %v", err)
	}
}
