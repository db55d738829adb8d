package sica

import (
	"errors"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// projectLinear is the affine map of the signals z nearest to move in least
// squares over the positions, move ≈ B·(z−mean) + mean(move), evaluated at z
// and as a map. Both are d×T.
func projectLinear(move, z *mat.Dense) (*mat.Dense, *affine, error) {
	d, t := z.Dims()
	centredZ, centreZ := centre(z)
	centredMove, mean := centre(move)

	var cov mat.SymDense
	cov.SymOuterK(1, centredZ) // Σ z zᵀ
	var cross mat.Dense
	cross.Mul(centredMove, centredZ.T()) // Σ move zᵀ
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, nil, errors.New("the signals became linearly dependent")
	}
	var bT mat.Dense
	if err := chol.SolveTo(&bT, cross.T()); err != nil {
		return nil, nil, errors.New("the signals became linearly dependent")
	}
	fit := mat.NewDense(d, t, nil)
	fit.Mul(bT.T(), centredZ)
	for i := range d {
		row := fit.RawRowView(i)
		for k := range row {
			row[k] += mean[i]
		}
	}
	return fit, &affine{Centre: centreZ, Matrix: mat.DenseCopyOf(bT.T()).RawMatrix().Data, Offset: mean}, nil
}

// centre is x less each signal's mean, and the means.
func centre(x *mat.Dense) (*mat.Dense, []float64) {
	c := mat.DenseCopyOf(x)
	d, _ := x.Dims()
	means := make([]float64, d)
	for i := range d {
		row := c.RawRowView(i)
		means[i] = stat.Mean(row, nil)
		for k := range row {
			row[k] -= means[i]
		}
	}
	return c, means
}
