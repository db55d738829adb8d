package sica

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// ErrNotFinite is wrapped by the error of a fit whose loss or signals became
// NaN or infinite; the result that comes with it is the last good iterate.
var ErrNotFinite = errors.New("a loss or a signal is not finite")

// Run is one separation of FitRuns.
type Run struct {
	X    *mat.Dense // mixed signals, d×T
	Seed uint64     // of every random draw, in place of Config.Seed
}

// Fit separates the mixed signals x, d signals in rows × T positions in
// columns, with d ≥ 2 (paper, Algorithm 2). It doesn't change x.
//
// An error about x or cfg comes before any work and without a result. If ctx
// ends, or a number stops being finite, Fit returns the last good iterate
// together with the error: ctx.Err(), or one that wraps ErrNotFinite.
func Fit(ctx context.Context, backend compute.Backend, x *mat.Dense, cfg Config) (*Result, error) {
	results, err := FitRuns(ctx, backend, []Run{{X: x, Seed: cfg.Seed}}, cfg)
	if len(results) == 0 {
		return nil, err
	}
	return results[0], err
}

// FitRuns makes several independent separations of equal size in one compiled
// program. Its results are those of Fit on each run, up to the rounding of the
// backend; run r's draws come from its own seed only. The error, if any, is
// the first of the runs'.
func FitRuns(ctx context.Context, backend compute.Backend, runs []Run, cfg Config) ([]*Result, error) {
	s, err := newSeparation(backend, runs, cfg)
	if err != nil {
		return nil, err
	}
	defer s.field.close()
	for j := 1; j <= cfg.Iterations && s.active() > 0; j++ {
		if err := s.iterate(ctx, j); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			s.stopAll(StoppedCancelled, "the caller's context ended: "+ctx.Err().Error())
			return s.results(), ctx.Err()
		}
	}
	s.stopAll(StoppedIterations, fmt.Sprintf("made all %d iterations", cfg.Iterations))
	return s.results(), s.err
}

// separation is the state of FitRuns. Lane r·F + f of its field is network f
// of run r, where F is the number of networks that share a run.
type separation struct {
	cfg   Config
	d, t  int
	runs  []*separationRun
	field *field
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

func newSeparation(backend compute.Backend, runs []Run, cfg Config) (*separation, error) {
	s := &separation{cfg: cfg, begin: time.Now()}
	if backend == nil {
		return nil, errors.New("sica: backend is nil; open one with compute.NewWithConfig")
	}
	if len(runs) == 0 {
		return nil, errors.New("sica: no runs; want at least one")
	}
	for r, run := range runs {
		z, err := startOf(run.X, cfg)
		if err == nil && r > 0 {
			err = sameSize(z, s.runs[0].z)
		}
		if err != nil {
			if len(runs) > 1 {
				err = fmt.Errorf("run %d: %w", r, err)
			}
			return nil, err
		}
		s.d, s.t = z.Dims()
		s.runs = append(s.runs, &separationRun{
			seed:    run.Seed,
			z:       z,
			plateau: plateau{patience: cfg.Patience},
			result:  &Result{Z: z, Config: cfg, Seed: run.Seed, Backend: backend.Name()},
		})
	}
	var err error
	s.field, err = newField(backend, cfg, s.d, s.t, len(runs)*cfg.networks())
	return s, err
}

// startOf checks one run's signals and settings and makes its first iterate.
func startOf(x *mat.Dense, cfg Config) (*mat.Dense, error) {
	if err := checkSignals("x", x); err != nil {
		return nil, fmt.Errorf("sica: %w", err)
	}
	d, t := x.Dims()
	if err := cfg.Validate(d, t); err != nil {
		return nil, err
	}
	return Preprocess(x, cfg.Start...)
}

func sameSize(z, first *mat.Dense) error {
	d, t := z.Dims()
	if d0, t0 := first.Dims(); d != d0 || t != t0 {
		return fmt.Errorf("sica: x has %d×%d entries, run 0 has %d×%d: want runs of one size", d, t, d0, t0)
	}
	return nil
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
	flat := make([]float64, 0, len(values)*s.d*s.t)
	for _, v := range values {
		flat = append(flat, v...)
	}
	z := floatTensor(flat, s.field.dtype, len(values), s.d, s.t)

	if j == 1 || !s.cfg.WarmStart {
		if err := s.field.renew(s.streams(j, drawWeights)); err != nil {
			return err
		}
	}
	losses, err := s.train(ctx, z, j)
	if err != nil {
		return err
	}
	calibrations, err := s.calibrate(z, j)
	if err != nil {
		return err
	}
	moves, err := s.field.moves(z, values)
	if err != nil {
		return err
	}
	for r, run := range s.runs {
		if !run.finished {
			s.advance(r, j, s.perRun(losses, r), calibrations[r], s.averageMove(moves, r))
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

// averageMove is the mean over run r's networks of their moves, d×T.
func (s *separation) averageMove(moves [][]float64, r int) *mat.Dense {
	n := s.cfg.networks()
	mean := make([]float64, s.d*s.t)
	for _, move := range moves[r*n : (r+1)*n] {
		for k, v := range move {
			mean[k] += v / float64(n)
		}
	}
	return mat.NewDense(s.d, s.t, mean)
}

// advance moves the signals of run r, once it is sure that the result is
// finite, and decides whether the run goes on.
func (s *separation) advance(r, j int, loss float64, held calibration, move *mat.Dense) {
	run := s.runs[r]
	step, divergence := s.cfg.step(j)*held.scale, held.divergence
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
		s.cfg.OnIteration(r, Iteration{J: j, Loss: loss, Divergence: divergence, Step: step, Z: z, Elapsed: time.Since(s.begin)})
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
