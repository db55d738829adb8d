package iterate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// CheckTrace returns an error unless t can be the trace of a fit.
func CheckTrace(t *klflow.Trace) error {
	if len(t.Loss) != t.Iterations || len(t.Divergence) != t.Iterations ||
		t.Best < 0 || t.Best > t.Iterations {
		return fmt.Errorf("a trace has %d losses, %d divergences and the best iterate %d; "+
			"must be of its %d iterations", len(t.Loss), len(t.Divergence), t.Best, t.Iterations)
	}
	return nil
}

// Input is the beginning of a run.
type Input struct {
	Z    *mat.Dense // signals, d×n
	Seed uint64     // determines every draw
}

// Output is the result of a run.
type Output struct {
	klflow.Trace
	Z    *mat.Dense // signals, d×n
	Maps Chain      // from the input's signals to Z
}

// ErrCheckpoint is wrapped by the error for a checkpoint that can't be used.
var ErrCheckpoint = errors.New("checkpoint")

// Move moves the signals of several runs of one size, in one compiled program, until each has a
// reason to stop. The time counts from begin. If checkpoint isn't nil, Move continues from its last
// state, and adds the state after each iteration.
//
// If ctx ends, a number isn't finite or the checkpoint can't be written, Move returns the last good
// iterates with the error: ctx.Err(), or one that wraps signal.ErrNotFinite or ErrCheckpoint. It
// returns other errors without outputs.
func Move(ctx context.Context, backend compute.Backend, inputs []Input, cfg Config,
	g *grid.Grid, begin time.Time, checkpoint *sealed.Series) ([]*Output, error) {
	l := &loop{cfg: cfg, backend: backend, grid: g, checkpoint: checkpoint, begin: begin}
	for place, in := range inputs {
		l.runs = append(l.runs, &run{
			loop: l, place: place, input: in, z: in.Z, maps: Chain{},
			output: &Output{Z: in.Z, Maps: Chain{}},
		})
	}
	err := l.move(ctx)
	var outputs []*Output
	for _, r := range l.runs {
		if !r.finished {
			return nil, err
		}
		outputs = append(outputs, r.output)
	}
	return outputs, err
}

// loop moves several runs together.
type loop struct {
	cfg        Config
	backend    compute.Backend
	grid       *grid.Grid
	ensemble   *ensemble
	checkpoint *sealed.Series // nil for none

	runs   []*run
	begin  time.Time
	failed *failure // the failure of the first run that failed
}

// run is one run of a loop.
type run struct {
	loop     *loop
	place    int // index among the runs
	input    Input
	z        *mat.Dense // signals after the last iteration
	maps     Chain      // from the input's signals to z
	growth   growth
	output   *Output // the result so far
	finished bool
}

// failure is the reason why a run had to stop.
type failure struct {
	Place int    `json:"run"`
	Why   string `json:"why"`
}

