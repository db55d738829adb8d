package sica

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// ErrNotLinear is wrapped by the error of Demixing and Patterns if the recovered signals aren't a
// linear demixing of the mixed signals.
var ErrNotLinear = ica.ErrNotLinear

// Demixing returns the linear map of the result: for LinearOnly, for Auto if it chose a linear
// demixing, and for a flow of the family Linear from a linear beginning. For other results, such as
// a network's, and after a nonlinear Config.Prepare, the error wraps ErrNotLinear.
func (r *Result) Demixing() (*ica.Demixing, error) {
	d, err := r.demixing()
	return d, inOperation("demixing", err)
}

func (r *Result) demixing() (*ica.Demixing, error) {
	if r.maps == nil {
		return nil, errNotFitted
	}
	w, a, mean, err := r.maps.Matrices(r.channels())
	if errors.Is(err, ErrNotLinear) && r.Prepared && len(r.maps) > 0 {
		if _, _, _, first := r.maps[:1].Matrices(r.channels()); errors.Is(first, ErrNotLinear) {
			return nil, fmt.Errorf("%w: the transform of Config.Prepare isn't linear; use Transform", ErrNotLinear)
		}
	}
	if errors.Is(err, ErrNotLinear) {
		return nil, fmt.Errorf("%w: a network or another nonlinear map made them, so there are no "+
			"matrices; use Result.Transform, or fit by sica.LinearOnly", ErrNotLinear)
	}
	if err != nil {
		return nil, err
	}
	return &ica.Demixing{Unmixing: w, Mixing: a, Mean: mean}, nil
}

// Patterns returns the patterns of the recovered signals, d×k: column i is the contribution of a
// value of 1 of recovered signal i to each mixed signal, in the unit of the mixed signal. The
// patterns are Mixing of the Demixing if the linear rule identifies all signals, for other methods,
// and after a flow that moved the signals.
//
// Otherwise column i has the coefficients of signal i in a regression of the mixed signals on
// signal i and all stronger recovered signals, at the positions of the fit without outliers. The
// strength of a signal is the largest share of a mixed signal's variance that it explains. Column i
// of Mixing, in contrast, depends on all rows of Unmixing: with more sources than channels it can
// be far from the source's pattern even if signal i is good (S. Haufe et al., NeuroImage 87, 2014,
// who regress on one signal). The stronger signals are included since a weak signal may contain
// parts of them.
//
// For the strongest heavy-tailed signal z, such as blinks, the column is a weighted mean of this
// coefficient and E[x·z³]/E[z⁴] (as in FastICA's steps), since there is little else at the peaks of
// z. E is the mean over the same positions, with x and z of mean 0. The weight of the second term
// is 1 − V/D², but at least 0, where D is the distance between the two terms and V the variance of
// their difference by a jackknife.
//
// The error wraps ErrNotLinear if the recovered signals aren't a linear demixing.
func (r *Result) Patterns() (*mat.Dense, error) {
	d, err := r.demixing()
	if err != nil {
		return nil, inOperation("patterns", err)
	}
	patterns := mat.DenseCopyOf(d.Mixing)
	_, k := patterns.Dims()
	for i := range k {
		pattern, err := r.patterns(d, []int{i})
		if err != nil {
			return nil, fmt.Errorf("sica: patterns: signal %d: %w", i+1, err)
		}
		patterns.SetCol(i, mat.Col(nil, 0, pattern))
	}
	return patterns, nil
}

// Moments returns the moments of the recovered signals, which must not be changed; nil if the
// patterns are always Mixing of the Demixing.
func (r *Result) Moments() *Moments { return r.moments }

// patterns returns, as columns, the patterns of the recovered signals in rows: columns of Mixing if
// all signals are identified, else the patterns by the moments.
//
// With surplus sources, a signal removed by its pattern leaves less of itself than one removed by
// its column of Mixing, and adds less to other channels (docs/evaluation/recordings.md).
func (r *Result) patterns(d *ica.Demixing, rows []int) (*mat.Dense, error) {
	n, _ := d.Mixing.Dims()
	columns := mat.NewDense(n, len(rows), nil)
	for place, i := range rows {
		column := mat.Col(nil, i, d.Mixing)
		if r.moments != nil {
			var err error
			if column, err = r.moments.pattern(d.Mixing, rows, i); err != nil {
				return nil, err
			}
		}
		columns.SetCol(place, column)
	}
	return columns, nil
}

