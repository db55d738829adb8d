package network

import (
	"fmt"
	"time"

	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// A Cost is the expected cost of a fit.
type Cost struct {
	// Seconds of one core of a processor, on XLA.
	Seconds float64
	// Bytes of memory, in addition to the signals.
	Bytes float64
}

// String returns the cost in words: "1m10s of a core and 40 MB".
func (c Cost) String() string {
	seconds := time.Duration(c.Seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s of a core and %.0f MB", seconds, c.Bytes/1e6)
}

// The time of a step of a run, for each position of the batch and each affine map, in seconds:
// signalSeconds for each signal, entrySeconds for each entry of the matrix. compileSeconds is the
// time to compile the program. They were measured on one core of a busy AMD EPYC with XLA, the
// evaluations on the host included: fits of ten signals took 39 s with one restart (median of seven),
// of twenty 105 s with one and 361 with two. Pure Go takes longer; how much wasn't measured.
const signalSeconds, entrySeconds, compileSeconds = 9e-9, 0.8e-9, 6

// maxSeconds is the expected time in seconds of a core above which Improve fits no network. It is a
// choice: an hour, which about sixty signals take. Options.Fit itself has no limit.
const maxSeconds = 3600

// Cost returns the expected cost of fitting networks to d signals at n positions with all restarts,
// of which not all may be needed, without that of judging them.
func (o Options) Cost(d, n int) Cost {
	o = o.withDefaults(d, n)
	slots := float64(folds) // runs that are trained at once
	layers := o.Layers + (o.Restarts-1)*o.laterLayers
	if !o.many(d) {
		slots *= float64(o.Restarts)
		layers = o.Restarts * o.Layers
	}
	signals, maps := float64(d), float64(max(o.Layers, o.laterLayers)+1)
	positions := float64(min(max(o.Batch, 1), n)) // and the pasts of the pieces
	outputs := positions * maps                   // of a signal
	mapSeconds := positions * (signalSeconds*signals + entrySeconds*signals*signals)
	// For the gradient, six values are kept of each signal after each map and for each component of
	// its source; eight of each entry of a matrix, such as the gradient, two moments and two
	// states.
	values := 6*outputs*signals + 6*positions*signals*source.Components +
		8*maps*signals*signals
	return Cost{
		Seconds: compileSeconds + float64(o.Steps*folds*(layers+o.Restarts))*mapSeconds,
		Bytes:   4*slots*values + 4*evaluateEvery*slots*positions*signals,
	}
}