// move makes iterations until every run has stopped.
func (l *loop) move(ctx context.Context) error {
	if l.cfg.KeepBest {
		for _, r := range l.runs {
			var err error
			if r.output.Dependence, err = maxDependence(r.z, l.grid); err != nil {
				return err
			}
		}
	}
	d, _ := l.runs[0].z.Dims()
	var err error
	l.ensemble, err = newEnsemble(ctx, l.backend, l.cfg, d, l.grid, len(l.runs))
	if err != nil {
		return l.ended(ctx, 0, err)
	}
	defer l.ensemble.Close()
	made, err := l.resume()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	l.checkBudget(made)
	for j := made + 1; j <= l.cfg.Iterations && l.active(); j++ {
		if err := l.iterate(ctx, j); err != nil {
			return l.ended(ctx, j-1, err)
		}
		if err := l.writeState(j); err != nil {
			l.stopAll(klflow.StoppedCheckpoint,
				fmt.Sprintf("the checkpoint of iteration %d can't be written: %v", j, err))
			return fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		l.checkBudget(j)
	}
	all := fmt.Sprintf("made all %d iterations", l.cfg.Iterations)
	if l.cfg.Iterations == 1 {
		all = "made the one iteration"
	}
	l.stopAll(klflow.StoppedIterations, all)
	return l.failure()
}

// failure returns the error of the first run that failed; nil if none did. With several runs it
// names the run, counted from 1.
func (l *loop) failure() error {
	if l.failed == nil {
		return nil
	}
	why := l.failed.Why
	if len(l.runs) > 1 {
		why = fmt.Sprintf("run %d: %s", l.failed.Place+1, why)
	}
	return fmt.Errorf("%s; use smaller steps or another method, or look at the scale of the "+
		"signals (%w)", why, signal.ErrNotFinite)
}

// ended returns err. If the end of ctx is the reason, the runs stop, with j iterations made.
func (l *loop) ended(ctx context.Context, j int, err error) error {
	if ctx.Err() == nil {
		return err
	}
	when := "before the first iteration"
	if j > 0 {
		when = fmt.Sprintf("after iteration %d", j)
	}
	l.stopAll(klflow.StoppedCancelled, "interrupted "+when)
	return ctx.Err()
}

// checkBudget stops the runs if the budget is spent after iteration j.
func (l *loop) checkBudget(j int) {
	if j > 0 && l.cfg.Budget > 0 && time.Since(l.begin) > l.cfg.Budget {
		l.stopAll(klflow.StoppedBudget, fmt.Sprintf("used up the budget of %v after %s", l.cfg.Budget,
			text.Counted(j, "iteration")))
	}
}

// active reports whether a run hasn't stopped.
func (l *loop) active() bool {
	return slices.ContainsFunc(l.runs, func(r *run) bool { return !r.finished })
}

// iterate makes iteration j of every active run: it trains the networks on the current signals,
// measures their divergence, and moves them.
func (l *loop) iterate(ctx context.Context, j int) error {
	var z []*mat.Dense
	var seeds []uint64
	for _, r := range l.runs {
		z, seeds = append(z, r.z), append(seeds, r.input.Seed)
	}
	estimates, err := l.ensemble.Iterate(ctx, z, seeds, j)
	if err != nil {
		return err
	}
	for i, r := range l.runs {
		if !r.finished {
			r.advance(j, estimates[i])
		}
	}
	return nil
}

// advance moves the signals of a run by the estimate of iteration j, and decides whether the run
// continues. If the moved signals aren't finite, the run stops with the signals before the move.
func (r *run) advance(j int, estimate Estimate) {
	cfg, out := r.loop.cfg, r.output
	var next moved
	err := cfg.checkFinite(estimate)
	if err == nil {
		next, err = cfg.move(r.z, cfg.step(j), estimate)
	}
	if err != nil {
		why := fmt.Sprintf("iteration %d: %v", j, err)
		r.stop(klflow.StoppedNotFinite, why+"; kept the signals from before it")
		if r.loop.failed == nil {
			r.loop.failed = &failure{Place: r.place, Why: why}
		}
		return
	}
	if r.growth.Size == 0 {
		r.growth.Size = signal.RMS(r.z)
	}
	r.z, r.maps = next.z, append(r.maps, next.maps...)
	out.Loss = append(out.Loss, estimate.Loss)
	out.Divergence = append(out.Divergence, estimate.Divergence)
	out.Iterations = j
	r.updateResult(j)
	asked := r.report(klflow.Iteration{
		J: j, Loss: estimate.Loss, Divergence: estimate.Divergence, Step: next.step,
		Z: next.z, Elapsed: time.Since(r.loop.begin),
	})
	if why, good := r.growth.observe(j, estimate.Divergence, signal.RMS(next.z)); why != "" {
		if err := r.retreat(good); err != nil {
			why += fmt.Sprintf(" (going back failed: %v)", err)
		}
		r.stop(klflow.StoppedDiverged, fmt.Sprintf("%s: the flow diverges; kept iterate %d; smaller "+
			"steps may help", why, out.Best))
		return
	}
	if asked {
		r.stop(klflow.StoppedAsked, fmt.Sprintf("asked to stop after iteration %d", j))
	}
}

// report passes an iteration to the callbacks of the settings, and returns the result of Stop.
func (r *run) report(it klflow.Iteration) (stop bool) {
	cfg := r.loop.cfg
	if cfg.OnIteration != nil {
		guard.Callback("Flow.OnIteration", func() { cfg.OnIteration(r.place, it) })
	}
	if cfg.Stop != nil {
		guard.Callback("Flow.Stop", func() { stop = cfg.Stop(r.place, it) })
	}
	return stop
}

// updateResult makes iterate j the result; with Config.KeepBest only if it is less dependent than
// all earlier iterates. An iterate whose dependence can't be measured, such as one with a constant
// signal, isn't kept; the flow continues, as later ones may be measurable again.
func (r *run) updateResult(j int) {
	if r.loop.cfg.KeepBest {
		current, err := maxDependence(r.z, r.loop.grid)
		if err != nil || current.Total() >= r.output.Dependence.Total() {
			return
		}
		r.output.Dependence = current
	}
	r.output.Best, r.output.Z, r.output.Maps = j, r.z, slices.Clip(r.maps)
}

// maxDependence returns the dependence of the most dependent pair of z, over all positions and
// without the jackknife of dependence.Measure.
func maxDependence(z *mat.Dense, g *grid.Grid) (dependence.Dependence, error) {
	ctx := context.Background() // an iterate is measured even if the fit is cancelled meanwhile
	analysis, err := pairwise.Analyse(ctx, z, g)
	if err != nil {
		return dependence.Dependence{}, fmt.Errorf("measuring dependence: %w", err)
	}
	worst, err := analysis.Worst(ctx, 0)
	return dependence.Dependence(worst.Dependence), err
}

// retreat makes the earlier iterate good the result. With Config.KeepBest it does nothing: the
// least dependent iterate is the result.
func (r *run) retreat(good int) error {
	out := r.output
	if r.loop.cfg.KeepBest {
		return nil
	}
	perIteration := len(r.maps) / out.Iterations // one map, or two if the signals are standardised
	maps := slices.Clip(r.maps[:good*perIteration])
	out.Best, out.Z, out.Maps = 0, r.input.Z, Chain{} // the result if the maps can't be applied
	shape := r.loop.grid.Shape()
	evaluator := NewEvaluator(r.loop.backend, r.loop.cfg, shape, shape)
	defer evaluator.Close()
	z, err := mapping.ApplyAll(r.input.Z, maps.Maps(evaluator))
	if err != nil {
		return err
	}
	out.Best, out.Z, out.Maps = good, z, maps
	return nil
}

// stop finishes the run with its current result.
func (r *run) stop(status klflow.Status, why string) {
	r.finished = true
	out := r.output
	if r.loop.cfg.KeepBest && out.Best < out.Iterations && status != klflow.StoppedDiverged {
		why += fmt.Sprintf("; kept iterate %d, the least dependent", out.Best)
	}
	out.Stopped, out.Why, out.Elapsed = status, why, time.Since(r.loop.begin)
}

// stopAll stops every active run.
func (l *loop) stopAll(status klflow.Status, why string) {
	for _, r := range l.runs {
		if !r.finished {
			r.stop(status, why)
		}
	}
}

// The limits of a diverging flow. The held-out divergence is at most 2·log 2 nats; in a converging
// flow it changes by 0.1 to 0.2 nats, and the size of the signals hardly changes. The three numbers
// are choices. They only matter to a diverging flow, whose signals grow without bound: half or
// twice of them stops it a few iterations earlier or later.
const (
	grownDivergence = 0.5 // nats above twice the smallest divergence
	grownSize       = 1e6 // factor of the size at the start
	grownPatience   = 3   // consecutive iterations above either limit
)

// growth detects a diverging flow.
type growth struct {
	Size          float64 `json:"size"`     // RMS of the signals at the start, 0 before iteration 1
	Measured      bool    `json:"measured"` // whether a divergence was measured so far
	MinDivergence float64 `json:"least"`    // smallest divergence so far
	MinIterate    int     `json:"at"`       // the iterate with MinDivergence
	LastSmall     int     `json:"sound"`    // last iterate whose size hadn't grown
	Consecutive   int     `json:"since"`    // consecutive grown iterations up to the last one
}

// observe records the divergence of iterate j−1, NaN for none, and the size of iterate j. If the
// flow has to stop, it returns the reason and the last good iterate, otherwise "".
func (g *growth) observe(j int, divergence, size float64) (why string, good int) {
	grown := size > grownSize*g.Size
	if !grown {
		g.LastSmall = j
	}
	measured := !math.IsNaN(divergence)
	if measured && (!g.Measured || divergence < g.MinDivergence) {
		g.Measured, g.MinDivergence, g.MinIterate = true, divergence, j-1
	}
	diverged := measured && divergence > 2*g.MinDivergence+grownDivergence
	if !grown && !diverged {
		g.Consecutive = 0
		return "", 0
	}
	if g.Consecutive++; g.Consecutive < grownPatience {
		return "", 0
	}
	if diverged {
		return fmt.Sprintf("the held-out divergence has grown from %.3f to %.3f",
			g.MinDivergence, divergence), g.MinIterate
	}
	return fmt.Sprintf("the signals have grown by a factor of %.1g", size/g.Size), g.LastSmall
}
