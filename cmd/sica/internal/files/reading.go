package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// Reading is how files of signals are read, as the flags of a command say.
type Reading struct {
	datasets.ReadOptions

	shape string // the flag of commands that have it for reading only
	model *Model // of Recall
}

// ParseShape returns the shape that a text such as "32x32" stands for.
func ParseShape(text string) ([]int, error) {
	var shape []int
	for axis := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(axis)
		if err != nil || n < 1 || len(shape) == 3 {
			return nil, usage.Errorf("--shape %q: use one to three positive whole numbers with an x "+
				"between them, such as 32x32", text)
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// Add adds the flags to a command, after a --model of its own. Help lists them once, as they are in
// many commands.
func (r *Reading) Add(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.PanicOnError)
	const byDefault = "error by default, or what it was in the fit of --model"
	if cmd.Flags().Lookup("shape") == nil {
		f.StringVar(&r.shape, "shape", "", "`SHAPE` of the positions of an NPY array of three axes or more, "+
			"such as 32x32; "+byDefault)
	}
	f.StringVar((*string)(&r.Missing), "missing", "",
		"what becomes of missing values, as `HOW`: error, interpolate, or drop, "+
			"which leaves the position out of everything, so that later ones move up; "+byDefault)
	f.BoolVar(&r.Transpose, "transpose", false, "read a row for each signal")
	f.StringVar(&r.Variable, "variable", "",
		"`NAME` of the variable of a MAT-file that holds the signals; the only matrix by default")
	f.StringVar(&r.Separator, "separator", "",
		"what is between the cells of a text file, a `CHARACTER`, tab or space; seen from the file "+
			"by default")
	f.StringVar(&r.Decimal, "decimal", "",
		"decimal `SIGN` of a text file, . or a comma; seen from the file by default")
	f.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{ofReading: nil} })
	cmd.Flags().AddFlagSet(f)
}

// ofReading annotates the flags that Add adds.
const ofReading = "reading"

// IsOfReading reports whether Add has added the flag.
func IsOfReading(flag *pflag.Flag) bool {
	_, is := flag.Annotations[ofReading]
	return is
}

// AddWithout adds the flag for channels that are left out of a separation.
func (r *Reading) AddWithout(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&r.Without, "without", nil,
		"`NAMES` or numbers of channels to leave out, with commas between")
}

// check returns an error unless the flags have one of their values, and the files can be files.
func (r *Reading) check(paths []string) error {
	if err := r.Validate(); err != nil {
		return usage.Error(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == Pipe && err != nil:
			return usage.Errorf("%s: standard input is read by sica remove and sica transform only", Pipe)
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("open %s: %w", path, errors.Unwrap(err))
		case err == nil && info.IsDir():
			return fmt.Errorf("%s: is a folder; must be a file", path)
		}
	}
	var err error
	if r.shape != "" {
		r.Shape, err = ParseShape(r.shape)
	}
	return err
}

// Recording returns the signals in a file, in several of one recording, or in images. The shape
// of their positions is nil unless they are images.
func (r *Reading) Recording(paths []string) (*datasets.Recording, []int, error) {
	if err := r.check(paths); err != nil {
		return nil, nil, err
	}
	if datasets.IsImage(paths[0]) {
		if len(r.Without) > 0 {
			return nil, nil, usage.Errorf("--without: images have no channels: leave out their --in")
		}
		return r.Images(paths...)
	}
	recording, err := r.Recordings(paths...)
	if err != nil {
		return nil, nil, err
	}
	return recording, recording.Shape, nil
}

// wholeBytes is the size of a file up to which it is read as a whole, even if it could be read in
// blocks: 8 MiB, which is 64 MiB of numbers at most.
const wholeBytes = 8 << 20

// Open opens a recording, which is read in blocks if its file is large. Report is called with how
// far it is read, and reading ends with ctx.
func (r *Reading) Open(
	ctx context.Context, paths []string, report func(doing string, fraction float64),
) (*Stream, error) {
	if err := r.check(paths); err != nil {
		return nil, err
	}
	info, err := os.Stat(paths[0])
	if err != nil || info.Size() <= wholeBytes || len(paths) > 1 || !IsStreamable(paths[0]) {
		return r.Whole(ctx, paths, report)
	}
	report("reading "+filepath.Base(paths[0]), 0)
	file, err := r.Stream(paths[0])
	if errors.Is(err, datasets.ErrNotBlocks) {
		return r.Whole(ctx, paths, report)
	}
	if err != nil {
		return nil, err
	}
	s := &Stream{Source: file, About: file.About(), ctx: ctx, report: report}
	s.Shape = s.About.Shape
	return s, r.checkStream(paths[0], s)
}

// Whole is Open of a recording, or of images, that are read into memory.
func (r *Reading) Whole(
	ctx context.Context, paths []string, report func(doing string, fraction float64),
) (*Stream, error) {
	recording, shape, err := r.Recording(paths)
	if err != nil {
		return nil, err
	}
	s := &Stream{
		Source: blockwise.InMemory{Dense: recording.Signals}, About: *recording, Shape: shape,
		ctx: ctx, report: report,
	}
	return s, r.checkStream(paths[0], s)
}

// checkStream returns an error unless a file has the channels of the separation that was recalled,
// and positions that the flag of Add is a shape of.
func (r *Reading) checkStream(file string, s *Stream) error {
	d, n := s.Dims()
	if r.model != nil {
		if err := r.model.checkChannels(d, n); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if r.shape == "" || s.About.Shape != nil {
		return nil
	}
	return r.CheckShape(file, n, r.Shape)
}

// minWide is the number of signals from which LooksTransposed says something: of fewer the fit says
// how many positions it needs.
const minWide = 16

// LooksTransposed returns a note if d signals at n positions, which are no pixels, may be a
// transposed file: nil unless there are fewer positions than twice the signals.
func (r *Reading) LooksTransposed(file string, d, n int) []string {
	if n >= 2*d || d < minWide || datasets.IsImage(file) || len(r.Shape) > 0 {
		return nil
	}
	way := "if each row of the file is a signal, use --transpose"
	if r.Transpose {
		way = "if each column of the file is a signal, leave out --transpose"
	}
	return []string{fmt.Sprintf("%d signals at %d positions: %s", d, n, way)}
}

// Note prints what was unusual in a file, a line for each.
func Note(out io.Writer, notes ...string) {
	for _, note := range notes {
		fmt.Fprintln(out, "note:", usage.Flags(note))
	}
}

// ChannelNames returns the names of a recording's channels for people. Without names in the file
// they are "column 2" and so on, where other columns are in between; else nil.
func ChannelNames(about *datasets.Recording) (names []string) {
	if about.Names != nil || len(about.Aside) == 0 || about.Places == nil {
		return about.Names
	}
	for _, place := range about.Places {
		names = append(names, fmt.Sprintf("column %d", place+1))
	}
	return names
}

// ChannelName returns the name of a channel by ChannelNames, or its number from 1 without names.
func ChannelName(names []string, channel int) string {
	if names == nil {
		return strconv.Itoa(channel + 1)
	}
	return names[channel]
}
