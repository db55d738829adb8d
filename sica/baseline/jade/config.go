package jade

import (
	"fmt"
	"math"
)

// Config holds the settings of Fit. Begin with Default.
type Config struct {
	// Tolerance ends the rotations: in a last sweep over all pairs of signals
	// each is turned by less than this angle, in radians. It is more than 0.
	Tolerance float64

	// MaxSweeps is the most sweeps, at least 1.
	MaxSweeps int
}

// Default has a tolerance of 1e-8, below the .01/√T of the authors' program for
// any T, and at most 100 sweeps, of which ten are rarely needed.
func Default() Config {
	return Config{Tolerance: 1e-8, MaxSweeps: 100}
}

// Validate returns an error that names the first setting that is out of range,
// and what would be valid.
func (c Config) Validate() error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("jade: %w", err)
	}
	return nil
}

func (c Config) validate() error {
	switch {
	case !(c.Tolerance > 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want more than 0", c.Tolerance)
	case c.MaxSweeps < 1:
		return fmt.Errorf("max sweeps %d: want at least 1", c.MaxSweeps)
	}
	return nil
}
