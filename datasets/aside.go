package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A Column is a column of a file that isn't a signal. It has numbers or text.
type Column struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
	Text   []string  `json:"text"`
	Unit   string    `json:"unit"`  // as "uV"; empty if the file has none
	Place  int       `json:"place"` // the number of the column in its file, from 0 on
	// Reason says why it can't be a signal: that it counts, is text or the like. It is empty for
	// a column that could be one and was left out by choice.
	Reason string `json:"reason"`
}

// cell returns what a file has in the column at a position; nothing beyond its end.
func (c *Column) cell(position int) string {
	switch {
	case position < len(c.Text):
		return c.Text[position]
	case position < len(c.Values):
		return strconv.FormatFloat(c.Values[position], 'g', -1, 64)
	}
	return ""
}

// at returns the column at some positions.
func (c *Column) at(positions []int) Column {
	kept := *c
	kept.Values, kept.Text = nil, nil
	for _, t := range positions {
		if c.Text != nil {
			kept.Text = append(kept.Text, c.Text[t])
		} else {
			kept.Values = append(kept.Values, c.Values[t])
		}
	}
	return kept
}

// setAside moves the columns of r that aren't signals out of Signals into Aside, with a note for
// each: those that the options don't choose or, without a choice, those that can't be signals.
func (r *Recording) setAside(o *ReadOptions) error {
	d, n := r.Signals.Dims()
	columns := make([]columnStats, d)
	for i := 0; i < d && n >= minAsidePositions; i++ {
		columns[i] = statsOf(r.Signals.RawRowView(i))
	}
	if r.judged != nil {
		columns = r.judged
	}
	kept, notes, err := o.selectColumns(r, slices.Concat(r.Aside, r.OtherRates), columns)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, notes...)
	defer r.noteJumps()
	if slices.Equal(kept, grid.Range(d)) {
		return nil
	}
	aside, rows := remaining(d, kept), signal.RowsOf(r.Signals)
	for _, i := range aside {
		if r.Joints == nil && columns[i].beginsRuns(r.columnName(i), n) {
			var falls joints
			for t, time := range rows[i] {
				falls.observe(t, time)
			}
			r.Joints = falls.positions
		}
	}
	r.split(kept, aside, columns, selected(rows, aside))
	r.Signals, r.filled = signal.Rows(selected(rows, kept)).Dense(), selected(r.filled, kept)
	r.findInterpolated()
	return nil
}

// split moves the columns that r describes, except the kept ones, to Aside with their values. These
// are nil for a recording that is too long to keep them.
func (r *Recording) split(kept, aside []int, columns []columnStats, values [][]float64) {
	places := r.places(len(columns))
	for k, i := range aside {
		name := r.columnName(i)
		r.setRate(name, &columns[i])
		if values == nil {
			continue
		}
		c := Column{
			Name: name, Values: slices.Clone(values[k]), Reason: columns[i].reason(name), Place: places[i],
		}
		if r.Units != nil {
			c.Unit = r.Units[i]
		}
		r.Aside = append(r.Aside, c)
	}
	r.Names, r.Units = selected(r.Names, kept), selected(r.Units, kept)
	r.Places = selected(places, kept)
}

// selected returns the entries of all at the indices kept; nil if all is nil.
func selected[T any](all []T, kept []int) (some []T) {
	if all == nil {
		return nil
	}
	for _, i := range kept {
		some = append(some, all[i])
	}
	return some
}

// columnName returns the name of signal i, by the number of its column without names.
func (r *Recording) columnName(i int) string {
	if r.Names == nil && r.Places != nil {
		i = r.Places[i]
	}
	return column.Name(r.Names, i)
}

// places returns Places, or the order of the d signals without them.
func (r *Recording) places(d int) []int {
	if r.Places == nil {
		return grid.Range(d)
	}
	return r.Places
}

// inFileOrder is the note that a file without names has the channels of a separation.
const inFileOrder = "the file has no names: its columns were taken for the separation's channels in " +
	"their order"

