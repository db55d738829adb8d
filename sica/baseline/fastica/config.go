package fastica

import (
	"fmt"
	"math"

	"github.com/seed-47b1e431/gosica/sica/baseline"
	"gonum.org/v1/gonum/mat"
)

// An Algorithm is the order in which the signals are found.
type Algorithm string

const (
	// Symmetric finds all signals together. Scikit-learn calls it parallel.
	Symmetric Algorithm = "symmetric"
	// Deflation finds one signal after another, each uncorrelated with those
	// before it.
	Deflation Algorithm = "deflation"
)

// A Contrast is the function g whose mean y·g(y) measures how far from Gaussian
// a signal y is.
type Contrast string

const (
	// LogCosh is g(y) = tanh y, the derivative of log cosh y, a good choice
	// for most signals.
	LogCosh Contrast = "logcosh"
	// Exp is g(y) = y·exp(−y²/2), for signals with heavy tails or outliers.
	Exp Contrast = "exp"
	// Cube is g(y) = y³, which is kurtosis. Outliers mislead it.
	Cube Contrast = "cube"
)

// Config holds the settings of Fit. Begin with Default or Paper.
type Config struct {
	Algorithm Algorithm
	Contrast  Contrast

	// Tolerance ends the iterations: each recovered signal's direction w has
	// | |wᵀw′| − 1 | less than it, w′ being that of the iteration before. With 0
	// all iterations are done.
	Tolerance float64

	// MaxIterations is the most iterations, at least 1; with Deflation, for
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

// Default is the default of scikit-learn: Symmetric, LogCosh, tolerance 1e-4 and
// at most 200 iterations.
func Default() Config {
	return Config{Algorithm: Symmetric, Contrast: LogCosh, Tolerance: 1e-4, MaxIterations: 200}
}

// Paper is what SICA's paper compares with: Default with at most 20000
// iterations.
func Paper() Config {
	cfg := Default()
	cfg.MaxIterations = 20000
	return cfg
}

// Validate returns an error that names the first setting that is out of range
// for d signals, and what would be valid.
func (c Config) Validate(d int) error {
	if err := c.validate(d); err != nil {
		return fmt.Errorf("fastica: %w", err)
	}
	return nil
}

func (c Config) validate(d int) error {
	switch {
	case c.Algorithm != Symmetric && c.Algorithm != Deflation:
		return fmt.Errorf("algorithm %q: want %q or %q", c.Algorithm, Symmetric, Deflation)
	case c.Contrast != LogCosh && c.Contrast != Exp && c.Contrast != Cube:
		return fmt.Errorf("contrast %q: want %q, %q or %q", c.Contrast, LogCosh, Exp, Cube)
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want 0 or more", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("max iterations %d: want at least 1", c.MaxIterations)
	}
	return baseline.CheckStart(c.Start, d)
}
