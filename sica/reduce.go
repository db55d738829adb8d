package sica

import (
	"fmt"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// reduce returns the runs with their channels reduced to components, and what did
// that; both are as they were where nothing is to be reduced.
func (c Config) reduce(runs []Run) ([]Run, []*preprocess.Reduction, error) {
	reductions := make([]*preprocess.Reduction, len(runs))
	reduced := slices.Clone(runs)
	for k, run := range runs {
		r, err := preprocess.Reduce(run.X, c.Components)
		if err == nil && r.Components() < 2 {
			err = fmt.Errorf("%d mixed signals of rank %d: separating needs at least 2 components", r.Channels(), r.Rank)
		}
		if err != nil && len(runs) > 1 {
			err = fmt.Errorf("run %d: %w", k, err)
		}
		if err != nil {
			return nil, nil, err
		}
		if r.Components() == r.Channels() && c.Components == 0 {
			continue
		}
		reductions[k] = r
		if reduced[k].X, err = r.Apply(run.X); err != nil {
			return nil, nil, err
		}
	}
	for k, run := range reduced {
		a, _ := run.X.Dims()
		if b, _ := reduced[0].X.Dims(); a != b {
			return nil, nil, fmt.Errorf("run %d has %d linearly independent signals and run 0 has %d: want runs of one rank, or as many Components", k, a, b)
		}
	}
	return reduced, reductions, nil
}

// reducedBy puts a reduction, if there is one, before all that led to the result so far.
func (r *Result) reducedBy(by *preprocess.Reduction) {
	if by == nil || r == nil {
		return
	}
	r.flow = append(iterate.Chain{{Fixed: by}}, r.flow...)
	why := fmt.Sprintf("The %d mixed signals were reduced to %d principal components, which hold %.4g %% of their variance", by.Channels(), by.Components(), 100*by.Explained)
	if by.Components() == by.Rank {
		why += ": the others are rounding"
	}
	r.Why = why + ". " + r.Why
}

// reduction is what the mixed signals were reduced by, nil for nothing.
func (r *Result) reduction() *preprocess.Reduction {
	first := 0
	if r.Prepared {
		first = 1
	}
	if len(r.flow) <= first {
		return nil
	}
	by, _ := r.flow[first].Fixed.(*preprocess.Reduction)
	return by
}

// channels is the number of mixed signals.
func (r *Result) channels() int {
	if by := r.reduction(); by != nil {
		return by.Channels()
	}
	return r.components()
}

// components is the number of recovered signals.
func (r *Result) components() int {
	d, _ := r.Z.Dims()
	return d
}
