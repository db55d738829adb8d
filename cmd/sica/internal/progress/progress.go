// Package progress shows how far a command is: by a bar on a terminal, by lines elsewhere.
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// quietTime is the time in which a quiet Progress prints no lines: shorter work needs none.
const quietTime = 2 * time.Second

// A Progress is a bar on a terminal, and lines if there is none.
type Progress struct {
	status io.Writer
	bar    *progressbar.ProgressBar // nil without a terminal
	begin  time.Time                // before which Part prints no lines
	doing  string                   // in the last line of Part
	tenths int                      // in the last line of Part
}

// New returns the progress of a command whose standard error is status. Without a terminal,
// Part prints at once.
func New(status io.Writer) *Progress {
	p := &Progress{status: status}
	if file, ok := status.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions(100,
			progressbar.OptionSetWriter(file),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false), // the text of Step has a better estimate
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// NewQuiet is New for work that may be short: Part prints no lines in the first two seconds.
func NewQuiet(status io.Writer) *Progress {
	p := New(status)
	p.begin = time.Now().Add(quietTime)
	return p
}

// Part shows what the command is doing, and the fraction of that which is done, from 0 to 1.
// Without a terminal it prints a line when doing changes, and for each further tenth. What doesn't
// report its progress then has one line without a percentage.
func (p *Progress) Part(doing string, fraction float64) {
	if p.bar != nil {
		p.bar.Describe(doing)
		p.bar.Set(int(100 * fraction))
		return
	}
	tenths := int(10 * fraction)
	if doing == p.doing && tenths <= p.tenths || time.Now().Before(p.begin) {
		return
	}
	p.doing, p.tenths = doing, tenths
	if fraction == 0 {
		fmt.Fprintln(p.status, doing+" …")
		return
	}
	fmt.Fprintf(p.status, "%s, %.0f %%\n", doing, 100*fraction)
}

// Step prints a line to out for one step more of a total. The bar shows the text left, such as the
// remaining time.
func (p *Progress) Step(out io.Writer, line string, done, total int, left string) {
	if p.bar == nil {
		fmt.Fprintln(out, line)
		return
	}
	p.bar.Clear()
	fmt.Fprintln(out, line)
	p.bar.Describe(left)
	p.bar.ChangeMax(total)
	p.bar.Set(done)
}

// Done removes the bar.
func (p *Progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// Iterations shows the iterations of one fit.
type Iterations struct {
	*Progress
	out   io.Writer
	total int
	first klflow.Iteration // of this process
}

// NewIterations returns the progress of a fit of at most total iterations, with a line for each
// on out and the bar on status.
func NewIterations(out, status io.Writer, total int) *Iterations {
	return &Iterations{Progress: New(status), out: out, total: total}
}

// Iteration shows one more iteration. The MCC with the truth is NaN if that isn't known.
func (p *Iterations) Iteration(it klflow.Iteration, mcc float64) {
	if p.first.J == 0 {
		p.first = it
	}
	line := fmt.Sprintf("iteration %d/%d  loss %.4f", it.J, p.total, it.Loss)
	if !math.IsNaN(it.Divergence) {
		line += fmt.Sprintf("  divergence %.4f", it.Divergence)
	}
	if !math.IsNaN(mcc) {
		line += fmt.Sprintf("  MCC %.4f", mcc)
	}
	left := ""
	if remaining, ok := p.remaining(it); ok {
		left = remaining.String() + " left"
	}
	p.Step(p.out, line, it.J, p.total, left)
}

// remaining returns an estimate of the time of all further iterations, and false while there is
// none. It is from the iterations after the first, which includes compiling.
func (p *Iterations) remaining(it klflow.Iteration) (time.Duration, bool) {
	made := it.J - p.first.J
	if made == 0 {
		return 0, false
	}
	each := (it.Elapsed - p.first.Elapsed) / time.Duration(made)
	return (each * time.Duration(p.total-it.J)).Round(time.Second), true
}
