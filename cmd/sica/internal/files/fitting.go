package files

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// Fitting is what the flags of a command do with a recording before a separation is learned from it
// or inspected on it: skip stretches, filter, thin. The separation is then applied to the recording
// as it is.
type Fitting struct {
	// LeaveOutGaps leaves out stretches of recordings in memory at which no channel changes, and
	// positions with interpolated values.
	LeaveOutGaps bool
	// Thin keeps only every k-th position after a low-pass filter, with the largest k at which
	// nothing is lost that the filter leaves.
	Thin bool
	// Rounding is the step to which the values of each channel were rounded before the filter, by
	// Source; nil without a filter. It is for sica.Config.Rounding.
	Rounding []float64

	// Clipped is where the signals are clipped before the filter, by Source.
	Clipped ClippedIn

	Filter filter.Filter
	Skip   []string // see Add
	rate   float64

	flat []string // notes on channels that don't change, by Source

	// By Recall: a note, whether the rate is the fit's, and of how many positions the fit's
	// recording was if skip is the fit's, else 0.
	recalled     string
	recalledRate bool
	skippedOf    int
}

// sameRate is the largest difference of sampling rates that are the same, as a share. It is above
// the rounding of a file's times.
const sameRate = 1e-3

// Add adds the flags to a command. Does says in their help what the command does with the signals,
// such as "learn from".
func (o *Fitting) Add(cmd *cobra.Command, does string) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Skip, "skip", nil,
		does+" the signals without a `STRETCH`: times such as 10s-12s, positions such as 2500-3000, "+
			"how the texts of annotations begin, or \"clipped\" for those in which a channel is; several "+
			"with commas between")
	o.AddFilters(cmd, does)
}

// AddFilters adds the flags of the filters and of the rate.
func (o *Fitting) AddFilters(cmd *cobra.Command, does string) {
	f := cmd.Flags()
	f.Float64Var(&o.Filter.Highpass, "highpass", 0,
		does+" the signals after a high-pass filter at `HZ`; 0, the default, is none")
	f.Float64Var(&o.Filter.Lowpass, "lowpass", 0,
		does+" the signals after a low-pass filter at `HZ`; 0, the default, is none")
	f.Float64SliceVar(&o.Filter.Notch, "notch", nil,
		does+" the signals after notch filters at `HZ` and its multiples; several with commas between; "+
			"0, the default, is none")
	f.Float64Var(&o.rate, "rate", 0,
		"sampling rate, in `HZ`; the recording's by default")
}

// Streams returns what makes the filter of a channel whose positions come one by one; nil without
// flags for a filter. A rate that isn't given is that of a saved separation's fit.
func (o *Fitting) Streams(m *Model) (func() *filter.Stream, error) {
	if o.Filter.IsZero() {
		return nil, nil
	}
	rate := cmp.Or(o.rate, m.fit.Rate)
	if rate == 0 {
		return nil, usage.Errorf("--highpass, --lowpass and --notch: use --rate, too")
	}
	if err := o.Filter.Check(rate); err != nil {
		return nil, usage.Error(err)
	}
	return func() *filter.Stream { return o.Filter.Stream(rate) }, nil
}

// IsZero reports whether nothing is done.
func (o *Fitting) IsZero() bool { return o.Filter.IsZero() && len(o.Skip) == 0 }

// CheckSequence returns a usage error if flags are given and positions aren't a sequence.
func (o *Fitting) CheckSequence(isSequence bool) error {
	if !(o.rate >= 0) || math.IsInf(o.rate, 0) {
		return usage.Errorf("--rate %g: use a positive number", o.rate)
	}
	if !o.IsZero() && !isSequence {
		return usage.Errorf("--highpass, --lowpass, --notch and --skip are for recordings: leave " +
			"them out for images and videos")
	}
	return nil
}

