package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A removal measures what is removed from each channel while a recording is cleaned block by block,
// and filters the output without phase shift.
type removal struct {
	measured    inspect.Removal
	fitHighpass float64            // Hz; 0 for none
	highpass    float64            // Hz, for the measurement; 0 for none
	skipped     []datasets.Stretch // stretches skipped by the fit, which aren't measured
	isSteady    bool               // whether what is removed has no quiet half

	position                  int                 // first position of the current block
	filterBefore, filterAfter []*filter.Stream    // for each channel, before and after the removal
	written                   []*filter.ZeroPhase // for each channel; nil to write without a filter
	peak                      float64             // largest absolute value of the cleaned recording
}

// removal returns a removal for the cleaning of a recording.
func (opt *removeOptions) removal(in *files.Stream, model *files.Model) (*removal, error) {
	d, n := in.Dims()
	rate, fitHighpass, isWritten := in.About.Rate, model.Highpass(), opt.highpass != 0
	r := &removal{fitHighpass: fitHighpass, skipped: model.Skipped(n, &in.About)}
	r.measured.Rate = rate
	f := filter.Filter{Highpass: cmp.Or(opt.highpass, fitHighpass)}
	if f.IsZero() {
		return r, nil
	}
	err := f.Check(rate)
	if err == nil {
		err = f.CheckLength(n, rate)
	}
	switch {
	case err != nil && isWritten && rate == 0:
		return nil, usage.Errorf("--highpass: the recording has no sampling rate: %s", separateAgain)
	case err != nil && isWritten:
		return nil, usage.Error(err)
	case err != nil:
		return r, nil // measured without the filter
	}
	r.highpass = f.Highpass
	for range d {
		r.filterBefore = append(r.filterBefore, f.Stream(rate))
		r.filterAfter = append(r.filterAfter, f.Stream(rate))
		if isWritten {
			r.written = append(r.written, filter.NewZeroPhase(r.highpass, rate))
		}
	}
	if isWritten {
		in.About.Highpass = r.highpass
	}
	return r, nil
}

// cleaned returns the blocks of the recording after remove, filtered for output, and measures what
// was removed from each.
func (r *removal) cleaned(
	blocks blockwise.Blocks, remove func(x *mat.Dense) (*mat.Dense, error),
) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		channels := len(r.written)
		for x, err := range blocks {
			var z *mat.Dense
			if err == nil {
				z, err = remove(x)
			}
			if err == nil {
				err = r.measure(x, z)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if channels > 0 {
				z = filtered(channels, func(i int) []float64 { return r.written[i].Add(z.RawRowView(i)) })
			}
			if z != nil && !yield(r.peaked(z), nil) {
				return
			}
		}
		rest := filtered(channels, func(i int) []float64 { return r.written[i].Rest() })
		if rest != nil {
			yield(r.peaked(rest), nil)
		}
	}
}

// peaked returns the block, and records its largest absolute value.
func (r *removal) peaked(z *mat.Dense) *mat.Dense {
	for i := range z.RawMatrix().Rows {
		r.peak = max(r.peak, floats.Norm(z.RawRowView(i), math.Inf(1)))
	}
	return z
}

// filtered returns a block of d channels; nil if none of its values is available yet.
func filtered(d int, channel func(i int) []float64) (z *mat.Dense) {
	for i := range d {
		values := channel(i)
		if len(values) == 0 {
			continue
		}
		if z == nil {
			z = mat.NewDense(d, len(values), nil)
		}
		z.SetRow(i, values)
	}
	return z
}

// measure measures a block before and after the removal.
func (r *removal) measure(before, after *mat.Dense) error {
	if r.highpass > 0 {
		before, after = mat.DenseCopyOf(before), mat.DenseCopyOf(after)
		for i := range r.filterBefore {
			r.filterBefore[i].Apply(before.RawRowView(i))
			r.filterAfter[i].Apply(after.RawRowView(i))
		}
	}
	d, n := after.Dims()
	for _, s := range files.Kept(r.skipped, r.position, r.position+n) {
		part := func(x *mat.Dense) *mat.Dense {
			return x.Slice(0, d, s.Begin-r.position, s.End-r.position).(*mat.Dense)
		}
		if err := r.measured.Add(part(before), part(after)); err != nil {
			return err
		}
	}
	r.position += n
	return nil
}

