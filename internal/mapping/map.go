// Package mapping holds the maps of signals of package preprocess: fitted, applied, inverted,
// written to files and read again. It is internal so that preprocess only has the names that a
// caller needs.
//
// A map is one of
//
//   - Affine, z ↦ Matrix·(z − Centre) + Offset
//   - Symmetric, the symmetric whitening
//   - Reduction, from channels to principal components
//   - Curves, one for each channel
//   - Invertible, an invertible network
//   - the normal quantiles and the conditional normalisation, which Fit returns
//   - a custom one, see AsMap
//   - Sequence, maps in order.
//
// All except Reduction keep the number of signals.
package mapping

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Map is preprocess.Map, which can't be imported here. A Reduction changes the number of signals.
type Map interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
	Invert(z *mat.Dense) (*mat.Dense, error)
}

// smooth is preprocess.Smooth.
type smooth interface {
	Map
	LogDet(x *mat.Dense) ([]float64, error)
}

// A Linear is a linear map with an offset: an Affine, a Symmetric or a Reduction.
type Linear interface {
	Map
	// Matrices returns the map as w·(x − centre) + offset, and an inverse a of w: a right inverse
	// of a Reduction's, the pseudo-inverse of a singular one.
	Matrices() (w, a *mat.Dense, centre, offset []float64, err error)
}

// IsLinear reports whether m is a Linear or a Sequence of them.
func IsLinear(m Map) bool {
	if s, ok := m.(Sequence); ok {
		return !slices.ContainsFunc(s, func(part Map) bool { return !IsLinear(part) })
	}
	_, ok := m.(Linear)
	return ok
}

// ErrNotInvertible is wrapped by the error of a map that can't be inverted.
var ErrNotInvertible = errors.New("the map can't be inverted")

// A Sequence is a list of maps in the order in which they are applied.
type Sequence []Map

// Apply is ApplyAll.
func (s Sequence) Apply(x *mat.Dense) (*mat.Dense, error) { return ApplyAll(x, s) }

// Invert inverts the maps, beginning with the last. It is an error if a map returns a value that
// isn't finite.
func (s Sequence) Invert(z *mat.Dense) (*mat.Dense, error) {
	x := mat.DenseCopyOf(z)
	for k, m := range slices.Backward(s) {
		var err error
		if x, err = m.Invert(x); err == nil {
			err = signal.CheckFinite(x)
		}
		if err != nil {
			return nil, ofMap(k+1, len(s), err)
		}
	}
	return x, nil
}

// LogDet returns the sums of the log-determinants of the maps, which must be smooth.
func (s Sequence) LogDet(x *mat.Dense) ([]float64, error) {
	_, logDet, err := ApplyLogDet(context.Background(), x, s)
	return logDet, err
}

// Flatten returns the maps of a Sequence, including those of Sequences in it, or m alone if it
// isn't a Sequence. A map of another package is returned by AsMap.
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

// ofMap returns err with the number of its map among several; err itself for a single map.
func ofMap(number, several int, err error) error {
	if several == 1 {
		return err
	}
	return fmt.Errorf("map %d of %d: %w", number, several, err)
}

// ApplyAll returns the signals x after the maps in order; without maps, a copy. It doesn't change
// x. It is an error if a map returns a value that isn't finite.
func ApplyAll(x *mat.Dense, maps []Map) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	for k, m := range maps {
		var err error
		if z, err = m.Apply(z); err == nil {
			err = signal.CheckFinite(z)
		}
		if err != nil {
			return nil, ofMap(k+1, len(maps), err)
		}
	}
	return z, nil
}

// ApplyLogDet is ApplyAll that also returns the sum of the maps' log-determinants at each of the n
// positions of x, d×n. It is an error if a map isn't smooth. If ctx ends, it returns the error of
// ctx.
func ApplyLogDet(ctx context.Context, x *mat.Dense, maps []Map) (*mat.Dense, []float64, error) {
	_, n := x.Dims()
	z, sum := mat.DenseCopyOf(x), make([]float64, n)
	for k, m := range maps {
		next, logDet, err := applyLogDet(ctx, z, m)
		if err == nil {
			err = signal.CheckFinite(next)
		}
		if err != nil {
			return nil, nil, ofMap(k+1, len(maps), err)
		}
		floats.Add(sum, logDet)
		z = next
	}
	return z, sum, nil
}

func applyLogDet(ctx context.Context, x *mat.Dense, m Map) (*mat.Dense, []float64, error) {
	if c, ok := m.(*conditioned); ok { // which is slow, and computes both at once
		return c.forward(ctx, x)
	}
	s, ok := m.(smooth)
	if !ok {
		return nil, nil, fmt.Errorf("preprocess: the map %T has no Jacobian determinant", m)
	}
	logDet, err := s.LogDet(x)
	if err != nil {
		return nil, nil, err
	}
	z, err := m.Apply(x)
	return z, logDet, err
}
