package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// mayHaveTimes reports whether the first of d columns may hold the times of n positions.
func (c *content) mayHaveTimes(d, n int) bool {
	if d < 2 || n < 2 {
		return false
	}
	if c.timed {
		return true
	}
	if c.about.Names == nil {
		return false
	}
	_, isTime := column.TimeUnit(c.about.Names[0], "")
	return isTime
}

// splitTimes moves the times out of the first column of r into its rate and start, if that
// is a column of times that rise. It is an error if these aren't evenly spaced, unless missing says
// what becomes of gaps.
func (c *content) splitTimes(r *Recording, missing Missing) error {
	d, n := r.Signals.Dims()
	if !c.mayHaveTimes(d, n) {
		return nil
	}
	first := r.Signals.RawRowView(0)
	clock := clockOf(first, nil)
	if !clock.rises() {
		return nil
	}
	signals := mat.DenseCopyOf(r.Signals.Slice(1, d, 0, n))
	times := slices.Clone(first)
	coarse := clock.coarseRate()
	var gaps []gap
	if clock.unevenAt > 0 && coarse == 0 && !clock.drifts() {
		found, whole := findGaps(times)
		if found == nil || !missing.isFilled() {
			return clock.uneven(missing, c.firstLine)
		}
		gaps, clock = found, whole
	}
	clock.describe(r, c.timeUnit)
	r.noteSeconds(c.timed || c.timeUnit != 1)
	r.Signals = signals
	if gaps != nil {
		return r.closeGaps(gaps, missing)
	}
	if clock.unevenAt == 0 {
		return nil
	}
	if r.Places == nil { // the first column is that of the times
		r.Places = grid.Range(d)[1:]
	}
	if coarse > 0 {
		r.Rate = column.RoundRate(r.Rate * clock.step * coarse)
	}
	if !c.timed { // else their text is there already
		r.Aside = append(r.Aside, Column{
			Name: r.TimeColumn, Values: times, Reason: "holds times that aren't evenly spaced",
		})
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the times of %q drift or are rounded, by more than %d "+
		"positions: they were set aside, and the rate is their mean, %.6g Hz", r.TimeColumn, maxJitter,
		r.Rate))
	r.TimeColumn, r.Start, r.meanRate = "", 0, true
	return nil
}

// A clock is a column of numbers that may be times in seconds.
type clock struct {
	start, step float64 // of evenly spaced times with the same ends
	last        float64
	falls       bool // somewhere

	jump               float64 // the longest step
	jumpAt             int     // position after it
	unevenAt           int     // position of the first time that isn't evenly spaced; 0 for none
	unevenTime, jitter float64
	maxJitter          float64 // in steps

	minJump   float64 // the shortest change to a later time
	changes   int
	changed   [2]int     // positions of the first and of the last change
	changedTo [2]float64 // times there
}

// newClock returns the clock of n ≥ 2 times with these ends.
func newClock(first, last float64, n int) *clock {
	return &clock{
		start: first, step: (last - first) / float64(n-1), last: first, minJump: math.Inf(1),
	}
}

// noteSeconds adds the UnitNote on a rate below 1 Hz if neither the file (hasUnit) nor the name of
// the column of times says the unit. Programs write milliseconds there, too.
func (r *Recording) noteSeconds(hasUnit bool) {
	_, named := column.TimeUnit(r.TimeColumn, "none") // whose name has a unit
	if hasUnit || named || r.Rate >= 1 {
		return
	}
	r.UnitNote = fmt.Sprintf("%q was read as seconds, which gives a rate of %.4g Hz: if it has "+
		"another unit, add that to its name, as in \"%[1]s (ms)\"", r.TimeColumn, r.Rate)
	r.Notes = append(r.Notes, r.UnitNote)
}

// maxJitter is how far a time may be from its evenly spaced place, in steps. Times at 250 Hz
// that are rounded to 0.01 s are off by 1.25 steps, and clocks jitter by about one; a lost
// position shows as soon as two more are lost.
const maxJitter = 2

// observe observes the time of position t, in order of t.
func (c *clock) observe(t int, time float64) {
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
	if c.unevenAt == 0 && jitter > maxJitter {
		c.unevenAt, c.unevenTime, c.jitter = t, time, jitter
	}
}

// The limits of times that drift, as those of telephones do.
const (
	// maxDriftStep is the longest step in mean steps. A lost position makes a step of 2.
	maxDriftStep = 1.9
	// maxDrift is how far a time may be from its evenly spaced place, as a share of all steps: as
	// far as times are whose rate changes by 4 % halfway.
	maxDrift = 0.01
)

// drifts reports whether the times aren't evenly spaced, but nearly so, and none is missing.
func (c *clock) drifts() bool {
	return c.unevenAt != 0 && c.jump <= maxDriftStep*c.step &&
		c.maxJitter <= maxDrift*(c.last-c.start)/c.step
}

// minChanges is how many changes of coarse times give a rate.
const minChanges = 3

// coarseRate returns the positions per unit of times that change by the same amount now and then,
// as whole seconds do; 0 for others.
func (c *clock) coarseRate() float64 {
	if c.unevenAt == 0 || c.changes < minChanges || c.jump <= maxDriftStep*c.step ||
		c.jump-c.minJump > 1e-6*c.jump {
		return 0
	}
	return float64(c.changed[1]-c.changed[0]) / (c.changedTo[1] - c.changedTo[0])
}

// uneven returns an error if a time isn't evenly spaced: for a gap the place of the longest one,
// for others that of the first. The first time of all is in line firstLine.
func (c *clock) uneven(missing Missing, firstLine int) error {
	if c.unevenAt == 0 {
		return nil
	}
	if c.jump > maxJitter*c.step+c.step {
		advice := "fill the gap in (MissingInterpolate; its positions aren't learned from), pass over it " +
			"(MissingDrop; later times shift), or cut the file there"
		if missing.isFilled() {
			advice = "the steps differ otherwise, too: cut the file there, or resample it"
		}
		return fmt.Errorf("line %d: the times have a gap of %.4g, where the mean step is %.4g; must be "+
			"evenly spaced: %s", firstLine+c.jumpAt, c.jump, c.step, advice)
	}
	return fmt.Errorf("line %d: the times aren't evenly spaced (%g is off by %.3g steps); "+
		"must be resampled, or the column renamed if it doesn't hold times", firstLine+c.unevenAt,
		c.unevenTime, c.jitter)
}

// rises reports whether the numbers rise from the first to the last and never fall.
func (c *clock) rises() bool { return c.step > 0 && !c.falls }

// describe removes the column of times from the names of r, and sets its TimeColumn, Start and
// Rate. The times are in units of unit seconds. Numbers that are too large for seconds since 1970
// are read as such times in a smaller unit.
func (c *clock) describe(r *Recording, unit float64) {
	name := "time"
	if r.Names != nil {
		name, r.Names = r.Names[0], r.Names[1:]
	}
	if r.Places != nil {
		r.Places = r.Places[1:]
	}
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
	} else if seconds, _ := column.TimeUnit(name, ""); seconds != unit { // of a second header row
		for sign, seconds := range map[string]float64{"ms": 1e-3, "us": 1e-6, "ns": 1e-9} {
			if seconds == unit {
				name += " (" + sign + ")"
			}
		}
	}
	r.TimeColumn, r.Start, r.Rate = name, c.start*unit, column.RoundRate(1/(c.step*unit))
}
