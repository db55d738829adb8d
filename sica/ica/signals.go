package ica

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// Signals are mixed signals that have been checked, with what several methods need of them, each
// computed at most once. New makes them. Several goroutines may use them at once.
type Signals struct {
	x      *mat.Dense
	grid   *grid.Grid
	joints []int
	whiten func() (*pca.Whitening, error)
}

// New checks the mixed signals x, d×n, and returns them with the shape of their positions,
// row-major. That is rows and columns of an image, or frames, rows and columns of a video; a
// sequence needs none. New keeps x, which must not be changed afterwards.
//
// It is an error, which wraps ErrSignals, if there are no more positions than signals, if a value
// isn't finite or is beyond ±1e150, if a signal is constant, or if the shape doesn't fit. One signal
// is none: the methods of this module return it with mean 0 and variance 1, as there is nothing to
// separate. Only sica.AsMethod wants two.
func New(x *mat.Dense, shape ...int) (*Signals, error) {
	s, err := newSignals(x, shape, signal.CheckMixed(x))
	if err != nil {
		return nil, fmt.Errorf("ica: %w", signal.AsErrSignals(err))
	}
	return s, nil
}

// NewWide is New for signals that may be as many as the positions, or more: to be reduced. Its
// error doesn't name the package, and is wrapped by who calls it.
func NewWide(x *mat.Dense, shape ...int) (*Signals, error) {
	return newSignals(x, shape, signal.Check("x", x))
}

// newSignals returns the signals unless there is an error, which says what is wrong with x, or the
// shape doesn't fit.
func newSignals(x *mat.Dense, shape []int, err error) (*Signals, error) {
	if err != nil {
		return nil, err
	}
	_, n := x.Dims()
	g, err := grid.New(shape, n)
	if err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	return &Signals{
		x: x, grid: g,
		whiten: sync.OnceValues(func() (*pca.Whitening, error) { return pca.Whiten(x) }),
	}, nil
}

// X returns the mixed signals, d×n. They must not be changed.
func (s *Signals) X() *mat.Dense { return s.x }

// Dims returns the number of signals and the number of positions.
func (s *Signals) Dims() (d, n int) { return s.x.Dims() }

// Grid returns the index of the positions, for this module's packages.
func (s *Signals) Grid() *grid.Grid { return s.grid }

// Shape returns the length of each axis of the positions, {n} for a sequence. It must not be changed.
func (s *Signals) Shape() []int { return s.grid.Shape() }

// GridShape returns the Shape of an image or a video, and nil for a sequence, as sica.Config.Shape
// has it.
func (s *Signals) GridShape() []int {
	if shape := s.Shape(); len(shape) > 1 {
		return shape
	}
	return nil
}

// WithJoints returns the same signals as a sequence of several stretches that were recorded apart:
// the first begins at 0, the others at the joints, which must be in order and between the positions.
// The linear rule and sica.AsMethod know them; see sica.Run.Joints.
func (s *Signals) WithJoints(joints []int) (*Signals, error) {
	_, n := s.Dims()
	if err := signal.CheckJoints(joints, n); err != nil {
		return nil, err
	}
	joined := *s
	joined.joints = joints
	return &joined, nil
}

// Joints returns the joints. They must not be changed.
func (s *Signals) Joints() []int { return s.joints }

// Replaced returns other signals x at the same positions. Its errors are those of New, without the
// name of the package.
func (s *Signals) Replaced(x *mat.Dense) (*Signals, error) {
	y, err := newSignals(x, s.Shape(), signal.CheckMixed(x))
	if err != nil {
		return nil, err
	}
	return y.WithJoints(s.joints)
}

// Whitening returns the whitening by principal components, computed by the first call.
// It is an error if the signals are linearly dependent.
func (s *Signals) Whitening() (*pca.Whitening, error) { return s.whiten() }
