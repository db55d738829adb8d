package mapping

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Record is a Map in JSON. Its large arrays are in a file of the same folder.
type Record struct {
	Kind string `json:"kind"`

	Affine    *Affine    `json:"affine,omitempty"` // also the whitening of a conditional normalisation
	Symmetric *Symmetric `json:"symmetric,omitempty"`
	Reduction *Reduction `json:"reduction,omitempty"`
	Curves    *Curves    `json:"curves,omitempty"`

	Network *Invertible `json:"network,omitempty"`

	Signals string    `json:"signals,omitempty"` // file of the signals that the map was fitted to
	Axes    []float64 `json:"axes,omitempty"`    // of a conditional normalisation, row-major
	Means   []float64 `json:"means,omitempty"`

	Sequence []Record `json:"sequence,omitempty"`

	CustomKind string          `json:"own_kind,omitempty"` // see Register
	Custom     json.RawMessage `json:"own,omitempty"`
}

// The kinds of maps.
const (
	kindAffine      = "affine"
	kindSymmetric   = "zca"
	kindNormalised  = "quantiles"
	kindConditioned = "conditional"
	kindReduction   = "reduction"
	kindCurves      = "curves"
	kindInvertible  = "invertible"
	kindSequence    = "sequence"
	kindCustom      = "own"
)

// Write returns the record of a map of this package or of a registered type. It writes the large
// arrays of the map to a file in dir whose name begins with name.
func Write(dir, name string, m Map) (Record, error) {
	switch m := m.(type) {
	case *Affine:
		return Record{Kind: kindAffine, Affine: m}, nil
	case *Symmetric:
		return Record{Kind: kindSymmetric, Symmetric: m}, nil
	case *Reduction:
		return Record{Kind: kindReduction, Reduction: m}, nil
	case *Curves:
		return Record{Kind: kindCurves, Curves: m}, nil
	case *Invertible:
		return Record{Kind: kindInvertible, Network: m}, nil
	case Sequence:
		r := Record{Kind: kindSequence}
		for k, part := range m {
			of, err := Write(dir, fmt.Sprintf("%s-%d", name, k+1), part)
			if err != nil {
				return Record{}, err
			}
			r.Sequence = append(r.Sequence, of)
		}
		return r, nil
	case custom:
		return m.record()
	case *normalised:
		r := Record{Kind: kindNormalised, Signals: name + ".npy"}
		return r, npy.WriteFile(filepath.Join(dir, r.Signals), m.signals)
	case *conditioned:
		r := Record{
			Kind: kindConditioned, Affine: m.whitening, Signals: name + ".npy",
			Axes: mat.DenseCopyOf(m.axes).RawMatrix().Data, Means: m.means,
		}
		return r, npy.WriteFile(filepath.Join(dir, r.Signals), m.components)
	}
	return Record{}, fmt.Errorf("the map %T can't be saved", m)
}

// Read returns the map to d signals in a record, which was fitted at n positions. dir is the folder
// of its file.
func (r Record) Read(dir string, d, n int) (Map, error) {
	switch r.Kind {
	case kindAffine:
		return r.Affine, r.Affine.check(d)
	case kindSymmetric:
		return r.Symmetric, r.Symmetric.check(d)
	case kindReduction:
		return r.Reduction, r.Reduction.check(d)
	case kindCurves:
		return r.Curves, r.Curves.check(d)
	case kindInvertible:
		return r.Network, r.Network.check(d)
	case kindSequence:
		s := Sequence{}
		for k, of := range r.Sequence {
			m, err := of.Read(dir, d, n)
			if err != nil {
				return nil, ofMap(k+1, len(r.Sequence), err)
			}
			s = append(s, m)
		}
		return s, nil
	case kindCustom:
		return r.readCustom()
	case kindNormalised:
		signals, err := r.readSignals(dir, d, n)
		if err != nil {
			return nil, err
		}
		_, n := newNormalised(signals)
		return n, nil
	case kindConditioned:
		return r.readConditioned(dir, d, n)
	}
	return nil, fmt.Errorf("kind: is %q; must be one that this version writes", r.Kind)
}

func (r Record) readConditioned(dir string, d, n int) (Map, error) {
	fitted, err := r.readSignals(dir, d, n)
	if err != nil {
		return nil, err
	}
	if len(r.Axes) != d*d || len(r.Means) != d {
		return nil, fmt.Errorf("conditional normalisation: has %d entries of axes and %d means; "+
			"must have %d and %d", len(r.Axes), len(r.Means), d*d, d)
	}
	c := &conditioned{
		axes: mat.NewDense(d, d, r.Axes), means: r.Means, components: fitted, whitening: r.Affine,
	}
	if _, err := c.fit(context.Background()); err != nil {
		return nil, err
	}
	return c, r.Affine.check(d)
}

// readSignals reads the signals to which the map was fitted.
func (r Record) readSignals(dir string, d, n int) (*mat.Dense, error) {
	x, err := ReadSignals(dir, r.Signals, d, n)
	if err != nil {
		return nil, err
	}
	return x, signal.Check(r.Signals, x)
}

// ReadSignals reads a file of d signals at n positions in dir.
func ReadSignals(dir, name string, d, n int) (*mat.Dense, error) {
	x, err := npy.ReadFile(filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	if rows, columns := x.Dims(); rows != d || columns != n {
		return nil, fmt.Errorf("%s: has %d signals at %d positions; must have %d at %d",
			name, rows, columns, d, n)
	}
	return x, nil
}
