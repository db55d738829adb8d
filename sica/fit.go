package sica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/network"
	"github.com/seed-47b1e431/gosica/sica/start"
)

// ErrNotFinite is wrapped by the error of a fit whose loss or signals became
// NaN or infinite; the result that comes with it is the last good iterate.
var ErrNotFinite = signal.ErrNotFinite

// ErrSignals is wrapped by the error for mixed signals that can't be separated.
var ErrSignals = errors.New("signals that can't be separated")

// signalsError is an error about mixed signals, in its own words.
type signalsError struct{ error }

func (e signalsError) Is(target error) bool { return target == ErrSignals }
func (e signalsError) Unwrap() error        { return e.error }

// Run is one separation of FitRuns.
type Run struct {
	X    *mat.Dense // mixed signals, d×T
	Seed uint64     // of every random draw, in place of Config.Seed
}

// Fit separates the mixed signals x, d signals in rows × T positions in
// columns, with d ≥ 2 (paper, Algorithm 2). It doesn't change x. A Rule needs T ≥ 16 and
// T ≥ d + 2: fewer positions tell nothing. NetworkRule needs 20 along the first axis of the
// positions, and 5 along the others.
//
// An error about x or cfg comes before any work and without a result, and so does
// ctx.Err() if ctx has ended already. If ctx ends later, or a number stops being
// finite, Fit returns the last good iterate together with the error: ctx.Err(),
// or one that wraps ErrNotFinite. With Running.Checkpoint it can go on after that,
// or after the process was killed.
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
	begin := time.Now()
	g, err := checkRuns(backend, runs, cfg)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	runs, prepared, err := cfg.prepare(ctx, runs)
	if err != nil {
		return nil, fmt.Errorf("sica: %w", err)
	}
	runs, reductions, err := cfg.reduce(runs)
	if err != nil {
		return nil, fmt.Errorf("sica: %w", signalsError{err})
	}
	var kept *checkpoint
	if cfg.Checkpoint != "" {
		if kept, err = openCheckpoint(cfg, backend, runs); err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
		defer kept.Close()
	}
	choices, err := cfg.starts(ctx, backend, runs, g, kept)
	if err != nil {
		return nil, err
	}
	results, err := separate(ctx, backend, runs, choices, cfg, g, kept, begin)
	for r, result := range results {
		result.reducedBy(reductions[r])
		result.preparedBy(prepared[r])
	}
	return results, err
}

// starts are what the runs begin with: those that were kept, if there are any.
func (c Config) starts(ctx context.Context, backend compute.Backend, runs []Run, g *grid.Grid, kept *checkpoint) ([]start.Start, error) {
	if kept != nil {
		choices, err := kept.readStarts(c, runs, g)
		if err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
		if choices != nil {
			return choices, nil
		}
	}
	choices := make([]start.Start, len(runs))
	for r, run := range runs {
		var err error
		if choices[r], err = c.startOf(ctx, backend, r, run, g.Shape()); err != nil {
			return nil, fmt.Errorf("sica: %w", err)
		}
	}
	if kept != nil && ctx.Err() == nil { // an ended ctx cuts the choice short
		if err := kept.writeStarts(choices); err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
	}
	return choices, nil
}

// checkRuns returns an error unless the runs can be separated together, and the index
// of their positions.
func checkRuns(backend compute.Backend, runs []Run, cfg Config) (*grid.Grid, error) {
	if backend == nil {
		return nil, errors.New("sica: backend is nil; open one with backend.Open")
	}
	if len(runs) == 0 {
		return nil, errors.New("sica: no runs; want at least one")
	}
	var g *grid.Grid
	for r, run := range runs {
		var err error
		if g, err = checkRun(run, runs[0], cfg); err != nil {
			if len(runs) > 1 {
				return nil, fmt.Errorf("sica: run %d: %w", r, err)
			}
			return nil, fmt.Errorf("sica: %w", err)
		}
	}
	return g, nil
}

func checkRun(run, first Run, cfg Config) (*grid.Grid, error) {
	if err := signal.Check("x", run.X); err != nil {
		return nil, signalsError{err}
	}
	d, t := run.X.Dims()
	if d0, t0 := first.X.Dims(); d != d0 || t != t0 {
		return nil, fmt.Errorf("x is %d×%d, run 0 is %d×%d: want runs of one size", d, t, d0, t0)
	}
	if least := max(fewestPositions, d+2); cfg.Rule != NoRule && t < least {
		return nil, signalsError{fmt.Errorf("%d positions of %d signals are too few for the rule %q: want at least %d", t, d, cfg.Rule, least)}
	}
	g, err := cfg.index(d, t)
	if err == nil && cfg.Rule == NetworkRule {
		if err := network.CheckShape(g.Shape()); err != nil {
			return nil, signalsError{err}
		}
	}
	return g, err
}

// fewestPositions is how many positions a rule needs, and two more than signals: evidence
// is weighed by sixteenths of the positions that have a past, of which one may be empty; and
// signals at one more position than there are of them are a regular simplex when they are
// whitened, whatever they are, so that nothing tells one rotation from another.
const fewestPositions = 16
