package sica

import (
	"context"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// A Method is SICA as a baseline.Method, to be put beside its rivals: its settings and
// where it computes.
type Method struct {
	Backend compute.Backend `json:"-"`
	Config
}

// Name is "sica".
func (m Method) Name() string { return "sica" }

// Fit is the function Fit; the model is a *Model. If ctx ends, or a number stops being
// finite, there is an error and no model.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	result, err := Fit(ctx, m.Backend, x, m.Config)
	if err != nil {
		return nil, err
	}
	return &Model{result}, nil
}

// A Model is a Result as a baseline.Model.
type Model struct{ *Result }

// Signals returns Z.
func (m *Model) Signals() *mat.Dense { return m.Z }

// Transform is Result.Transform of a sequence, or of as many positions as the fit had.
func (m *Model) Transform(x *mat.Dense) (*mat.Dense, error) { return m.Result.Transform(x) }

// InverseTransform is Result.InverseTransform of the same.
func (m *Model) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	x, _, err := m.Result.InverseTransform(z)
	return x, err
}

// Convergence says how the fit ended: with a warning if it led away.
func (m *Model) Convergence() baseline.Convergence {
	c := baseline.Convergence{
		Converged:  m.Stopped == StoppedStart || m.Stopped == StoppedPlateau || m.Stopped == StoppedAsked,
		Iterations: m.Iterations,
	}
	if m.Stopped == StoppedDiverged {
		c.Warning = m.Why
	}
	return c
}
