package files

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// Fitting is what a command does with a recording before a separation is learned from it or
// inspected on it: skip stretches, filter, thin. The separation is then applied to the recording as
// it is.
type Fitting struct {
	Filter filter.Filter
	Skip   []string // values of --skip; see Add
	rate   float64  // Hz; 0 for the recording's

	// LeaveOutGaps leaves out stretches of recordings in memory at which no channel changes, and
	// positions with interpolated values.
	LeaveOutGaps bool
	// Thin keeps only every k-th position after a low-pass filter, with the largest k at which
	// nothing is lost that the filter leaves.
	Thin bool

	recalled recalled
}

// recalled is what a Fitting has from the fit of a saved separation.
type recalled struct {
	note      string // says what; "" for nothing
	hasRate   bool   // whether the rate is the fit's
	positions int    // of the fit's recording, if Skip is the fit's; else 0
}

// A Fitted is a recording after a Fitting.
type Fitted struct {
	Source blockwise.Source // the recording itself if nothing was done
	Notes  []string         // what was done
	// Skip has the values of Fitting.Skip, with positions in the place of "clipped".
	Skip []string
	// Rounding is the step to which the values of each channel were rounded before the filter, for
	// sica.Config.Rounding; nil without a filter.
	Rounding []float64
	// Clipped is where the signals were clipped before the filter.
	Clipped ClippedIn

	pauses []stretch // that were skipped, as no channel changes in them
}

