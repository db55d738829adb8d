// Package picard separates linearly mixed signals by maximum likelihood, in few iterations.
// It ignores the order of the positions.
//
// The names to know are Default and Config, which is an ica.Method:
//
//	model, err := ica.Separate(ctx, picard.Default(), x)
//
// With the same signals, settings and Start it finds the unmixing matrix of the authors'
// program in Python, up to the order and the signs of its rows.
//
// References: P. Ablin, J.-F. Cardoso and A. Gramfort, "Faster independent component analysis
// by preconditioning with Hessian approximations", IEEE Transactions on Signal Processing
// 66(15), 4040–4049, 2018 (Picard); and, by the same, "Faster ICA under orthogonal
// constraint", ICASSP 2018 (Picard-O).
package picard

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config holds the settings of Picard. It is an ica.Method. Begin with Default.
type Config struct {
	// Ortho keeps the recovered signals uncorrelated with variance 1, as FastICA does: Picard-O.
	// Otherwise the likelihood alone decides, as in the extended Infomax of T.-W. Lee, M. Girolami
	// and T. J. Sejnowski, Neural Computation 11(2), 417–441, 1999; the signals then have mean
	// y·ψ(y) = 1, see Fit.
	Ortho bool

	// Tolerance ends the iterations when no entry of the relative gradient is larger. With Ortho
	// the entries are the means of (ψ(yᵢ)·yⱼ − ψ(yⱼ)·yᵢ)/2, otherwise the means of ψ(yᵢ)·yⱼ, less 1
	// for i = j.
	Tolerance float64

	// MaxIterations is the maximum number of iterations, at least 1.
	MaxIterations int

	// Memory is the number of past steps from which L-BFGS learns the curvature, at least 1.
	Memory int

	// Start is the initial demixing of the whitened signals, d×d and invertible; with Ortho the
	// nearest orthogonal matrix replaces it. Nil means a random rotation drawn with Seed.
	Start *mat.Dense

	// Seed is the seed of the initial demixing if Start is nil.
	Seed uint64
}

// Default returns the defaults of the authors' program in Python: Ortho, tolerance 1e-7, at
// most 500 iterations and a memory of 7.
func Default() Config {
	return Config{Ortho: true, Tolerance: 1e-7, MaxIterations: 500, Memory: 7}
}

const name = "picard"

// Name returns "picard".
func (Config) Name() string { return name }

// Fit separates the mixed signals. It demixes the whitened signals x by the W that maximises
// the likelihood of the signals y = W·x, each of which has a density p with
//
//	−log p(y) = ½y² ± log cosh y + const,   ψ(y) = −(log p)′(y) = y ± tanh y.
//
// The sign, which is estimated for each signal, is + for tails heavier than Gaussian and − for
// lighter tails. With Ortho, W is orthogonal and the recovered signals have variance 1. An
// iteration takes O(d²·n) operations on one processor.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx ends. The
// model is linear.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Demix(ctx, name, c.validate(x.Dims()), x, c.demix)
}

// demix returns the demixing of the white signals with maximum likelihood.
func (c Config) demix(ctx context.Context, white *mat.Dense) (*mat.Dense, ica.Convergence, error) {
	d, _ := white.Dims()
	start, err := c.start(d)
	if err != nil {
		return nil, ica.Convergence{}, err
	}
	w, end, err := minimise(ctx, white, start, c)
	if err == nil && !(mat.Cond(w, 2) <= mat.ConditionTolerance) {
		err = errors.New("the demixing became singular; try another start or Ortho")
	}
	return w, end, err
}

// start returns the initial demixing as a new matrix.
func (c Config) start(d int) (*mat.Dense, error) {
	switch {
	case c.Start == nil:
		return rotation.Random(stream.Named(c.Seed, name), d), nil
	case c.Ortho:
		w, ok := rotation.Nearest(c.Start)
		if !ok {
			return nil, errors.New("Start: its singular value decomposition did not converge; " +
				"must be invertible")
		}
		return w, nil
	}
	return mat.DenseCopyOf(c.Start), nil
}

// validate returns an error for the first setting that is out of range for d signals.
func (c Config) validate(d, _ int) error {
	switch {
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("Tolerance: is %g; must be 0 or more, and finite", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("MaxIterations: is %d; must be at least 1", c.MaxIterations)
	case c.Memory < 1:
		return fmt.Errorf("Memory: is %d; must be at least 1", c.Memory)
	}
	return rival.CheckStart(c.Start, d)
}