// selectColumns returns the columns of r that are signals, in their order, with a note for each
// that can't be one. Aside are the file's other columns. In a file without names a number is that
// of a column.
func (o *ReadOptions) selectColumns(
	r *Recording, aside []Column, columns []columnStats,
) (kept []int, notes []string, err error) {
	names, places := r.Names, r.places(len(columns))
	if len(o.Signals) > 0 && (names != nil || len(columns) == len(o.Signals)) {
		return o.selectSignals(names, columns)
	}
	without, err := findWithout(o.Without, names, places, aside)
	if err != nil {
		return nil, nil, err
	}
	var set column.Notes
	for i := range columns {
		name := r.columnName(i)
		if slices.Contains(without, i) {
			set.Add(name, "was left out, as asked")
			continue
		}
		if reason := columns[i].reason(name); reason != "" {
			set.Add(name, reason+" and was set aside")
			continue
		}
		if err := columns[i].codeError(name); err != nil {
			return nil, nil, err
		}
		kept = append(kept, i)
	}
	notes = set.List()
	if len(o.Signals) > 0 && len(kept) != len(o.Signals) {
		return nil, nil, fmt.Errorf("there are %d channels without names; must be %d, the channels %s",
			len(columns), len(o.Signals), quoted(o.Signals))
	}
	if len(o.Signals) > 0 {
		notes = append(notes, inFileOrder)
	}
	if len(kept) == 0 && len(without) < len(columns) { // the error that follows says more
		return remaining(len(columns), without), nil, nil
	}
	if len(kept) == 0 {
		return nil, nil, errors.New("every channel is left out; must be at least one that isn't")
	}
	return kept, notes, nil
}

// selectSignals returns the columns of the separation's channels, by their names if they have some.
func (o *ReadOptions) selectSignals(
	names []string, columns []columnStats,
) (kept []int, notes []string, err error) {
	if kept = grid.Range(len(o.Signals)); names == nil {
		notes = append(notes, inFileOrder)
	} else if kept, err = findNames(names, o.Signals); err != nil {
		return nil, nil, err
	} else if !slices.IsSorted(kept) {
		notes = append(notes, "the channels are in another order than those of the "+
			"separation: they were taken by name")
	}
	for _, i := range kept {
		if err := columns[i].codeError(column.Name(names, i)); err != nil {
			return nil, nil, err
		}
	}
	return kept, notes, nil
}

// findWithout returns the columns to leave out that aren't aside already. Names are nil if the file
// has none. Places are the columns' numbers in the file.
func findWithout(without, names []string, places []int, aside []Column) (columns []int, err error) {
	for _, name := range without {
		number, notNumber := strconv.Atoi(name)
		if slices.ContainsFunc(aside, func(c Column) bool {
			return c.Name == name || names == nil && notNumber == nil && c.Place == number-1
		}) {
			continue
		}
		i, err := findColumn(name, names, places)
		if err != nil {
			return nil, err
		}
		columns = append(columns, i)
	}
	return columns, nil
}

// findColumn returns the column to leave out that has a name, or is the one of that number.
func findColumn(name string, names []string, places []int) (int, error) {
	found := electrode.Find(names, name)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return 0, fmt.Errorf("%q to leave out is in the names of the %s; must be one of "+
			"them, or a number", name, channels(selected(names, found)))
	}
	number, err := strconv.Atoi(name)
	isNumber := err == nil
	if names == nil {
		if i := slices.Index(places, number-1); isNumber && i >= 0 {
			return i, nil
		}
		highest := 0
		if len(places) > 0 {
			highest = slices.Max(places) + 1
		}
		return 0, fmt.Errorf("there is no channel %q to leave out; must be a number up to %d, "+
			"as the file has no names", name, highest)
	}
	if isNumber && number >= 1 && number <= len(places) {
		return number - 1, nil
	}
	return 0, fmt.Errorf("there is no channel %q to leave out; must be one of %s, "+
		"or a number up to %d", name, quoted(similarFirst(names, name)), len(places))
}

// remaining returns the indices 0, …, n−1 except those in without.
func remaining(n int, without []int) []int {
	dropped := make([]bool, n)
	for _, i := range without {
		dropped[i] = true
	}
	return unmarked(dropped)
}

// findNames returns the indices in names of the wanted ones, or an error that says which of them
// aren't there.
func findNames(names, wanted []string) ([]int, error) {
	var places []int
	var lacking []string
	for _, name := range wanted {
		left := remaining(len(names), places)
		found := electrode.Find(selected(names, left), name)
		isRepeated := len(found) > 1 && names[left[found[0]]] == name // then they are in order
		if len(found) != 1 && !isRepeated {
			lacking = append(lacking, name)
			continue
		}
		places = append(places, left[found[0]])
	}
	if lacking == nil {
		return places, nil
	}
	spare := selected(names, remaining(len(names), places))
	if spare == nil {
		return nil, fmt.Errorf("the file lacks the separation's %s; must have all of them",
			channels(lacking))
	}
	return nil, fmt.Errorf("the file lacks the separation's %s, and it has the %s besides; "+
		"must name each as it was", channels(lacking), channels(spare))
}

