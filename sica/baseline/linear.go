package baseline

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Linear is a demixing z = Unmixing·(x − Mean). The models of linear methods
// embed it.
type Linear struct {
	// Mean holds the mean of each mixed signal.
	Mean []float64
	// Whitening, d×d, is the whitening of the mixed signals less their means,
	// which the method then rotated.
	Whitening *mat.Dense
	// Mixing, d×d, is the inverse of Unmixing: column j says how much of
	// recovered signal j is in each mixed signal.
	Mixing *mat.Dense
	// Unmixing, d×d, says in row i how recovered signal i is made of the mixed
	// ones.
	Unmixing *mat.Dense
}

// Transform returns Unmixing·(x − Mean) for mixed signals x, d×n. It is an error
// if x isn't d signals at one position or more or has a value that isn't finite.
func (l *Linear) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(l.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: transform: %w", err)
	}
	var z mat.Dense
	z.Mul(l.Unmixing, signal.Added(x, l.Mean, -1))
	if err := signal.CheckNew("z", &z, len(l.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: transform: %w", err)
	}
	return &z, nil
}

// InverseTransform returns Mixing·z + Mean for recovered signals z, d×n. It is
// an error if z isn't d signals at one position or more or has a value that
// isn't finite.
func (l *Linear) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("z", z, len(l.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: inverse transform: %w", err)
	}
	var x mat.Dense
	x.Mul(l.Mixing, z)
	for i, mean := range l.Mean {
		floats.AddConst(mean, x.RawRowView(i))
	}
	if err := signal.CheckNew("x", &x, len(l.Mean)); err != nil {
		return nil, fmt.Errorf("baseline: inverse transform: %w", err)
	}
	return &x, nil
}