// Source returns what of the recording x is learned from, and notes of what was done: stretches
// skipped, signals filtered, positions thinned, in this order. It is x if nothing is done. About
// describes x; its rate becomes that of --rate. Filtered signals are in memory.
func (o *Fitting) Source(
	ctx context.Context, x blockwise.Source, about *datasets.Recording,
) (blockwise.Source, []string, error) {
	replaced := o.setRate(about)
	skipped, notes, err := o.skipped(ctx, x, about)
	if err != nil {
		return nil, nil, err
	}
	if replaced != "" {
		notes = append([]string{replaced}, notes...)
	}
	if o.recalled != "" {
		notes = append([]string{o.recalled}, notes...)
	}
	out := skipped // with the positions of interpolated values, and the first ones of runs
	interpolated := 0
	if o.LeaveOutGaps {
		out = merge(slices.Concat(skipped, about.Interpolated))
		interpolated = count(out) - count(skipped)
		out = merge(slices.Concat(out, joints(about)))
	}
	if all := inMemory(x); all != nil && o.LeaveOutGaps && o.Filter.IsZero() {
		notes = append(notes, flatNotes(all, out, about)...)
	}
	if o.Filter.IsZero() && len(out) == 0 {
		return x, notes, nil
	}
	if !o.Filter.IsZero() {
		if x, err = o.filtered(ctx, x, about, skipped, out); err != nil {
			return nil, nil, err
		}
		notes = append(notes, "filtered: "+o.Filter.String())
		if _, n := x.Dims(); float64(n) < o.Filter.SettledSeconds()*about.Rate {
			notes = append(notes, fmt.Sprintf("the recording is short for that filter, which needs %.3g s to "+
				"settle", o.Filter.SettledSeconds()))
		}
		notes = append(notes, o.clippedNotes(about)...)
		notes = append(notes, o.flat...)
	}
	_, n := x.Dims()
	left, err := o.leftOutNotes(skipped, interpolated, n, about.Rate)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, left...)
	// Thinned first, so that the positions that are left are evenly spaced across what is left out.
	every := o.thinning(about.Rate)
	if thinned := thinnedOut(out, every, n/every); every > 1 && n/every-count(thinned) > 1 {
		if x, err = thin(ctx, x, every); err != nil {
			return nil, nil, err
		}
		out, n = thinned, n/every
		notes = append(notes, fmt.Sprintf("1 position in %d was kept: next to nothing above %g Hz "+
			"is left", every, o.Filter.Lowpass))
	}
	if count(out) > 0 {
		x = newSelection(x, complement(out, n))
	}
	return x, notes, nil
}

// setRate makes the rate of a recording that of --rate, and returns a note if it had another, else
// "".
func (o *Fitting) setRate(about *datasets.Recording) (note string) {
	if !(o.rate > 0) || o.recalledRate && about.Rate > 0 {
		return ""
	}
	if about.Rate > 0 && math.Abs(about.Rate-o.rate) > sameRate*o.rate {
		note = fmt.Sprintf("--rate %g is used; the recording says %.6g Hz", o.rate, about.Rate)
	}
	about.Rate = o.rate
	return note
}

// joints returns the first position of each run of a recording except the first. Leaving it out
// shows that what is before it was recorded apart.
func joints(about *datasets.Recording) (first []stretch) {
	for _, t := range about.Joints {
		first = append(first, stretch{Begin: t, End: t + 1})
	}
	return first
}

// leftOutNotes says which of n positions are left out: the skipped ones, and a number of others
// whose values are interpolated. It is an error if too few are left.
func (o *Fitting) leftOutNotes(skipped []stretch, interpolated, n int, rate float64) (notes []string, err error) {
	if unskipped := n - count(skipped); unskipped < n {
		if unskipped < 2 {
			return nil, usage.Errorf("--skip: %d of %d positions are left: skip less", unskipped, n)
		}
		note := fmt.Sprintf("positions %s were skipped, %d of %d", inWords(skipped), n-unskipped, n)
		if rate > 0 {
			note += fmt.Sprintf(" (%.2f of %.2f s)", float64(n-unskipped)/rate, float64(n)/rate)
		}
		notes = append(notes, note)
		if o.LeaveOutGaps && o.skippedOf == 0 && 2*unskipped < n {
			notes = append(notes, "less than half of the recording is left: skip less if you didn't mean to")
		}
	}
	if interpolated > 0 {
		if left := n - count(skipped) - interpolated; left < minMeasured {
			return nil, fmt.Errorf("only %d of %d positions have no interpolated value: leave out "+
				"the channels that lack most (--without)", left, n)
		}
		notes = append(notes, fmt.Sprintf("left out of learning: %s with interpolated values",
			text.Counted(interpolated, "position")))
	}
	return notes, nil
}

