package main

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/schollz/progressbar/v3"
	"github.com/seed-47b1e431/gosica/sica"
	"golang.org/x/term"
)

// progress shows the iterations of a fit: a line each on out and, if status is
// a terminal, a bar there with the time left.
type progress struct {
	out   io.Writer
	total int
	bar   *progressbar.ProgressBar // nil without a terminal
}

func newProgress(out, status io.Writer, total int) *progress {
	p := &progress{out: out, total: total}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// iteration shows an iteration. mcc is NaN if the truth isn't known.
func (p *progress) iteration(it sica.Iteration, mcc float64) {
	line := fmt.Sprintf("iteration %d/%d  loss %.4f", it.J, p.total, it.Loss)
	if !math.IsNaN(it.Divergence) {
		line += fmt.Sprintf("  divergence %.4f", it.Divergence)
	}
	if !math.IsNaN(mcc) {
		line += fmt.Sprintf("  MCC %.4f", mcc)
	}
	if p.bar != nil {
		p.bar.Clear()
	}
	fmt.Fprintln(p.out, line)
	if p.bar != nil {
		p.bar.Set(it.J)
	}
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
