package network

import (
	"cmp"

	"github.com/gomlx/compute"
)

// Options are the settings of invertible networks. A zero field has its default.
type Options struct {
	// Backend trains the networks.
	Backend compute.Backend
	// Shape is the shape of the position index, row-major; its product is n. The default is a
	// sequence, {n}.
	Shape []int
	// Seed determines all random draws.
	Seed uint64
	// Steps is the number of steps of Adam. The default is d·n/4, but at least 2400 and at most
	// 4800; for more than eight signals it is 12,000.
	Steps int
	// OnProgress, if set, is called while a fit makes progress, with the current activity and the
	// fraction of it that is done, from 0 to 1.
	OnProgress func(doing string, fraction float64)

	// past is the reach of the values that predict a source from its own past: p lags in a
	// sequence, a half-disk of that radius in an image. The default is the reach with which the
	// mixed signals have the shortest code, as a map hardly changes it: from 2 to 8 in a sequence
	// and from 2 to 3 in an image, or 1 if there are too few positions for 2.
	past int
	// restarts is the number of networks trained for each fold. The default is 4; for more than
	// eight signals it is 3, or fewer once the folds' best networks recover the same signals.
	restarts int
	// layers is the number of nonlinear layers of the network. The default is 8. For d > 8 signals
	// it is 16 for the first restart, and 1.6·d, between 16 and 32, for later ones.
	layers int
	// batch is the number of positions in a training step. The default is 512.
	batch int
	// learningRate is the highest learning rate of the network; the rate of the sources is twice as
	// high. The default is 0.04, or 0.18/d for d > 8 signals.
	learningRate float64

	deep bool // trained like networks of many signals
}

// The activities of a fit, for OnProgress.
const (
	measuring = "measuring the signals"
	fitting   = "fitting networks"
	judging   = "judging networks"
)

// reportVia returns the options with an OnProgress that foreground calls.
func (o Options) reportVia(foreground func(func())) Options {
	if report := o.OnProgress; report != nil {
		o.OnProgress = func(doing string, fraction float64) {
			foreground(func() { report(doing, fraction) })
		}
	}
	return o
}

func (o Options) report(doing string, fraction float64) {
	if o.OnProgress != nil {
		o.OnProgress(doing, fraction)
	}
}

// Settings of training that aren't options. With fewer steps, training ends before the optimum for
// 16,384 positions or for five signals; with half the learning rate, for few positions
// (laboratory/tables/results/nonlinear.md).
const (
	minSteps, maxSteps = 2400, 4800
	learningRate       = 0.04
	fewLayers          = 8 // of networks of up to eight signals

	// The other settings are choices.
	waitSteps     = 60   // at the beginning, in which only the sources are fitted
	rampSteps     = 60   // next, in which the learning rate of the map rises to its highest
	evaluateEvery = 50   // steps
	clipNorm      = 5    // largest norm of a run's gradient, of the map and of the sources
	beta2         = 0.99 // decay of the second moment of Adam, short for few steps
	pieceLength   = 128  // contiguous positions of a batch
)

// deepens reports whether deeper networks follow if the networks of d signals aren't reproduced: if
// the signals are few, and all settings of training are defaults.
func (o Options) deepens(d int) bool {
	return o.layers == 0 && o.restarts == 0 && o.Steps == 0 && !o.many(d)
}

// withDefaults returns the options for training networks of d signals at n positions, with defaults
// in place of zeros. layersOf has the default of layers.
func (o Options) withDefaults(d, n int) Options {
	restarts, steps, rate := 4, min(max(d*n/4, minSteps), maxSteps), learningRate
	if o.many(d) {
		restarts, steps, rate = manyRestarts, manySteps, manyRate/float64(d)
	}
	o.restarts, o.Steps = cmp.Or(o.restarts, restarts), cmp.Or(o.Steps, steps)
	o.batch, o.learningRate = cmp.Or(o.batch, 512), cmp.Or(o.learningRate, rate)
	return o
}

// layersOf returns the number of layers of the networks of d signals in a restart, counted from 0.
func (o Options) layersOf(restart, d int) int {
	switch {
	case o.layers > 0:
		return o.layers
	case !o.many(d):
		return fewLayers
	case restart == 0:
		return firstLayers
	}
	return min(max(int(layersPerSignal*float64(d)), firstLayers), maxLayers)
}
