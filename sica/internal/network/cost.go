package network

import (
	"fmt"
	"time"
)

// A Cost is what a fit is expected to take.
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

// The time of a step of a run, by each position and affine map, in seconds: signalSeconds for each
// signal, entrySeconds for each entry of its matrix. They are of one core of a busy AMD EPYC and
// XLA, with the evaluations on the host: fits of ten signals took 51 s, of twenty 154 s. Pure Go
// takes longer; how much wasn't measured. compileSeconds is for the program.
const signalSeconds, entrySeconds, compileSeconds = 9e-9, 0.8e-9, 6

// maxSeconds is the cost above which Improve fits no network: an hour of a core, which is about a
// hundred signals. It is a choice; Options.Fit itself has no limit.
const maxSeconds = 3600

// Cost returns what a fit to d signals of n positions is expected to take, before the judging of
// its networks. The errors are those of the options.
func (o Options) Cost(d, n int) (Cost, error) {
	o, err := o.withDefaults(d, n)
	if err != nil {
		return Cost{}, err
	}
	steps := float64(o.Steps * o.Restarts)
	slots := float64(o.Folds) // runs that are trained at once
	if o.many(d) {
		steps = float64(halvedSteps(o.Steps, o.Restarts))
	} else {
		slots *= float64(o.Restarts)
	}
	signals, maps := float64(d), float64(o.Layers+1)
	positions := float64(min(max(o.Batch, 1), n)) // and the pasts of the pieces
	place := positions * maps
	step := place * (signalSeconds*signals + entrySeconds*signals*signals)
	// Six values of each signal behind each map are kept for the gradient, and six of each of the
	// source's components; of each matrix its gradient, two moments and two states.
	values := 6*place*signals + 6*positions*signals*float64(o.Components) + 8*maps*signals*signals
	return Cost{
		Seconds: compileSeconds + steps*float64(o.Folds)*step,
		Bytes:   4*slots*values + 4*evaluateEvery*slots*positions*signals,
	}, nil
}