// channels returns "channel" or "channels" and the names.
func channels(names []string) string {
	if len(names) == 1 {
		return "channel " + quoted(names)
	}
	return "channels " + quoted(names)
}

// similarFirst returns the names, first those that contain the lacking name or that it contains, in
// any case, as EOG1 contains eog.
func similarFirst(names []string, lacking string) []string {
	isSimilar := func(name string) bool {
		a, b := strings.ToLower(name), strings.ToLower(lacking)
		return strings.Contains(a, b) || strings.Contains(b, a)
	}
	var similar, others []string
	for _, name := range names {
		if isSimilar(name) {
			similar = append(similar, name)
		} else {
			others = append(others, name)
		}
	}
	return slices.Concat(similar, others)
}

// maxQuotedNames is how many names an error lists: all of the largest caps of an EEG.
const maxQuotedNames = 300

// quoted lists names with quotation marks.
func quoted(names []string) string {
	var words []string
	for _, name := range names {
		words = append(words, strconv.Quote(text.Shortened(name)))
	}
	return listed(words, maxQuotedNames)
}

// listed returns at most limit words with commas between, and how many more there are.
func listed(words []string, limit int) string {
	if more := len(words) - limit; more > 0 {
		words = append(slices.Clone(words[:limit]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// The limits by which a column isn't a signal.
const (
	// minAsidePositions is how long a column must be to be judged: among fewer values a signal
	// may count by chance.
	minAsidePositions = 32
	// maxRailed is the share of positions at which a signal may be at the end of its range. A
	// square wave has half, a channel without contact nearly all.
	maxRailed = 0.98
	// minMarkerRest is the share of positions at which a column of markers that was scaled, as in
	// EDF, has its least or greatest value.
	minMarkerRest = 0.5
	// maxUneven is the largest relative difference between a step of times and the mean step.
	maxUneven = 2e-3
	// minSameChanges is the share of equal steps of times that start anew: epochs have at least 50
	// positions.
	minSameChanges = 0.98
	// maxClockStep is the largest step of a rounded or jittering clock, in mean steps. Rounding to
	// less than a step makes it 2 at most. A slow signal that never falls is constant at most
	// positions, and its steps are larger.
	maxClockStep = 5
	// minRegular is how many changes the mean is first taken from. A gap before them isn't found.
	// Of fewer all may be 0, where times are rounded to several steps.
	minRegular = 8
)

// columnStats are statistics of the values of a column, which are observed one after another.
type columnStats struct {
	n                    int
	first, last          float64
	low, high            float64
	lows, highs          int     // positions at which it is at low and at high
	nextLow, nextHigh    float64 // the least value above low and the greatest below high
	steps                int     // changes by 1
	firstChange          float64 // from the first value to the second
	sameChanges          int     // changes by that
	rises, falls         int
	minChange, maxChange float64
	dropStart, dropEnd   float64 // the values before and after the first fall
	unlikeFalls          bool    // whether a fall differs from the first one
	fraction             bool    // whether a value isn't an integer
	gaps                 int     // changes above maxClockStep mean ones
	regular, maxRegular  float64 // the sum of the other changes and the largest
}

// statsOf returns the statistics of a column.
func statsOf(values []float64) (c columnStats) {
	for _, v := range values {
		c.observe(v)
	}
	return c
}

func (c *columnStats) observe(v float64) {
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
func (c *columnStats) change(before, v float64) {
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

// missingCodes are numbers that programs write for missing values, below minHugeCode in size.
var missingCodes = []float64{
	-999, -9999, -99999, -999999, -999.25, -9999.99, 9999, 99999, 999999,
	math.MinInt16, -math.MaxInt16, math.MinInt32, -math.MaxInt32, // also of netCDF
}

// The limits of codes for missing values.
const (
	// minLowGap and minHighGap are how far a code below or above the other values is from the
	// nearest of them, in their range. A signal has no such value at several positions. A code
	// above must be farther away, since meters end at 9999 and not at −9999.
	minLowGap, minHighGap = 1, 3
	// minHugeCode is the least size of numbers such as 9.97e36 of netCDF, −1.6375e30 of HEALPix and
	// 1e20 of climate models, and minHugeRatio how much larger than all others they are.
	minHugeCode  = 1e15
	minHugeRatio = 1e6
)

// isMissingCode reports whether v is a code for missing values, perhaps as a float32, that is there
// at count positions; largest is that of the other values' sizes.
func isMissingCode(v float64, count int, largest float64) bool {
	if math.Abs(v) >= minHugeCode && math.Abs(v) > minHugeRatio*largest {
		return true
	}
	return count > 1 && slices.ContainsFunc(missingCodes, func(code float64) bool {
		return v == code || v == float64(float32(code))
	})
}

// missingCode returns a code for missing values that a column has, and at how many positions; 0 for
// none.
func (c *columnStats) missingCode() (code float64, count int) {
	if c.n < minAsidePositions || c.low == c.high {
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

// codeError is the error for a code of missing values.
func (c *columnStats) codeError(name string) error {
	code, count := c.missingCode()
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%q is %g at %d positions, far from its other values, as programs write for "+
		"missing ones; must be filled in (MissingInterpolate) or left out, by position (MissingDrop) or "+
		"by column (ReadOptions.Without)", name, code, count)
}

// reason says why a column of this name can't be a signal. It is empty if the column can be one, or
// is too short to decide.
func (c *columnStats) reason(name string) string {
	if c.n < minAsidePositions {
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
	if column.HasWord(name, "battery") {
		return "says how full the battery is"
	}
	named := column.IsMarker(name)
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
	if _, isTime := column.TimeUnit(name, ""); isTime && c.restarts() { // another may be a sawtooth
		return "rises by the same amount and starts anew, as times do,"
	}
	if share > maxRailed && !named && c.fraction {
		return fmt.Sprintf("is at the end of its range at %.0f %% of the positions", 100*share)
	}
	return ""
}

// meanStep returns the mean change from one position to the next.
func (c *columnStats) meanStep() float64 { return (c.last - c.first) / float64(c.n-1) }

// isEven reports whether the column rises by the same amount at every position.
func (c *columnStats) isEven() bool { return c.meanStep() > 0 && c.changesEvenly() }

// changesEvenly reports whether the column changes by the same amount at every position.
func (c *columnStats) changesEvenly() bool {
	mean := c.meanStep()
	return max(c.maxChange-mean, mean-c.minChange) <= maxUneven*math.Abs(mean)
}

// risesBetweenGaps reports whether the column never falls and rises nearly evenly, except for a few
// larger steps.
func (c *columnStats) risesBetweenGaps() bool {
	regular := float64(c.n - 1 - c.gaps)
	return c.falls == 0 && c.regular > 0 && c.maxRegular*regular <= maxClockStep*c.regular &&
		regular >= minSameChanges*float64(c.n-1)
}

// restarts reports whether the column rises by the same amount and now and then starts anew, as the
// times of epochs do.
func (c *columnStats) restarts() bool {
	return c.firstChange > 0 && float64(c.sameChanges) >= minSameChanges*float64(c.n-1)
}

// setRate sets the rate, unless even times gave it, to that of a column that was set aside and
// holds even times by its name and values, with a note. Whole numbers need a unit, as they may be
// counts.
func (r *Recording) setRate(name string, c *columnStats) {
	unit, isTime := column.TimeUnit(name, "")
	step := c.meanStep()
	if c.restarts() {
		step = c.firstChange
	}
	if r.Rate > 0 && !r.meanRate || !isTime || c.n < minAsidePositions ||
		!c.fraction && unit == 1 || !c.isEven() && !c.restarts() {
		return
	}
	r.Rate, r.meanRate = column.RoundRate(1/(step*unit)), false
	r.Notes = append(r.Notes, fmt.Sprintf("%q gives the rate, %.6g Hz", name, r.Rate))
}

// minRun is the mean length from which runs have joints: in shorter ones, such as epochs, leaving
// out the positions after each joint would cost more than it gains.
const minRun = 1000

// beginsRuns reports whether a column of n positions holds times that start anew with each run, and
// runs are long enough for joints.
func (c *columnStats) beginsRuns(name string, n int) bool {
	_, isTime := column.TimeUnit(name, "")
	return isTime && c.falls > 0 && n >= minRun*(c.falls+1) && c.restarts()
}

// joints finds the positions where times fall: where stretches of a recording were joined.
type joints struct {
	last      float64 // time
	positions []int
}

// observe takes the time at position t. Positions come in order.
func (j *joints) observe(t int, time float64) {
	if t > 0 && time < j.last {
		j.positions = append(j.positions, t)
	}
	j.last = time
}
