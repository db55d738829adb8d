package preprocess

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// A Map takes signals, d×n with finite values, to others of their size, position by
// position, with all that it needs to map others than those that it was fitted to.
// Neither method changes its argument.
type Map interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
	// Invert returns the signals that Apply takes to z. The error wraps
	// ErrNotInvertible if there are none, or if they can't be found.
	Invert(z *mat.Dense) (*mat.Dense, error)
}

// ErrNotInvertible is wrapped by the error for a map that can't be undone.
var ErrNotInvertible = errors.New("the map can't be inverted")
