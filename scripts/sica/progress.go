package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/seed-47b1e431/gosica/sica"
	"golang.org/x/term"
)

// progress shows the iterations of a fit: a line each on out and, if status is
// a terminal, a bar there with the time left. Where the settings have several
// starts, each has a title and a bar of its own.
type progress struct {
	out    io.Writer
	status io.Writer                // nil without a terminal
	starts []string                 // their names
	total  int                      // iterations of a start
	first  sica.Iteration           // of the start under way
	bar    *progressbar.ProgressBar // nil without a terminal
}

func newProgress(out, status io.Writer, cfg sica.Config) *progress {
	p := &progress{out: out, total: cfg.Iterations, starts: []string{startName(cfg.Start)}}
	for _, start := range cfg.Alternatives {
		p.starts = append(p.starts, startName(start))
	}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.status = f
	}
	return p
}

// startName is a start in words, such as "zca".
func startName(start []sica.Transform) string {
	if len(start) == 0 {
		return "as given"
	}
	var names []string
	for _, t := range start {
		names = append(names, string(t))
	}
	return strings.Join(names, "+")
}

// iteration shows an iteration. mcc is NaN if the truth isn't known.
func (p *progress) iteration(it sica.Iteration, mcc float64) {
	if p.bar != nil {
		p.bar.Clear()
	}
	if p.first.J == 0 || it.Start != p.first.Start {
		p.begin(it)
	}
	line := fmt.Sprintf("iteration %d/%d  loss %.4f", it.J, p.total, it.Loss)
	if len(p.starts) > 1 {
		line = fmt.Sprintf("start %d, %s", it.Start+1, line)
	}
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

// begin shows that a start is under way, of which it is the first iteration.
func (p *progress) begin(it sica.Iteration) {
	p.done()
	p.first = it
	if len(p.starts) > 1 {
		fmt.Fprintf(p.out, "start %d of %d: %s\n", it.Start+1, len(p.starts), p.starts[it.Start])
	}
	if p.status != nil {
		p.bar = progressbar.NewOptions(p.total,
			progressbar.OptionSetWriter(p.status),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(),
		)
	}
}

// left is the time that the start under way still takes, if it makes all of
// its iterations, and false while that can't be told. It goes by the iterations
// after the first, which alone has to wait for a compiler or a judge.
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
