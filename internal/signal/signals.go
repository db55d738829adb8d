package signal

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// Signals are mixed signals that have been checked, with what several methods need of
// them, each computed at most once. They can be used from several goroutines.
type Signals struct {
	x      *mat.Dense
	grid   *grid.Grid
	joints []int
	whiten func() (*Whitening, error)
}

// New checks the mixed signals x, d×n, and returns them with the shape of their
// positions, row-major; no shape is a sequence. It keeps x, which must not be changed
// afterwards. It is an error if CheckMixed finds one in x, or if the shape doesn't fit.
func New(x *mat.Dense, shape ...int) (*Signals, error) {
	if err := CheckMixed(x); err != nil {
		return nil, err
	}
	return NewWide(x, shape...)
}

// NewWide is New for signals that may be as many as the positions, or more: to be reduced.
func NewWide(x *mat.Dense, shape ...int) (*Signals, error) {
	if err := Check("x", x); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	g, err := grid.New(shape, n)
	if err != nil {
		return nil, err
	}
	return &Signals{
		x: x, grid: g,
		whiten: sync.OnceValues(func() (*Whitening, error) { return Whiten(x) }),
	}, nil
}

// X returns the mixed signals, d×n. They must not be changed.
func (s *Signals) X() *mat.Dense { return s.x }

// Dims returns the number of signals and the number of positions.
func (s *Signals) Dims() (d, n int) { return s.x.Dims() }

// Grid returns the index of the positions.
func (s *Signals) Grid() *grid.Grid { return s.grid }

// Shape returns the length of each axis of the positions. It must not be changed.
func (s *Signals) Shape() []int { return s.grid.Shape() }

// WithJoints returns the same signals as a sequence of several stretches that were recorded apart: the first
// begins at 0, the others at the joints. It is an error if CheckJoints finds one.
func (s *Signals) WithJoints(joints []int) (*Signals, error) {
	_, n := s.Dims()
	if err := CheckJoints(joints, n); err != nil {
		return nil, err
	}
	joined := *s
	joined.joints = joints
	return &joined, nil
}

// Joints returns the joints. They must not be changed.
func (s *Signals) Joints() []int { return s.joints }

// Replaced returns other signals x at the same positions. Its errors are those of New.
func (s *Signals) Replaced(x *mat.Dense) (*Signals, error) {
	y, err := New(x, s.Shape()...)
	if err != nil {
		return nil, err
	}
	return y.WithJoints(s.joints)
}

// Whitening returns the whitening by principal components, computed by the first call.
// It is an error if the signals are linearly dependent.
func (s *Signals) Whitening() (*Whitening, error) { return s.whiten() }

// CheckMixed returns an error unless x can be separated: Check finds none, and there are
// more positions than signals.
func CheckMixed(x *mat.Dense) error {
	if err := Check("x", x); err != nil {
		return err
	}
	if d, n := x.Dims(); n <= d {
		return fmt.Errorf("x: has %d signals at %d positions; must have at least %d positions%s",
			d, n, d+1, Transposed("x", d > n))
	}
	return nil
}
