package sica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/start"
)

// separation moves several runs' signals together.
type separation struct {
	cfg      Config
	grid     *grid.Grid
	ensemble *iterate.Ensemble
	kept     *checkpoint // nil for none

	runs   []*separationRun
	begin  time.Time
	failed *failure // the first run's
}

type separationRun struct {
	place    int // in FitRuns
	seed     uint64
	z        *mat.Dense
	flow     iterate.Chain         // that made z
	started  int                   // stages of flow that are the start's
	keepBest bool                  // the result is the iterate of least dependence
	least    dependence.Dependence // of the iterates so far, if keepBest
	plateau  plateau
	growth   growth
	result   *Result
	finished bool
}

// separate moves the signals of the runs until each has a reason to stop.
func separate(ctx context.Context, backend compute.Backend, runs []Run, choices []start.Start, cfg Config, g *grid.Grid, kept *checkpoint, begin time.Time) ([]*Result, error) {
	results := make([]*Result, len(runs))
	started := make([]*separationRun, len(runs))
	for r, run := range runs {
		started[r] = newSeparationRun(r, run, choices[r], cfg, g)
		results[r] = started[r].result
		results[r].Backend, results[r].backend = backend.Name(), backend
	}
	err := moveRuns(ctx, backend, started, cfg, g, kept, begin)
	for r, run := range started {
		if !run.finished {
			return nil, err // there is no result of a run that has no reason to stop
		}
		switch why := choices[r].Why; {
		case why == "":
		case results[r].Stopped == StoppedStart:
			results[r].Why = why
		case cfg.Iterations == 0:
			results[r].Why = why + " Ended there: " + results[r].Why + "."
		default:
			results[r].Why = why + " Then the flow: " + results[r].Why + "."
		}
		results[r].Dependence = run.least
	}
	return results, err
}

// newSeparationRun is run number place at its start.
func newSeparationRun(place int, run Run, from start.Start, cfg Config, g *grid.Grid) *separationRun {
	flow := iterate.ChainOf(from.Maps)
	return &separationRun{
		place: place, seed: run.Seed, z: from.Z, flow: flow, started: len(flow),
		keepBest: cfg.KeepBest, plateau: plateau{Patience: cfg.Patience},
		result: &Result{
			Z: from.Z, Initial: from.Z, flow: flow,
			Summary: Summary{
				Shape: g.Shape(), Start: from.Taken.Start, Rule: from.Taken.Rule, Candidates: from.Candidates, Linear: from.Linear, Network: from.Network, Outliers: from.Outliers,
				Config: cfg, Own: cfg.own(), Seed: run.Seed, Versions: provenance.Versions(),
			},
		},
	}
}

// moveRuns moves the signals of the runs, all in one compiled program, if they are to
// be moved at all.
func moveRuns(ctx context.Context, backend compute.Backend, runs []*separationRun, cfg Config, g *grid.Grid, kept *checkpoint, begin time.Time) error {
	if cfg.Iterations == 0 {
		s := &separation{runs: runs, begin: begin}
		if err := ctx.Err(); err != nil {
			s.stopAll(StoppedCancelled, cancelled(err))
			return err
		}
		s.stopAll(StoppedStart, "no iterations were asked for")
		return nil
	}
	if cfg.KeepBest {
		for _, run := range runs {
			var err error
			if run.least, err = leastDependence(run.z, g); err != nil {
				return fmt.Errorf("sica: %w", err)
			}
		}
	}
	d, _ := runs[0].z.Dims()
	ensemble, err := iterate.NewEnsemble(backend, cfg.networks(), d, g, len(runs))
	if err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	defer ensemble.Close()
	s := &separation{cfg: cfg, grid: g, ensemble: ensemble, kept: kept}
	return s.move(ctx, runs, begin)
}

// move makes iterations until every run has stopped.
func (s *separation) move(ctx context.Context, runs []*separationRun, begin time.Time) error {
	s.runs, s.begin, s.failed = runs, begin, nil
	made, err := s.resume()
	if err != nil {
		return fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
	}
	s.spend(made)
	for j := made + 1; j <= s.cfg.Iterations && s.active() > 0; j++ {
		if err := s.iterate(ctx, j); err != nil {
			if ctx.Err() != nil {
				s.stopAll(StoppedCancelled, cancelled(ctx.Err()))
				return ctx.Err()
			}
			return fmt.Errorf("sica: %w", err)
		}
		if err := s.keepState(j); err != nil {
			s.stopAll(StoppedCheckpoint, fmt.Sprintf("the checkpoint of iteration %d can't be written: %v", j, err))
			return fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
		s.spend(j)
	}
	s.stopAll(StoppedIterations, fmt.Sprintf("made all %d iterations", s.cfg.Iterations))
	return s.failed.err()
}

// cancelled says that the caller's context ended with err.
func cancelled(err error) string { return "the caller's context ended: " + err.Error() }

// failure is why the run at a place of FitRuns had to stop.
type failure struct {
	Place int    `json:"run"`
	Why   string `json:"why"`
}

// err is nil without a failure.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	return fmt.Errorf("sica: run %d: %s: %w", f.Place, f.Why, ErrNotFinite)
}

// spend stops the runs if the budget is used up after iteration j.
func (s *separation) spend(j int) {
	if j > 0 && s.cfg.Budget > 0 && time.Since(s.begin) > s.cfg.Budget {
		s.stopAll(StoppedBudget, fmt.Sprintf("used up the budget of %v after %d iterations", s.cfg.Budget, j))
	}
}

func (s *separation) active() int {
	n := 0
	for _, run := range s.runs {
		if !run.finished {
			n++
		}
	}
	return n
}

