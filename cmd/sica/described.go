package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// described is what separate prints about each recovered signal, in order.
type described struct {
	components []inspect.Component // with labels; nil with too few positions
	grades     []report.Graded     // nil if they couldn't be measured
	halves     time.Duration       // time to separate the halves
	unmeasured error               // why the halves don't show what repeats

	fit     sica.Result // its outliers are positions of learned
	learned *mat.Dense  // signals of the fit; nil if unknown without an inverse
	// positions are the positions of learned in the recording.
	positions []int
}

// describe describes the recovered signals, except what repeats. components are nil with too few
// positions, and if they need the inverse of a map that has none.
func describe(res *sica.Result, in *mixture) (d described, err error) {
	d.learned = in.learned
	if d.learned == nil { // up to the components that a reduction removed
		d.learned, err = res.InverseTransform(res.Z)
		if errors.Is(err, preprocess.ErrNotInvertible) {
			return d, nil
		}
		if err != nil {
			return d, err
		}
	}
	_, n := d.learned.Dims()
	d.positions = blockwise.Positions(in.fitted.Source, n)
	d.fit = *res
	d.fit.Outliers = without(grid.Range(n), in.kept(res))
	if n < inspect.MinPositions {
		return d, nil
	}
	d.components, _, err = describeComponents(&d.fit, blockwise.InMemory{Dense: d.learned}, nil)
	if err == nil && in.About.Rate > 0 && len(res.Shape) < 2 {
		err = labelBy(res.Z, d.components, &in.About)
	}
	return d, err
}

// grade grades the recovered signals if the fit examined them. Unless all are identified or quick
// is true, it separates the halves of the learned signals. The grades are nil with too few
// positions, and if ctx ends.
func (d *described) grade(ctx context.Context, parts *progress.Progress, quick bool) {
	r := &d.fit
	if d.learned == nil || r.Best > 0 || r.CutShort || r.Linear == nil && r.Network == nil {
		return
	}
	d.grades = d.allIdentified()
	_, n := d.learned.Dims()
	if d.grades != nil || quick || n < dependence.MinPositions {
		return
	}
	parts.Part("separating each half", 0)
	began := time.Now()
	d.grades, d.unmeasured = report.Grades(ctx, r, d.learned, report.Config{Positions: d.positions})
	d.halves = time.Since(began)
}

// allIdentified returns the grades by the fit alone if the linear rule identified all signals,
// otherwise nil.
func (d *described) allIdentified() []report.Graded {
	if d.fit.Linear == nil {
		return nil
	}
	signals, _ := d.fit.Z.Dims()
	shares := make([]float64, signals)
	for i := range shares {
		if !d.fit.Identified(i) {
			return nil
		}
		if d.components != nil {
			shares[i] = d.components[i].Share
		}
	}
	return report.FitGrades(&d.fit, shares)
}

// repeatNote says what the columns about repeats mean, or why there are none; "" if all signals are
// identified.
func (d *described) repeatNote() string {
	isOpen := func(g report.Graded) bool { return g.Grade != report.Identified }
	switch {
	case errors.Is(d.unmeasured, context.Canceled):
		return "What repeats wasn't measured: interrupted."
	case d.unmeasured != nil:
		return "What repeats wasn't measured: " + usage.Message(d.unmeasured) + "."
	case !slices.ContainsFunc(d.grades, isOpen):
		return ""
	}
	note := "Repeats: found in both halves, though perhaps as a mixture of sources"
	if slices.ContainsFunc(d.grades, func(g report.Graded) bool { return g.Grade == report.Doubtful }) {
		note += "; doubtful: not found, or as well as by chance"
	}
	return note + "."
}
