package sica

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// affine is the map z ↦ Matrix·(z − Centre) + Offset. Matrix is d×d, row-major.
type affine struct {
	Centre []float64 `json:"centre"`
	Matrix []float64 `json:"matrix"`
	Offset []float64 `json:"offset"`
}

// linearMap is the affine map z ↦ matrix·(z − centre).
func linearMap(matrix *mat.Dense, centre []float64) *affine {
	d, _ := matrix.Dims()
	return &affine{Centre: centre, Matrix: mat.DenseCopyOf(matrix).RawMatrix().Data, Offset: make([]float64, d)}
}

// standardisation is the map that brings the signals z to mean 0 and variance
// 1; see standardise.
func standardisation(z *mat.Dense) *affine {
	d, _ := z.Dims()
	scales := mat.NewDense(d, d, nil)
	means := make([]float64, d)
	for i := range d {
		mean, sd := stat.PopMeanStdDev(z.RawRowView(i), nil)
		means[i] = mean
		scales.Set(i, i, 1/sd)
	}
	return linearMap(scales, means)
}

// asStep is the map z ↦ z + step·a(z).
func (a *affine) asStep(step float64) *affine {
	matrix := mat.DenseCopyOf(a.matrix())
	matrix.Scale(step, matrix)
	offset := make([]float64, len(a.Offset))
	for i := range offset {
		matrix.Set(i, i, 1+matrix.At(i, i))
		offset[i] = a.Centre[i] + step*a.Offset[i]
	}
	return &affine{Centre: a.Centre, Matrix: matrix.RawMatrix().Data, Offset: offset}
}

// then is a followed by b.
func (a *affine) then(b *affine) *affine {
	var matrix mat.Dense
	matrix.Mul(b.matrix(), a.matrix())
	d := len(a.Offset)
	between := make([]float64, d)
	for i := range d {
		between[i] = a.Offset[i] - b.Centre[i]
	}
	offset := mat.NewVecDense(d, nil)
	offset.MulVec(b.matrix(), mat.NewVecDense(d, between))
	offset.AddVec(offset, mat.NewVecDense(d, b.Offset))
	return &affine{Centre: a.Centre, Matrix: matrix.RawMatrix().Data, Offset: offset.RawVector().Data}
}

func (a *affine) matrix() *mat.Dense { return mat.NewDense(len(a.Centre), len(a.Centre), a.Matrix) }

func (a *affine) apply(z *mat.Dense, _ *follower) (*mat.Dense, error) {
	var y mat.Dense
	y.Mul(a.matrix(), added(z, a.Centre, -1))
	return added(&y, a.Offset, 1), nil
}

func (a *affine) invert(z *mat.Dense, _ *follower) (*mat.Dense, error) {
	var x mat.Dense
	err := x.Solve(a.matrix(), added(z, a.Offset, -1))
	var condition mat.Condition
	if err != nil && !errors.As(err, &condition) {
		return nil, fmt.Errorf("a linear map has no inverse: %w", ErrNotInvertible)
	}
	return added(&x, a.Centre, 1), nil
}

// added is z with sign·constants[i] added to signal i.
func added(z *mat.Dense, constants []float64, sign float64) *mat.Dense {
	y := mat.DenseCopyOf(z)
	for i, c := range constants {
		floats.AddConst(sign*c, y.RawRowView(i))
	}
	return y
}
