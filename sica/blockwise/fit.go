package blockwise

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

// AlwaysLearned is how many positions of a recording Fit learns from before it asks
// whether more are worth it: the linear rule takes seconds for them
// (docs/evaluation/performance.md). Fit learns from all of up to twice as many.
const AlwaysLearned = 1 << 16

const (
	// learnMost is the most values, signals times positions, that are chosen: 32 MiB, of
	// which a fit makes a handful of copies.
	learnMost = 1 << 22
	// worthLearning is the error that more positions must save: half of the last digit
	// in which this project gives an MCC.
	worthLearning = 0.0005
)

// Fit is sica.Fit on n of a recording's positions, in blocks of 8192 spread evenly over it. One
// block is joined to the next, which sica.Run.Joints says. If n is all positions or more, and x
// isn't a Subset, the result is that of sica.Fit. Apply it by Transform.
//
// With n = 0 it chooses n so that all positions would be worth less than 0.0005 of correlation. The
// linear rule gives each signal an expected error, 1 − |correlation| with its source
// (linear.Findings.ExpectedError). It falls as 1/n, and is 1 for signals that aren't identified. Fit
// begins with AlwaysLearned positions, or with all if these are at most twice as many. It takes as
// many more as the error calls for, up to 2²² values in all, which is the most in memory. If that
// isn't all, Result.Why says how many were taken and what to expect of it. Where the method isn't
// LinearOnly or Auto, or iterations follow, there is no such error, and n is all or those 2²²
// values.
//
// Result.Outliers are positions of the recording: of a Subset, of what it is a subset of. What
// deviates where two stretches are joined is excluded from fitting, too, and not among them.
//
// Config.Shape must be that of a sequence: nil, or one axis of any length, which says that the
// signals aren't images. A Prepare with a method Pointwise that returns false is an error (see
// preprocess.Applier). The other errors are those of sica.Fit and of x.
func Fit(ctx context.Context, x Source, cfg sica.Config, n int) (*sica.Result, error) {
	if x == nil || x == Source(InMemory{}) {
		return nil, errNil
	}
	d, t := x.Dims()
	if len(cfg.Shape) > 1 {
		return nil, signal.OfKind(fmt.Errorf("blockwise: Shape: is %v; must be that of a sequence, as "+
			"images and videos are fitted as a whole", cfg.Shape), sica.ErrConfig)
	}
	if n < 0 {
		err := fmt.Errorf("blockwise: n: is %d; must be 1 or more, or 0 to choose", n)
		return nil, signal.OfKind(err, sica.ErrConfig)
	}
	if p, ok := cfg.Prepare.(interface{ Pointwise() bool }); ok && !p.Pointwise() {
		return nil, fmt.Errorf("blockwise: Prepare: %w: its Pointwise returns false, so that "+
			"Transform can't apply it to blocks", sica.ErrNotPointwise)
	}
	var chosen part
	var err error
	if n == 0 {
		if err := ofLength(cfg, t).Validate(d, t); err != nil {
			return nil, err
		}
		chosen, err = choosePart(ctx, x, cfg)
	} else {
		chosen.x, err = Part(ctx, x, min(n, t))
		if n < t {
			chosen.why = []string{fmt.Sprintf("Learned from %d of %d positions, as asked.", n, t)}
		}
	}
	if err != nil {
		return nil, err
	}
	r := chosen.fit
	if r == nil {
		r, err = fitPart(ctx, chosen.x, cfg, positions(x, chosen.x))
	}
	if r == nil {
		return nil, err
	}
	if r.Outliers != nil {
		r.Outliers = outlier.Recorded(r.Outliers, positions(x, chosen.x))
	}
	r.Explain(chosen.why...)
	return r, err
}

// ofLength returns the settings for a sequence of n positions.
func ofLength(cfg sica.Config, n int) sica.Config {
	if len(cfg.Shape) == 1 {
		cfg.Shape = []int{n}
	}
	return cfg
}

// positions returns where those of a part of x are in the recording.
func positions(x Source, part *mat.Dense) []int {
	_, n := part.Dims()
	return Positions(x, n)
}

// fitPart is sica.Fit of a part x of a sequence, which is at the given positions of it.
func fitPart(
	ctx context.Context, x *mat.Dense, cfg sica.Config, positions []int,
) (*sica.Result, error) {
	_, n := x.Dims()
	run := sica.Run{X: x, Seed: cfg.Seed, Joints: signal.Joints(positions)}
	results, err := sica.FitRuns(ctx, []sica.Run{run}, ofLength(cfg, n))
	if len(results) == 0 {
		return nil, err
	}
	return results[0], err
}

