package column

import (
	"fmt"
	"math"
	"slices"
)

// The limits by which a column isn't a signal.
const (
	// minPositions is the least length of a column to be judged: among fewer values a signal may
	// count by chance.
	minPositions = 32
	// maxRailed is the largest share of positions at which a signal is at the end of its range. A
	// square wave has half, a channel without contact nearly all.
	maxRailed = 0.98
	// minMarkerRest is the least share of positions at which a scaled column of markers, as in EDF,
	// has its smallest or largest value.
	minMarkerRest = 0.5
	// maxUneven is the largest relative difference between a step of times and the mean step.
	maxUneven = 2e-3
	// minSameChanges is the least share of equal steps of times that restart: epochs have at least
	// 50 positions.
	minSameChanges = 0.98
	// maxClockStep is the largest step of a rounded or jittering clock, in mean steps. Rounding to
	// less than a step makes it at most 2. A slow signal that never falls is constant at most
	// positions, and has larger steps.
	maxClockStep = 5
	// minRegular is the least number of changes from which the mean is taken. A gap before them
	// isn't detected. If times are rounded to several steps, fewer changes may all be 0.
	minRegular = 8
)

// Stats are statistics of the values of a column, observed one after another.
type Stats struct {
	n                    int
	first, last          float64
	low, high            float64
	lows, highs          int     // numbers of positions at low and at high
	nextLow, nextHigh    float64 // smallest value above low and largest below high
	steps                int     // number of changes by 1
	firstChange          float64 // from the first value to the second
	sameChanges          int     // number of changes by firstChange
	rises, falls         int
	minChange, maxChange float64
	dropStart, dropEnd   float64 // values before and after the first fall
	unlikeFalls          bool    // whether a fall differs from the first one
	fraction             bool    // whether a value isn't an integer
	gaps                 int     // number of changes above maxClockStep mean ones
	regular, maxRegular  float64 // sum and maximum of the other changes
}

// StatsOf returns the statistics of a column.
func StatsOf(values []float64) (c Stats) {
	for _, v := range values {
		c.Observe(v)
	}
	return c
}

// Observe records the value at the next position.
func (c *Stats) Observe(v float64) {
	c.n++
	c.fraction = c.fraction || v != math.Trunc(v)
	if c.n == 1 {
		c.first, c.low, c.high = v, v, v
		c.nextLow, c.nextHigh = math.Inf(1), math.Inf(-1)
		c.minChange, c.maxChange = math.Inf(1), math.Inf(-1)
	} else {
		c.change(c.last, v)
	}
	c.last = v
	if v < c.low {
		c.low, c.lows, c.nextLow = v, 0, c.low
	} else if v > c.low {
		c.nextLow = min(c.nextLow, v)
	}
	if v > c.high {
		c.high, c.highs, c.nextHigh = v, 0, c.high
	} else if v < c.high {
		c.nextHigh = max(c.nextHigh, v)
	}
	if v == c.low {
		c.lows++
	}
	if v == c.high {
		c.highs++
	}
}

// change observes a change from one value to the next.
func (c *Stats) change(before, v float64) {
	change := v - before
	c.minChange, c.maxChange = min(c.minChange, change), max(c.maxChange, change)
	if seen := c.n - 2; seen >= minRegular && change*float64(seen-c.gaps) > maxClockStep*c.regular {
		c.gaps++
	} else {
		c.regular, c.maxRegular = c.regular+change, max(c.maxRegular, change)
	}
	if c.n == 2 {
		c.firstChange = change
	}
	if math.Abs(change-c.firstChange) <= maxUneven*math.Abs(c.firstChange) {
		c.sameChanges++
	}
	switch {
	case change > 0:
		c.rises++
		if change == 1 {
			c.steps++
		}
	case change < 0:
		if c.falls == 0 {
			c.dropStart, c.dropEnd = before, v
		}
		c.unlikeFalls = c.unlikeFalls || before != c.dropStart || v != c.dropEnd
		c.falls++
	}
}

// missingCodes are numbers that programs write for missing values, smaller than minHugeCode.
var missingCodes = []float64{
	-999, -9999, -99999, -999999, -999.25, -9999.99, 9999, 99999, 999999,
	math.MinInt16, -math.MaxInt16, math.MinInt32, -math.MaxInt32, // also in netCDF
}

// The limits of codes for missing values.
const (
	// minLowGap and minHighGap are the least distances of a code below or above the other values
	// from the nearest of them, in units of their range. A signal has no such value at several
	// positions. A code above must be farther away, since meters end at 9999 and not at −9999.
	minLowGap, minHighGap = 1, 3
	// minHugeCode is the least size of numbers such as 9.97e36 in netCDF, −1.6375e30 in HEALPix and
	// 1e20 in climate models. minHugeRatio is how much larger than all other values they must be.
	minHugeCode  = 1e15
	minHugeRatio = 1e6
)

// isMissingCode reports whether v, possibly as a float32, is a code for missing values that occurs
// at count positions. largest is the largest size of the other values.
func isMissingCode(v float64, count int, largest float64) bool {
	if math.Abs(v) >= minHugeCode && math.Abs(v) > minHugeRatio*largest {
		return true
	}
	return count > 1 && slices.ContainsFunc(missingCodes, func(code float64) bool {
		return v == code || v == float64(float32(code))
	})
}

