// Package fastica separates linearly mixed signals by making them as far from Gaussian as
// possible. It ignores the order of the positions.
//
// The names to know are Default, Paper and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, fastica.Default(), x)
//
// With the same signals, settings and Start it finds the unmixing matrix of scikit-learn's
// FastICA up to rounding. The recovered signals have mean 0 and variance 1; their order and
// signs are those at the end of the iterations.
//
// Reference: A. Hyvärinen, "Fast and robust fixed-point algorithms for independent component
// analysis", IEEE Transactions on Neural Networks 10(3), 626–634, 1999.
package fastica

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of FastICA with the symmetric algorithm and the contrast
// log cosh. It is an ica.Method. Begin with Default or Paper.
type Config struct {
	// Tolerance ends the iterations: for each row w of the demixing and w′ of the one before,
	// | |wᵀw′| − 1 | is less. With 0 all iterations are done.
	Tolerance float64

	// MaxIterations is the maximum number of iterations, at least 1.
	MaxIterations int

	// Start is the d×d demixing of the whitened signals that the iterations begin with,
	// scikit-learn's w_init. It must be invertible. Nil draws it from the standard normal
	// distribution with Seed.
	Start *mat.Dense

	// Seed is the seed of Start where it is drawn.
	Seed uint64
}

// Default returns scikit-learn's defaults: tolerance 1e-4 and at most 200 iterations.
func Default() Config { return Config{Tolerance: 1e-4, MaxIterations: 200} }

// Paper returns the settings of the comparison in SICA's paper: Default with at most 20000
// iterations.
func Paper() Config {
	cfg := Default()
	cfg.MaxIterations = 20000
	return cfg
}

// Name is "fastica".
func (Config) Name() string { return "fastica" }

// Fit separates the mixed signals. It rotates the whitened signals to maximise the distance
// of their marginals from Gaussian ones, measured by the mean of log cosh. An iteration takes
// O(d²·n) operations, shared by all processors; their number doesn't change the result.
//
// It is an error if a setting is out of range, if x can't be whitened, if the contrast is
// the same in all directions, or if ctx ends. The model is linear.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Demix(ctx, c.Name(), c.validate(x.Dims()), x, c.demix)
}

// demix returns the rotation of the white signals that the iterations end with.
func (c Config) demix(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error) {
	d, _ := white.Dims()
	w := fastica.Start(c.Seed, d)
	if c.Start != nil {
		w = mat.DenseCopyOf(c.Start)
	}
	iterations, converged, err := fastica.Iterate(ctx, white, w, c.Tolerance, c.MaxIterations)
	end := ica.Convergence{Converged: converged, Iterations: iterations}
	if !converged {
		end.Warning = fmt.Sprintf("FastICA did not converge to the tolerance %g in %d iterations: "+
			"allow more or raise the tolerance; nearly Gaussian signals never converge",
			c.Tolerance, c.MaxIterations)
	}
	return w, end, err
}

// validate returns an error for the first setting that is out of range for d signals.
func (c Config) validate(d, _ int) error {
	switch {
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("Tolerance: is %g; must be 0 or more, and finite", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("MaxIterations: is %d; must be at least 1", c.MaxIterations)
	}
	return rival.CheckStart(c.Start, d)
}
