package sica

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ErrNotLinear is wrapped by the error of Demixing, Mixing and Remove for a result whose
// signals aren't a linear demixing of the mixed ones.
var ErrNotLinear = errors.New("the recovered signals aren't a linear demixing")

// A Demixing is the linear map that a result is: Z = W·(x − Mean), and the way back,
// x = Mean + A·Z, for the mixed signals less what Preparation.Components left out.
type Demixing struct {
	W    *mat.Dense // k×d: a row for each recovered signal
	A    *mat.Dense // d×k: column i is the pattern of recovered signal i, in the units of the mixed signals
	Mean []float64  // of each mixed signal
}

// Demixing returns the linear map that the result is: of LinearRule and of the family
// Linear, from any start but a nonlinear one. The error for others wraps ErrNotLinear.
func (r *Result) Demixing() (*Demixing, error) {
	d, err := r.demixing()
	if err != nil {
		return nil, fmt.Errorf("sica: demixing: %w", err)
	}
	return d, nil
}

func (r *Result) demixing() (*Demixing, error) {
	if r.flow == nil {
		return nil, errNotFitted
	}
	n := r.channels()
	d := &Demixing{W: identity(n), A: identity(n), Mean: make([]float64, n)}
	for k, s := range r.flow {
		w, a, centre, offset, err := s.linear()
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(r.flow), err)
		}
		// z = W·(x − Mean) becomes w·(z − centre) + offset = w·(z − shift).
		shift := mat.NewVecDense(len(centre), slices.Clone(centre))
		if floats.Norm(offset, 1) > 0 {
			var back mat.VecDense
			back.MulVec(a, mat.NewVecDense(len(offset), offset))
			shift.SubVec(shift, &back)
		}
		var moved mat.VecDense
		moved.MulVec(d.A, shift)
		floats.Add(d.Mean, moved.RawVector().Data)
		var nextW, nextA mat.Dense
		nextW.Mul(w, d.W)
		nextA.Mul(d.A, a)
		d.W, d.A = &nextW, &nextA
	}
	return d, nil
}

// linear is the stage as w·(z − centre) + offset, and the inverse of w, or a right
// inverse if the stage leaves out dimensions.
func (s stage) linear() (w, a *mat.Dense, centre, offset []float64, err error) {
	var affine *preprocess.Affine
	switch m := s.fixed.(type) {
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

func identity(n int) *mat.Dense {
	i := mat.NewDense(n, n, nil)
	for k := range n {
		i.Set(k, k, 1)
	}
	return i
}

// Remove returns the mixed signals x, d×n, without what the recovered signals of the
// given rows, counted from 0, make up of them: x − Σ A_i·z_i, as an eye's movement is
// taken out of an electroencephalogram. It doesn't change x.
//
// It is an error if there is no such row, if x isn't d signals with finite values, or,
// wrapping ErrNotLinear, if the result isn't a linear demixing.
func (r *Result) Remove(x *mat.Dense, rows ...int) (*mat.Dense, error) {
	clean, err := r.remove(x, rows)
	if err != nil {
		return nil, fmt.Errorf("sica: remove: %w", err)
	}
	return clean, nil
}

func (r *Result) remove(x *mat.Dense, rows []int) (*mat.Dense, error) {
	by, err := r.remover(rows)
	if err != nil {
		return nil, err
	}
	if err := signal.CheckNew("x", x, r.channels()); err != nil {
		return nil, err
	}
	return by(x), nil
}

// remover returns what removes the recovered signals of the given rows from mixed ones.
func (r *Result) remover(rows []int) (func(x *mat.Dense) *mat.Dense, error) {
	d, err := r.demixing()
	if err != nil {
		return nil, err
	}
	k, _ := d.W.Dims()
	n, _ := d.A.Dims()
	take := mat.NewDense(n, n, nil) // Σ A_i·W_i
	for place, i := range rows {
		if i < 0 || i >= k {
			return nil, fmt.Errorf("recovered signal %d (counted from 0): there are %d", i, k)
		}
		if slices.Contains(rows[:place], i) {
			continue
		}
		take.RankOne(take, 1, d.A.ColView(i), d.W.RowView(i))
	}
	return func(x *mat.Dense) *mat.Dense {
		clean := new(mat.Dense)
		clean.Mul(take, signal.Added(x, d.Mean, -1))
		clean.Sub(x, clean)
		return clean
	}, nil
}
