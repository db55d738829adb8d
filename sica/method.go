package sica

import (
	"context"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A Method is Fit as an ica.Method, to be compared with others: its settings, and the backend
// that computes.
type Method struct {
	Backend compute.Backend `json:"-"`
	Config
}

// Name is "sica".
func (m Method) Name() string { return "sica" }

// Fit separates the mixed signals by the function Fit, with the shape of x where Config has
// none. The model's Details are the *Result. If ctx ends, or a number isn't finite, there is
// an error and no model.
func (m Method) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	cfg := m.Config
	if shape := x.Shape(); cfg.Shape == nil && len(shape) > 1 {
		cfg.Shape = shape
	}
	result, err := Fit(ctx, m.Backend, x.X(), cfg)
	if err != nil {
		return nil, err
	}
	return &ica.Model{
		Signals: result.Z, Map: resultMap{result}, Convergence: result.Convergence(),
		Why: result.Why, Details: result,
	}, nil
}

// Convergence describes the end of the fit. It has a warning if the iterations diverged.
func (r *Result) Convergence() ica.Convergence {
	c := ica.Convergence{Iterations: r.Iterations}
	switch r.Stopped {
	case StoppedStart, StoppedPlateau, StoppedAsked:
		c.Converged = true
	case StoppedDiverged:
		c.Warning = r.Why
	}
	return c
}

// resultMap is a Result as a preprocess.Map of a sequence, or of as many positions as the fit
// had.
type resultMap struct{ *Result }

// Apply is Result.Transform.
func (m resultMap) Apply(x *mat.Dense) (*mat.Dense, error) { return m.Transform(x) }

// Invert is Result.InverseTransform.
func (m resultMap) Invert(z *mat.Dense) (*mat.Dense, error) {
	x, _, err := m.InverseTransform(z)
	return x, err
}