// setMoments sets the moments of the recovered signals without the outliers, if the linear rule
// made these signals and doesn't identify all, and they are a linear demixing.
func (r *Result) setMoments() {
	k, n := r.Z.Dims()
	if r.Linear == nil || r.Best > 0 || len(r.Linear.Groups) == k {
		return // or a flow moved the signals of Linear
	}
	d, err := r.demixing()
	if err != nil {
		return
	}
	weights := make([]float64, n)
	for t := range weights {
		weights[t] = 1
	}
	for _, t := range r.Outliers {
		weights[t] = 0
	}
	r.moments = newMoments(d.Mixing, r.Z, weights)
}

// Remove returns the mixed signals x, d×n, without the recovered signals of the given rows, counted
// from 0: x − Σ p_i·z_i. For example, it removes eye movements from an electroencephalogram. p_i is
// the pattern of signal i, see Patterns; with several rows, each regression includes all of them.
// Remove doesn't change x.
//
// For a nonlinear result Remove returns x plus the change of InverseTransform when the given rows
// are set to their means over the fit.
//
// The shape is the shape of the positions of x, as for Transform. Without rows Remove returns a
// copy of x, and a repeated row counts once. The error wraps ErrSignals if a row doesn't exist, x
// isn't d signals with finite values or the shape doesn't fit; a nonlinear result adds the errors of
// Transform and InverseTransform.
func (r *Result) Remove(x *mat.Dense, rows []int, shape ...int) (*mat.Dense, error) {
	clean, err := r.remove(x, rows, shape)
	return clean, inOperation("remove", err)
}

func (r *Result) remove(x *mat.Dense, rows, shape []int) (*mat.Dense, error) {
	if r.maps == nil {
		return nil, errNotFitted
	}
	if err := r.checkRows(rows); err != nil {
		return nil, err
	}
	d, err := r.demixing()
	if errors.Is(err, ErrNotLinear) {
		return r.removeByInverse(x, rows, shape)
	}
	if err != nil {
		return nil, err
	}
	removed, err := r.contribution(d, rows)
	if err != nil {
		return nil, err
	}
	if err := checkNew("x", x, r.channels(), shape); err != nil {
		return nil, err
	}
	clean := new(mat.Dense)
	clean.Mul(removed, signal.Added(x, d.Mean, -1))
	clean.Sub(x, clean)
	return clean, nil
}

// checkRows returns an error, which wraps ErrSignals, unless all rows are recovered signals.
func (r *Result) checkRows(rows []int) error {
	k := r.components()
	for _, i := range rows {
		if i < 0 || i >= k {
			return signal.AsErrSignals(fmt.Errorf("rows: has %d; must be from 0 to %d", i, k-1))
		}
	}
	return nil
}

// removeByInverse returns x + g⁻¹(z′) − g⁻¹(z), where z = g(x), and z′ is z with the means of the
// fit in the given rows.
func (r *Result) removeByInverse(x *mat.Dense, rows, shape []int) (*mat.Dense, error) {
	maps, on, err := r.bound("x", x, r.channels, shape)
	if err != nil {
		return nil, err
	}
	defer on.Close()
	z, err := mapping.ApplyAll(x, maps)
	if err != nil {
		return nil, err
	}
	with, err := mapping.Sequence(maps).Invert(z)
	if err != nil {
		return nil, err
	}
	for _, i := range rows {
		mean := stat.Mean(r.Z.RawRowView(i), nil)
		for t := range z.RawRowView(i) {
			z.Set(i, t, mean)
		}
	}
	clean, err := mapping.Sequence(maps).Invert(z)
	if err != nil {
		return nil, err
	}
	clean.Sub(clean, with)
	clean.Add(clean, x)
	return clean, nil
}

// contribution returns Σ p_i·W_i over the rows i, channels×channels, which maps centred mixed
// signals to the contribution of the recovered signals in the rows.
func (r *Result) contribution(d *ica.Demixing, rows []int) (*mat.Dense, error) {
	_, channels := d.Unmixing.Dims()
	sum := mat.NewDense(channels, channels, nil)
	if len(rows) == 0 {
		return sum, nil
	}
	rows = slices.Compact(slices.Sorted(slices.Values(rows)))
	patterns, err := r.patterns(d, rows)
	if err != nil {
		return nil, err
	}
	for place, i := range rows {
		sum.RankOne(sum, 1, patterns.ColView(place), d.Unmixing.RowView(i))
	}
	return sum, nil
}
