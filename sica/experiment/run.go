package experiment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// A Plan says what Run makes.
type Plan struct {
	// Cells are made in order, those that the store lacks.
	Cells []Cell
	// Keep says whether a cell's recovered signals are kept; nil keeps none.
	Keep func(Cell) bool
	// Jobs is how many cells are made at once, at least 1.
	Jobs int
	// OnOutcome, if set, is called after each cell.
	OnOutcome func(o Outcome, p Progress)
}

// Progress is how far Run has come.
type Progress struct {
	// Done counts the cells made, Total those that were to be made.
	Done, Total int
	// Left is about how long the rest takes, going by the cells of the same
	// method, settings and data that the store has. AtLeast is true while some
	// are left that nothing is known of, which don't count.
	Left    time.Duration
	AtLeast bool
}

// Missing returns the cells of a plan that the store lacks, or lacks the signals
// of where they are to be kept.
func (s *Store) Missing(p Plan) []Cell {
	var missing []Cell
	seen := make(map[Cell]bool)
	for _, c := range p.Cells {
		o, ok := s.find(c)
		if ok && p.keeps(c) && o.Error == "" {
			ok = s.hasSignals(c)
		}
		if !ok && !seen[c] {
			missing = append(missing, c)
		}
		seen[c] = true
	}
	return missing
}

func (p Plan) keeps(c Cell) bool { return p.Keep != nil && p.Keep(c) }

// Run makes the plan's cells that the store lacks, and adds each outcome to it
// at once. The outcomes don't depend on Jobs, but their Seconds do. If ctx ends
// or a cell or the store fails, the cells under way are dropped, and the first
// error is returned. A cell of SICA with the paper's settings that was under way,
// even in a process that was killed, goes on from its last iteration.
func Run(ctx context.Context, b compute.Backend, s *Store, p Plan) error {
	if p.Jobs < 1 {
		return fmt.Errorf("experiment: %d jobs: want at least 1", p.Jobs)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	type made struct {
		outcome *Outcome
		z       *mat.Dense
		err     error
	}
	missing := s.Missing(p)
	cells := make(chan Cell)
	results := make(chan made)
	go func() {
		defer close(cells)
		for _, c := range missing {
			select {
			case cells <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	var workers sync.WaitGroup
	for range min(p.Jobs, len(missing)) {
		workers.Go(func() {
			for c := range cells {
				o, z, err := c.Run(ctx, b, s.checkpointPath(c))
				if err != nil {
					err = fmt.Errorf("experiment: %s: %w", c, err)
				}
				results <- made{o, z, err}
			}
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()

	clock := newClock(s.Outcomes(), missing, p.Jobs)
	done := 0
	for r := range results {
		err := r.err
		if err == nil {
			z := r.z
			if !p.keeps(r.outcome.Cell) {
				z = nil
			}
			err = s.Add(r.outcome, z)
		}
		if err != nil {
			cancel(err)
			continue
		}
		done++
		clock.made(*r.outcome)
		if p.OnOutcome != nil {
			left, sure := clock.left()
			p.OnOutcome(*r.outcome, Progress{Done: done, Total: len(missing), Left: left, AtLeast: !sure})
		}
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// Make makes the figure's cells for a preset and a number of runs in a folder of
// results, those that are missing there, and returns the results. Each cell is
// told to onOutcome, if it is set. The errors are those of Open and Run.
func (f Figure) Make(ctx context.Context, b compute.Backend, dir string, p Preset, runs int, onOutcome func(Outcome, Progress)) (*Results, error) {
	s, err := Open(dir, Cells)
	if err != nil {
		return nil, err
	}
	plan := Plan{Cells: f.Cells(p, runs), Keep: f.Keeps, Jobs: 1, OnOutcome: onOutcome}
	return s.Results, errors.Join(Run(ctx, b, s, plan), s.Close())
}
