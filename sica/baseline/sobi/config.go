package sobi

import (
	"fmt"
	"math"
	"slices"
)

// Config holds the settings of Fit. Begin with Default or AMUSE.
type Config struct {
	// Lags are the distances in positions, each from 1 to T−1, at which the
	// signals' covariances are taken. Nil is all from 1 to 100, or to ⌈T/3⌉ if
	// that is less.
	Lags []int

	// Tolerance ends the rotations: in a last sweep over all pairs of signals
	// each is turned by less than this angle, in radians. It is more than 0.
	Tolerance float64

	// MaxSweeps is the most sweeps, at least 1.
	MaxSweeps int
}

// Default has the lags of SOBI in EEGLAB, a widely used program; a tolerance of
// 1e-8, far below what any number of positions determines; and at most 100
// sweeps, of which ten are rarely needed.
func Default() Config {
	return Config{Tolerance: 1e-8, MaxSweeps: 100}
}

// AMUSE is Default with the one lag 1: L. Tong, R. Liu, V. C. Soon and Y.-F.
// Huang, "Indeterminacy and identifiability of blind identification", IEEE
// Transactions on Circuits and Systems 38(5), 499–509, 1991. Another lag can be
// put in its place.
func AMUSE() Config {
	cfg := Default()
	cfg.Lags = []int{1}
	return cfg
}

// Validate returns an error that names the first setting that is out of range
// for signals at n positions, and what would be valid.
func (c Config) Validate(n int) error {
	if err := c.validate(n); err != nil {
		return fmt.Errorf("sobi: %w", err)
	}
	return nil
}

func (c Config) validate(n int) error {
	switch {
	case c.Lags != nil && len(c.Lags) == 0:
		return fmt.Errorf("no lags: want at least one, or nil for the default")
	case !(c.Tolerance > 0) || math.IsInf(c.Tolerance, 0):
		return fmt.Errorf("tolerance %g: want more than 0", c.Tolerance)
	case c.MaxSweeps < 1:
		return fmt.Errorf("max sweeps %d: want at least 1", c.MaxSweeps)
	}
	for i, lag := range c.Lags {
		if lag < 1 || lag >= n {
			return fmt.Errorf("lag %d: want 1 to %d for %d positions", lag, n-1, n)
		}
		if slices.Contains(c.Lags[:i], lag) {
			return fmt.Errorf("lag %d is there twice: want each once", lag)
		}
	}
	return nil
}

// lags returns Lags, or the default for n positions.
func (c Config) lags(n int) []int {
	if c.Lags != nil {
		return c.Lags
	}
	var lags []int
	for lag := 1; lag <= min(100, (n+2)/3); lag++ {
		lags = append(lags, lag)
	}
	return lags
}
