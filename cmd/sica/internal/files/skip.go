package files

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// skip returns the stretches of a recording to skip, in order, none touching another: those of
// --skip, and pauses. It sets f.Skip and f.pauses.
func (o *Fitting) skip(
	ctx context.Context, f *Fitted, about *datasets.Recording,
) (skipped []stretch, err error) {
	_, n := f.Source.Dims()
	texts := o.Skip
	if other := o.recalled.positions; other > 0 && n != other && len(texts) > 0 {
		texts = nil
		f.note(fmt.Sprintf("nothing was skipped: the fit's --skip is about a recording of %d positions, "+
			"and this one has %d", other, n))
	}
	var named []string // without "clipped"
	for _, text := range texts {
		if isClipped(text, about) {
			continue
		}
		stretches, err := namedStretches(text, n, about)
		if err != nil {
			return nil, err
		}
		named, skipped = append(named, text), append(skipped, stretches...)
	}
	if all := inMemory(f.Source); all != nil && o.LeaveOutGaps {
		f.pauses = findPauses(all)
		skipped = append(skipped, f.pauses...)
	}
	if len(named) == len(texts) { // none is "clipped"
		return merge(skipped), nil
	}
	clipped, err := findClipped(ctx, f.Source, merge(slices.Clone(skipped)))
	if err != nil {
		return nil, err
	}
	if clipped.Stretches == nil {
		f.note("--skip clipped: no channel is " + clipping.Criterion)
	}
	f.Skip = named
	for _, s := range clipped.Stretches {
		f.Skip = append(f.Skip, inWords([]stretch{s}))
	}
	return merge(append(skipped, clipped.Stretches...)), nil
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

// hasPrefixFold reports whether a text begins with the prefix, in upper or lower case.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
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

// flatNote says in a line which channels keep a value for a second or longer, outside skipped
// stretches, and where one does for longest; "" if none does.
func flatNote(x *mat.Dense, skipped []stretch, about *datasets.Recording) string {
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
		return ""
	case 1:
		return fmt.Sprintf("%s doesn't change %s: --skip leaves that stretch out, --without the channel",
			where, span)
	}
	return fmt.Sprintf("%s don't change for a time each, longest %s %s: --skip leaves a stretch out, "+
		"--without a channel", firstOf(flat), where, span)
}

// firstOf lists the first words, and says how many more there are.
func firstOf(words []string) string {
	const maxNamed = 6
	if more := len(words) - maxNamed; more > 0 {
		words = append(words[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return text.List(words)
}

// limitNote says which channels are at their largest or smallest value for more than
// clipping.MaxClipped of the time outside skipped stretches; "" if none is. Channels of two values,
// which always are, don't count.
func limitNote(x *mat.Dense, skipped []stretch, about *datasets.Recording) string {
	names := ChannelNames(about)
	d, n := x.Dims()
	var found []string
	for i := range d {
		var values []float64
		for _, s := range complement(skipped, n) {
			values = append(values, x.RawRowView(i)[s.Begin:s.End]...)
		}
		if values == nil {
			return ""
		}
		if share := clipping.Share(values); clipping.MaxClipped < share && share < 1 {
			found = append(found, fmt.Sprintf("%s (%.0f %%)", ChannelName(names, i), 100*share))
		}
	}
	if found == nil {
		return ""
	}
	return "at the largest or smallest value for long: " + firstOf(found) + "; leave out (--without) what is " +
		"clipped there"
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