// thinnedOut returns stretches in units of every k-th position, of which there are n.
func thinnedOut(all []stretch, k, n int) (thinned []stretch) {
	for _, s := range all {
		begin, end := (s.Begin+k-1)/k, min((s.End+k-1)/k, n)
		if begin < end {
			thinned = append(thinned, stretch{Begin: begin, End: end})
		}
	}
	return merge(thinned)
}

// skipped returns the stretches of a recording to skip, in order, none touching another: those of
// --skip and, with a note, pauses. Where channels are clipped becomes positions in o.Skip, for
// Keep.
func (o *Fitting) skipped(
	ctx context.Context, x blockwise.Source, about *datasets.Recording,
) (skipped []stretch, notes []string, err error) {
	_, n := x.Dims()
	texts := o.Skip
	if o.skippedOf > 0 && n != o.skippedOf && len(texts) > 0 {
		texts = nil
		notes = append(notes, fmt.Sprintf("nothing was skipped: the fit's --skip is about a recording "+
			"of %d positions, and this one has %d", o.skippedOf, n))
	}
	skipsClipped := false
	for _, text := range texts {
		if isClipped(text, about) {
			skipsClipped = true
			continue
		}
		named, err := namedStretches(text, n, about)
		if err != nil {
			return nil, nil, err
		}
		skipped = append(skipped, named...)
	}
	if all := inMemory(x); all != nil && o.LeaveOutGaps {
		if pauses := findPauses(all); pauses != nil {
			skipped = append(skipped, pauses...)
			notes = append(notes, "no channel changes at positions "+inWords(pauses))
		}
	}
	if !skipsClipped {
		return merge(skipped), notes, nil
	}
	clipped, err := findClipped(ctx, x, merge(slices.Clone(skipped)))
	if err != nil {
		return nil, nil, err
	}
	if clipped.Stretches == nil {
		notes = append(notes, "--skip clipped: no channel is")
	}
	o.Skip = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return isClipped(text, about) })
	for _, s := range clipped.Stretches {
		o.Skip = append(o.Skip, inWords([]stretch{s}))
	}
	return merge(append(skipped, clipped.Stretches...)), notes, nil
}

