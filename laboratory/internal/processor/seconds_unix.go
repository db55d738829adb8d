//go:build unix

package processor

import (
	"math"
	"syscall"
	"time"
)

// Seconds returns for how long all threads of the process have run, in its own code and in the
// system's; NaN where that isn't known.
func Seconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return math.NaN()
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
