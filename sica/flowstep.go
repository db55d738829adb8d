package sica

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrNotInvertible is wrapped by the error of InverseTransform where a step of
// the flow can't be undone.
var ErrNotInvertible = errors.New("the map can't be inverted")

// flowStep moves signals by step times the velocity that one iteration learned,
// z ↦ z + step·v(z), where v sees all positions.
type flowStep struct {
	step     float64     // η, cut to Config.MaxMove
	weights  []float64   // of the networks of each window
	ridge    [][]float64 // of each signal's prediction, for the context Prediction
	networks []variable  // the networks of the run along the first axis
}

// networks are those of all lanes, nil if no step needs them to be made again.
func (s *separation) networks() ([]variable, error) {
	if s.cfg.Family == Linear {
		return nil, nil
	}
	return storeVariables(s.field.store, "/"+scopeName+"/")
}

// learned is the step that run r is about to make, nil if it needs no networks.
func (s *separation) learned(r int, networks []variable, weights []float64) *flowStep {
	if networks == nil {
		return nil
	}
	step := &flowStep{weights: weights, networks: ofRun(networks, r, s.cfg.networks())}
	if s.cfg.Context == Prediction {
		for i := range s.d {
			step.ridge = append(step.ridge, predictionWeights(s.runs[r].z.RawRowView(i), s.field.neighbours))
		}
	}
	return step
}

func (f *flowStep) apply(z *mat.Dense, on *follower) (*mat.Dense, error) {
	move, err := f.move(z, on)
	if err != nil {
		return nil, err
	}
	move.Add(z, move)
	return move, nil
}

// move is step·v(z).
func (f *flowStep) move(z *mat.Dense, on *follower) (*mat.Dense, error) {
	field, err := on.field(z, f)
	if err != nil {
		return nil, err
	}
	d, n := z.Dims()
	flat := mat.DenseCopyOf(z).RawMatrix().Data
	values := make([][]float64, field.lanes)
	for lane := range values {
		values[lane] = flat
	}
	data := field.data(values)
	defer field.release(data)
	moves, err := field.moves(context.Background(), data, values)
	if err != nil {
		return nil, err
	}
	combined := field.cfg.combine(moves, f.weights)
	floats.Scale(f.step, combined)
	for _, v := range combined {
		if !finite(v) {
			return nil, fmt.Errorf("the velocity of these signals: %w", ErrNotFinite)
		}
	}
	return mat.NewDense(d, n, combined), nil
}

// How a step is inverted.
const (
	inversionRounds = 200
	// shortestRound is the least share of a round that is tried.
	shortestRound = 1. / 16
)

// invert finds the z with z + step·v(z) = y by the fixed-point iteration
// z ← z + share·(y − z − step·v(z)). The share is 1, which converges if step·v
// contracts; where the remainder grows it is halved, which converges if z itself
// outweighs what step·v takes away.
func (f *flowStep) invert(y *mat.Dense, on *follower) (*mat.Dense, error) {
	tolerance := 2e-6
	if on.cfg.Float64 {
		tolerance = 1e-12
	}
	tolerance *= max(1, mat.Norm(y, 2)/math.Sqrt(float64(len(y.RawMatrix().Data))))
	share, least := 1.0, math.Inf(1)
	best, rest := y, mat.NewDense(y.RawMatrix().Rows, y.RawMatrix().Cols, nil) // at best
	z := y
	for range inversionRounds {
		move, err := f.move(z, on)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotInvertible, err)
		}
		move.Add(z, move)
		move.Sub(y, move)
		size := max(mat.Max(move), -mat.Min(move))
		switch {
		case size <= tolerance:
			return z, nil
		case size < least:
			best, rest, least = z, move, size
		case share > shortestRound:
			share /= 2
		default:
			return nil, notContracting(least)
		}
		z = new(mat.Dense)
		z.Scale(share, rest)
		z.Add(best, z)
	}
	return nil, notContracting(least)
}

func notContracting(least float64) error {
	return fmt.Errorf("%w: its velocity doesn't contract on these signals: the fixed-point iteration leaves a difference of %.2g", ErrNotInvertible, least)
}