// flatNotes says in a line which channels keep a value for a second or longer, outside skipped
// stretches, and where one does for longest.
func flatNotes(x *mat.Dense, skipped []stretch, about *datasets.Recording) []string {
	names := ChannelNames(about)
	d, n := x.Dims()
	var flat []string
	var longest stretch
	var where string
	for i := range d {
		s := longestFlat(x.RawRowView(i), complement(skipped, n))
		length := s.End - s.Begin
		if length < max(minPause, int(about.Rate)) || length >= n {
			continue
		}
		flat = append(flat, ChannelName(names, i))
		if length > longest.End-longest.Begin {
			longest, where = s, flat[len(flat)-1]
		}
	}
	span := notes.Span(longest.Begin, longest.End-1, about.Rate, about.Start)
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("%s doesn't change %s: --skip leaves that stretch out, --without the "+
			"channel", where, span)}
	}
	const maxNamed = 6
	if more := len(flat) - maxNamed; more > 0 {
		flat = append(flat[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return []string{fmt.Sprintf("%s don't change for a time each, longest %s %s: --skip leaves a stretch "+
		"out, --without a channel", text.List(flat), where, span)}
}

// longestFlat returns the longest of some stretches in which a channel doesn't change.
func longestFlat(channel []float64, kept []stretch) (longest stretch) {
	for _, s := range kept {
		for begin, t := s.Begin, s.Begin; t < s.End; t++ {
			if channel[t] != channel[begin] {
				begin = t
			}
			if t+1-begin > longest.End-longest.Begin {
				longest = stretch{Begin: begin, End: t + 1}
			}
		}
	}
	return longest
}

// minMeasured is the fewest positions without interpolated values: as many as any fit needs.
const minMeasured = 16

// filtered returns the signals after the filter. It bridges skipped stretches. Out are these and
// others that are left out afterwards.
func (o *Fitting) filtered(
	ctx context.Context, x blockwise.Source, about *datasets.Recording, skipped, out []stretch,
) (blockwise.Source, error) {
	rate := about.Rate
	if rate == 0 {
		return nil, usage.Errorf("--highpass, --lowpass and --notch: the recording has no sampling " +
			"rate: use --rate")
	}
	if err := o.Filter.Check(rate); err != nil {
		if about.UnitNote != "" {
			err = fmt.Errorf("%w; %s", err, about.UnitNote)
		}
		return nil, usage.Error(err)
	}
	d, n := x.Dims()
	if d > datasets.MaxEntries/n {
		return nil, fmt.Errorf("%d signals at %d positions are more than the %d numbers that can "+
			"be filtered: cut the recording", d, n, datasets.MaxEntries)
	}
	signals, err := blockwise.Part(ctx, x, n)
	if err != nil {
		return nil, err
	}
	if err := o.measure(ctx, signals, out); err != nil {
		return nil, err
	}
	o.flat = flatNotes(signals, out, about)
	begins, ends := slices.Concat([]int{0}, about.Joints), slices.Concat(about.Joints, []int{n})
	for k, begin := range begins {
		switch err := o.Filter.CheckLength(ends[k]-begin, rate); {
		case err != nil && n < d:
			return nil, fmt.Errorf("%d positions of %d signals are too few for a filter; %s", n, d,
				usage.UseTranspose)
		case err != nil:
			return nil, usage.Error(err)
		}
	}
	for i := range d {
		for k, begin := range begins { // one run of one channel at a time, for memory
			run := signals.Slice(i, i+1, begin, ends[k]).(*mat.Dense)
			filtered, err := datasets.Filter(o.Filter).Apply(run, rate, within(skipped, begin, ends[k])...)
			if err != nil {
				return nil, err
			}
			run.Copy(filtered)
		}
	}
	return blockwise.InMemory{Dense: signals}, nil
}

// within returns the parts of stretches from begin to before end, counted from begin.
func within(all []stretch, begin, end int) (parts []stretch) {
	for _, s := range all {
		if s.Begin < end && s.End > begin {
			parts = append(parts, stretch{Begin: max(s.Begin, begin) - begin, End: min(s.End, end) - begin})
		}
	}
	return parts
}

// measure sets what a filter hides, Rounding and which channels are clipped, by a part of the
// signals: as much as a fit learns from at first.
func (o *Fitting) measure(ctx context.Context, signals *mat.Dense, skipped []stretch) error {
	_, n := signals.Dims()
	kept := complement(skipped, n)
	if kept == nil {
		return nil // an error later
	}
	all := newSelection(blockwise.InMemory{Dense: signals}, kept)
	_, left := all.Dims()
	part, err := blockwise.Part(ctx, all, min(left, blockwise.AlwaysLearned))
	if err != nil {
		return err
	}
	o.Clipped = FindClipped(part, all)
	o.Rounding, err = datasets.Rounding(part)
	return err
}

// thinMargin is the rate after thinning, in units of the low-pass filter's frequency. From 2 on no
// slower frequency is lost (Nyquist); 2.5 leaves room for the filter's slope. What is aliased is
// mixed by the same matrix, and does no harm.
const thinMargin = 2.5

// thinning returns k if one of k positions is kept at a rate in Hz; 1 for all.
func (o *Fitting) thinning(rate float64) int {
	if !o.Thin || o.Filter.Lowpass == 0 {
		return 1
	}
	return max(1, int(rate/(thinMargin*o.Filter.Lowpass)))
}

// thin returns every k-th position of the signals, from the first on.
func thin(ctx context.Context, x blockwise.Source, k int) (blockwise.Source, error) {
	d, n := x.Dims()
	all, err := blockwise.Part(ctx, x, n)
	if err != nil {
		return nil, err
	}
	kept := mat.NewDense(d, n/k, nil)
	kept.Apply(func(i, t int, _ float64) float64 { return all.At(i, t*k) }, kept)
	return thinned{blockwise.InMemory{Dense: kept}, x, k}, nil
}

// thinned is one of every few positions of a recording.
type thinned struct {
	blockwise.InMemory
	from  blockwise.Source
	every int
}

// Recorded implements blockwise.Subset.
func (s thinned) Recorded(t int) int { return recorded(s.from, s.every*t) }

// recorded returns where position t of what Fitting.Source returned is in the recording.
func recorded(x blockwise.Source, t int) int {
	if s, ok := x.(blockwise.Subset); ok {
		return s.Recorded(t)
	}
	return t
}

// inMemory returns the signals of a recording that is in memory, nil for others.
func inMemory(x blockwise.Source) *mat.Dense {
	if s, ok := x.(*Stream); ok {
		x = s.Source
	}
	if memory, ok := x.(blockwise.InMemory); ok {
		return memory.Dense
	}
	return nil
}

// stretch is short for a stretch of positions, from Begin to before End.
type stretch = datasets.Stretch

// merge returns the stretches in order, and joins those that touch.
func merge(all []stretch) (merged []stretch) {
	slices.SortFunc(all, func(a, b stretch) int { return a.Begin - b.Begin })
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.Begin <= merged[last].End {
			merged[last].End = max(merged[last].End, s.End)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// minPause is the length in positions from which a stretch without a change is a pause, such as an
// amplifier that was off. Slow signals of few bits may keep their values for half as long, and
// shorter pauses do little harm.
const minPause = 64

// findPauses returns the stretches at which none of the signals x, d×n, changes. It returns nil if
// that is one stretch of all positions.
func findPauses(x *mat.Dense) (pauses []stretch) {
	d, n := x.Dims()
	changes := make([]bool, n) // whether a signal changes from position t to t+1
	for i := range d {
		row := x.RawRowView(i)
		for t := 1; t < n; t++ {
			changes[t-1] = changes[t-1] || row[t] != row[t-1]
		}
	}
	for begin := 0; begin < n; {
		end := begin + 1
		for end < n && !changes[end-1] {
			end++
		}
		if end-begin >= minPause {
			pauses = append(pauses, stretch{Begin: begin, End: end})
		}
		begin = end
	}
	if len(pauses) == 1 && pauses[0] == (stretch{Begin: 0, End: n}) {
		return nil
	}
	return pauses
}

// count returns the number of positions in stretches that don't overlap.
func count(all []stretch) (n int) {
	for _, s := range all {
		n += s.End - s.Begin
	}
	return n
}

// inWords returns the first stretches in words, counted from 1, and how many more there are.
func inWords(all []stretch) string {
	const maxListed = 3
	var words []string
	for _, s := range all[:min(len(all), maxListed)] {
		words = append(words, fmt.Sprintf("%d-%d", s.Begin+1, s.End))
	}
	if more := len(all) - maxListed; more > 0 {
		words = append(words, fmt.Sprintf("and in %d more stretches", more))
	}
	return strings.Join(words, ", ")
}

// namedStretches returns the stretches of n positions that a value of --skip names: by positions,
// by times, or by how the texts of annotations begin.
func namedStretches(text string, n int, about *datasets.Recording) ([]stretch, error) {
	first, last, _ := strings.Cut(text, "-")
	if begin, err := strconv.Atoi(first); err == nil {
		end, err := strconv.Atoi(last)
		if _, e := time.ParseDuration(last); err != nil && e == nil {
			return nil, usage.Errorf("--skip %s: put s on both times, such as 10s-12s, or on neither "+
				"position, such as 1-100", text)
		}
		if err != nil || begin < 1 || end < begin || end > n {
			return nil, usage.Errorf("--skip %s: use positions from 1 to %d, such as 1-%d", text, n,
				min(n, 100))
		}
		return []stretch{{Begin: begin - 1, End: end}}, nil
	}
	if begin, err := time.ParseDuration(first); err == nil {
		end, err := time.ParseDuration(last)
		if err != nil || end <= begin {
			return nil, usage.Errorf("--skip %s: use two times, the earlier first, such as 10s-12s",
				text)
		}
		if about.Rate == 0 {
			return nil, usage.Errorf("--skip %s: the recording has no sampling rate: use "+
				"--rate, or positions such as 2500-3000", text)
		}
		return timedStretch(text, begin.Seconds()-about.Start, end.Seconds()-about.Start, n, about)
	}
	var annotated []stretch
	for _, e := range about.Events {
		if !hasPrefixFold(e.Text, text) {
			continue
		}
		s, err := timedStretch(text, e.Onset, e.Onset+max(e.Duration, 0), n, about)
		if err != nil {
			return nil, err
		}
		annotated = append(annotated, s...)
	}
	if annotated == nil {
		return nil, usage.Errorf("--skip %s: no annotation begins so%s: use times such as 10s-12s "+
			"or positions such as 2500-3000", text, listTexts(about.Events))
	}
	return annotated, nil
}

// listTexts returns the first different texts of annotations for an error, "" if there are none.
func listTexts(events []datasets.Event) string {
	const maxListed = 5
	var texts []string
	for _, e := range events {
		if len(texts) < maxListed && !slices.Contains(texts, e.Text) {
			texts = append(texts, e.Text)
		}
	}
	if texts == nil {
		return ""
	}
	return fmt.Sprintf(" (the first are %q)", texts)
}

// hasPrefixFold reports whether a text begins with the prefix, in upper or lower case.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// timedStretch returns the positions between two times, in seconds after the first position: one
// at least, and of the second time's none. The text is the value of --skip.
func timedStretch(
	text string, first, last float64, n int, about *datasets.Recording,
) ([]stretch, error) {
	// Rounding, in positions: a time that close to a position's is the position's.
	const rounding = 1e-6
	begin := math.Ceil(first*about.Rate - rounding)
	end := max(math.Ceil(last*about.Rate-rounding), begin+1)
	if end <= 0 || begin >= float64(n) {
		return nil, usage.Errorf("--skip %s: the recording is from %g s to %g s", text, about.Start,
			about.Start+float64(n)/about.Rate)
	}
	return []stretch{{Begin: int(max(begin, 0)), End: int(min(end, float64(n)))}}, nil
}

// complement returns the stretches of n positions that aren't skipped.
func complement(skipped []stretch, n int) (kept []stretch) { return Kept(skipped, 0, n) }

// Kept returns what is left, from begin to before end, of stretches that are skipped, in order.
func Kept(skipped []datasets.Stretch, begin, end int) (kept []datasets.Stretch) {
	for _, s := range skipped {
		if s.Begin > begin && begin < end {
			kept = append(kept, stretch{Begin: begin, End: min(s.Begin, end)})
		}
		begin = max(begin, s.End)
	}
	if begin < end {
		kept = append(kept, stretch{Begin: begin, End: end})
	}
	return kept
}

// A selection is the kept stretches of a recording.
type selection struct {
	blockwise.Source
	kept []stretch
	ends []int // of the kept stretches, in positions of the selection
}

func newSelection(x blockwise.Source, kept []stretch) selection {
	s, n := selection{Source: x, kept: kept}, 0
	for _, k := range kept {
		n += k.End - k.Begin
		s.ends = append(s.ends, n)
	}
	return s
}

// Dims implements blockwise.Source.
func (s selection) Dims() (d, n int) {
	d, _ = s.Source.Dims()
	return d, s.ends[len(s.ends)-1]
}

// Recorded implements blockwise.Subset.
func (s selection) Recorded(t int) int {
	k, _ := slices.BinarySearch(s.ends, t+1)
	return recorded(s.Source, s.kept[k].End-(s.ends[k]-t))
}

// FirstPiece returns the first n positions of what Fitting.Source returned with nothing left out
// between them, from begin to before end, or the longest piece if all are shorter; and where in the
// recording begin is.
func FirstPiece(x blockwise.Source, n int) (begin, end, where int) {
	kept, isSelection := x.(selection)
	if !isSelection {
		_, total := x.Dims()
		return 0, min(n, total), recorded(x, 0)
	}
	for k, s := range kept.kept {
		if length := min(n, s.End-s.Begin); length > end-begin {
			begin = kept.ends[k] - (s.End - s.Begin)
			end = begin + length
		}
	}
	return begin, end, recorded(x, begin)
}

// Blocks implements blockwise.Source. Blocks are shorter where something is left out.
func (s selection) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		kept, position := s.kept, 0 // the stretches ahead, and the first position of the block x
		for x, err := range s.Source.Blocks(n) {
			if err != nil {
				yield(nil, err)
				return
			}
			d, length := x.Dims()
			for len(kept) > 0 && kept[0].Begin < position+length {
				begin, end := max(kept[0].Begin, position), min(kept[0].End, position+length)
				if !yield(mat.DenseCopyOf(x.Slice(0, d, begin-position, end-position)), nil) {
					return
				}
				if kept[0].End > position+length {
					break
				}
				kept = kept[1:]
			}
			position += length
		}
	}
}
