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
	// Seed is the seed of all random draws.
	Seed uint64
	// Steps is the number of steps of Adam. The default is d·n/4, but at least 2400 and at most
	// 4800; for more than eight signals it is 12,000.
	Steps int
	// OnProgress, if it isn't nil, is called while a fit makes progress, with what is being done
	// and the fraction of it that is done, 0 to 1.
	OnProgress func(doing string, fraction float64)

	// past is the reach of the values that predict a source from its own past: p lags in a
	// sequence, a half-disk of that radius in an image. By default it is the reach that
	// predicts the mixed signals with the shortest code, as a map hardly changes it: 2 to 8 in a
	// sequence and 2 to 3 in an image, or 1 if there are too few positions for 2.
	past int
	// restarts is the number of networks that are trained for each fold. The default is 4; for more
	// than eight signals 3, of which no more are trained once the folds' best recover the same.
	restarts int
	// layers is the number of nonlinear layers of the network. The default is 8; for d > 8 signals
	// it is 16 and, after the first restart, 1.6·d from 16 to 32.
	layers int
	// batch is the number of positions in a step. The default is 512.
	batch int
	// learningRate is the highest learning rate of the network; that of the sources is twice as
	// much. The default is 0.04, for d > 8 signals 0.18/d.
	learningRate float64

	// noiseGain is by how many nats per position noise can shorten the code of a network: it must
	// be shorter than that of a linear demixing by more. 0 if a significantly shorter code is
	// enough.
	noiseGain float64

	deep bool // trained as of many signals
}

// What a fit is doing, for OnProgress.
const (
	measuring = "measuring the signals"
	fitting   = "fitting networks"
	judging   = "judging networks"
)

// reportVia returns the options with an OnProgress that is called by foreground.
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

// The settings of training that aren't options. Fewer steps end before the optimum of 16,384
// positions or of five signals, half the learning rate of few positions
// (laboratory/tables/results/nonlinear.md).
const (
	minSteps, maxSteps = 2400, 4800
	learningRate       = 0.04
	fewLayers          = 8 // of networks of few signals

	// The others are choices.
	waitSteps     = 60   // in which only the sources are fitted, before the map moves
	rampSteps     = 60   // in which the map's learning rate rises to its highest
	evaluateEvery = 50   // steps
	clipNorm      = 5    // largest norm of a run's gradient, of the map and of the sources
	beta2         = 0.99 // of Adam: there are few steps
	pieceLength   = 128  // contiguous positions of a batch
)

// deepens reports whether deeper networks of d signals follow where none is reproduced: if there
// are few, and the caller left their training to the defaults.
func (o Options) deepens(d int) bool {
	return o.layers == 0 && o.restarts == 0 && o.Steps == 0 && !o.many(d)
}

// withDefaults returns the options for the training of d signals at n positions, with defaults in
// place of zeros. Those of layers are layersOf.
func (o Options) withDefaults(d, n int) Options {
	restarts, steps, rate := 4, min(max(d*n/4, minSteps), maxSteps), learningRate
	if o.many(d) {
		restarts, steps, rate = manyRestarts, manySteps, manyRate/float64(d)
	}
	o.restarts, o.Steps = cmp.Or(o.restarts, restarts), cmp.Or(o.Steps, steps)
	o.batch, o.learningRate = cmp.Or(o.batch, 512), cmp.Or(o.learningRate, rate)
	return o
}

// layersOf returns the number of layers of a restart, of networks of d signals.
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
