package ica

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// Signals are checked mixed signals, with quantities that several methods need, such as the
// whitening, computed at most once. New makes them. Several goroutines may use them at once.
type Signals struct {
	x      *mat.Dense
	shape  []int
	joints []int
	whiten func() (*pca.Whitening, error)
}

// New checks the mixed signals x, d×n, and returns them with the shape of their positions,
// row-major: rows and columns of an image, or frames, rows and columns of a video. A sequence needs
// no shape. New keeps x, which must not be changed afterwards.
//
// It is an error, which wraps ErrSignals, if there are no more positions than signals, if a value
// isn't finite or is beyond ±1e150, if a signal is constant, or if the shape doesn't fit. A single
// signal is valid: the methods of this module return it with mean 0 and variance 1. Only
// sica.AsMethod requires two.
func New(x *mat.Dense, shape ...int) (*Signals, error) {
	if err := signal.CheckMixed(x); err != nil {
		return nil, fmt.Errorf("ica: %w", signal.AsErrSignals(err))
	}
	_, n := x.Dims()
	if err := grid.Check(shape, n); err != nil {
		return nil, fmt.Errorf("ica: shape: %w", signal.AsErrSignals(err))
	}
	if len(shape) == 0 {
		shape = []int{n}
	}
	return &Signals{
		x: x, shape: slices.Clone(shape),
		whiten: sync.OnceValues(func() (*pca.Whitening, error) { return pca.Whiten(x) }),
	}, nil
}

// Validate returns an error if s is nil or the zero value. The Fit of a Method should call it
// first.
func (s *Signals) Validate() error {
	if s == nil || s.x == nil {
		return signal.AsErrSignals(errors.New("x: is nil or empty; must be Signals that ica.New returned"))
	}
	return nil
}

// X returns the mixed signals, d×n. They must not be changed.
func (s *Signals) X() *mat.Dense { return s.x }

// Dims returns the number of signals and the number of positions.
func (s *Signals) Dims() (d, n int) {
	if s.Validate() != nil {
		return 0, 0
	}
	return s.x.Dims()
}

// Shape returns the length of each axis of the positions, {n} for a sequence. The slice must not be
// changed.
func (s *Signals) Shape() []int { return s.shape }

// WithJoints returns the same signals as a sequence of several separately recorded stretches: the
// first begins at 0, the others at the joints, which must be increasing positions inside the
// sequence. The linear rule and sica.AsMethod use them; see sica.Run.Joints.
func (s *Signals) WithJoints(joints []int) (*Signals, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("ica: %w", err)
	}
	_, n := s.Dims()
	if err := signal.CheckJoints(joints, n); err != nil {
		return nil, err
	}
	joined := *s
	joined.joints = joints
	return &joined, nil
}

// Joints returns the joints of WithJoints, nil for none. The slice must not be changed.
func (s *Signals) Joints() []int { return s.joints }

// WithX returns other signals x with the same shape and joints. It is for Methods that filter or
// reduce the signals first. It returns the errors of New.
func (s *Signals) WithX(x *mat.Dense) (*Signals, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("ica: %w", err)
	}
	y, err := New(x, s.shape...)
	if err != nil {
		return nil, err
	}
	return y.WithJoints(s.joints)
}

// Whitening returns the whitening by principal components, which the first call computes. It is an
// error, which wraps ErrSignals, if the signals are linearly dependent.
func (s *Signals) Whitening() (*pca.Whitening, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("ica: %w", err)
	}
	w, err := s.whiten()
	return w, signal.AsErrSignals(err)
}
