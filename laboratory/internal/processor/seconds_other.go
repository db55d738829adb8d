//go:build !unix

package processor

import "math"

// Seconds returns NaN: for how long the process has run isn't known here.
func Seconds() float64 { return math.NaN() }
