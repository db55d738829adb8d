package metric

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/assign"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Match pairs recovered signals with sources.
type Match struct {
	// MCC is the mean correlation coefficient: the mean of the absolute values
	// of Correlation. It is between 0 and 1, and 1 is perfect.
	MCC float64 `json:"mcc"`
	// Assignment holds, for each source, the row of the recovered signal that
	// it is paired with. Each recovered signal is used once.
	Assignment []int `json:"assignment"`
	// Correlation holds, for each source, its correlation with the recovered
	// signal that it is paired with. A negative one means that the recovered
	// signal is upside down.
	Correlation []float64 `json:"correlation"`
}

// MCC compares the recovered signals z with the sources s, both d×T, by the
// mean correlation coefficient: the mean absolute Pearson correlation under the
// one-to-one assignment that makes it largest. It does not depend on the order,
// sign, scale and offset of the signals. It costs O(d²·T + d³).
//
// It is an error if the sizes differ, if there are fewer than two positions, if
// a value isn't finite or if a signal is constant.
func MCC(z, s *mat.Dense) (Match, error) {
	m, err := match(z, s, preprocess.Standardised)
	if err != nil {
		return Match{}, fmt.Errorf("metric: MCC: %w", err)
	}
	return m, nil
}

// SpearmanMCC is MCC with Spearman's rank correlation in place of Pearson's. It
// does not depend on a monotone transform of any signal either. Equal values
// share their mean rank.
func SpearmanMCC(z, s *mat.Dense) (Match, error) {
	m, err := match(z, s, standardisedRanks)
	if err != nil {
		return Match{}, fmt.Errorf("metric: SpearmanMCC: %w", err)
	}
	return m, nil
}

// match pairs z with s by the correlations of their signals after standardised,
// which brings each to mean 0 and variance 1.
func match(z, s *mat.Dense, standardised func(*mat.Dense) (*mat.Dense, error)) (Match, error) {
	if err := signal.Check("z", z); err != nil {
		return Match{}, err
	}
	if err := signal.Check("s", s); err != nil {
		return Match{}, err
	}
	d, n := s.Dims()
	if rows, columns := z.Dims(); rows != d || columns != n {
		return Match{}, fmt.Errorf("z is %d×%d and s is %d×%d; they must have the same size", rows, columns, d, n)
	}
	z, err := standardised(z)
	if err != nil {
		return Match{}, fmt.Errorf("z: %w", err)
	}
	s, err = standardised(s)
	if err != nil {
		return Match{}, fmt.Errorf("s: %w", err)
	}

	correlation, size := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil) // of source i with recovered signal j
	for i := range d {
		for j := range d {
			r := floats.Dot(s.RawRowView(i), z.RawRowView(j)) / float64(n)
			correlation.Set(i, j, max(-1, min(r, 1))) // rounding
			size.Set(i, j, math.Abs(correlation.At(i, j)))
		}
	}
	m := Match{Assignment: assign.Largest(size), Correlation: make([]float64, d)}
	for i, j := range m.Assignment {
		m.Correlation[i] = correlation.At(i, j)
		m.MCC += size.At(i, j) / float64(d)
	}
	m.MCC = min(m.MCC, 1) // rounding
	return m, nil
}

func standardisedRanks(x *mat.Dense) (*mat.Dense, error) {
	d, n := x.Dims()
	r := mat.NewDense(d, n, nil)
	for i := range d {
		r.SetRow(i, preprocess.Ranks(x.RawRowView(i)))
	}
	return preprocess.Standardised(r)
}
