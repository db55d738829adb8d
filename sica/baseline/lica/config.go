package lica

import (
	"fmt"
	"math"
	"slices"
)

// Config holds the settings of LICA, and is a baseline.Method. Begin with Default or
// Paper.
type Config struct {
	// Sigmas are the widths of the basis functions to choose from, in standard
	// deviations of a signal, from 1e-3 to 1e3.
	Sigmas []float64

	// Lambdas are the ridges to choose from, positive.
	Lambdas []float64

	// Folds is how many parts the positions are divided into at random for
	// cross-validation, from 2 to T. With one σ and one λ there is none.
	Folds int

	// Basis is the number b of basis functions, at least 1. Their centres are
	// drawn from the positions; if there are fewer, they are all positions.
	Basis int

	// Starts is how many random rotations the descent begins from, at least 1.
	Starts int

	// Tolerance ends a descent where turning the signals by one radian would
	// change ½ĥᵀα, which is SMI-hat + ½, by less than this share of it, to first
	// order. With 0 it ends where rounding allows no further decrease.
	Tolerance float64

	// MaxIterations is the most steps of a descent, at least 1.
	MaxIterations int

	// Seed is that of the centres, folds and starts.
	Seed uint64
}

// Default chooses from σ in {0.5, 0.7, 1} and λ in {1e-4, 1e-3, 1e-2} by 5-fold
// cross-validation, with 200 basis functions, 5 starts, tolerance 1e-6 and at
// most 200 iterations.
//
// Fewer basis functions take less time, by the square, and separate worse. Wider
// ones would be chosen for heavy-tailed signals, but then see too little of what
// tells such signals apart.
func Default() Config {
	return Config{
		Sigmas:        []float64{0.5, 0.7, 1},
		Lambdas:       []float64{1e-4, 1e-3, 1e-2},
		Folds:         5,
		Basis:         200,
		Starts:        5,
		Tolerance:     1e-6,
		MaxIterations: 200,
	}
}

// Paper is what SICA's paper compares with: σ in {0.1, 0.5}, λ in {0.01, 0.1} and
// 50 basis functions. The paper doesn't give the rest, which is as in Default. For
// five signals or more these widths can be too narrow, of which the model's
// Convergence warns.
func Paper() Config {
	cfg := Default()
	cfg.Sigmas = []float64{0.1, 0.5}
	cfg.Lambdas = []float64{0.01, 0.1}
	cfg.Basis = 50
	return cfg
}

// validate returns an error that names the first setting that is out of range for
// signals at n positions, and what would be valid.
func (c Config) validate(n int) error {
	switch {
	case len(c.Sigmas) == 0 || slices.ContainsFunc(c.Sigmas, func(v float64) bool { return !(v >= 1e-3 && v <= 1e3) }):
		return fmt.Errorf("sigmas %v: want at least one, each from 1e-3 to 1e3", c.Sigmas)
	case len(c.Lambdas) == 0 || slices.ContainsFunc(c.Lambdas, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }):
		return fmt.Errorf("lambdas %v: want at least one, each positive", c.Lambdas)
	case c.Folds < 2 || c.Folds > n:
		return fmt.Errorf("folds %d: want from 2 to the number of positions, %d", c.Folds, n)
	case c.Basis < 1:
		return fmt.Errorf("basis %d: want at least 1 basis function", c.Basis)
	case c.Starts < 1:
		return fmt.Errorf("starts %d: want at least 1", c.Starts)
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want 0 or more", c.Tolerance)
	case c.MaxIterations < 1:
		return fmt.Errorf("max iterations %d: want at least 1", c.MaxIterations)
	}
	return nil
}
