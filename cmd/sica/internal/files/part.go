package files

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// LearnOn is a value of --learn-on: "" for the default, "all", a time such as 60s, a number of
// positions, or a share 1/n of them.
type LearnOn string

// The values of LearnOn that aren't sizes.
const (
	LearnOnDefault LearnOn = ""
	LearnOnAll     LearnOn = "all"
)

// LearnOnUsage is the help of --learn-on for commands that use only the part that is learned from.
const LearnOnUsage = "take a `PART` of the positions, spread evenly: 60s, a number, 1/10 or all; " +
	"65536 at most by default"

// Check returns a usage error unless the value has one of the forms.
func (l LearnOn) Check() error {
	if l == LearnOnDefault || l == LearnOnAll {
		return nil
	}
	_, err := l.size(1, 1) // the form doesn't depend on the number of positions or on the rate
	return err
}

// Positions returns the number of positions to learn from, of n at a rate in positions per
// second. 0 leaves the choice to blockwise.Fit.
func (l LearnOn) Positions(n int, rate float64) (int, error) {
	switch l {
	case LearnOnDefault:
		return 0, nil
	case LearnOnAll:
		return n, nil
	}
	part, err := l.size(n, rate)
	if err != nil {
		return 0, err
	}
	if part < 2 {
		return 0, usage.Errorf("--learn-on %s is %s; must be at least 2", l,
			text.Counted(part, "position"))
	}
	if part > n {
		return 0, usage.Errorf("--learn-on %s: the recording has only %s to learn from: use all", l,
			text.Counted(n, "position"))
	}
	return part, nil
}

// size returns the number of positions of a share, a number or a time.
func (l LearnOn) size(n int, rate float64) (int, error) {
	malformed := usage.Errorf("--learn-on %q: use a time such as 60s, a number of positions, a "+
		"share such as 1/10, or all", string(l))
	if divisor, isShare := strings.CutPrefix(string(l), "1/"); isShare {
		every, err := strconv.Atoi(divisor)
		if err != nil || every < 1 {
			return 0, malformed
		}
		return n / every, nil
	}
	if number, err := strconv.Atoi(string(l)); err == nil {
		return number, nil
	}
	length, err := time.ParseDuration(string(l))
	if err != nil {
		return 0, malformed
	}
	if rate == 0 {
		return 0, usage.Errorf("--learn-on %s: the recording has no sampling rate: use --rate, or a "+
			"number of positions", l)
	}
	return int(min(length.Seconds()*rate, math.MaxInt32)), nil
}

// A Part is the part of a recording that a command works on.
type Part struct {
	X     *mat.Dense         // d×n
	Shape []int              // nil for a sequence
	Total int                // positions of the recording
	About datasets.Recording // without signals; its Notes also say what was done
	// Positions are where those of X are in the recording, from 0; nil for a whole one.
	Positions []int
	Rounding  []float64 // of Fitted

	left int // positions of the recording that weren't skipped or thinned out
}

// Joints returns the positions of X, from 0, before which positions of the recording are missing.
func (p Part) Joints() []int { return signal.Joints(p.Positions) }

// String says which part it is, in words. It is empty if that is all that is left of the recording.
func (p Part) String() string {
	n := p.X.RawMatrix().Cols
	if n == p.left {
		return ""
	}
	return fmt.Sprintf("%d of %d positions, in blocks spread evenly; --learn-on takes others", n,
		p.left)
}

// Note prints which part it is, unless it is the whole recording, and what was unusual in its
// file.
func (p Part) Note(out io.Writer) {
	if words := p.String(); words != "" {
		fmt.Fprintf(out, "\nThis is about %s.\n", words)
	}
	Note(out, p.About.Notes...)
}

// Read returns the part of a recording that is to be learned from, after fitting. By default a
// sequence gives at most blockwise.AlwaysLearned positions. Images, and other signals with a shape
// of several axes, are always read as a whole. A nil shape is that of the files.
func (l LearnOn) Read(
	ctx context.Context, reading *Reading, fitting *Fitting, inputs []string, shape []int,
	report func(doing string, fraction float64),
) (Part, error) {
	if err := l.Check(); err != nil { // before anything is read
		return Part{}, err
	}
	isWhole := len(shape) > 1 || len(inputs) > 1 || datasets.IsImage(inputs[0])
	if isWhole && l != LearnOnDefault && l != LearnOnAll {
		return Part{}, usage.Errorf("--learn-on %s: images and videos are taken as a whole", l)
	}
	isWhole = isWhole || l == LearnOnAll
	open := reading.Open
	if isWhole {
		open = reading.Whole
	}
	s, err := open(ctx, inputs, report)
	if err != nil {
		return Part{}, err
	}
	if isWhole && (shape == nil || s.About.Shape != nil) {
		shape = s.Shape
	}
	d, total := s.Dims()
	if len(shape) < 2 {
		s.About.Notes = append(s.About.Notes, reading.LooksTransposed(inputs[0], d, total)...)
	}
	if err := reading.CheckShape(inputs[0], total, shape); err != nil {
		return Part{}, err
	}
	s.Doing = "reading " + filepath.Base(inputs[0])
	fitted, err := fitting.Apply(ctx, s, &s.About)
	if err != nil {
		return Part{}, err
	}
	s.About.Notes = append(s.About.Notes, fitted.Notes...)
	_, left := fitted.Source.Dims()
	n := left
	if !isWhole {
		if n, err = l.Positions(left, s.About.Rate); err != nil {
			return Part{}, err
		}
		n = cmp.Or(n, min(left, blockwise.AlwaysLearned))
	}
	p := Part{Total: total, About: s.About, Rounding: fitted.Rounding, left: left}
	p.About.Signals = nil
	if p.X, err = blockwise.Part(ctx, fitted.Source, n); err != nil {
		return Part{}, fmt.Errorf("%s: %w", inputs[0], err)
	}
	p.Shape = SequenceShape(&s.About, shape, n)
	if n < total {
		p.Positions = blockwise.Positions(fitted.Source, n)
	}
	return p, nil
}

// CheckShape returns a usage error if the n positions of a file can't have the shape, of one to
// three axes; nil is any.
func (r *Reading) CheckShape(file string, n int, shape []int) error {
	if grid.Check(shape, n) == nil {
		return nil
	}
	after := ""
	if r.Missing == datasets.MissingDrop {
		after = " after --missing drop"
	}
	axes := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	return usage.Errorf("--shape %s: %s has %d positions%s, not %d", axes, file, n, after,
		grid.Product(shape))
}
