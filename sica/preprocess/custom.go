package preprocess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Fitter is a transform of a caller's own, for sica.Config.Prepare.
type Fitter interface {
	// Fit returns the transform as fitted to the signals x, d×T with finite values,
	// which it doesn't change: the same for the same x.
	Fit(ctx context.Context, x *mat.Dense) (Applier, error)
}

// FitOwn fits a transform of a caller's own to the signals x, d×T, which it doesn't change:
// it returns what it makes of them, which must be as many, and the map.
func FitOwn(ctx context.Context, fitter Fitter, x *mat.Dense) (*mat.Dense, Map, error) {
	fitted, err := fitter.Fit(ctx, mat.DenseCopyOf(x))
	if err != nil {
		return nil, nil, err
	}
	if fitted == nil {
		return nil, nil, fmt.Errorf("%T: Fit returned nil", fitter)
	}
	m := AsMap(fitted)
	z, err := m.Apply(x)
	if err != nil {
		return nil, nil, err
	}
	d, _ := x.Dims()
	if k, _ := z.Dims(); k != d {
		return nil, nil, fmt.Errorf("%T: %d signals became %d: want as many", fitter, d, k)
	}
	return z, m, nil
}

// An Applier takes signals, d×n with finite values, to others of their size, and
// doesn't change its argument. It is a Map if it can be inverted. See Register for how
// it is saved; the maps of this package are as they are.
type Applier interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
}

// own is an Applier of a caller's as a Map.
type own struct{ Applier }

// AsMap is a itself if it is a map of this package, else one whose Apply and Invert are
// those of a, checked for the size of what they return; without an Invert of a it is an
// error that wraps ErrNotInvertible. It is Smooth, with an error if a has no LogDet.
func AsMap(a Applier) Map {
	switch m := a.(type) {
	case *Affine, *Symmetric, *Reduction, *Invertible, *normalised, *conditioned, own:
		return m.(Map)
	}
	return own{a}
}

func (o own) Apply(x *mat.Dense) (*mat.Dense, error) {
	return sameSize(o.Applier, "Apply", x, o.Applier.Apply)
}

func (o own) Invert(z *mat.Dense) (*mat.Dense, error) {
	m, ok := o.Applier.(Map)
	if !ok {
		return nil, fmt.Errorf("%T has no method Invert: %w", o.Applier, ErrNotInvertible)
	}
	return sameSize(o.Applier, "Invert", z, m.Invert)
}

func (o own) LogDet(x *mat.Dense) ([]float64, error) {
	m, ok := o.Applier.(interface {
		LogDet(x *mat.Dense) ([]float64, error)
	})
	if !ok {
		return nil, fmt.Errorf("%T has no method LogDet, for the Jacobian determinant", o.Applier)
	}
	logDet, err := m.LogDet(mat.DenseCopyOf(x))
	if err != nil {
		return nil, fmt.Errorf("%T: %w", o.Applier, err)
	}
	if _, n := x.Dims(); len(logDet) != n {
		return nil, fmt.Errorf("%T: LogDet made %d numbers at %d positions: want as many", o.Applier, len(logDet), n)
	}
	for t, v := range logDet {
		if !signal.Finite(v) {
			return nil, fmt.Errorf("%T: LogDet made %g at position %d: want finite numbers", o.Applier, v, t+1)
		}
	}
	return logDet, nil
}

// ByPosition tells whether m maps every position by itself, whatever is at others: so do
// the maps of this package; of a caller's nothing is known.
func ByPosition(m Map) bool {
	_, callers := m.(own)
	return !callers
}

// sameSize maps a copy of x by a method of a, and checks its size.
func sameSize(a Applier, method string, x *mat.Dense, by func(*mat.Dense) (*mat.Dense, error)) (*mat.Dense, error) {
	z, err := by(mat.DenseCopyOf(x))
	if err != nil {
		return nil, fmt.Errorf("%T: %w", a, err)
	}
	if z == nil || z.RawMatrix().Rows != x.RawMatrix().Rows || z.RawMatrix().Cols != x.RawMatrix().Cols {
		d, n := x.Dims()
		return nil, fmt.Errorf("%T: %s made %s of %d×%d signals: want as many at as many positions", a, method, size(z), d, n)
	}
	return z, nil
}

func size(z *mat.Dense) string {
	if z == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d×%d", z.RawMatrix().Rows, z.RawMatrix().Cols)
}

var (
	registering sync.Mutex
	registered  = make(map[string]func() Applier)
	kindOf      = make(map[reflect.Type]string)
)

// Register lets transforms of a caller's own type be saved and loaded: as JSON, with
// their exported fields or by methods of their own, under a kind that no other type has,
// such as "example.com/audio.Logs". Empty returns a pointer to a new one, to read into.
// Both the program that saves and the one that loads call it, as a rule in init. It
// panics if the kind or the type is registered already, or if Empty returns no pointer.
func Register(kind string, empty func() Applier) {
	registering.Lock()
	defer registering.Unlock()
	t := reflect.TypeOf(empty())
	switch {
	case t == nil || t.Kind() != reflect.Pointer:
		panic(fmt.Sprintf("preprocess: kind %q: empty returns %v, want a pointer", kind, t))
	case kind == "" || registered[kind] != nil:
		panic(fmt.Sprintf("preprocess: kind %q is empty or registered already", kind))
	case kindOf[t] != "":
		panic(fmt.Sprintf("preprocess: %v is registered already, as %q", t, kindOf[t]))
	}
	registered[kind], kindOf[t] = empty, kind
}

// record is that of a registered type.
func (o own) record() (Record, error) {
	registering.Lock()
	kind := kindOf[reflect.TypeOf(o.Applier)]
	registering.Unlock()
	if kind == "" {
		return Record{}, fmt.Errorf("the transform %T can't be saved: it isn't registered with preprocess.Register", o.Applier)
	}
	data, err := json.Marshal(o.Applier)
	if err != nil {
		return Record{}, fmt.Errorf("the transform %T can't be saved: %w", o.Applier, err)
	}
	return Record{Kind: kindOwn, OwnKind: kind, Own: data}, nil
}

// readOwn is the transform of a record.
func (r Record) readOwn() (Map, error) {
	registering.Lock()
	empty := registered[r.OwnKind]
	registering.Unlock()
	if empty == nil {
		return nil, fmt.Errorf("the transform %q isn't registered in this program: see preprocess.Register", r.OwnKind)
	}
	if len(r.Own) == 0 {
		return nil, errors.New("a transform without its values")
	}
	a := empty()
	if err := json.Unmarshal(r.Own, a); err != nil {
		return nil, fmt.Errorf("the transform %q: %w", r.OwnKind, err)
	}
	return own{a}, nil
}
