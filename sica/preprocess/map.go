package preprocess

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Map takes signals, d×n with finite values, to others of their size (but for a
// Reduction), position by position, with all that it needs to map others than those that it was fitted to.
// Neither method changes its argument.
type Map interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
	// Invert returns the signals that Apply takes to z. The error wraps
	// ErrNotInvertible if there are none, or if they can't be found.
	Invert(z *mat.Dense) (*mat.Dense, error)
}

// A Smooth map has a Jacobian determinant.
type Smooth interface {
	Map
	// LogDet returns log|det ∂z/∂x| at each position of x, d×n.
	LogDet(x *mat.Dense) ([]float64, error)
}

// A Sequence is maps that follow one another.
type Sequence []Map

// Apply returns what the last map makes of x.
func (s Sequence) Apply(x *mat.Dense) (*mat.Dense, error) { return ApplyAll(x, s) }

// Invert inverts the maps, the last one first.
func (s Sequence) Invert(z *mat.Dense) (*mat.Dense, error) {
	x := mat.DenseCopyOf(z)
	for k, m := range slices.Backward(s) {
		var err error
		if x, err = m.Invert(x); err == nil {
			err = signal.CheckFinite(x)
		}
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(s), err)
		}
	}
	return x, nil
}

// LogDet returns the sums of the log-determinants of the maps, which must be Smooth.
func (s Sequence) LogDet(x *mat.Dense) ([]float64, error) {
	_, logDet, err := ApplyLogDet(context.Background(), x, s)
	return logDet, err
}

// Flatten returns the maps that m consists of: those of a Sequence, and m itself otherwise.
// What isn't of this package is as AsMap returns it.
func Flatten(m Map) []Map {
	s, ok := m.(Sequence)
	if !ok {
		return []Map{AsMap(m)}
	}
	var all []Map
	for _, part := range s {
		all = append(all, Flatten(part)...)
	}
	return all
}

// ApplyAll applies maps that follow one another to the signals x, which it doesn't change;
// without maps it is a copy. It is an error if a map makes a value that isn't finite.
func ApplyAll(x *mat.Dense, maps []Map) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	for k, m := range maps {
		var err error
		if z, err = m.Apply(z); err == nil {
			err = signal.CheckFinite(z)
		}
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(maps), err)
		}
	}
	return z, nil
}

// ApplyLogDet is ApplyAll with the log-determinants at the positions of x, d×n: the sums of
// those of the maps. It is an error if one of them isn't Smooth. It stops with ctx's error
// when ctx ends.
func ApplyLogDet(ctx context.Context, x *mat.Dense, maps []Map) (*mat.Dense, []float64, error) {
	_, n := x.Dims()
	z, sum := mat.DenseCopyOf(x), make([]float64, n)
	for k, m := range maps {
		next, logDet, err := applyLogDet(ctx, z, m)
		if err == nil {
			err = signal.CheckFinite(next)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("stage %d of %d: %w", k+1, len(maps), err)
		}
		floats.Add(sum, logDet)
		z = next
	}
	return z, sum, nil
}

func applyLogDet(ctx context.Context, x *mat.Dense, m Map) (*mat.Dense, []float64, error) {
	if c, ok := m.(*conditioned); ok { // which makes both at once, and takes long
		return c.forward(ctx, x)
	}
	smooth, ok := m.(Smooth)
	if !ok {
		return nil, nil, fmt.Errorf("preprocess: a map %T has no Jacobian determinant", m)
	}
	logDet, err := smooth.LogDet(x)
	if err != nil {
		return nil, nil, err
	}
	z, err := m.Apply(x)
	return z, logDet, err
}

// ErrNotInvertible is wrapped by the error for a map that can't be undone.
var ErrNotInvertible = errors.New("the map can't be inverted")