// MissingCode returns a code for missing values in the column, and at how many positions it occurs;
// 0 for none.
func (c *Stats) MissingCode() (code float64, count int) {
	if c.n < minPositions || c.low == c.high {
		return 0, 0
	}
	size := func(a, b float64) float64 { return max(math.Abs(a), math.Abs(b)) }
	switch {
	case c.nextLow-c.low > minLowGap*(c.high-c.nextLow) &&
		isMissingCode(c.low, c.lows, size(c.nextLow, c.high)):
		return c.low, c.lows
	case c.high-c.nextHigh > minHighGap*(c.nextHigh-c.low) &&
		isMissingCode(c.high, c.highs, size(c.low, c.nextHigh)):
		return c.high, c.highs
	}
	return 0, 0
}

// Reason says why a column with this name can't be a signal. It is empty if the column can be a
// signal, or is too short to decide.
func (c *Stats) Reason(name string) string {
	if c.n < minPositions {
		return ""
	}
	if c.low == c.high {
		return "has the same value at every position"
	}
	changes := c.n - 1
	wraps := c.falls == 0 || !c.unlikeFalls && c.dropStart == c.high && c.dropEnd == c.low
	if !c.fraction && c.steps > 0 && wraps && c.steps+c.falls == changes {
		return "counts the positions"
	}
	if hasWord(name, "battery") {
		return "says how full the battery is"
	}
	named := IsMarker(name)
	share := float64(max(c.lows, c.highs)) / float64(c.n)
	hasTwoValues := c.lows+c.highs == c.n
	if named && (!c.fraction || share > minMarkerRest || hasTwoValues) {
		return "holds markers"
	}
	if !c.fraction && c.rises > 0 && c.rises == c.steps && c.falls == 0 &&
		c.high-c.low+1 < float64(c.n) {
		return "rises by 1 now and then, as the numbers of epochs do,"
	}
	switch mean := c.meanStep(); {
	case c.isEven():
		return "rises by the same amount at every position, as times do,"
	case mean < 0 && c.changesEvenly():
		return "falls by the same amount at every position, as times in reverse order do,"
	case mean > 0 && c.falls == 0 && c.maxChange <= maxClockStep*mean:
		return "never falls and rises nearly evenly, as times do,"
	case c.risesBetweenGaps():
		return "never falls and rises nearly evenly but for gaps, as times do,"
	}
	if _, isTime := TimeUnit(name, ""); isTime && c.restarts() { // else it may be a sawtooth
		return "rises by the same amount and starts anew, as times do,"
	}
	if share > maxRailed && !named && c.fraction {
		return fmt.Sprintf("is at the end of its range at %.0f %% of the positions", 100*share)
	}
	return ""
}

// IsSignal reports whether the column is long enough to decide, has values that aren't whole
// numbers, and no Reason against it.
func (c *Stats) IsSignal(name string) bool {
	return c.n >= minPositions && c.fraction && c.Reason(name) == ""
}

// meanStep returns the mean change from one position to the next.
func (c *Stats) meanStep() float64 { return (c.last - c.first) / float64(c.n-1) }

// isEven reports whether the column rises by the same amount at every position.
func (c *Stats) isEven() bool { return c.meanStep() > 0 && c.changesEvenly() }

// changesEvenly reports whether the column changes by the same amount at every position.
func (c *Stats) changesEvenly() bool {
	mean := c.meanStep()
	return max(c.maxChange-mean, mean-c.minChange) <= maxUneven*math.Abs(mean)
}

// risesBetweenGaps reports whether the column never falls and rises nearly evenly, except for a few
// larger steps.
func (c *Stats) risesBetweenGaps() bool {
	regular := float64(c.n - 1 - c.gaps)
	return c.falls == 0 && c.regular > 0 && c.maxRegular*regular <= maxClockStep*c.regular &&
		regular >= minSameChanges*float64(c.n-1)
}

// restarts reports whether the column rises by the same amount and restarts now and then, like the
// times of epochs.
func (c *Stats) restarts() bool {
	return c.firstChange > 0 && float64(c.sameChanges) >= minSameChanges*float64(c.n-1)
}

// Clock returns a clock to which the values of the column, two or more, are to be passed again.
func (c *Stats) Clock() *Clock { return newClock(c.first, c.last, c.n) }

// Step returns the time between positions, in seconds, of a column whose name and values are even
// times, even if they restart now and then; 0 for other columns. Whole numbers need a unit, as they
// may be counts.
func (c *Stats) Step(name string) float64 {
	unit, isTime := TimeUnit(name, "")
	switch {
	case !isTime || c.n < minPositions || !c.fraction && unit == 1:
	case c.restarts():
		return c.firstChange * unit
	case c.isEven():
		return c.meanStep() * unit
	}
	return 0
}

// minRun is the least mean length of runs that have joints. In shorter stretches, such as epochs,
// leaving out the positions after each joint would cost more than it gains.
const minRun = 1000

// BeginsRuns reports whether a column of n positions holds times that restart with each run, and
// the runs are long enough for joints.
func (c *Stats) BeginsRuns(name string, n int) bool {
	_, isTime := TimeUnit(name, "")
	return isTime && c.falls > 0 && n >= minRun*(c.falls+1) && c.restarts()
}

// Joints are the positions at which times fall, where stretches of a recording were joined.
type Joints struct {
	Positions []int
	last      float64 // last time
}

// Observe records the time at position t. Positions must come in order.
func (j *Joints) Observe(t int, time float64) {
	if t > 0 && time < j.last {
		j.Positions = append(j.Positions, t)
	}
	j.last = time
}
