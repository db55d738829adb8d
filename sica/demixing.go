package sica

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// ErrNotLinear is wrapped by the error of Demixing, Mixing and Remove for a result whose
// signals aren't a linear demixing of the mixed ones.
var ErrNotLinear = iterate.ErrNotLinear

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
	w, a, mean, err := r.flow.Matrices(r.channels())
	if err != nil {
		return nil, err
	}
	return &Demixing{W: w, A: a, Mean: mean}, nil
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
			return nil, fmt.Errorf("recovered signal %d: there are %d", i+1, k)
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
