package files

import (
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
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// Fitting is what is done with a recording before a separation is learned from it, or looked at,
// as the flags of a command say. The separation is applied to the recording as it is.
type Fitting struct {
	// LeaveOutPauses leaves out stretches of recordings in memory at which no channel changes.
	LeaveOutPauses bool
	// Thin keeps, after a low-pass filter, every k-th position: at that rate nothing that the filter
	// leaves is lost.
	Thin bool

	filter filter.Filter
	skip   []string
	rate   float64
}

// Add adds the flags to a command. Does is what the command does with the signals, as in "learn
// from".
func (o *Fitting) Add(cmd *cobra.Command, does string) {
	f := cmd.Flags()
	f.Float64Var(&o.filter.Highpass, "highpass", 0,
		does+" the signals without what is slower than `HZ`")
	f.Float64Var(&o.filter.Lowpass, "lowpass", 0,
		does+" the signals without what is faster than `HZ`")
	f.Float64Var(&o.filter.Notch, "notch", 0,
		does+" the signals without the hum at `HZ` and its multiples")
	f.StringSliceVar(&o.skip, "skip", nil,
		does+" the signals without a `STRETCH`: times such as 10s-12s, positions such as 2500-3000, "+
			"or how the texts of annotations begin; several with commas between")
	f.Float64Var(&o.rate, "rate", 0,
		"positions a second, in `HZ`; what the recording says by default")
}

// IsZero reports whether nothing is done.
func (o *Fitting) IsZero() bool { return o.filter.IsZero() && len(o.skip) == 0 }

// SkipsSome reports whether stretches are left out.
func (o *Fitting) SkipsSome() bool { return len(o.skip) > 0 }

// CheckSequence returns a usage error if flags are given and positions aren't a sequence.
func (o *Fitting) CheckSequence(isSequence bool) error {
	if o.rate < 0 {
		return usage.Errorf("--rate %g: use a positive number", o.rate)
	}
	if !o.IsZero() && !isSequence {
		return usage.Errorf("--highpass, --lowpass, --notch and --skip are for recordings: leave them out for " +
			"images and videos")
	}
	return nil
}

// Source returns what is to be learned from, of a recording that about describes, with notes of
// what was done. It is x if nothing is done. Filtered signals are in memory. The rate of about
// becomes that of --rate.
func (o *Fitting) Source(
	ctx context.Context, x blockwise.Source, about *datasets.Recording,
) (blockwise.Source, []string, error) {
	if o.rate > 0 {
		about.Rate = o.rate
	}
	d, n := x.Dims()
	skipped, err := o.stretches(n, about)
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	if all := inMemory(x); all != nil && o.LeaveOutPauses {
		if found := pauses(all); found != nil {
			skipped = merged(append(skipped, found...))
			notes = append(notes, fmt.Sprintf("no channel changes at positions %s",
				listed(found)))
		}
	}
	if o.filter.IsZero() && len(skipped) == 0 {
		return x, nil, nil
	}
	kept := remainder(skipped, n)
	left := 0
	for _, s := range kept {
		left += s.end - s.begin
	}
	if !o.filter.IsZero() {
		if about.Rate == 0 {
			return nil, nil, usage.Errorf("--highpass, --lowpass and --notch: the recording doesn't say how many " +
				"positions are a second: use --rate")
		}
		if err := o.filter.Check(about.Rate); err != nil {
			return nil, nil, usage.Error(err)
		}
		if d > datasets.MaxEntries/n {
			return nil, nil, fmt.Errorf("%d signals at %d positions are more than the %d numbers that can "+
				"be filtered: cut the recording", d, n, datasets.MaxEntries)
		}
		filtered, err := blockwise.Part(ctx, x, n)
		if err != nil {
			return nil, nil, err
		}
		for i := range d {
			row := filtered.RawRowView(i)
			bridge(row, skipped)
			o.filter.Apply(row, about.Rate)
		}
		x = blockwise.InMemory{Dense: filtered}
		notes = append(notes, fmt.Sprintf("the signals were filtered: they are %v", o.filter))
	}
	if left < n {
		if left < 2 {
			return nil, nil, usage.Errorf("--skip: %d of %d positions are left: skip less", left, n)
		}
		x = some{x, kept, left}
		notes = append(notes, fmt.Sprintf("positions %s were skipped, %d of %d", listed(skipped),
			n-left, n))
	}
	if every := o.thinned(about.Rate); every > 1 && left >= 2*every {
		all, err := blockwise.Part(ctx, x, left)
		if err != nil {
			return nil, nil, err
		}
		thin := mat.NewDense(d, left/every, nil)
		thin.Apply(func(i, t int, _ float64) float64 { return all.At(i, t*every) }, thin)
		x = blockwise.InMemory{Dense: thin}
		notes = append(notes, fmt.Sprintf("one of %d positions was taken, as next to nothing "+
			"faster than %g Hz is left", every, o.filter.Lowpass))
	}
	return x, notes, nil
}

// thinMargin is the rate after thinning, in units of the low-pass filter's frequency. From 2 on no
// slower frequency is lost (Nyquist); 2.5 leaves room for the filter's slope. It is a choice: what
// is aliased is mixed by the same matrix, and does no harm.
const thinMargin = 2.5

// thinned returns k if every k-th position is kept, at a rate in Hz.
func (o *Fitting) thinned(rate float64) int {
	if !o.Thin || o.filter.Lowpass == 0 {
		return 1
	}
	return max(1, int(rate/(thinMargin*o.filter.Lowpass)))
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

// A stretch is positions from begin, counted from 0, to before end.
type stretch struct{ begin, end int }

// stretches returns what is to be skipped of n positions, in order, none touching another.
func (o *Fitting) stretches(n int, about *datasets.Recording) ([]stretch, error) {
	var all []stretch
	for _, text := range o.skip {
		found, err := o.find(text, n, about)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return merged(all), nil
}

// merged returns stretches in order, none touching another.
func merged(all []stretch) (apart []stretch) {
	slices.SortFunc(all, func(a, b stretch) int { return a.begin - b.begin })
	for _, s := range all {
		if last := len(apart) - 1; last >= 0 && s.begin <= apart[last].end {
			apart[last].end = max(apart[last].end, s.end)
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

// minPause is the number of positions from which a stretch without a change is a pause: an
// amplifier that was off, or zeros where there was nothing. A choice: among fewer positions slow
// signals of few bits may all keep their values, and fewer do no harm.
const minPause = 64

// pauses returns the stretches of signals, d×n, at which none changes; nil if that is all of them.
func pauses(x *mat.Dense) (found []stretch) {
	d, n := x.Dims()
	changes := make([]bool, n) // from one position to the next
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
			found = append(found, stretch{begin, end})
		}
		begin = end
	}
	if len(found) == 1 && found[0] == (stretch{0, n}) {
		return nil
	}
	return found
}

// listed returns stretches in words, counted from 1.
func listed(all []stretch) string {
	const most = 3
	var words []string
	for _, s := range all[:min(len(all), most)] {
		words = append(words, fmt.Sprintf("%d-%d", s.begin+1, s.end))
	}
	if more := len(all) - most; more > 0 {
		words = append(words, fmt.Sprintf("and in %d more stretches", more))
	}
	return strings.Join(words, ", ")
}

// find returns the stretches that a value of --skip names.
func (o *Fitting) find(text string, n int, about *datasets.Recording) ([]stretch, error) {
	first, last, _ := strings.Cut(text, "-")
	if begin, err := strconv.Atoi(first); err == nil {
		end, err := strconv.Atoi(last)
		if err != nil || begin < 1 || end < begin || begin > n {
			return nil, usage.Errorf("--skip %s: use positions from 1 to %d, such as 1-%d", text, n,
				min(n, 100))
		}
		return []stretch{{begin - 1, min(end, n)}}, nil
	}
	if begin, err := time.ParseDuration(first); err == nil {
		end, err := time.ParseDuration(last)
		if err != nil || end <= begin {
			return nil, usage.Errorf("--skip %s: use two times, the earlier first, such as 10s-12s", text)
		}
		if about.Rate == 0 {
			return nil, usage.Errorf("--skip %s: the recording doesn't say how many positions are a "+
				"second: use --rate, or positions such as 2500-3000", text)
		}
		return within(text, begin.Seconds()-about.Start, end.Seconds()-about.Start, n, about)
	}
	var found []stretch
	for _, e := range about.Events {
		if !hasPrefixFold(e.Text, text) {
			continue
		}
		some, err := within(text, e.Onset, e.Onset+max(e.Duration, 0), n, about)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	if found == nil {
		return nil, usage.Errorf("--skip %s: no annotation begins so: use times such as 10s-12s or "+
			"positions such as 2500-3000", text)
	}
	return found, nil
}

// hasPrefixFold reports whether a text begins with another, in either case.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// within returns the positions from a time to before another, in seconds after the first position;
// at least one.
func within(text string, from, to float64, n int, about *datasets.Recording) ([]stretch, error) {
	// A time within rounding of a position's is that position.
	const rounding = 1e-6
	begin := math.Ceil(from*about.Rate - rounding)
	end := max(math.Ceil(to*about.Rate-rounding), begin+1)
	if end <= 0 || begin >= float64(n) {
		return nil, usage.Errorf("--skip %s: the recording is from %g s to %g s", text, about.Start,
			about.Start+float64(n)/about.Rate)
	}
	return []stretch{{int(max(begin, 0)), int(min(end, float64(n)))}}, nil
}

// remainder returns what of n positions isn't skipped.
func remainder(skipped []stretch, n int) (kept []stretch) {
	begin := 0
	for _, s := range skipped {
		if s.begin > begin {
			kept = append(kept, stretch{begin, s.begin})
		}
		begin = s.end
	}
	if begin < n {
		kept = append(kept, stretch{begin, n})
	}
	return kept
}

// bridge puts straight lines where a signal is skipped, so that a filter doesn't smear what is
// there.
func bridge(signal []float64, skipped []stretch) {
	for _, s := range skipped {
		before, after := s.begin-1, s.end
		switch {
		case before < 0 && after == len(signal):
			return
		case before < 0:
			before = after
		case after == len(signal):
			after = before
		}
		low, high := signal[before], signal[after]
		for t := s.begin; t < s.end; t++ {
			share := float64(t-s.begin+1) / float64(s.end-s.begin+1)
			signal[t] = low + share*(high-low)
		}
	}
}

// some is a recording without what isn't in kept.
type some struct {
	blockwise.Source
	kept []stretch
	n    int // positions in kept
}

// Dims implements blockwise.Source.
func (s some) Dims() (d, n int) {
	d, _ = s.Source.Dims()
	return d, s.n
}

// Blocks implements blockwise.Source. Blocks are shorter where something is left out.
func (s some) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		kept, at := s.kept, 0
		for x, err := range s.Source.Blocks(n) {
			if err != nil {
				yield(nil, err)
				return
			}
			d, length := x.Dims()
			for len(kept) > 0 && kept[0].begin < at+length {
				begin, end := max(kept[0].begin, at), min(kept[0].end, at+length)
				if !yield(mat.DenseCopyOf(x.Slice(0, d, begin-at, end-at)), nil) {
					return
				}
				if kept[0].end > at+length {
					break
				}
				kept = kept[1:]
			}
			at += length
		}
	}
}
