package sica

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// separation moves several runs' signals together. Lane r·N + n of its field
// is network n of run r, where N is the number of networks that share a run.
type separation struct {
	cfg     Config
	backend compute.Backend
	d, t    int
	field   *field

	runs  []*separationRun
	start int // which of cfg.starts the runs began with
	begin time.Time
	err   error // the first run's failure
}

type separationRun struct {
	seed     uint64
	z        *mat.Dense
	plateau  plateau
	result   *Result
	finished bool
}

func newSeparation(backend compute.Backend, cfg Config, d, t, runs int) (*separation, error) {
	field, err := newField(backend, cfg, d, t, runs*cfg.networks())
	return &separation{cfg: cfg, backend: backend, d: d, t: t, field: field}, err
}

// separate moves the runs' signals from one of the config's starts until each
// has a reason to stop.
func (s *separation) separate(ctx context.Context, runs []Run, start int, begin time.Time) ([]*Result, error) {
	z, err := startSignals(runs, s.cfg.starts()[start])
	if err != nil {
		return nil, err
	}
	s.start, s.begin, s.err = start, begin, nil
	s.setSignals(runs, z)
	for j := 1; j <= s.cfg.Iterations && s.active() > 0; j++ {
		if err := s.iterate(ctx, j); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			s.stopAll(StoppedCancelled, "the caller's context ended: "+ctx.Err().Error())
			return s.results(), ctx.Err()
		}
	}
	s.stopAll(StoppedIterations, fmt.Sprintf("made all %d iterations", s.cfg.Iterations))
	return s.results(), s.err
}

// setSignals puts every run at its first iterate.
func (s *separation) setSignals(runs []Run, z []*mat.Dense) {
	s.runs = nil
	for r, run := range runs {
		s.runs = append(s.runs, &separationRun{
			seed:    run.Seed,
			z:       z[r],
			plateau: plateau{patience: s.cfg.Patience},
			result: &Result{
				Z: z[r], Start: s.cfg.starts()[s.start],
				Config: s.cfg, Seed: run.Seed, Backend: s.backend.Name(),
			},
		})
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

func (s *separation) results() []*Result {
	results := make([]*Result, len(s.runs))
	for r, run := range s.runs {
		results[r] = run.result
	}
	return results
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
	calibrations, err := s.calibrate(data, j)
	if err != nil {
		return err
	}
	moves, err := s.field.moves(data, values)
	if err != nil {
		return err
	}
	for r, run := range s.runs {
		if !run.finished {
			s.advance(r, j, s.perRun(losses, r), calibrations[r].divergence, s.combineMoves(moves, r, calibrations[r].weights))
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

// combineMoves is run r's move, d×T: the mean over the folds of the networks'
// moves, weighed by window.
func (s *separation) combineMoves(moves [][]float64, r int, weights []float64) *mat.Dense {
	n := s.cfg.networks()
	combined := make([]float64, s.d*s.t)
	for network, move := range moves[r*n : (r+1)*n] {
		weight := weights[network/s.cfg.folds()] / float64(s.cfg.folds())
		for k, v := range move {
			combined[k] += weight * v
		}
	}
	return mat.NewDense(s.d, s.t, combined)
}

// fold is the fold of a lane's network.
func (s *separation) fold(lane int) int { return lane % s.cfg.networks() % s.cfg.folds() }

// advance moves the signals of run r, once it is sure that the result is
// finite, and decides whether the run goes on.
func (s *separation) advance(r, j int, loss, divergence float64, move *mat.Dense) {
	run := s.runs[r]
	step := s.cfg.step(j)
	z, err := s.cfg.nextSignals(run.z, move, step)
	if err != nil || !finite(loss) {
		why := fmt.Sprintf("iteration %d gave a loss of %g", j, loss)
		if err != nil {
			why = fmt.Sprintf("iteration %d: %v", j, err)
		}
		s.stop(run, StoppedNotFinite, why+"; kept the signals from before it")
		if s.err == nil {
			s.err = fmt.Errorf("sica: run %d: %s: %w", r, why, ErrNotFinite)
		}
		return
	}
	run.z = z
	result := run.result
	result.Loss = append(result.Loss, loss)
	result.Divergence = append(result.Divergence, divergence)
	result.Iterations = j
	result.Best, result.Z = j, z
	if s.cfg.OnIteration != nil {
		s.cfg.OnIteration(r, Iteration{Start: s.start, J: j, Loss: loss, Divergence: divergence, Step: step, Z: z, Elapsed: time.Since(s.begin)})
	}
	if run.plateau.reached(divergence) {
		s.stop(run, StoppedPlateau, fmt.Sprintf("the held-out divergence hasn't fallen below %.4f for %d iterations", run.plateau.lowest, s.cfg.Patience))
	}
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
// demixing family.
func (c Config) nextSignals(z, move *mat.Dense, step float64) (*mat.Dense, error) {
	var err error
	if c.Family == Linear {
		if move, err = projectLinear(move, z); err != nil {
			return nil, err
		}
	}
	if size := step * mat.Norm(move, 2) / math.Sqrt(float64(len(move.RawMatrix().Data))); c.MaxMove > 0 && size > c.MaxMove {
		step *= c.MaxMove / size
	}
	next := new(mat.Dense)
	next.Scale(step, move)
	next.Add(next, z)
	if err := checkSignals("z", next); err != nil {
		return nil, err
	}
	if c.Standardise {
		return standardise(next)
	}
	return next, nil
}

func (s *separation) stop(run *separationRun, reason StopReason, why string) {
	run.finished = true
	run.result.Stopped, run.result.Why = reason, why
	run.result.Elapsed = time.Since(s.begin)
}

func (s *separation) stopAll(reason StopReason, why string) {
	for _, run := range s.runs {
		if !run.finished {
			s.stop(run, reason, why)
		}
	}
}
