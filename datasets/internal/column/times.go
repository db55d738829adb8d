package column

import (
	"math"
	"slices"
	"strings"
)

// timeNames are the names of a column of times, in lower case and without a unit, besides those
// that end in time or timestamp.
var timeNames = []string{
	"t", "second", "seconds", "timestamps", "times", "sec", "ms", "millis", "milliseconds", "zeit",
	"temps", "tiempo", "x-axis",
}

// timeUnits are units of time in seconds.
var timeUnits = map[string]float64{
	"": 1, "s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "ms": 1e-3, "msec": 1e-3,
	"us": 1e-6, "usec": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9,
}

// Seconds returns a lower-case unit of time in seconds; 1 for "", and 0 for other words.
func Seconds(unit string) float64 { return timeUnits[unit] }

// TimeUnit returns the unit, in seconds, of a column with this name, and whether the name is that
// of a column of times: one of timeNames in any case, or a name that ends in time or timestamp. A
// unit may follow, as in "time (ms)", "t [s]", "time,s" or "time_ms". The argument unit, from a
// second header row, counts if the name has none.
func TimeUnit(name, unit string) (seconds float64, isTime bool) {
	name = strings.Trim(strings.ToLower(strings.Join(strings.Fields(name), "")), "'")
	name = name[strings.LastIndexByte(name, ':')+1:] // as in "Run 1: Time (s)"
	unit = strings.ToLower(strings.Trim(unit, " ()[]'"))
	for _, sign := range []string{"()", "[]"} {
		head, rest, _ := strings.Cut(name, sign[:1])
		if inner, _, ok := strings.Cut(rest, sign[1:]); ok { // as in "Time (s) Run 1"
			name, unit = head, inner
		}
	}
	for _, sign := range []string{"_", ","} {
		if head, rest, ok := strings.Cut(name, sign); ok && timeUnits[rest] != 0 {
			name, unit = head, rest
		}
	}
	if name == "ms" || name == "millis" || name == "milliseconds" {
		unit = "ms"
	}
	seconds, known := timeUnits[unit]
	if !known {
		return 1, false
	}
	isTime = slices.Contains(timeNames, name) || strings.HasSuffix(name, "time") ||
		strings.HasSuffix(name, "timestamp")
	return seconds, isTime
}

// RoundRate returns a rate, in positions per second, rounded to a whole number if it is one within
// the few digits of times and intervals in files.
func RoundRate(rate float64) float64 {
	if near := math.Round(rate); near > 0 && math.Abs(rate-near) < 1e-6*near {
		return near
	}
	return rate
}
