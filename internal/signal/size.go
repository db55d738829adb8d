package signal

import "fmt"

// MaxEntries is the limit of signals times positions of a matrix that is read from a file, or that
// package datasets makes: 0.5 GiB of float64.
const MaxEntries = 1 << 26

// CheckSize returns an error unless d signals at n positions are at least one of each, and have at
// most MaxEntries.
func CheckSize(d, n int) error {
	if d < 1 || n < 1 {
		return fmt.Errorf("%d signals by %d positions; must be at least one of each", d, n)
	}
	if d > MaxEntries/n {
		return fmt.Errorf("%d signals by %d positions are more than the limit of %d entries",
			d, n, MaxEntries)
	}
	return nil
}
