package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Applier is preprocess.Applier, which can't be imported here.
type Applier interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
}

// custom is a custom Applier as a Map.
type custom struct{ Applier }

// AsMap returns a itself if it is a map of this package; for a Sequence, the sequence of AsMap of
// its maps. Any other Applier becomes a Map with the Apply and Invert of a and a check of the size
// of the result. If a has no method Invert, the error of Invert wraps ErrNotInvertible. The Map is
// Smooth, with an error if a has no method LogDet.
func AsMap(a Applier) Map {
	switch m := a.(type) {
	case *Affine, *Symmetric, *Reduction, *Curves, *Invertible, *normalised, *conditioned, custom:
		return m.(Map)
	case Sequence:
		return Sequence(Flatten(m))
	}
	return custom{a}
}

func (c custom) Apply(x *mat.Dense) (*mat.Dense, error) {
	return sameSize(c.Applier, "Apply", x, c.Applier.Apply)
}

func (c custom) Invert(z *mat.Dense) (*mat.Dense, error) {
	m, ok := c.Applier.(Map)
	if !ok {
		return nil, fmt.Errorf("%T has no method Invert: %w", c.Applier, ErrNotInvertible)
	}
	return sameSize(c.Applier, "Invert", z, m.Invert)
}

func (c custom) LogDet(x *mat.Dense) ([]float64, error) {
	m, ok := c.Applier.(interface {
		LogDet(x *mat.Dense) ([]float64, error)
	})
	if !ok {
		return nil, fmt.Errorf("%T has no method LogDet, for the Jacobian determinant", c.Applier)
	}
	logDet, err := guard.Result("LogDet", func() ([]float64, error) {
		return m.LogDet(mat.DenseCopyOf(x))
	})
	if err != nil {
		return nil, fmt.Errorf("%T: %w", c.Applier, err)
	}
	if _, n := x.Dims(); len(logDet) != n {
		return nil, fmt.Errorf("%T: LogDet made %d numbers at %d positions; must be as many",
			c.Applier, len(logDet), n)
	}
	for t, v := range logDet {
		if !signal.Finite(v) {
			return nil, fmt.Errorf("%T: LogDet made %g at position %d; must be finite",
				c.Applier, v, t+1)
		}
	}
	return logDet, nil
}

// IsPointwise reports whether m is known to map each position independently of the values at
// others. The maps of this package do; a custom map does if its method Pointwise says so.
func IsPointwise(m Map) bool {
	switch m := m.(type) {
	case Sequence:
		return !slices.ContainsFunc(m, func(part Map) bool { return !IsPointwise(part) })
	case custom:
		p, ok := m.Applier.(interface{ Pointwise() bool })
		return ok && p.Pointwise()
	}
	return true
}

// sameSize returns f of a copy of x, where f is the named method of a. It is an error unless
// the result has the size of x.
func sameSize(
	a Applier, method string, x *mat.Dense, f func(*mat.Dense) (*mat.Dense, error),
) (*mat.Dense, error) {
	z, err := guard.Result(method, func() (*mat.Dense, error) { return f(mat.DenseCopyOf(x)) })
	if err != nil {
		return nil, fmt.Errorf("%T: %w", a, err)
	}
	rows, columns := x.Dims()
	if z == nil || z.RawMatrix().Rows != rows || z.RawMatrix().Cols != columns {
		return nil, fmt.Errorf("%T: %s made %s of %d×%d signals; must be of the same size",
			a, method, size(z), rows, columns)
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

// Register is preprocess.Register.
func Register(kind string, empty func() Applier) {
	registering.Lock()
	defer registering.Unlock()
	t := reflect.TypeOf(empty())
	switch {
	case t == nil || t.Kind() != reflect.Pointer:
		panic(fmt.Sprintf("preprocess: kind %q: empty returns %v; must return a pointer", kind, t))
	case kind == "" || registered[kind] != nil:
		panic(fmt.Sprintf("preprocess: kind %q: is empty or registered already", kind))
	case kindOf[t] != "":
		panic(fmt.Sprintf("preprocess: kind %q: %v is registered already, as %q", kind, t, kindOf[t]))
	}
	registered[kind], kindOf[t] = empty, kind
}

// record returns the record of a registered type.
func (c custom) record() (Record, error) {
	registering.Lock()
	kind := kindOf[reflect.TypeOf(c.Applier)]
	registering.Unlock()
	if kind == "" {
		return Record{}, fmt.Errorf("the transform %T can't be saved: it isn't registered with "+
			"preprocess.Register", c.Applier)
	}
	data, err := json.Marshal(c.Applier)
	if err != nil {
		return Record{}, fmt.Errorf("the transform %T can't be saved: %w", c.Applier, err)
	}
	return Record{Kind: kindCustom, CustomKind: kind, Custom: data}, nil
}

// readCustom returns the custom transform of a record.
func (r Record) readCustom() (Map, error) {
	registering.Lock()
	empty := registered[r.CustomKind]
	registering.Unlock()
	if empty == nil {
		return nil, fmt.Errorf("the transform %q isn't registered in this program: see "+
			"preprocess.Register", r.CustomKind)
	}
	if len(r.Custom) == 0 {
		return nil, errors.New("a transform without its values")
	}
	a := empty()
	if err := json.Unmarshal(r.Custom, a); err != nil {
		return nil, fmt.Errorf("the transform %q: %w", r.CustomKind, err)
	}
	return custom{a}, nil
}
