package column

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// sequence returns n values of a function of the position.
func sequence(n int, value func(t float64) float64) (values []float64) {
	for t := range n {
		values = append(values, value(float64(t)))
	}
	return values
}

// Reason says what can't be a signal, of 32 positions or more.
func TestReason(t *testing.T) {
	wave := func(t float64) float64 { return math.Sin(t * t) }
	for _, test := range []struct {
		what, name string
		value      func(t float64) float64
		want       string // how the reason begins; none for a signal
	}{
		{"a signal", "Fp1", wave, ""},
		{"a constant", "x", func(float64) float64 { return 3 }, "has the same value"},
		{"a counter", "x", func(t float64) float64 { return t + 7 }, "counts"},
		{"a counter that starts anew", "x", func(t float64) float64 { return math.Mod(t, 20) }, "counts"},
		{"epochs", "x", func(t float64) float64 { return math.Floor(t / 10) }, "rises by 1 now and then"},
		{"times", "x", func(t float64) float64 { return t / 250 }, "rises by the same amount"},
		{"reversed times", "x", func(t float64) float64 { return -t / 250 }, "falls by the same amount"},
		{"times that jitter", "x", func(t float64) float64 { return t + math.Sin(t*t)/3 }, "never falls"},
		{"markers", "Trigger", func(t float64) float64 { return math.Mod(t*t, 7) }, "holds markers"},
		{"a battery", "battery", wave, "says how full"},
		{"a sawtooth", "x", func(t float64) float64 { return math.Mod(t, 50) / 250 }, ""},
		{"times of epochs", "time", func(t float64) float64 { return math.Mod(t, 50) / 250 },
			"rises by the same amount and starts anew"},
	} {
		c := StatsOf(sequence(200, test.value))
		reason := c.Reason(test.name)
		if !strings.HasPrefix(reason, test.want) || (reason == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.what, reason, test.want)
		}
		short := StatsOf(sequence(minPositions-1, test.value))
		if reason := short.Reason(test.name); reason != "" {
			t.Errorf("%s, short: %q", test.what, reason)
		}
	}
}

func TestStep(t *testing.T) {
	times := StatsOf(sequence(100, func(t float64) float64 { return 4 * t }))
	for name, want := range map[string]float64{"time (ms)": 0.004, "time": 0, "Fp1": 0} {
		if got := times.Step(name); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g s, want %g s", name, got, want)
		}
	}
}

func TestMissingCode(t *testing.T) {
	values := sequence(100, math.Sin)
	c := StatsOf(values)
	if code, count := c.MissingCode(); count > 0 {
		t.Errorf("a sine has the code %g %d times", code, count)
	}
	values[3], values[50] = -999, -999
	c = StatsOf(values)
	if code, count := c.MissingCode(); code != -999 || count != 2 {
		t.Errorf("code %g, %d times", code, count)
	}
}

func TestJoints(t *testing.T) {
	var joints Joints
	c := StatsOf(nil)
	for k, time := range sequence(2500, func(t float64) float64 { return math.Mod(t, 1250) / 250 }) {
		joints.Observe(k, time)
		c.Observe(time)
	}
	if !slices.Equal(joints.Positions, []int{1250}) || !c.BeginsRuns("time", 2500) ||
		c.BeginsRuns("Fp1", 2500) {
		t.Errorf("joints at %v", joints.Positions)
	}
}
