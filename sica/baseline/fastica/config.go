package fastica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// Config holds the settings of FastICA, and is a baseline.Method. Begin with Default
// or Paper.
type Config struct {
	// Algorithm is the order in which the signals are found: "symmetric" is all
	// together, which scikit-learn calls parallel, and "deflation" one after
	// another, each uncorrelated with those before it.
	Algorithm string

	// Contrast names the function g whose mean y·g(y) measures how far from
	// Gaussian a signal y is. "logcosh" is g(y) = tanh y, the derivative of log
	// cosh y, a good choice for most signals; "exp" is y·exp(−y²/2), for signals
	// with heavy tails or outliers; "cube" is y³, which is kurtosis, and which
	// outliers mislead.
	Contrast string

	// Tolerance ends the iterations: each recovered signal's direction w has
	// | |wᵀw′| − 1 | less than it, w′ being that of the iteration before. With 0
	// all iterations are done.
	Tolerance float64

	// MaxIterations is the most iterations, at least 1; by deflation, for
	// each signal.
	MaxIterations int

	// Start is the d×d matrix whose rows are the directions that the iterations
	// begin with, in the coordinates of the whitened signals: scikit-learn's
	// w_init. It must be invertible. Nil draws it from the standard normal
	// distribution with Seed.
	Start *mat.Dense

	// Seed is that of Start where it is drawn.
	Seed uint64
}

// Default is the default of scikit-learn: the symmetric algorithm, the contrast
// logcosh, tolerance 1e-4 and at most 200 iterations.
func Default() Config {
	return Config{Algorithm: bySymmetry, Contrast: string(logCosh), Tolerance: 1e-4, MaxIterations: 200}
}

// Paper is what SICA's paper compares with: Default with at most 20000
// iterations.
func Paper() Config {
	cfg := Default()
	cfg.MaxIterations = 20000
	return cfg
}

// validate returns an error that names the first setting that is out of range for
// d signals, and what would be valid.
func (c Config) validate(d int) error {
	switch {
	case c.Algorithm != bySymmetry && c.Algorithm != byDeflation:
		return fmt.Errorf("algorithm %q: want %q or %q", c.Algorithm, bySymmetry, byDeflation)
	case !slices.Contains(contrasts, contrast(c.Contrast)):
		return fmt.Errorf("contrast %q: want one of %q", c.Contrast, contrasts)
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want 0 or more", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("max iterations %d: want at least 1", c.MaxIterations)
	}
	return baseline.CheckStart(c.Start, d)
}
