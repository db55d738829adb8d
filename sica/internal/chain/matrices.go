package chain

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ErrNotLinear is wrapped by the error of Matrices.
var ErrNotLinear = errors.New("the recovered signals aren't a linear demixing")

// Matrices are what the chain is for n signals if it is linear: z = w·(x − mean), and
// back, x = mean + a·z, for the signals less what stages leave out.
func (c Chain) Matrices(n int) (w, a *mat.Dense, mean []float64, err error) {
	w, a, mean = rotation.Identity(n), rotation.Identity(n), make([]float64, n)
	for k, s := range c {
		by, back, centre, offset, err := s.linear()
		if err != nil {
			return nil, nil, nil, fmt.Errorf("stage %d of %d: %w", k+1, len(c), err)
		}
		// z = w·(x − mean) becomes by·(z − centre) + offset = by·(z − shift).
		shift := mat.NewVecDense(len(centre), slices.Clone(centre))
		if floats.Norm(offset, 1) > 0 {
			var before mat.VecDense
			before.MulVec(back, mat.NewVecDense(len(offset), offset))
			shift.SubVec(shift, &before)
		}
		var moved mat.VecDense
		moved.MulVec(a, shift)
		floats.Add(mean, moved.RawVector().Data)
		var nextW, nextA mat.Dense
		nextW.Mul(by, w)
		nextA.Mul(a, back)
		w, a = &nextW, &nextA
	}
	return w, a, mean, nil
}

// linear is the stage as w·(z − centre) + offset, and the inverse of w, or a right
// inverse if the stage leaves out dimensions.
func (s Stage) linear() (w, a *mat.Dense, centre, offset []float64, err error) {
	var affine *preprocess.Affine
	switch m := s.Fixed.(type) {
	case *preprocess.Reduction:
		w, a = m.Matrices()
		return w, a, m.Mean, make([]float64, m.Components()), nil
	case *preprocess.Symmetric:
		affine = m.Affine()
	case *preprocess.Affine:
		affine = m
	default:
		return nil, nil, nil, nil, ErrNotLinear
	}
	a = new(mat.Dense)
	if err := a.Inverse(affine.Dense()); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, nil, nil, nil, err
	}
	return affine.Dense(), a, affine.Centre, affine.Offset, nil
}
