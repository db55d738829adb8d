package sica

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/provenance"
)

// separation moves several runs' signals together. Lane r·N + n of its field
// is network n of run r, where N is the number of networks that share a run.
type separation struct {
	cfg     Config
	backend compute.Backend
	d, t    int
	field   *field
	kept    *checkpoint // nil for none

	runs   []*separationRun
	begin  time.Time
	failed *failure // the first run's
}

type separationRun struct {
	place      int // in FitRuns
	seed       uint64
	z          *mat.Dense
	flow       []stage    // that made z
	started    int        // stages of flow that are the start\'s
	neighbours [][]int32  // to measure the dependence with, nil if that isn't asked for
	least      Dependence // of the iterates so far
	plateau    plateau
	growth     growth
	result     *Result
	finished   bool
}

func newSeparation(backend compute.Backend, cfg Config, d, t, runs int) (*separation, error) {
	field, err := newField(backend, cfg, d, t, runs*cfg.networks())
	return &separation{cfg: cfg, backend: backend, d: d, t: t, field: field}, err
}

// separate moves the signals of those runs whose start isn't settled until each
// has a reason to stop.
func separate(ctx context.Context, backend compute.Backend, runs []Run, choices []choice, cfg Config, kept *checkpoint, begin time.Time) ([]*Result, error) {
	results := make([]*Result, len(runs))
	var open []*separationRun
	for r, run := range runs {
		started := newSeparationRun(r, run, choices[r], cfg)
		results[r], started.result.Backend, started.result.backend = started.result, backend.Name(), backend
		if cfg.chooses() && cfg.settled(choices[r].taken) {
			started.stop(StoppedSettled, fmt.Sprintf("the start left a dependence below %g", cfg.Settled), begin)
			continue
		}
		if cfg.KeepBest {
			if err := started.keepLeast(choices[r].neighbours); err != nil {
				return nil, err
			}
		}
		open = append(open, started)
	}
	var err error
	if len(open) > 0 {
		err = moveRuns(ctx, backend, open, cfg, kept, begin)
		if slices.ContainsFunc(open, func(run *separationRun) bool { return !run.finished }) {
			return nil, err // there is no result of a run that has no reason to stop
		}
	}
	if cfg.chooses() {
		for r, result := range results {
			if explainErr := result.explain(choices[r]); explainErr != nil {
				return nil, explainErr
			}
		}
	}
	return results, err
}

// newSeparationRun is run number place at its start.
func newSeparationRun(place int, run Run, c choice, cfg Config) *separationRun {
	return &separationRun{
		place: place, seed: run.Seed, z: c.z, flow: c.stages, started: len(c.stages), plateau: plateau{Patience: cfg.Patience},
		result: &Result{
			Z: c.z, Initial: c.z, Start: c.taken.Start, Rotated: c.taken.Rotated, Candidates: c.candidates,
			Config: cfg, Seed: run.Seed, Versions: provenance.Versions(),
			flow: c.stages, shape: cfg.indexShape(run.X.RawMatrix().Cols),
		},
	}
}

// keepLeast makes the run keep the iterate of least dependence, the start, which
// it measures here, among them.
func (run *separationRun) keepLeast(neighbours [][]int32) error {
	var err error
	run.neighbours = neighbours
	if run.least, err = measureDependence(run.z, neighbours, 0); err != nil {
		return fmt.Errorf("sica: measuring dependence: %w", err)
	}
	return nil
}

// moveRuns moves the signals of the runs, all in one compiled program.
func moveRuns(ctx context.Context, backend compute.Backend, runs []*separationRun, cfg Config, kept *checkpoint, begin time.Time) error {
	d, t := runs[0].z.Dims()
	s, err := newSeparation(backend, cfg, d, t, len(runs))
	if err != nil {
		return err
	}
	defer s.field.close()
	s.kept = kept
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
				s.stopAll(StoppedCancelled, "the caller's context ended: "+ctx.Err().Error())
				return ctx.Err()
			}
			return err
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
	values := s.values()
	data := s.field.data(values)
	defer s.field.release(data)

	if j == 1 || !s.cfg.WarmStart {
		if err := s.field.renew(s.streams(j, drawWeights)); err != nil {
			return err
		}
	}
	losses, err := s.train(ctx, data, j)
	if err != nil {
		return err
	}
	calibrations, err := s.calibrate(ctx, data, j)
	if err != nil {
		return err
	}
	moves, err := s.field.moves(ctx, data, values)
	if err != nil {
		return err
	}
	networks, err := s.networks()
	if err != nil {
		return err
	}
	for r, run := range s.runs {
		if !run.finished {
			learned := s.learned(r, networks, calibrations[r].weights)
			s.advance(r, j, s.perRun(losses, r), calibrations[r].divergence, s.combineMoves(moves, r, calibrations[r].weights), learned)
		}
	}
	return nil
}

// values are the signals of every lane, row-major [lanes][d·T]; the networks
// of a run share them.
func (s *separation) values() [][]float64 {
	var values [][]float64
	for _, run := range s.runs {
		flat := make([]float64, 0, s.d*s.t)
		for i := range s.d {
			flat = append(flat, run.z.RawRowView(i)...)
		}
		for range s.cfg.networks() {
			values = append(values, flat)
		}
	}
	return values
}

