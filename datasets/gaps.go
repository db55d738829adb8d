package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// closeGaps makes the signals, whose times have gaps, evenly spaced, with a note: it fills the gaps
// with missing values, or passes over them.
func (r *Recording) closeGaps(gaps column.Gaps, missing Missing) error {
	d, n := r.Signals.Dims()
	lacking := gaps.Lacking()
	after := r.Start + float64(gaps[0].At-1)/r.Rate
	found, they := "a gap", "it lacks"
	if len(gaps) > 1 {
		found, they = fmt.Sprintf("%d gaps, the first", len(gaps)), "they lack"
	}
	note := fmt.Sprintf("the times of %q have %s after %.6g s", r.TimeColumn, found, after)
	if missing == MissingDrop {
		r.Notes = append(r.Notes, note+": what follows was moved up, so that later times are earlier "+
			"than in the file")
		return nil
	}
	if lacking > n {
		return fmt.Errorf("%s: %s %d of %d positions, too many to fill in; must be cut there, or be "+
			"passed over (MissingDrop)", note, they, lacking, n+lacking)
	}
	if err := signal.CheckSize(d, n+lacking); err != nil {
		return err
	}
	filled := mat.NewDense(d, n+lacking, nil)
	for i := range d {
		row := r.Signals.RawRowView(i)
		filled.SetRow(i, withGaps(row, gaps, math.NaN()))
	}
	r.Signals = filled
	for k, a := range r.Aside {
		if len(a.Text) == n {
			r.Aside[k].Text = withGaps(a.Text, gaps, "")
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s: the %s that %s were filled in, and files written from "+
		"this one have them, too", note, text.Counted(lacking, "position"), they))
	return nil
}

// withGaps returns the values with others in the gaps.
func withGaps[T any](values []T, gaps column.Gaps, other T) (all []T) {
	last := 0
	for _, g := range gaps {
		all = append(all, values[last:g.At]...)
		all = append(all, slices.Repeat([]T{other}, g.Lacking)...)
		last = g.At
	}
	return append(all, values[last:]...)
}
