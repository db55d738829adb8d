package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/seed-47b1e431/gosica/sica"
)

// progress shows the iterations of a fit: a line each on out and, if status is
// a terminal, a bar there with the time left.
type progress struct {
	out   io.Writer
	total int                      // iterations
	first sica.Iteration           // that was made
	bar   *progressbar.ProgressBar // nil without a terminal
}

func newProgress(out, status io.Writer, total int) *progress {
	p := &progress{out: out, total: total}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = newBar(f, total)
	}
	return p
}

// newBar returns a bar on a terminal. The time left is its description, as its
// owner knows it better than the bar.
func newBar(terminal io.Writer, total int) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(terminal),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	)
}

// iteration shows an iteration. mcc is NaN if the truth isn't known.
func (p *progress) iteration(it sica.Iteration, mcc float64) {
	if p.bar != nil {
		p.bar.Clear()
	}
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
	fmt.Fprintln(p.out, line)
	if p.bar != nil {
		if left, ok := p.left(it); ok {
			p.bar.Describe(left.String() + " left")
		}
		p.bar.Set(it.J)
	}
}

// left is the time that the fit still takes, if it makes all of its iterations,
// and false while that can't be told. It goes by the iterations after the first,
// which alone has to wait for a compiler and the choice of a start.
func (p *progress) left(it sica.Iteration) (time.Duration, bool) {
	made := it.J - p.first.J
	if made == 0 {
		return 0, false
	}
	each := (it.Elapsed - p.first.Elapsed) / time.Duration(made)
	return (each * time.Duration(p.total-it.J)).Round(time.Second), true
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
