package sica

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// prepare returns the runs with the signals that Preparation.Prepare makes of theirs,
// and the maps that do so; both are as they were without it.
func (c Config) prepare(ctx context.Context, runs []Run) ([]Run, []preprocess.Map, error) {
	maps := make([]preprocess.Map, len(runs))
	if c.Prepare == nil {
		return runs, maps, nil
	}
	prepared := slices.Clone(runs)
	for r, run := range runs {
		var err error
		prepared[r].X, maps[r], err = preprocess.FitOwn(ctx, c.Prepare, run.X)
		if err == nil {
			if unfit := signal.Check("the prepared x", prepared[r].X); unfit != nil {
				err = signalsError{unfit}
			}
		}
		if err != nil {
			if len(runs) > 1 {
				err = fmt.Errorf("run %d: %w", r, err)
			}
			return nil, nil, fmt.Errorf("prepare: %w", err)
		}
	}
	return prepared, maps, nil
}

// preparedBy puts a map of Preparation.Prepare, if there is one, before all that led to
// the result.
func (r *Result) preparedBy(m preprocess.Map) {
	if m == nil || r == nil {
		return
	}
	r.flow = append(iterate.Chain{{Fixed: m}}, r.flow...)
	r.Prepared = true
	r.Why = fmt.Sprintf("The mixed signals were prepared by the caller's %T. %s", r.Config.Prepare, r.Why)
}

// asFitted gives a map that was fitted already: Preparation.Prepare of a result that was
// loaded.
type asFitted struct{ preprocess.Map }

func (f asFitted) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return f.Map, nil }
