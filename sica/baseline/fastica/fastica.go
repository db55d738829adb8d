// Package fastica separates linearly mixed signals by making them as far from Gaussian as
// possible. It ignores the order of the positions.
//
// The names to know are Default, Paper and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, fastica.Default(), x)
//
// With the same signals, settings and Start it finds the unmixing matrix of scikit-learn's FastICA
// up to rounding. The recovered signals have mean 0 and variance 1; their order and signs are
// arbitrary.
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
	// Tolerance ends the iterations when | |wᵀw′| − 1 | is less for each row w of the demixing and
	// the same row w′ an iteration before. With 0 all iterations are done.
	Tolerance float64

	// MaxIterations is the maximum number of iterations, at least 1.
	MaxIterations int

	// Start is the initial demixing of the whitened signals, d×d and invertible: scikit-learn's
	// w_init. Nil draws its entries from the standard normal distribution with Seed.
	Start *mat.Dense

	// Seed is the seed of the initial demixing if Start is nil.
	Seed uint64
}

// Default returns scikit-learn's defaults: tolerance 1e-4 and at most 200 iterations.
func Default() Config { return Config{Tolerance: 1e-4, MaxIterations: 200} }

// Paper returns the settings of the comparison in the SICA paper: Default with at most 20000
// iterations.
func Paper() Config {
	cfg := Default()
	cfg.MaxIterations = 20000
	return cfg
}

// Name returns "fastica".
func (Config) Name() string { return "fastica" }

// Fit separates the mixed signals. It rotates the whitened signals to maximise the non-Gaussianity
// of their marginals, measured by the mean of log cosh. An iteration takes O(d²·n) operations on
// all processors, whose number doesn't affect the result.
//
// It is an error if a setting is out of range, if x can't be whitened, if the contrast is
// the same in all directions, or if ctx ends. The model is linear.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Demix(ctx, c.Name(), c.validate(x.Dims()), x, c.demix)
}

// demix returns the rotation of the white signals at the end of the iterations.
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