// perRun is the mean over run r's networks of a value of each lane.
func (s *separation) perRun(values []float64, r int) float64 {
	n := s.cfg.networks()
	mean := 0.0
	for _, v := range values[r*n : (r+1)*n] {
		mean += v / float64(n)
	}
	return mean
}

// combineMoves is run r's move, d×T.
func (s *separation) combineMoves(moves [][]float64, r int, weights []float64) *mat.Dense {
	n := s.cfg.networks()
	return mat.NewDense(s.d, s.t, s.cfg.combine(moves[r*n:(r+1)*n], weights))
}

// combine is a run's move: the mean over the folds of its networks' moves,
// weighed by window.
func (c Config) combine(moves [][]float64, weights []float64) []float64 {
	combined := make([]float64, len(moves[0]))
	for network, move := range moves {
		weight := weights[network/c.folds()] / float64(c.folds())
		for k, v := range move {
			combined[k] += weight * v
		}
	}
	return combined
}

// fold is the fold of a lane's network.
func (s *separation) fold(lane int) int { return lane % s.cfg.networks() % s.cfg.folds() }

// advance moves the signals of run r, once it is sure that the result is
// finite, and decides whether the run goes on.
func (s *separation) advance(r, j int, loss, divergence float64, move *mat.Dense, learned *flowStep) {
	run := s.runs[r]
	step := s.cfg.step(j)
	var z *mat.Dense
	var moved []stage
	err := s.cfg.checkNumbers(loss, divergence, move)
	if err == nil {
		z, moved, err = s.cfg.nextSignals(run.z, move, step, learned)
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
		run.growth.Size = size(run.z)
	}
	run.z, run.flow = z, append(run.flow, moved...)
	result := run.result
	result.Loss = append(result.Loss, loss)
	result.Divergence = append(result.Divergence, divergence)
	result.Iterations = j
	run.keep(j)
	if s.cfg.OnIteration != nil {
		s.cfg.OnIteration(run.place, Iteration{J: j, Loss: loss, Divergence: divergence, Step: step, Z: z, Elapsed: time.Since(s.begin)})
	}
	if why, good := run.growth.seen(j, divergence, size(z)); why != "" {
		if err := s.retreat(run, good); err != nil {
			why += fmt.Sprintf(" (going back failed: %v)", err)
		}
		run.stop(StoppedDiverged, fmt.Sprintf("%s: the flow leads away; kept iterate %d; smaller steps may help", why, run.result.Best), s.begin)
		return
	}
	if run.plateau.reached(divergence) {
		run.stop(StoppedPlateau, fmt.Sprintf("the held-out divergence hasn't fallen below %.4f for %d iterations", run.plateau.Lowest, s.cfg.Patience), s.begin)
	}
}

// keep makes iterate j the result, unless an earlier one is less dependent.
func (run *separationRun) keep(j int) {
	if run.neighbours != nil {
		dependence, err := measureDependence(run.z, run.neighbours, 0)
		if err != nil || dependence.Total() >= run.least.Total() {
			return
		}
		run.least = dependence
	}
	run.result.Best, run.result.Z, run.result.flow = j, run.z, slices.Clip(run.flow)
}

// step is η of iteration j: a cosine from FirstStep to LastStep. The rectified
// flow always goes all the way to τ = 1.
func (c Config) step(j int) float64 {
	if c.Flow == RF {
		return 1
	}
	if c.Iterations == 1 {
		return c.FirstStep
	}
	phase := float64(j-1) / float64(c.Iterations-1)
	return c.LastStep + (c.FirstStep-c.LastStep)*(1+math.Cos(math.Pi*phase))/2
}

// nextSignals is z moved by step·move, the move first brought into the
// demixing family, and the maps that it is made of: a free move's is what was
// learned.
func (c Config) nextSignals(z, move *mat.Dense, step float64, learned *flowStep) (*mat.Dense, []stage, error) {
	var linear *affine
	if c.Family == Linear {
		var err error
		if move, linear, err = projectLinear(move, z); err != nil {
			return nil, nil, err
		}
	}
	if size := step * mat.Norm(move, 2) / math.Sqrt(float64(len(move.RawMatrix().Data))); c.MaxMove > 0 && size > c.MaxMove {
		step *= c.MaxMove / size
	}
	next := new(mat.Dense)
	next.Scale(step, move)
	next.Add(next, z)
	if err := checkSignals("z", next); err != nil {
		return nil, nil, err
	}
	var moved []stage
	if linear != nil {
		linear = linear.asStep(step)
		moved = []stage{linear}
	} else {
		learned.step = step
		moved = []stage{learned}
	}
	if !c.Standardise {
		return next, moved, nil
	}
	standard, err := standardise(next)
	if err != nil {
		return nil, nil, err
	}
	if linear != nil {
		return standard, []stage{linear.then(standardisation(next))}, nil
	}
	return standard, append(moved, standardisation(next)), nil
}

func (run *separationRun) stop(reason StopReason, why string, begin time.Time) {
	run.finished = true
	if run.neighbours != nil && run.result.Best < run.result.Iterations && reason != StoppedDiverged {
		why += fmt.Sprintf("; kept iterate %d, the least dependent", run.result.Best)
	}
	run.result.Stopped, run.result.Why = reason, why
	run.result.Elapsed = time.Since(begin)
}

func (s *separation) stopAll(reason StopReason, why string) {
	for _, run := range s.runs {
		if !run.finished {
			run.stop(reason, why, s.begin)
		}
	}
}
