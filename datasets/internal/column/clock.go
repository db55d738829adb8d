package column

import (
	"fmt"
	"math"
)

// A Clock is a column of numbers that may be times in seconds.
type Clock struct {
	start, step float64 // of evenly spaced times with the same first and last time
	last        float64
	falls       bool // whether a time is before the previous one

	jump               float64 // the longest step
	jumpAt             int     // position after the longest step
	unevenAt           int     // position of the first time that isn't evenly spaced; 0 for none
	unevenTime, jitter float64
	maxJitter          float64 // largest deviation, in steps

	minJump   float64 // the shortest change to a later time
	changes   int
	changed   [2]int     // positions of the first and of the last change
	changedTo [2]float64 // times there
}

// newClock returns a clock for n ≥ 2 times with these ends, to be observed.
func newClock(first, last float64, n int) *Clock {
	return &Clock{
		start: first, step: (last - first) / float64(n-1), last: first, minJump: math.Inf(1),
	}
}

// ClockOf returns the clock of two or more times.
func ClockOf(times []float64) *Clock { return clockOf(times, nil) }

// clockOf returns the clock of two or more times, with gaps of lacking positions.
func clockOf(times []float64, gaps Gaps) *Clock {
	c := newClock(times[0], times[len(times)-1], len(times)+gaps.Lacking())
	place, next := 0, gaps
	for t, time := range times {
		if len(next) > 0 && next[0].At == t {
			place, next = place+next[0].Lacking, next[1:]
		}
		c.Observe(place, time)
		place++
	}
	return c
}

// MaxJitter is the largest distance of a time from its evenly spaced place, in steps. Times at 250
// Hz that are rounded to 0.01 s deviate by 1.25 steps, and clocks jitter by about one; a lost
// position is detected as soon as two more are lost.
const MaxJitter = 2

// Observe records the time of position t. Positions must come in order.
func (c *Clock) Observe(t int, time float64) {
	c.falls = c.falls || time < c.last
	step := time - c.last
	if t > 0 && step > c.jump {
		c.jump, c.jumpAt = step, t
	}
	if t > 0 && step > 0 {
		c.minJump = min(c.minJump, step)
		if c.changes == 0 {
			c.changed[0], c.changedTo[0] = t, time
		}
		c.changes++
		c.changed[1], c.changedTo[1] = t, time
	}
	c.last = time
	jitter := math.Abs(time-c.start-float64(t)*c.step) / c.step
	c.maxJitter = max(c.maxJitter, jitter)
	if c.unevenAt == 0 && jitter > MaxJitter {
		c.unevenAt, c.unevenTime, c.jitter = t, time, jitter
	}
}

// The limits of times that drift, such as those of telephones.
const (
	// maxDriftStep is the longest step, in mean steps. A lost position makes a step of 2.
	maxDriftStep = 1.9
	// maxDrift is the largest distance of a time from its evenly spaced place, as a share of all
	// steps: the deviation of times whose rate changes by 4 % halfway.
	maxDrift = 0.01
)

// Drifts reports whether the times are nearly but not exactly evenly spaced, and none is missing.
func (c *Clock) Drifts() bool {
	return c.unevenAt != 0 && c.jump <= maxDriftStep*c.step &&
		c.maxJitter <= maxDrift*(c.last-c.start)/c.step
}

// minChanges is the least number of changes of coarse times that determine a rate.
const minChanges = 3

// CoarseRate returns the number of positions per unit of times that change by the same amount now
// and then, such as whole seconds; 0 for other times.
func (c *Clock) CoarseRate() float64 {
	if c.unevenAt == 0 || c.changes < minChanges || c.jump <= maxDriftStep*c.step ||
		c.jump-c.minJump > 1e-6*c.jump {
		return 0
	}
	return float64(c.changed[1]-c.changed[0]) / (c.changedTo[1] - c.changedTo[0])
}

// Uneven returns an error if a time isn't evenly spaced, with the place of the longest gap or,
// without gaps, of the first such time. The first time of all is in line firstLine. isFilled is
// whether gaps are filled or closed where possible, which changes the advice.
func (c *Clock) Uneven(firstLine int, isFilled bool) error {
	if c.unevenAt == 0 {
		return nil
	}
	if c.jump > MaxJitter*c.step+c.step {
		advice := "fill the gap in (MissingInterpolate; its positions aren't learned from), pass over " +
			"it (MissingDrop; later times shift), or cut the file there"
		if isFilled {
			advice = "the steps differ otherwise, too: cut the file there, or resample it"
		}
		return fmt.Errorf("line %d: the times have a gap of %.4g, where the mean step is %.4g; must be "+
			"evenly spaced: %s", firstLine+c.jumpAt, c.jump, c.step, advice)
	}
	return fmt.Errorf("line %d: the times aren't evenly spaced (%g is off by %.3g steps); "+
		"must be resampled, or the column renamed if it doesn't hold times", firstLine+c.unevenAt,
		c.unevenTime, c.jitter)
}

// IsEven reports whether the times are evenly spaced, up to MaxJitter.
func (c *Clock) IsEven() bool { return c.unevenAt == 0 }

// Step returns the mean step between times.
func (c *Clock) Step() float64 { return c.step }

// Rises reports whether the numbers rise from the first to the last and never fall.
func (c *Clock) Rises() bool { return c.step > 0 && !c.falls }

// Describe returns the name of the column, the first time and the rate in seconds. unit is the unit
// of the times in seconds. Numbers too large for seconds since 1970 are read as such times in a
// smaller unit, which is then added to the name.
func (c *Clock) Describe(name string, unit float64) (title string, start, rate float64) {
	if unit == 1 {
		// 1e11 s since 1970 is the year 5138; in ms it is 1973.
		for _, small := range []struct {
			above, seconds float64
			sign           string
		}{{1e17, 1e-9, "ns"}, {1e14, 1e-6, "us"}, {1e11, 1e-3, "ms"}} {
			if math.Abs(c.start) > small.above {
				unit, name = small.seconds, name+" ("+small.sign+")"
				break
			}
		}
	} else if seconds, _ := TimeUnit(name, ""); seconds != unit { // of a second header row
		for sign, seconds := range map[string]float64{"ms": 1e-3, "us": 1e-6, "ns": 1e-9} {
			if seconds == unit {
				name += " (" + sign + ")"
			}
		}
	}
	return name, c.start * unit, RoundRate(1 / (c.step * unit))
}