// note adds a note unless it is "".
func (f *Fitted) note(text string) {
	if text != "" {
		f.Notes = append(f.Notes, text)
	}
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

// Check returns a usage error for a rate that is none, or if flags are given that are for sequences
// only and positions aren't one.
func (o *Fitting) Check(isSequence bool) error {
	if !(o.rate >= 0) || math.IsInf(o.rate, 0) {
		return usage.Errorf("--rate %g: use a positive number", o.rate)
	}
	if !o.IsZero() && !isSequence {
		return usage.Errorf("--highpass, --lowpass, --notch and --skip are for recordings: leave " +
			"them out for images and videos")
	}
	return nil
}

// Apply skips stretches of the recording x, filters its signals and thins its positions, in this
// order. About describes x; its rate becomes that of --rate. Filtered signals are in memory.
func (o *Fitting) Apply(
	ctx context.Context, x blockwise.Source, about *datasets.Recording,
) (*Fitted, error) {
	f := &Fitted{Source: x, Skip: o.Skip}
	f.note(o.recalled.note)
	f.note(o.setRate(about))
	skipped, err := o.skip(ctx, f, about)
	if err != nil {
		return nil, err
	}
	out := skipped // with the positions of interpolated values, and the first ones of runs
	interpolated := 0
	if o.LeaveOutGaps {
		out = merge(slices.Concat(skipped, about.Interpolated))
		interpolated = count(out) - count(skipped)
		out = merge(slices.Concat(out, joints(about)))
	}
	if o.Filter.IsZero() {
		if all := inMemory(x); all != nil && o.LeaveOutGaps {
			f.note(flatNote(all, out, about))
			f.note(limitNote(all, out, about))
		}
		if len(out) == 0 {
			return f, nil
		}
	} else if err := o.filter(ctx, f, about, skipped, out); err != nil {
		return nil, err
	}
	_, n := f.Source.Dims()
	if err := checkLeft(n, skipped, interpolated); err != nil {
		return nil, err
	}
	o.noteLeftOut(f, skipped, interpolated, about.Rate)
	// Thinned first, so that the positions that are left are evenly spaced across what is left out.
	every := o.thinning(about.Rate)
	if thinned := thinnedOut(out, every, n/every); every > 1 && n/every-count(thinned) > 1 {
		if f.Source, err = thin(ctx, f.Source, every); err != nil {
			return nil, err
		}
		out, n = thinned, n/every
		f.note(fmt.Sprintf("1 position in %d was kept: next to nothing above %g Hz is left", every,
			o.Filter.Lowpass))
	}
	if count(out) > 0 {
		f.Source = newSelection(f.Source, complement(out, n))
	}
	return f, nil
}

// setRate makes the rate of a recording that of --rate, and returns a note if it had another, else
// "".
func (o *Fitting) setRate(about *datasets.Recording) (note string) {
	if !(o.rate > 0) || o.recalled.hasRate && about.Rate > 0 {
		return ""
	}
	if about.Rate > 0 && math.Abs(about.Rate-o.rate) > sameRate*o.rate {
		note = fmt.Sprintf("--rate %g is used; the recording says %.6g Hz", o.rate, about.Rate)
	}
	about.Rate = o.rate
	return note
}

// checkLeft returns an error if too few of n positions are left without the skipped ones and a
// number of others whose values are interpolated.
func checkLeft(n int, skipped []stretch, interpolated int) error {
	left := n - count(skipped)
	if left < n && left < 2 {
		return usage.Errorf("%d of %d positions are left outside --skip and the stretches of %d positions "+
			"or more in which no channel changes", left, n, minPause)
	}
	if left -= interpolated; interpolated > 0 && left < minMeasured {
		return fmt.Errorf("only %d of %d positions have no interpolated value: leave out the channels "+
			"that lack most (--without)", left, n)
	}
	return nil
}

// noteLeftOut notes which positions are left out: the skipped ones, and a number of others whose
// values are interpolated.
func (o *Fitting) noteLeftOut(f *Fitted, skipped []stretch, interpolated int, rate float64) {
	_, n := f.Source.Dims()
	if out := count(skipped); out > 0 {
		note := fmt.Sprintf("positions %s were skipped, %d of %d", inWords(skipped), out, n)
		if rate > 0 {
			note += fmt.Sprintf(" (%.2f of %.2f s)", float64(out)/rate, float64(n)/rate)
		}
		if f.pauses != nil {
			note += ": no channel changes"
			if !slices.Equal(f.pauses, skipped) {
				note += " at " + inWords(f.pauses)
			}
		}
		f.note(note)
		if o.LeaveOutGaps && o.recalled.positions == 0 && 2*(n-out) < n {
			f.note("less than half of the recording is left: skip less if you didn't mean to")
		}
	}
	if interpolated > 0 {
		f.note(fmt.Sprintf("left out of learning: %s with interpolated values",
			text.Counted(interpolated, "position")))
	}
}

// minMeasured is the fewest positions without interpolated values: as many as any fit needs.
const minMeasured = 16

// filter filters the signals of a recording. It bridges skipped stretches. Out are these and others
// that are left out afterwards.
func (o *Fitting) filter(
	ctx context.Context, f *Fitted, about *datasets.Recording, skipped, out []stretch,
) error {
	signals, err := o.read(ctx, f.Source, about)
	if err != nil {
		return err
	}
	if err := f.measure(ctx, signals, out); err != nil {
		return err
	}
	var flat, limit string
	if o.LeaveOutGaps { // as in Apply
		flat, limit = flatNote(signals, out, about), limitNote(signals, out, about)
	}
	if err := o.filterRuns(signals, about, skipped); err != nil {
		return err
	}
	f.Source = blockwise.InMemory{Dense: signals}
	f.note("filtered: " + o.Filter.String())
	_, n := signals.Dims()
	if settled := o.Filter.SettledSeconds(); float64(n) < settled*about.Rate {
		f.note(fmt.Sprintf("the recording is short for that filter, which needs %.3g s to settle",
			settled))
	}
	f.note(clippedNote(f.Clipped, about))
	f.note(flat)
	f.note(limit)
	return nil
}

// read returns the signals of a recording that can be filtered.
func (o *Fitting) read(
	ctx context.Context, x blockwise.Source, about *datasets.Recording,
) (*mat.Dense, error) {
	if about.Rate == 0 {
		return nil, usage.Errorf("--highpass, --lowpass and --notch: the recording has no sampling " +
			"rate: use --rate")
	}
	if err := o.Filter.Check(about.Rate); err != nil {
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
	return blockwise.Part(ctx, x, n)
}

// filterRuns filters each run of a recording in its place.
func (o *Fitting) filterRuns(
	signals *mat.Dense, about *datasets.Recording, skipped []stretch,
) error {
	d, n := signals.Dims()
	apply := datasets.Filter(o.Filter).Apply
	begins, ends := slices.Concat([]int{0}, about.Joints), slices.Concat(about.Joints, []int{n})
	for k, begin := range begins {
		switch err := o.Filter.CheckLength(ends[k]-begin, about.Rate); {
		case err != nil && n < d:
			return fmt.Errorf("%d positions of %d signals are too few for a filter; %s", n, d,
				usage.UseTranspose)
		case err != nil:
			return usage.Error(err)
		}
	}
	for i := range d {
		for k, begin := range begins { // one run of one channel at a time, for memory
			run := signals.Slice(i, i+1, begin, ends[k]).(*mat.Dense)
			filtered, err := apply(run, about.Rate, within(skipped, begin, ends[k])...)
			if err != nil {
				return err
			}
			run.Copy(filtered)
		}
	}
	return nil
}

// measure sets what a filter hides, Rounding and which channels are clipped, by a part of the
// signals: as much as a fit learns from at first.
func (f *Fitted) measure(ctx context.Context, signals *mat.Dense, skipped []stretch) error {
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
	f.Clipped = FindClipped(part, all)
	f.Rounding, err = datasets.Rounding(part)
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
