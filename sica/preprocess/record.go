package preprocess

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Record is a Map in JSON, with the name of the file, in the same folder, of what
// is large in it.
type Record struct {
	Kind string `json:"kind"`

	Affine    *Affine    `json:"affine,omitempty"` // of an Affine, and what ends a conditional normalisation
	Symmetric *Symmetric `json:"symmetric,omitempty"`
	Reduction *Reduction `json:"reduction,omitempty"`

	Network *Invertible `json:"network,omitempty"`

	Signals string    `json:"signals,omitempty"` // that the map was fitted to
	Axes    []float64 `json:"axes,omitempty"`    // of a conditional normalisation, row-major
	Means   []float64 `json:"means,omitempty"`

	OwnKind string          `json:"own_kind,omitempty"` // that a caller's transform is registered as
	Own     json.RawMessage `json:"own,omitempty"`
}

// The kinds of maps.
const (
	kindAffine      = "affine"
	kindSymmetric   = "zca"
	kindNormalised  = "quantiles"
	kindConditioned = "conditional"
	kindReduction   = "reduction"
	kindInvertible  = "invertible"
	kindOwn         = "own"
)

// Write returns the record of a map of this package or of a registered type, and writes what is large in it
// into a file of dir whose name begins with name.
func Write(dir, name string, m Map) (Record, error) {
	switch m := m.(type) {
	case *Affine:
		return Record{Kind: kindAffine, Affine: m}, nil
	case *Symmetric:
		return Record{Kind: kindSymmetric, Symmetric: m}, nil
	case *Reduction:
		return Record{Kind: kindReduction, Reduction: m}, nil
	case *Invertible:
		return Record{Kind: kindInvertible, Network: m}, nil
	case own:
		return m.record()
	case *normalised:
		r := Record{Kind: kindNormalised, Signals: name + ".npy"}
		return r, datasets.WriteFile(filepath.Join(dir, r.Signals), m.signals)
	case *conditioned:
		r := Record{
			Kind: kindConditioned, Affine: m.whitened, Signals: name + ".npy",
			Axes: mat.DenseCopyOf(m.axes).RawMatrix().Data, Means: m.means,
		}
		return r, datasets.WriteFile(filepath.Join(dir, r.Signals), m.fitted)
	}
	return Record{}, fmt.Errorf("a map %T can't be saved", m)
}

// Read is the map of a record to d signals, fitted at t positions, whose file is in
// dir.
func (r Record) Read(dir string, d, t int) (Map, error) {
	switch r.Kind {
	case kindAffine:
		return r.Affine, r.Affine.check(d)
	case kindSymmetric:
		return r.Symmetric, r.Symmetric.check(d)
	case kindReduction:
		return r.Reduction, r.Reduction.check(d)
	case kindInvertible:
		return r.Network, r.Network.check(d)
	case kindOwn:
		return r.readOwn()
	case kindNormalised:
		signals, err := r.readSignals(dir, d, t)
		if err != nil {
			return nil, err
		}
		return newNormalised(signals), nil
	case kindConditioned:
		fitted, err := r.readSignals(dir, d, t)
		if err != nil {
			return nil, err
		}
		if len(r.Axes) != d*d || len(r.Means) != d {
			return nil, fmt.Errorf("%d axes and %d means of %d signals", len(r.Axes), len(r.Means), d)
		}
		c := &conditioned{axes: mat.NewDense(d, d, r.Axes), means: r.Means, fitted: fitted, whitened: r.Affine}
		if _, err := c.fit(context.Background()); err != nil {
			return nil, err
		}
		return c, r.Affine.check(d)
	}
	return nil, fmt.Errorf("unknown kind %q", r.Kind)
}

// readSignals reads the signals that the map was fitted to.
func (r Record) readSignals(dir string, d, t int) (*mat.Dense, error) {
	x, err := datasets.ReadFile(filepath.Join(dir, filepath.Base(r.Signals)))
	if err != nil {
		return nil, err
	}
	if rows, columns := x.Dims(); rows != d || columns != t {
		return nil, fmt.Errorf("%s has %d signals at %d positions, want %d at %d", r.Signals, rows, columns, d, t)
	}
	return x, signal.Check(r.Signals, x)
}

// check returns an error unless a is a map of d signals.
func (a *Affine) check(d int) error {
	if a == nil || len(a.Centre) != d || len(a.Offset) != d || len(a.Matrix) != d*d {
		return fmt.Errorf("a linear map isn't one of %d signals", d)
	}
	return nil
}

func (s *Symmetric) check(d int) error {
	if s == nil || len(s.Centre) != d || len(s.Spread) != d || len(s.Axes) != d*d {
		return fmt.Errorf("a whitening isn't one of %d signals", d)
	}
	return nil
}