// notes returns reasons against using the cleaned file as it is.
func (r *removal) notes(changes []inspect.Change, names []string) (notes []string) {
	var misfits, over []string
	for i, c := range changes {
		if c.Share > maxShare {
			misfits = append(misfits, files.ChannelName(names, i))
		}
		quiet := c.Quiet * c.Quiet / (c.QuietChannel * c.QuietChannel) // NaN if unchanged
		if c.Left > maxShare || c.Share+c.Left > maxSum || !r.isSteady && quiet > maxShare {
			over = append(over, files.ChannelName(names, i))
		}
	}
	if misfits != nil {
		notes = append(notes, "more was taken out than there was: "+strings.Join(misfits, ", ")+". "+misfit)
	} else if over != nil {
		notes = append(notes, "too much was taken out of these channels, so don't use them: "+
			strings.Join(over, ", ")+". If the artefact is in other components, too, take these out with it")
	}
	if r.fitHighpass > 0 && !(r.written != nil && r.highpass >= r.fitHighpass) {
		notes = append(notes, fmt.Sprintf("below %g Hz, which the fit didn't see, the cleaned channels can be "+
			"wrong by as much as their drift: use --highpass %[1]g here, too", r.fitHighpass))
	}
	return notes
}

const (
	// maxShare is the largest share of a channel's variance that the components of a recording have
	// in it, and the largest that remains without them. It exceeds 1, as what is removed and what
	// remains may correlate by −0.25 in a recording: then each is at most 1/(1 − 0.25²) = 1.07.
	maxShare = 1.1
	// maxSum is the largest sum of both shares: 1/(1 − 0.25) with that correlation.
	maxSum = 4. / 3
)

// misfit is the message for components larger than their channels: the cause, and what to do.
const misfit = "The components don't fit this recording, so don't use the cleaned file. Separate this " +
	"recording itself or, if you did, its raw form with --highpass 1"

// maxRemovalChannels is the largest number of channels that write lists, so that they fit a screen.
const maxRemovalChannels = 10

// write prints what was removed from the channels that lose the largest shares.
func (r *removal) write(out io.Writer, changes []inspect.Change, about *datasets.Recording) error {
	names := files.ChannelNames(about)
	order := grid.Range(len(changes))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(changes[j].Share, changes[i].Share) })
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header := "channel\ttaken out\tleft"
	if !r.isSteady {
		header += "\tin the quiet half"
	}
	fmt.Fprintln(t, header)
	for _, i := range order[:min(len(order), maxRemovalChannels)] {
		c := changes[i]
		fmt.Fprintf(t, "%s\t%.1f %%\t%.1f %%", files.ChannelName(names, i), 100*c.Share, 100*c.Left)
		if !r.isSteady {
			fmt.Fprintf(t, "\t%s of %s", short(c.Quiet), short(c.QuietChannel))
			if about.Units != nil && about.Units[i] != "" {
				fmt.Fprint(t, " "+about.Units[i])
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(order) - maxRemovalChannels; more > 0 {
		fmt.Fprintf(out, "and less of %s\n", text.Counted(more, "more channel"))
	}
	described := "Shares are of the channel's variance"
	if !r.isSteady {
		described += "; in the quiet half (between events; of heartbeats what differs from the median " +
			"one) it is what was taken out, about the error there, of what the channel holds"
	}
	described += "."
	if r.highpass > 0 {
		described += fmt.Sprintf(" All are above %g Hz.", r.highpass)
	}
	if r.skipped != nil {
		described += " The fit's skipped stretches aren't in them."
	}
	fmt.Fprint(out, text.Wrap("", described))
	return nil
}

// short returns a positive number with two digits, or more before the decimal point.
func short(v float64) string {
	if v >= 100 && v < 1e6 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// noteUnit prints that programs may take the values of an EDF or BDF file for volts, if the
// recording has no units.
func noteUnit(out io.Writer, path string, units []string) {
	if isEDF(path) && units == nil {
		files.Note(out, "the recording has no unit, and "+path+" has none: programs may take it for V")
	}
}

func isEDF(path string) bool {
	ending := strings.ToLower(filepath.Ext(path))
	return ending == ".edf" || ending == ".bdf"
}
