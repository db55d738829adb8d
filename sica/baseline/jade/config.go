package jade

import (
	"fmt"
	"math"
)

// Config holds the settings of JADE, and is a baseline.Method. Begin with Default.
type Config struct {
	// Tolerance ends the rotations: in a last sweep over all pairs of signals
	// each is turned by less than this angle, in radians. 0 is .01/√T, a hundredth
	// of the angles that chance decides.
	Tolerance float64

	// MaxSweeps is the most sweeps, at least 1.
	MaxSweeps int
}

// Default has the tolerance of the authors' program, and at most 100 sweeps.
func Default() Config { return Config{MaxSweeps: 100} }

// validate returns an error that names the first setting that is out of range, and
// what would be valid.
func (c Config) validate() error {
	switch {
	case !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want 0 or more", c.Tolerance)
	case c.MaxSweeps < 1:
		return fmt.Errorf("max sweeps %d: want at least 1", c.MaxSweeps)
	}
	return nil
}

// tolerance returns Tolerance, or the default for n positions.
func (c Config) tolerance(n int) float64 {
	if c.Tolerance > 0 {
		return c.Tolerance
	}
	return 0.01 / math.Sqrt(float64(n))
}
