package picard

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// Config holds the settings of Picard, and is a baseline.Method. Begin with Default
// or Infomax.
type Config struct {
	// Ortho keeps the recovered signals uncorrelated and of variance 1, as
	// FastICA does: Picard-O. Without it they have the least mutual dependence
	// that the densities see, and the scale with mean y·ψ(y) = 1, see Fit.
	Ortho bool

	// Extended finds out for each signal whether it has lighter or heavier tails
	// than a Gaussian. Without it all are taken to have heavier ones, and others
	// aren't found.
	Extended bool

	// Tolerance ends the iterations: no entry of the relative gradient is larger.
	// That is, with Ortho, the mean (ψ(yᵢ)·yⱼ − ψ(yⱼ)·yᵢ)/2, and without it the
	// mean ψ(yᵢ)·yⱼ less 1 for i = j.
	Tolerance float64

	// MaxIterations is the most iterations, at least 1.
	MaxIterations int

	// Memory is how many past steps teach L-BFGS the curvature, at least 1.
	Memory int

	// Start is the d×d demixing of the whitened signals that the iterations begin
	// with. It must be invertible; with Ortho it is replaced by the orthogonal
	// matrix nearest to it. Nil is a random rotation drawn with Seed.
	Start *mat.Dense

	// Seed is that of Start where it is drawn.
	Seed uint64
}

// Default is the default of the authors' program in Python: Ortho and Extended,
// tolerance 1e-7, at most 500 iterations and a memory of 7.
func Default() Config {
	return Config{Ortho: true, Extended: true, Tolerance: 1e-7, MaxIterations: 500, Memory: 7}
}

// Infomax is Default without Ortho and Extended: the maximum of the likelihood
// that A. J. Bell and T. J. Sejnowski ascend in "An information-maximization
// approach to blind separation and blind deconvolution", Neural Computation 7(6),
// 1129–1159, 1995. With Extended set it is that of T.-W. Lee, M. Girolami and
// T. J. Sejnowski, Neural Computation 11(2), 417–441, 1999.
func Infomax() Config {
	cfg := Default()
	cfg.Ortho, cfg.Extended = false, false
	return cfg
}

// validate returns an error that names the first setting that is out of range for
// d signals, and what would be valid.
func (c Config) validate(d int) error {
	switch {
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want 0 or more", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("max iterations %d: want at least 1", c.MaxIterations)
	case c.Memory < 1:
		return fmt.Errorf("memory %d: want at least 1", c.Memory)
	}
	return baseline.CheckStart(c.Start, d)
}
