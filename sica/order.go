package sica

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/assignment"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// CheckChannels returns an error, which wraps ErrSignals, unless d mixed signals with the given
// names match those of the fit: in number and, if both have names, in names and order.
func (r *Result) CheckChannels(d int, names []string) error {
	if err := r.checkChannels(d, names); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

func (r *Result) checkChannels(d int, names []string) error {
	if r.Z == nil {
		return errNotFitted
	}
	if want := r.channels(); d != want {
		err := fmt.Errorf("channels: are %d; must be %d, as in the fit", d, want)
		return signal.AsErrSignals(err)
	}
	for i, want := range r.Channels {
		if i < len(names) && names[i] != want {
			err := fmt.Errorf("channels: %d is %q; must be %q, as in the fit", i+1, names[i], want)
			return signal.AsErrSignals(err)
		}
	}
	return nil
}

// OrderedLike returns a copy of r with its signals in the order, and with the signs, of an earlier
// result for the same channels. The signals that both results recover from the mixed signals of r,
// without outliers, are matched one to one to maximise the sum of absolute correlations. Signals
// without a match come last. correlations has the correlation of each signal, in the new order,
// with its match; 0 without one.
//
// The error wraps ErrNotLinear if the signals of a result aren't a linear demixing, and ErrSignals
// if the earlier result has other channels.
func (r *Result) OrderedLike(earlier *Result) (ordered *Result, correlations []float64, err error) {
	ordered, correlations, err = r.orderedLike(earlier)
	return ordered, correlations, inOperation("ordered like", err)
}

func (r *Result) orderedLike(earlier *Result) (*Result, []float64, error) {
	if earlier == nil || earlier.Z == nil {
		return nil, nil, errors.New("earlier: must not be nil or empty; load one with sica.Load")
	}
	d, err := r.demixing()
	if err != nil {
		return nil, nil, err
	}
	if err := earlier.checkChannels(r.channels(), r.Channels); err != nil {
		return nil, nil, err
	}
	z := r.Z
	if g, err := grid.New(r.Shape, z.RawMatrix().Cols); err == nil {
		z = outlier.Mend(z, outlier.Find(z, g))
	}
	x := new(mat.Dense)
	x.Mul(d.Mixing, z)
	for c := range d.Mean {
		floats.AddConst(d.Mean[c], x.RawRowView(c))
	}
	others, err := earlier.Transform(x, r.Shape...)
	if err != nil {
		return nil, nil, err
	}
	if z, err = mapping.Standardised(z); err != nil {
		return nil, nil, fmt.Errorf("recovered signals: %w", err)
	}
	if others, err = mapping.Standardised(others); err != nil {
		return nil, nil, fmt.Errorf("earlier: recovered signals: %w", err)
	}
	correlation := new(mat.Dense) // k×earlier
	correlation.Mul(z, others.T())
	correlation.Scale(1/float64(z.RawMatrix().Cols), correlation)
	order, correlations := matched(correlation)
	signs := make([]float64, len(order))
	for place := range order {
		signs[place] = math.Copysign(1, correlations[place])
		correlations[place] = math.Abs(correlations[place])
	}
	return r.reordered(order, signs), correlations, nil
}

// matched returns the rows of a matrix of correlations in the order of the columns that they match,
// and then those without a match, with the correlation of each, 0 without one.
func matched(correlation *mat.Dense) (order []int, correlations []float64) {
	k, m := correlation.Dims()
	size := max(k, m)
	absolute := mat.NewDense(size, size, nil) // 0 beyond the matrix
	for i := range k {
		for j := range m {
			absolute.Set(i, j, math.Abs(correlation.At(i, j)))
		}
	}
	column := assignment.Max(absolute)[:k]
	order = grid.Range(k)
	slices.SortStableFunc(order, func(i, j int) int {
		return min(column[i], m) - min(column[j], m)
	})
	for _, i := range order {
		c := 0.
		if column[i] < m {
			c = correlation.At(i, column[i])
		}
		correlations = append(correlations, c)
	}
	return order, correlations
}

// reordered returns r with other signals in place of its own: signal k is signal order[k] times the
// sign k, which is 1 or −1.
func (r *Result) reordered(order []int, signs []float64) *Result {
	k := len(order)
	turn := mat.NewDense(k, k, nil)
	for place, i := range order {
		turn.Set(place, i, signs[place])
	}
	turned := func(z *mat.Dense) *mat.Dense {
		out := new(mat.Dense)
		out.Mul(turn, z)
		return out
	}
	next := *r
	next.Z = turned(r.Z)
	if next.Initial = next.Z; r.Initial != r.Z {
		next.Initial = turned(r.Initial)
	}
	next.maps = append(slices.Clip(r.maps),
		iterate.Stage{Fixed: mapping.LinearMap(turn, make([]float64, k))})
	next.Linear = linear.Reordered(r.Linear, order)
	next.Why = next.WhyAt(0, 0)
	if r.moments != nil {
		next.moments = r.moments.reordered(order, signs)
	}
	return &next
}

// reordered returns the moments of the signals in another order and with other signs.
func (m *Moments) reordered(order []int, signs []float64) *Moments {
	next := &Moments{Covariance: mat.NewSymDense(len(order), nil), Heavy: -1, ByCubes: m.ByCubes}
	for a, i := range order {
		for b := range a + 1 {
			next.Covariance.SetSym(a, b, signs[a]*signs[b]*m.Covariance.At(i, order[b]))
		}
	}
	if m.Heavy < 0 {
		return next
	}
	next.Heavy = slices.Index(order, m.Heavy)
	for a, i := range order {
		next.Cubes = append(next.Cubes, signs[a]*signs[next.Heavy]*m.Cubes[i])
	}
	return next
}