// iterate makes iteration j of every active run: it trains the field on the
// current signals, measures their divergence, and moves them.
func (s *separation) iterate(ctx context.Context, j int) error {
	var z []*mat.Dense
	var seeds []uint64
	for _, run := range s.runs {
		z, seeds = append(z, run.z), append(seeds, run.seed)
	}
	estimates, err := s.ensemble.Iterate(ctx, z, seeds, j)
	if err != nil {
		return err
	}
	for r, run := range s.runs {
		if !run.finished {
			s.advance(run, j, estimates[r])
		}
	}
	return nil
}

// advance moves the signals of a run, once it is sure that the result is
// finite, and decides whether the run goes on.
func (s *separation) advance(run *separationRun, j int, estimate iterate.Estimate) {
	var next moved
	err := s.cfg.checkEstimate(estimate)
	if err == nil {
		next, err = s.cfg.move(run.z, s.cfg.step(j), estimate)
	}
	if err != nil {
		why := fmt.Sprintf("iteration %d: %v", j, err)
		run.stop(StoppedNotFinite, why+"; kept the signals from before it", s.begin)
		if s.failed == nil {
			s.failed = &failure{Place: run.place, Why: why}
		}
		return
	}
	if run.growth.Size == 0 {
		run.growth.Size = signal.RMS(run.z)
	}
	run.z, run.flow = next.z, append(run.flow, next.maps...)
	result := run.result
	result.Loss = append(result.Loss, estimate.Loss)
	result.Divergence = append(result.Divergence, estimate.Divergence)
	result.Iterations = j
	run.keep(j, s.grid)
	it := Iteration{J: j, Loss: estimate.Loss, Divergence: estimate.Divergence, Step: next.step, Z: next.z, Elapsed: time.Since(s.begin)}
	if s.cfg.OnIteration != nil {
		s.cfg.OnIteration(run.place, it)
	}
	asked := s.cfg.Stop != nil && s.cfg.Stop(run.place, it)
	if why, good := run.growth.seen(j, estimate.Divergence, signal.RMS(next.z)); why != "" {
		if err := run.retreat(good); err != nil {
			why += fmt.Sprintf(" (going back failed: %v)", err)
		}
		run.stop(StoppedDiverged, fmt.Sprintf("%s: the flow leads away; kept iterate %d; smaller steps may help", why, run.result.Best), s.begin)
		return
	}
	plateau := run.plateau.reached(estimate.Divergence)
	switch {
	case asked:
		run.stop(StoppedAsked, fmt.Sprintf("asked to stop after iteration %d", j), s.begin)
	case plateau:
		run.stop(StoppedPlateau, fmt.Sprintf("the held-out divergence hasn't fallen below %.4f for %d iterations", run.plateau.Lowest, s.cfg.Patience), s.begin)
	}
}

// checkEstimate returns an error that names what of an iteration isn't finite.
func (c Config) checkEstimate(e iterate.Estimate) error {
	switch {
	case !signal.Finite(e.Loss):
		return fmt.Errorf("the loss is %g", e.Loss)
	case c.Folds > 0 && !signal.Finite(e.Divergence):
		return fmt.Errorf("the held-out divergence is %g", e.Divergence)
	case !signal.Finite(mat.Sum(e.Move)) && signal.CheckFinite(e.Move) != nil:
		return errors.New("the velocity isn't finite")
	}
	return nil
}

// keep makes iterate j the result, unless an earlier one is less dependent.
func (run *separationRun) keep(j int, g *grid.Grid) {
	if run.keepBest {
		left, err := leastDependence(run.z, g)
		if err != nil || left.Total() >= run.least.Total() {
			return
		}
		run.least = left
	}
	run.result.Best, run.result.Z, run.result.flow = j, run.z, slices.Clip(run.flow)
}

// leastDependence is that of the most dependent pair of z, with no block of positions
// left out.
func leastDependence(z *mat.Dense, g *grid.Grid) (dependence.Dependence, error) {
	ctx := context.Background() // an iteration that ended is measured also when its fit is stopped
	analysis, err := dependence.Analyse(ctx, z, g.Own())
	if err != nil {
		return dependence.Dependence{}, fmt.Errorf("measuring dependence: %w", err)
	}
	worst, err := analysis.Worst(ctx, 0)
	return worst.Dependence, err
}

// retreat makes iterate good the result, unless an earlier one is kept as the
// least dependent.
func (run *separationRun) retreat(good int) error {
	if run.keepBest {
		return nil
	}
	r := run.result
	each := (len(run.flow) - run.started) / r.Iterations // stages of an iteration
	to := run.started + good*each
	r.Best, r.Z, r.flow = 0, r.Initial, run.flow[:run.started:run.started]
	on := r.evaluator(r.Shape)
	defer on.Close()
	z := r.Initial
	for _, m := range run.flow[run.started:to].On(on) {
		var err error
		if z, err = m.Apply(z); err != nil {
			return err
		}
	}
	r.Best, r.Z, r.flow = good, z, run.flow[:to:to]
	return nil
}

func (run *separationRun) stop(status Status, why string, begin time.Time) {
	run.finished = true
	if run.keepBest && run.result.Best < run.result.Iterations && status != StoppedDiverged {
		why += fmt.Sprintf("; kept iterate %d, the least dependent", run.result.Best)
	}
	run.result.Stopped, run.result.Why = status, why
	run.result.Elapsed = time.Since(begin)
}

func (s *separation) stopAll(status Status, why string) {
	for _, run := range s.runs {
		if !run.finished {
			run.stop(status, why, s.begin)
		}
	}
}
