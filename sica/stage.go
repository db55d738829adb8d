package sica

import "gonum.org/v1/gonum/mat"

// stage is one map on the way from the mixed to the recovered signals, with all
// that it needs to map others than those that it was fitted to. Neither method
// changes its argument, d×n with finite values.
type stage interface {
	apply(z *mat.Dense, on *follower) (*mat.Dense, error)
	invert(z *mat.Dense, on *follower) (*mat.Dense, error)
}
