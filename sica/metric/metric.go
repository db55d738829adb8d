// Package metric scores recovered signals against the true sources. It needs the truth, so it is
// for experiments and pictures.
//
// MCC and SpearmanMCC pair recovered signals with sources and return their mean correlation
// coefficient. Amari scores a demixing matrix. Align orders and scales signals for a picture.
// Signals are matrices of d rows × n columns.
//
// The pairing is found by shortest augmenting paths (R. Jonker and A. Volgenant, Computing 38,
// 1987). Amari names the reference of its distance.
package metric

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/assignment"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Match pairs recovered signals with sources.
type Match struct {
	// MCC is the mean correlation coefficient, the mean of |Correlation|. It is between 0 and
	// 1, which is perfect.
	MCC float64 `json:"mcc"`
	// Assignment holds, for each source, the row of the recovered signal that it is paired
	// with. Each recovered signal is used once.
	Assignment []int `json:"assignment"`
	// Correlation holds, for each source, its correlation with the recovered signal that it is
	// paired with. It is negative if that signal is upside down.
	Correlation []float64 `json:"correlation"`
}

// MCC compares the recovered signals z with the sources s, both d×n, by the mean correlation
// coefficient. That is the mean absolute Pearson correlation under the one-to-one assignment that
// maximises it. MCC doesn't depend on the order, sign, scale and offset of the signals. It costs
// O(d²·n + d³).
//
// It is an error if the sizes differ, if there are fewer than two positions or fewer positions than
// signals, if a value isn't finite, or if a signal is constant.
func MCC(z, s *mat.Dense) (Match, error) {
	m, err := match(z, s, mapping.Standardised)
	if err != nil {
		return Match{}, fmt.Errorf("metric: MCC: %w", err)
	}
	return m, nil
}

// SpearmanMCC is MCC with Spearman's rank correlation in place of Pearson's. So it is also
// invariant to a monotone transform of any signal. Equal values share their mean rank.
func SpearmanMCC(z, s *mat.Dense) (Match, error) {
	m, err := match(z, s, standardisedRanks)
	if err != nil {
		return Match{}, fmt.Errorf("metric: SpearmanMCC: %w", err)
	}
	return m, nil
}

// Align matches the recovered signals z to the sources s, both d×n, for display. Row i is the
// recovered signal that MCC pairs with source i. It has the sign of a positive correlation, and the
// mean and standard deviation of the source. Align changes neither argument. Its errors are those
// of MCC.
func Align(z, s *mat.Dense) (*mat.Dense, error) {
	m, err := match(z, s, mapping.Standardised)
	if err != nil {
		return nil, fmt.Errorf("metric: Align: %w", err)
	}
	aligned := mat.DenseCopyOf(s)
	for i, j := range m.Assignment {
		row := z.RawRowView(j)
		mean, sd := stat.PopMeanStdDev(row, nil)
		sourceMean, sourceSD := stat.PopMeanStdDev(s.RawRowView(i), nil)
		if m.Correlation[i] < 0 {
			sourceSD = -sourceSD
		}
		for t, v := range row {
			aligned.Set(i, t, sourceMean+sourceSD*(v-mean)/sd)
		}
	}
	return aligned, nil
}

// match pairs z with s by the correlations of their signals. standardise must bring each signal to
// mean 0 and variance 1.
func match(z, s *mat.Dense, standardise func(*mat.Dense) (*mat.Dense, error)) (Match, error) {
	if err := signal.Check("z", z); err != nil {
		return Match{}, err
	}
	if err := signal.Check("s", s); err != nil {
		return Match{}, err
	}
	d, n := s.Dims()
	if rows, columns := z.Dims(); rows != d || columns != n {
		return Match{}, fmt.Errorf("z is %d×%d and s is %d×%d; they must have the same size", rows,
			columns, d, n)
	}
	if d > n { // a transposed matrix, whose MCC would be near 1 whatever it holds
		return Match{}, fmt.Errorf("z and s are %d×%d: more signals than positions; must be d×n, "+
			"a row for each signal", d, n)
	}
	z, err := standardise(z)
	if err != nil {
		return Match{}, fmt.Errorf("z: %w", err)
	}
	s, err = standardise(s)
	if err != nil {
		return Match{}, fmt.Errorf("s: %w", err)
	}

	// Entry i, j is about source i and recovered signal j.
	correlation, absolute := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			r := floats.Dot(s.RawRowView(i), z.RawRowView(j)) / float64(n)
			correlation.Set(i, j, max(-1, min(r, 1))) // up to rounding
			absolute.Set(i, j, math.Abs(correlation.At(i, j)))
		}
	}
	m := Match{Assignment: assignment.Max(absolute), Correlation: make([]float64, d)}
	for i, j := range m.Assignment {
		m.Correlation[i] = correlation.At(i, j)
		m.MCC += absolute.At(i, j) / float64(d)
	}
	m.MCC = min(m.MCC, 1) // up to rounding
	return m, nil
}

func standardisedRanks(x *mat.Dense) (*mat.Dense, error) {
	d, n := x.Dims()
	r := mat.NewDense(d, n, nil)
	for i := range d {
		r.SetRow(i, quantile.Ranks(x.RawRowView(i)))
	}
	return mapping.Standardised(r)
}

// Amari returns the distance of a linear demixing w from the inverse of the linear mixing a,
// measured by how far P = w·a is from a scaled permutation:
//
//	1/(2d(d−1)) · ( Σ_i (Σ_j |p_ij| / max_k |p_ik| − 1) + Σ_j (Σ_i |p_ij| / max_k |p_kj| − 1) ).
//
// It is the sum of S. Amari, A. Cichocki and H. H. Yang, "A new learning algorithm for blind
// signal separation" (NIPS 8, 1996), divided by its maximum 2d(d−1). It is 0 for a scaled
// permutation, which is a perfect separation, and 1 if all |p_ij| are equal. With one signal it
// is 0.
//
// w has a row for each of the d recovered signals and a has a column for each of the d sources. It
// is an error if the sizes don't fit, if a value of w·a isn't finite, or if a row or a column of
// w·a is zero.
func Amari(w, a *mat.Dense) (float64, error) {
	if w == nil || a == nil || w.IsEmpty() || a.IsEmpty() {
		return 0, errors.New("metric: Amari: w and a must not be empty")
	}
	d, inner := w.Dims()
	if rows, columns := a.Dims(); rows != inner || columns != d {
		return 0, fmt.Errorf("metric: Amari: w is %d×%d and a is %d×%d; w must be d×p and a p×d",
			d, inner, rows, columns)
	}
	var p mat.Dense
	p.Mul(w, a)
	p.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &p)

	var sum float64
	for i := range d {
		row, err := excess(mat.Row(nil, i, &p))
		if err != nil {
			return 0, fmt.Errorf("metric: Amari: row %d of w·a %w", i+1, err)
		}
		column, err := excess(mat.Col(nil, i, &p))
		if err != nil {
			return 0, fmt.Errorf("metric: Amari: column %d of w·a %w", i+1, err)
		}
		sum += row + column
	}
	if d == 1 {
		return 0, nil
	}
	return sum / float64(2*d*(d-1)), nil
}

// excess returns the sum of non-negative values without the largest, in units of the largest.
func excess(values []float64) (float64, error) {
	largest := floats.Max(values)
	sum := floats.Sum(values)
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, errors.New("has a value that isn't finite")
	}
	if largest == 0 {
		return 0, errors.New("is zero, so a source is lost")
	}
	return sum/largest - 1, nil
}