// part is what is learned from.
type part struct {
	x   *mat.Dense
	fit *sica.Result // of x by the caller's settings, if it was made already
	why []string     // a sentence about it; none if it is all positions
}

// choosePart is the part of a recording that Fit chooses.
func choosePart(ctx context.Context, x Source, cfg sica.Config) (part, error) {
	d, t := x.Dims()
	most := min(t, max(learnMost/d, 2))
	byRule := cfg.Flow == nil && (cfg.Mode == sica.LinearOnly || cfg.Mode == sica.Auto)
	n := most
	if byRule {
		n = min(most, AlwaysLearned)
		if t <= 2*AlwaysLearned {
			n = most
		}
	}
	for {
		z, err := Part(ctx, x, n)
		if err != nil || n == t {
			return part{x: z}, err
		}
		learned := fmt.Sprintf("Learned from %d of %d positions", n, t)
		if !byRule {
			why := learned + ", the most unless the n of blockwise.Fit asks for more; what more " +
				"would be worth isn't known."
			return part{x: z, why: []string{why}}, nil
		}
		made, expected, err := expectedErrors(ctx, z, cfg, positions(x, z))
		if err != nil {
			return part{}, err
		}
		worst := expected.worst
		// All positions have the error worst·n/t.
		saved := worst * (1 - float64(n)/float64(t))
		if saved <= worthLearning {
			why := fmt.Sprintf("%s: the linear rule expects of them an error, 1 − |correlation| "+
				"with a source, of %.2g, and %.2g of all.", learned, worst, worst-saved)
			return part{z, made, []string{why}}, nil
		}
		if n == most {
			why := learned + ", the most unless the n of blockwise.Fit asks for more: " +
				expected.ofMost(1-float64(n)/float64(t))
			return part{z, made, []string{why}}, nil
		}
		n = min(most, max(2*n, int(1.2*float64(n)*worst/worthLearning)))
	}
}

// errorsOfPart are the expected errors, 1 − |correlation| with a source, of a part's signals.
type errorsOfPart struct {
	worst      float64 // the largest of all; 1 if a signal isn't identified
	known      float64 // the largest of the identified signals
	identified int     // how many these are, of
	signals    int
}

// ofMost says what is known of the errors where the part has the most positions. share is that of the
// others, which are as much of the error.
func (e errorsOfPart) ofMost(share float64) string {
	switch e.identified {
	case 0:
		return "the linear rule identifies no signal there, so that its error isn't known."
	case e.signals:
		return fmt.Sprintf("the linear rule expects of them an error, 1 − |correlation| with a source, of "+
			"up to %.2g; more positions may save %.2g.", e.known, e.known*share)
	}
	return fmt.Sprintf("for the %s that it identifies the linear rule expects an error, 1 − "+
		"|correlation| with a source, of up to %.2g; more positions may save %.2g.",
		text.Counted(e.identified, "signal"), e.known, e.known*share)
}

// expectedErrors returns the fit of the part z by the settings, nil if they have a checkpoint, and the
// errors that the linear rule expects of its demixing. Positions are those of z.
func expectedErrors(
	ctx context.Context, z *mat.Dense, cfg sica.Config, positions []int,
) (*sica.Result, errorsOfPart, error) {
	var whole *sica.Result
	if cfg.Checkpoint == "" {
		var err error
		if whole, err = fitPart(ctx, z, cfg, positions); err != nil {
			return nil, errorsOfPart{}, err
		}
	}
	cfg.Mode, cfg.NetworkSteps, cfg.Checkpoint, cfg.Candidates = sica.LinearOnly, 0, "", nil
	rule := whole
	if rule == nil || rule.Linear == nil { // networks and custom methods have no such error
		var err error
		if rule, err = fitPart(ctx, z, cfg, positions); err != nil {
			return nil, errorsOfPart{}, err
		}
	}
	all := rule.Linear.ExpectedError
	e := errorsOfPart{worst: slices.Max(all), signals: len(all)}
	for _, g := range rule.Linear.Groups {
		if len(g) == 1 {
			e.identified++
			e.known = max(e.known, all[g[0]])
		}
	}
	return whole, e, nil
}
