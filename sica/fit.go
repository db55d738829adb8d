package sica

import (
	"context"
	"errors"
	"fmt"
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
// An error about x or cfg comes before any work and without a result, and so does
// ctx.Err() if ctx has ended already. If ctx ends later, or a number stops being
// finite, Fit returns the last good iterate together with the error: ctx.Err(),
// or one that wraps ErrNotFinite. With Config.Checkpoint it can go on after that,
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
	if err := checkRuns(backend, runs, cfg); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	neighbours, err := cfg.dependenceNeighbours(runs[0].X.RawMatrix().Cols)
	if err != nil {
		return nil, err
	}
	var kept *checkpoint
	if cfg.Checkpoint != "" {
		if kept, err = openCheckpoint(cfg, backend, runs); err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
		defer kept.close()
	}
	choices, err := cfg.starts(ctx, runs, neighbours, kept)
	if err != nil {
		return nil, err
	}
	return separate(ctx, backend, runs, choices, cfg, kept, begin)
}

// starts are what the runs begin with: those that were kept, if there are any.
func (c Config) starts(ctx context.Context, runs []Run, neighbours [][]int32, kept *checkpoint) ([]choice, error) {
	if kept != nil {
		choices, err := kept.readStarts(c, runs, neighbours)
		if err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
		if choices != nil {
			return choices, nil
		}
	}
	choices := make([]choice, len(runs))
	for r, run := range runs {
		var err error
		if choices[r], err = c.start(ctx, run, neighbours); err != nil {
			return nil, err
		}
	}
	if kept != nil && ctx.Err() == nil { // an ended ctx cuts the choice short
		if err := kept.writeStarts(choices); err != nil {
			return nil, fmt.Errorf("sica: %w: %w", ErrCheckpoint, err)
		}
	}
	return choices, nil
}

// dependenceNeighbours are the selfNeighbours of t positions, nil if the config
// has no dependence measured.
func (c Config) dependenceNeighbours(t int) ([][]int32, error) {
	if !c.chooses() && !c.KeepBest {
		return nil, nil
	}
	return selfNeighbours(c.indexShape(t))
}

// start is what the run begins with.
func (c Config) start(ctx context.Context, run Run, neighbours [][]int32) (choice, error) {
	if c.chooses() {
		return c.chooseStart(ctx, run.X, neighbours, run.Seed)
	}
	z, stages, start, err := begin(run.X, c.Start)
	return choice{z: z, stages: stages, taken: Candidate{Start: start}, neighbours: neighbours}, err
}

// chooses tells whether the config leaves anything about the start to the data.
func (c Config) chooses() bool { return c.Settled > 0 || c.Rotations > 0 || len(c.Alternatives) > 0 }

// checkRuns returns an error unless the runs can be separated together.
func checkRuns(backend compute.Backend, runs []Run, cfg Config) error {
	if backend == nil {
		return errors.New("sica: backend is nil; open one with compute.NewWithConfig")
	}
	if len(runs) == 0 {
		return errors.New("sica: no runs; want at least one")
	}
	for r, run := range runs {
		if err := checkRun(run, runs[0], cfg); err != nil {
			if len(runs) > 1 {
				return fmt.Errorf("sica: run %d: %w", r, err)
			}
			return fmt.Errorf("sica: %w", err)
		}
	}
	return nil
}

func checkRun(run, first Run, cfg Config) error {
	if err := checkSignals("x", run.X); err != nil {
		return err
	}
	d, t := run.X.Dims()
	if d0, t0 := first.X.Dims(); d != d0 || t != t0 {
		return fmt.Errorf("x is %d×%d, run 0 is %d×%d: want runs of one size", d, t, d0, t0)
	}
	return cfg.validate(d, t)
}
