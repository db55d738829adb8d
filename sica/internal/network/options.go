package network

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
)

// Options are the settings of invertible networks, which are an ica.Method. A zero field has
// its default.
type Options struct {
	// Backend trains the networks.
	Backend compute.Backend
	// Shape is the index of the positions, row-major; its product is T. The
	// default is a sequence, {T}. Fit has it from its signals.
	Shape []int
	// Seed of all random draws.
	Seed uint64
	// Past is how far back the sources' own values predict them: p lags in a
	// sequence, a half-disk of that radius in an image. -1 is none. The default is
	// how far the mixed signals' own values predict them, which a map of them
	// hardly changes: at least 2, or 1 where there are too few positions for that, and at
	// most 8 in a sequence and 3 in an image.
	Past int
	// Restarts is how many networks to begin with for each fold, the default 4, of more than eight
	// signals 8, and Folds, the default 2, how many choices of the held-out positions.
	Restarts, Folds int
	// Layers of the network. The default is 8, of more than eight signals d, but 10 to 16.
	Layers int
	// Components of the mixture of Gaussians that innovations are drawn from.
	// The default is 4.
	Components int
	// ConstantStrength lets Choose compare all candidates as if the strength of sources
	// didn't vary.
	ConstantStrength bool
	// Steps of Adam. The default is d·T/4, but at least 2400 and at most 4800. Of more than
	// eight signals it is 8000; an eighth of them are made by all restarts, a quarter by half of
	// them, half by a quarter of them, and all by the best eighth. If the folds' networks recovered
	// different signals, the best four go on with twice the layers and make as many again, by
	// halves, too.
	Steps int
	// Batch is how many positions a step looks at. The default is 512.
	Batch int
	// LearningRate of the network; that of the sources is twice as much. The
	// default is 0.04, of more than eight signals 0.18/d.
	LearningRate float64
	// OnProgress, if it isn't nil, is called with how far a fit is.
	OnProgress func(Progress)

	cost *Cost // of many signals, once they are fitted
}

// Progress is how far a fit is.
type Progress struct {
	Stage    Stage
	Fraction float64 // of the stage, 0 to 1
	// HeldOut is, while networks are fitted, the best log-likelihood so far of
	// each problem's runs at positions held out, in nats a position of the
	// whitened signals.
	HeldOut []float64
	// Cost is, while networks of more than eight signals are fitted, what that takes in all.
	Cost *Cost
}

// String returns what is being done, in words.
func (p Progress) String() string {
	if p.Cost == nil {
		return string(p.Stage)
	}
	return fmt.Sprintf("%s (about %s)", p.Stage, p.Cost)
}

// Stage is a part of a fit.
type Stage string

const (
	Measuring Stage = "measuring the starts"
	Fitting   Stage = "fitting networks"
	Growing   Stage = "growing networks"
	Judging   Stage = "judging networks"
)

// reportingBy returns o whose OnProgress is called by call.
func (o Options) reportingBy(call func(func())) Options {
	if report := o.OnProgress; report != nil {
		o.OnProgress = func(p Progress) { call(func() { report(p) }) }
	}
	return o
}

func (o *Options) report(stage Stage, fraction float64, heldOut []float64) {
	if o.OnProgress != nil {
		o.OnProgress(Progress{stage, fraction, heldOut, o.cost})
	}
}

// The recipe of the prototype that was measured, where it isn't an option.
const (
	// After three leaky-ReLU layers the mean MCC on seeds 21 to 36, T = 1024, was
	// .981 after 1200 steps and .990 after 2400 at a rate of .02, .988 and .992 at
	// .04. On seeds 21 to 28, T = 4096, the two rates came to .996 and .998, at
	// five signals after two layers (seeds 11 to 13) to .996 and .998.
	// More data and more signals repay more steps: two signals after three layers,
	// .998 after 2400 and after 4096 at T = 4096 (seeds 1001 to 1008), .9988 after
	// 2400 and .9996 after 4800 at T = 16384 (1201 to 1204); five behind two, .995
	// after 2400 and .997 after 4096 at T = 4096 (1101 to 1104).
	minSteps, maxSteps = 2400, 4800
	learningRate       = 0.04

	waitSteps     = 60  // for the sources' first fit, before the map moves
	rampSteps     = 60  // until the map's full learning rate
	evaluateEvery = 50  // steps
	clipNorm      = 5   // of a run's gradient in a scope
	beta2         = .99 // of Adam: the recipe is short
	pieceLength   = 128 // positions a batch takes from one place
)

func (o Options) withDefaults(d, T int) (Options, error) {
	if o.Shape == nil {
		o.Shape = []int{T}
	}
	product := 1
	for _, n := range o.Shape {
		product *= n
	}
	if product != T {
		return o, fmt.Errorf("shape %v has %d positions, the signals %d", o.Shape, product, T)
	}
	layers, steps, rate := 8, min(max(d*T/4, minSteps), maxSteps), learningRate
	restarts := 4
	if o.many(d) {
		restarts = manyRestarts
		layers, steps, rate = min(max(d, minLayers), maxLayers), manySteps, manyRate/float64(d)
	}
	for _, f := range []struct {
		name           string
		value          *int
		standard, most int
	}{
		{"Restarts", &o.Restarts, restarts, 1 << 10},
		{"Folds", &o.Folds, 2, maxFolds},
		{"Layers", &o.Layers, layers, 1 << 10},
		{"Components", &o.Components, 4, 1 << 6},
		{"Steps", &o.Steps, steps, 1 << 30},
		{"Batch", &o.Batch, 512, 1 << 30},
	} {
		if *f.value == 0 {
			*f.value = f.standard
		}
		if *f.value < 1 || *f.value > f.most {
			return o, fmt.Errorf("%s is %d: want 1 to %d", f.name, *f.value, f.most)
		}
	}
	if o.LearningRate == 0 {
		o.LearningRate = rate
	}
	if !(o.LearningRate > 0) || math.IsInf(o.LearningRate, 0) {
		return o, fmt.Errorf("learning rate is %g: want a positive number", o.LearningRate)
	}
	return o, nil
}
