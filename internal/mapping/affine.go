package mapping

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/rounding"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// An Affine is the map z ↦ Matrix·(z − Centre) + Offset. Matrix is d×d, row-major.
type Affine struct {
	Centre []float64 `json:"centre"`
	Matrix []float64 `json:"matrix"`
	Offset []float64 `json:"offset"`
}

// LinearMap returns the map z ↦ matrix·(z − centre), with a copy of the matrix.
func LinearMap(matrix *mat.Dense, centre []float64) *Affine {
	d, _ := matrix.Dims()
	return &Affine{
		Centre: centre,
		Matrix: mat.DenseCopyOf(matrix).RawMatrix().Data,
		Offset: make([]float64, d),
	}
}

// Standardisation returns the map of the signals z to mean 0 and variance 1; see Standardised.
func Standardisation(z *mat.Dense) *Affine {
	d, _ := z.Dims()
	scales := mat.NewDense(d, d, nil)
	means := make([]float64, d)
	for i := range d {
		mean, sd := stat.PopMeanStdDev(z.RawRowView(i), nil)
		means[i] = mean
		scales.Set(i, i, 1/sd)
	}
	return LinearMap(scales, means)
}

// AsStep returns the map z ↦ z + step·a(z).
func (a *Affine) AsStep(step float64) *Affine {
	matrix := mat.DenseCopyOf(a.Dense())
	matrix.Scale(step, matrix)
	offset := make([]float64, len(a.Offset))
	for i := range offset {
		matrix.Set(i, i, 1+matrix.At(i, i))
		offset[i] = a.Centre[i] + step*a.Offset[i]
	}
	return &Affine{Centre: a.Centre, Matrix: matrix.RawMatrix().Data, Offset: offset}
}

// Then returns the map that applies a, then b.
func (a *Affine) Then(b *Affine) *Affine {
	var matrix mat.Dense
	matrix.Mul(b.Dense(), a.Dense())
	d := len(a.Offset)
	between := make([]float64, d)
	for i := range d {
		between[i] = a.Offset[i] - b.Centre[i]
	}
	offset := mat.NewVecDense(d, nil)
	offset.MulVec(b.Dense(), mat.NewVecDense(d, between))
	offset.AddVec(offset, mat.NewVecDense(d, b.Offset))
	return &Affine{Centre: a.Centre, Matrix: matrix.RawMatrix().Data, Offset: offset.RawVector().Data}
}

// Dense returns the matrix, d×d; it shares its entries with a.
func (a *Affine) Dense() *mat.Dense { return mat.NewDense(len(a.Centre), len(a.Centre), a.Matrix) }

// LogDet returns log|det Matrix| at each position of x.
func (a *Affine) LogDet(x *mat.Dense) ([]float64, error) {
	logDet, _ := mat.LogDet(a.Dense())
	return constant(x, logDet), nil
}

// constant returns the value once for each position of x.
func constant(x *mat.Dense, value float64) []float64 {
	_, n := x.Dims()
	values := make([]float64, n)
	floats.AddConst(value, values)
	return values
}

// Apply returns Matrix·(z − Centre) + Offset. It is an error if z has another number of signals.
func (a *Affine) Apply(z *mat.Dense) (*mat.Dense, error) {
	if err := a.checkRows(z); err != nil {
		return nil, err
	}
	var y mat.Dense
	y.Mul(a.Dense(), signal.Added(z, a.Centre, -1))
	return signal.Added(&y, a.Offset, 1), nil
}

// Invert returns the solution x of Apply(x) = z; see preprocess.Map.
func (a *Affine) Invert(z *mat.Dense) (*mat.Dense, error) {
	if err := a.checkRows(z); err != nil {
		return nil, err
	}
	if err := a.checkRegular(); err != nil {
		return nil, err
	}
	var x mat.Dense
	// The error only warns of the condition number, which units alone can make large.
	_ = x.Solve(a.Dense(), signal.Added(z, a.Offset, -1))
	return signal.Added(&x, a.Centre, 1), nil
}

