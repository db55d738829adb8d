package sica

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Patterns returns the patterns of the recovered signals, d×k: column i is what a value of 1 of
// recovered signal i adds to each mixed signal, in its units. They are A of the Demixing if the linear
// rule identifies all signals, and for methods other than the rule.
//
// Else column i is the coefficient of signal i in the regression of the mixed signals on it and on all
// stronger recovered signals, at the positions of the fit without outliers. The strength of a signal is
// its share of the variance of the mixed signal of which it has most. Column i of A depends on all
// rows of W: with more sources than channels, that of a good signal may be far from its source's (S.
// Haufe et al., NeuroImage 87, 2014, who regress on one signal). The stronger signals are there as a
// weak one may have parts of them.
//
// The error for a result whose signals aren't a linear demixing wraps ErrNotLinear.
func (r *Result) Patterns() (*mat.Dense, error) {
	d, err := r.demixing()
	if err != nil {
		return nil, fmt.Errorf("sica: patterns: %w", err)
	}
	patterns := mat.DenseCopyOf(d.A)
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

// patterns returns, as columns, what values of 1 of the recovered signals of the rows add to the mixed
// signals: the columns of A if all signals are identified. Else the pattern of a signal is its
// coefficient in the regression on it, the others of the rows, and all stronger ones, which are B.
// With the covariance C of the recovered signals that is its column of A·C[:, B]·C[B, B]⁻¹. For the
// rows of all signals it is its column of A.
//
// Of 12 synthetic EEGs of 13 sources in 7 channels (60 s) the mean error of the channels without the
// blinks is 2.9 µV with it, 3.5 with A, and 2.8 with FastICA; before it is 8.2. Without the alpha waves
// it is 3.9, 4.6 and 3.8; before 6.3. After a high-pass filter at 1 Hz it is 3.2 and 4.1, 3.8 and 5.2.
// The patterns of electrodes in a recorded ECG have cosines of 0.98, 0.94 and 0.84 with what their
// places say, 0.98, 0.90 and 0.84 with A, and 0.95, 0.95 and 0.76 with regressions on one signal alone.
func (r *Result) patterns(d *Demixing, rows []int) (*mat.Dense, error) {
	n, _ := d.A.Dims()
	columns := mat.NewDense(n, len(rows), nil)
	if r.covariance == nil {
		for place, i := range rows {
			columns.SetCol(place, mat.Col(nil, i, d.A))
		}
		return columns, nil
	}
	var cross mat.Dense // of mixed and recovered signals
	cross.Mul(d.A, r.covariance)
	strengths := strengthsOf(d.A, &cross, r.covariance)
	for place, i := range rows {
		var on []int
		for j := range strengths {
			if slices.Contains(rows, j) || strengths[j] > strengths[i] {
				on = append(on, j)
			}
		}
		column, err := coefficients(&cross, r.covariance, on, i)
		if err != nil {
			return nil, err
		}
		columns.SetCol(place, column)
	}
	return columns, nil
}

// strengthsOf returns, for each recovered signal, the share of a mixed signal's variance that follows
// from it alone, of the mixed signal for which that is most.
func strengthsOf(a, cross *mat.Dense, covariance *mat.SymDense) []float64 {
	n, k := a.Dims()
	strengths := make([]float64, k)
	for c := range n {
		variance := floats.Dot(cross.RawRowView(c), a.RawRowView(c))
		if variance <= 0 {
			continue
		}
		for i, v := range cross.RawRowView(c) {
			strengths[i] = max(strengths[i], v*v/(variance*covariance.At(i, i)))
		}
	}
	return strengths
}

// coefficients returns those of recovered signal i in the regression of the mixed signals on the
// recovered signals of the rows, of which i is one.
func coefficients(cross *mat.Dense, covariance *mat.SymDense, rows []int, i int) ([]float64, error) {
	n, _ := cross.Dims()
	among, shared := mat.NewSymDense(len(rows), nil), mat.NewDense(len(rows), n, nil)
	for place, j := range rows {
		shared.SetRow(place, mat.Col(nil, j, cross))
		for other := range place + 1 {
			among.SetSym(place, other, covariance.At(j, rows[other]))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(among) {
		return nil, errors.New("the recovered signals are collinear")
	}
	var all mat.Dense
	if err := factor.SolveTo(&all, shared); err != nil {
		return nil, fmt.Errorf("the recovered signals are nearly collinear: %w", err)
	}
	return all.RawRowView(slices.Index(rows, i)), nil
}

// setCovariance sets the covariance of the recovered signals without the outliers, if the linear rule
// doesn't identify all of them.
func (r *Result) setCovariance() {
	k, n := r.Z.Dims()
	if r.Linear == nil || len(r.Linear.Groups) == k {
		return
	}
	weights := make([]float64, n)
	for t := range weights {
		weights[t] = 1
	}
	for _, t := range r.Outliers {
		weights[t] = 0
	}
	r.covariance = mat.NewSymDense(k, nil)
	stat.CovarianceMatrix(r.covariance, r.Z.T(), weights)
}
