package network

import (
	"fmt"
	"time"

	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A trainingCost is the expected cost of a fit.
type trainingCost struct {
	// seconds is the time of one processor core, on XLA.
	seconds float64
	// bytes is the memory needed, in addition to the signals.
	bytes float64
}

// String returns the cost in words: "1m10s of a core and 40 MB".
func (c trainingCost) String() string {
	seconds := time.Duration(c.seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s of a core and %.0f MB", seconds, c.bytes/1e6)
}

// signalSeconds and entrySeconds are the time of a step of a run in seconds, for each position of
// the batch and each affine map: signalSeconds for each signal, entrySeconds for each entry of the
// matrix. compileSeconds is the time to compile the program. All were measured on one core of an
// AMD EPYC with XLA; pure Go takes longer.
const signalSeconds, entrySeconds, compileSeconds = 9e-9, 0.8e-9, 6

// maxSeconds is the expected time of one core, in seconds, above which Improve fits no network.
// About sixty signals take that hour. Fit has no limit.
const maxSeconds = 3600

// expectedCost returns the expected cost of fitting networks to d signals at n positions with all
// restarts, though fewer may suffice. It excludes judging the networks.
func (o Options) expectedCost(d, n int) trainingCost {
	o = o.withDefaults(d, n)
	slots := float64(folds) // runs trained at once
	if !o.many(d) {
		slots *= float64(o.restarts)
	}
	later := o.layersOf(1, d) // the largest number
	layers := o.layersOf(0, d) + (o.restarts-1)*later
	signals, maps := float64(d), float64(later+1)
	positions := float64(min(o.batch, n)) // and the pasts of the pieces
	outputs := positions * maps           // for a signal
	mapSeconds := positions * (signalSeconds*signals + entrySeconds*signals*signals)
	// For the gradient, six values are kept of each signal after each map and for each component of
	// its source, and eight of each entry of a matrix, such as the gradient, two moments and two
	// states.
	values := 6*outputs*signals + 6*positions*signals*source.Components +
		8*maps*signals*signals
	return trainingCost{
		seconds: compileSeconds + float64(o.Steps*folds*(layers+o.restarts))*mapSeconds,
		bytes:   4*slots*values + 4*evaluateEvery*slots*positions*signals,
	}
}