// Inverse returns the inverse of the matrix. The error wraps ErrNotInvertible if it is singular.
func (a *Affine) Inverse() (*mat.Dense, error) {
	if err := a.checkRegular(); err != nil {
		return nil, err
	}
	var inverse mat.Dense
	_ = inverse.Inverse(a.Dense()) // as in Invert
	return &inverse, nil
}

// Matrices returns the matrix and its inverse, the pseudo-inverse if it is singular; see Linear.
func (a *Affine) Matrices() (w, inverse *mat.Dense, centre, offset []float64, err error) {
	if inverse, err = a.Inverse(); err != nil {
		inverse, err = a.pseudoInverse()
	}
	return a.Dense(), inverse, a.Centre, a.Offset, err
}

// pseudoInverse returns the Moore–Penrose inverse of the matrix, which inverts the map on its
// range. It is an error if the matrix is 0.
func (a *Affine) pseudoInverse() (*mat.Dense, error) {
	d := len(a.Centre)
	var svd mat.SVD
	if !svd.Factorize(a.Dense(), mat.SVDThin) {
		return nil, fmt.Errorf("matrix: its singular values didn't converge: %w", ErrNotInvertible)
	}
	rank := svd.Rank(float64(d) * rounding.Eps)
	if rank == 0 {
		return nil, fmt.Errorf("matrix: is 0: %w", ErrNotInvertible)
	}
	var inverse mat.Dense
	svd.SolveTo(&inverse, rotation.Identity(d), rank)
	return &inverse, nil
}

// checkRegular returns an error if the matrix is numerically singular in float64: if its condition
// number exceeds 1/(d·eps) after scaling the columns and then the rows to norm 1, so that the units
// of the signals don't matter.
func (a *Affine) checkRegular() error {
	d := len(a.Centre)
	scaled := mat.DenseCopyOf(a.Dense())
	for j := range d {
		column := mat.Col(nil, j, scaled)
		floats.Scale(1/floats.Norm(column, 2), column)
		scaled.SetCol(j, column)
	}
	for i := range d {
		row := scaled.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	var lu mat.LU
	lu.Factorize(scaled)
	if condition := lu.Cond(); !(condition < 1/(float64(d)*rounding.Eps)) {
		return fmt.Errorf("matrix: is singular: %w", ErrNotInvertible)
	}
	return nil
}

// checkRows returns an error unless z has the number of signals that a maps.
func (a *Affine) checkRows(z *mat.Dense) error {
	rows := 0
	if z != nil {
		rows, _ = z.Dims()
	}
	if d := len(a.Centre); rows != d {
		return fmt.Errorf("linear map: has %d signals; must have %d", rows, d)
	}
	return nil
}

// check returns an error unless a is a map of d signals.
func (a *Affine) check(d int) error {
	if a == nil || len(a.Centre) != d || len(a.Offset) != d || len(a.Matrix) != d*d {
		return fmt.Errorf("a linear map isn't one of %d signals", d)
	}
	return nil
}

// Standardised returns x with each signal scaled to mean 0 and mean square 1. It is an error if the
// standard deviation of a signal is 0 or overflows.
func Standardised(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	d, _ := z.Dims()
	for i := range d {
		if err := standardiseSignal(z.RawRowView(i)); err != nil {
			return nil, fmt.Errorf("signal %d: %w", i+1, err)
		}
	}
	return z, nil
}

// standardiseSignal scales row to mean 0 and variance 1 in place.
func standardiseSignal(row []float64) error {
	mean, sd := stat.PopMeanStdDev(row, nil)
	if !(sd > 0) || math.IsInf(sd, 0) {
		return fmt.Errorf("has the standard deviation %g; must be positive and finite in "+
			"float64, so rescale the signal", sd)
	}
	for t, v := range row {
		row[t] = (v - mean) / sd
	}
	return nil
}
