package baseline

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A LinearModel is a demixing z = Unmixing·(x − Mean): the Model of the linear
// methods.
type LinearModel struct {
	// Mean holds the mean of each mixed signal.
	Mean []float64
	// Unmixing, d×d, says in row i how recovered signal i is made of the mixed
	// ones.
	Unmixing *mat.Dense
	// Mixing, d×d, is the inverse of Unmixing: column j says how much of
	// recovered signal j is in each mixed signal.
	Mixing *mat.Dense

	signals     *mat.Dense
	convergence Convergence
}

// NewLinearModel returns the model with these fields, which has recovered the
// signals, d×T, in a fit that ended so. It keeps what it is given.
func NewLinearModel(mean []float64, unmixing, mixing, signals *mat.Dense, c Convergence) *LinearModel {
	return &LinearModel{Mean: mean, Unmixing: unmixing, Mixing: mixing, signals: signals, convergence: c}
}

// Signals returns the signals recovered from those that Fit was given, d×T, with
// mean 0. It isn't a copy.
func (m *LinearModel) Signals() *mat.Dense { return m.signals }

// Convergence says how the fit ended.
func (m *LinearModel) Convergence() Convergence { return m.convergence }

// Transform returns Unmixing·(x − Mean) for mixed signals x, d×n. It is an error
// if x isn't d signals at one position or more or has a value that isn't finite.
func (m *LinearModel) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(m.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: transform: %w", err)
	}
	var z mat.Dense
	z.Mul(m.Unmixing, signal.Added(x, m.Mean, -1))
	if err := signal.CheckNew("z", &z, len(m.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: transform: %w", err)
	}
	return &z, nil
}

// InverseTransform returns Mixing·z + Mean for recovered signals z, d×n. It is
// an error if z isn't d signals at one position or more or has a value that
// isn't finite.
func (m *LinearModel) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("z", z, len(m.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: inverse transform: %w", err)
	}
	var x mat.Dense
	x.Mul(m.Mixing, z)
	for i, mean := range m.Mean {
		floats.AddConst(mean, x.RawRowView(i))
	}
	if err := signal.CheckNew("x", &x, len(m.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: inverse transform: %w", err)
	}
	return &x, nil
}
