package iterate

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// predictionAndContexts is klflow.Prediction with one more network per fold, which sees the
// predictions without z_t; see EstimateDivergences.
const predictionAndContexts klflow.Context = "prediction and contexts"

// A Config holds the settings of the iterations.
type Config klflow.Config

// The largest numbers of training steps in one compiled call, summed over its networks, unless each
// network would then make fewer than minChunk. With FastWGF's small networks a call of 20 runs
// takes less than a second on a slow core.
const (
	maxSteps      = 2000
	maxWholeSteps = 1 << 16 // of networks over the whole sequence, times T
	minChunk      = 10      // as a call itself costs as much as a step or two
)

// maxTimeWaves is the largest number of waves that encode time: the fastest wave then has six of
// the paper's 100 Euler steps per period.
const maxTimeWaves = 16

func (c Config) dtype() dtypes.DType {
	if c.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// block returns the number of consecutive positions, of t, that are held out together.
func (c Config) block(t int) int {
	if c.Folds == 0 {
		return t // nothing is held out
	}
	return min(c.Block, t/c.Folds)
}

// contextsAlone reports whether one network of each fold sees the predictions without z_t.
func (c Config) contextsAlone() bool { return c.Context == predictionAndContexts }

// predicts reports whether networks see the prediction of each signal.
func (c Config) predicts() bool { return c.Context == klflow.Prediction || c.contextsAlone() }

// window returns the longest reach of a LocalWindow.
func (c Config) window() int { return c.Windows[len(c.Windows)-1] }

// seesContext reports whether the networks see more than z_t, in a context that isn't the whole
// sequence.
func (c Config) seesContext() bool { return c.Context != klflow.WholeSequence && c.window() > 0 }

// views returns the inputs that the networks of each kind see, as ones and zeros: z_t, followed by
// the context of a signal.
func (c Config) views(axes int) [][]float64 {
	if c.contextsAlone() {
		return [][]float64{{1, 0}, {1, 1}, {0, 1}}
	}
	if c.predicts() {
		return [][]float64{{1, 0}, {1, 1}}[2-c.kinds():]
	}
	var views [][]float64
	for _, window := range c.Windows {
		view := []float64{1}
		for _, reach := range grid.Reaches(c.window(), axes) {
			seen := 0.0
			if reach <= window {
				seen = 1
			}
			view = append(view, seen)
		}
		views = append(views, view)
	}
	return views
}

// folds returns the number of networks with the same view.
func (c Config) folds() int { return max(c.Folds, 1) }

// kinds returns the number of networks of a fold, which have different views.
func (c Config) kinds() int {
	switch {
	case c.contextsAlone():
		return 3
	case c.predicts() && c.Folds > 0:
		return 2
	}
	return len(c.Windows)
}

// Networks returns the number of networks of a run. Network n belongs to fold n mod folds and has
// the view n div folds.
func (c Config) Networks() int {
	if c.Context == klflow.WholeSequence {
		return c.folds()
	}
	return c.folds() * c.kinds()
}

// trainPositions returns the smallest number of positions on which a network trains.
func (c Config) trainPositions(t int) int {
	smallest := t
	for fold := range c.folds() {
		train, _ := foldPositions(t, c.block(t), fold, c.Folds)
		smallest = min(smallest, len(train))
	}
	return smallest
}

// batch returns the number of joint samples of a training step on t positions.
func (c Config) batch(t int) int { return min(c.BatchSize, c.trainPositions(t)) }

// steps returns the number of training steps of an iteration.
func (c Config) steps(t int) int {
	if c.Steps > 0 {
		return c.Steps
	}
	return c.Epochs * c.epochSteps(t)
}

func (c Config) epochSteps(t int) int {
	b := c.batch(t)
	return (c.trainPositions(t) + b - 1) / b
}

// Chunk returns the number of training steps of all networks (runs × networks of a run) in one
// compiled call. A fit can only be cancelled between calls, so a call has fewer steps the more
// networks it trains and, over the whole sequence, the more positions. The draws, and so the
// signals, don't depend on the division into calls; the mean loss does, by rounding.
func (c Config) Chunk(t, networks int) int {
	most := maxSteps / networks
	if c.Context == klflow.WholeSequence {
		most = maxWholeSteps / (t * networks)
	}
	return min(c.steps(t), max(most, minChunk))
}

// Validate returns an error that names the first setting that is out of range for the positions of
// g, and the valid values.
func (c Config) Validate(g *grid.Grid) error {
	for _, check := range []func() error{
		c.validateUnused,
		func() error { return c.validateNetworks(g.Shape()) }, c.validateFlow, c.validateTraining,
		func() error { return c.validateFolds(g.Len()) }, c.validateMove,
		func() error { return c.validateEnd(g.Len()) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// validateUnused returns an error if a setting is set that the context or the flow doesn't use.
func (c Config) validateUnused() error {
	whole, rf := c.Context == klflow.WholeSequence, c.Kind == klflow.RF
	for _, setting := range []struct {
		name   string
		unused bool
		value  any
		with   string
	}{
		{"Windows", whole && len(c.Windows) > 0, c.Windows, "the context " + string(klflow.WholeSequence)},
		{"Hidden", whole && len(c.Hidden) > 0, c.Hidden, "the context " + string(klflow.WholeSequence)},
		{"Solver", !rf && c.Solver != "", c.Solver, "the flow " + string(klflow.WGF)},
		{"SolverSteps", !rf && c.SolverSteps != 0, c.SolverSteps, "the flow " + string(klflow.WGF)},
		{"FirstStep", rf && c.FirstStep != 0, c.FirstStep, "the flow " + string(klflow.RF)},
		{"LastStep", rf && c.LastStep != 0, c.LastStep, "the flow " + string(klflow.RF)},
		{"MaxMove", rf && c.MaxMove != 0, c.MaxMove, "the flow " + string(klflow.RF)},
	} {
		if setting.unused {
			return fmt.Errorf("%s: is %v; must not be set with %s, which doesn't use it",
				setting.name, setting.value, setting.with)
		}
	}
	return nil
}

func (c Config) validateNetworks(shape []int) error {
	if c.SumOutputs && (c.Context != klflow.WholeSequence || c.Kind != klflow.WGF) {
		return fmt.Errorf("SumOutputs: is set; must be false except for the flow %q over the "+
			"context %q", klflow.WGF, klflow.WholeSequence)
	}
	switch {
	case c.TimeWaves < 0 || c.TimeWaves > maxTimeWaves:
		return fmt.Errorf("TimeWaves: is %d; must be 0 to %d", c.TimeWaves, maxTimeWaves)
	case c.TimeWaves > 0 && (c.Context != klflow.WholeSequence || c.Kind != klflow.RF):
		return fmt.Errorf("TimeWaves: is %d; must be 0 except for the flow %q over the context %q",
			c.TimeWaves, klflow.RF, klflow.WholeSequence)
	}
	switch c.Context {
	case klflow.WholeSequence:
		if c.Network != nil {
			return fmt.Errorf("Network: is set for the context %q, which has the paper's; must be %q or %q",
				klflow.WholeSequence, klflow.LocalWindow, klflow.Prediction)
		}
		if c.Noise != 0 {
			return fmt.Errorf("Noise: is %g; must be 0 for the whole-sequence network", c.Noise)
		}
		return nil
	case klflow.LocalWindow, klflow.Prediction, predictionAndContexts:
	default:
		return fmt.Errorf("Context: is %q; must be %q, %q or %q",
			c.Context, klflow.WholeSequence, klflow.LocalWindow, klflow.Prediction)
	}
	if err := c.validateWindows(shape); err != nil {
		return err
	}
	if c.Network != nil {
		return nil // a custom network has its own layers
	}
	if len(c.Hidden) == 0 {
		return errors.New("Hidden: is empty; must have the width of at least one hidden layer")
	}
	for _, width := range c.Hidden {
		if width < 1 {
			return fmt.Errorf("Hidden: is %v; must be at least one unit in each layer", c.Hidden)
		}
	}
	return nil
}

func (c Config) validateMove() error {
	if c.Family != klflow.Free && c.Family != klflow.Linear {
		return fmt.Errorf("Family: is %q; must be %q or %q", c.Family, klflow.Free, klflow.Linear)
	}
	if c.Kind == klflow.RF {
		return nil
	}
	if !signal.Positive(c.FirstStep) || !signal.Positive(c.LastStep) {
		return fmt.Errorf("FirstStep and LastStep: are %g and %g; must be positive and finite",
			c.FirstStep, c.LastStep)
	}
	if c.MaxMove != 0 && !signal.Positive(c.MaxMove) {
		return fmt.Errorf("MaxMove: is %g; must be positive and finite, or 0 for no bound", c.MaxMove)
	}
	return nil
}

// validateEnd checks when the iterations over n positions end, and what is kept of them.
func (c Config) validateEnd(n int) error {
	switch {
	case c.Iterations < 1:
		return fmt.Errorf("Iterations: is %d; must be at least 1 (no Flow is none)", c.Iterations)
	case c.Budget < 0:
		return fmt.Errorf("Budget: is %v; must be positive, or 0 for none", c.Budget)
	case c.KeepBest && n < dependence.MinPositions:
		return fmt.Errorf("KeepBest: is true for %d positions, too few to measure the dependence of "+
			"an iterate; must be false, or the positions at least %d", n, dependence.MinPositions)
	}
	return nil
}

// validateWindows returns an error unless the windows fit an index of this shape.
func (c Config) validateWindows(shape []int) error {
	if len(c.Windows) == 0 || c.Windows[0] < 0 {
		return fmt.Errorf("Windows: are %v; must be at least one, of 0 or more", c.Windows)
	}
	for k := range c.Windows[1:] {
		if c.Windows[k+1] <= c.Windows[k] {
			return fmt.Errorf("Windows: are %v; must be in rising order", c.Windows)
		}
	}
	if c.predicts() && (len(c.Windows) > 1 || c.Windows[0] == 0) {
		return fmt.Errorf("Windows: are %v; must be one window of at least 1 for the context %q",
			c.Windows, klflow.Prediction)
	}
	if len(c.Windows) > 1 && c.Folds == 0 {
		return fmt.Errorf("Windows: are %v; must be one without folds, since held-out positions "+
			"weigh several", c.Windows)
	}
	for _, n := range shape {
		if span := 2*c.window() + 1; n < span {
			return fmt.Errorf("Windows: %d spans %d positions, and an axis of the signals has %d; "+
				"must fit each axis", c.window(), span, n)
		}
	}
	return nil
}

func (c Config) validateFlow() error {
	switch c.Kind {
	case klflow.WGF:
		if c.Noise < 0 || !signal.Finite(c.Noise) {
			return fmt.Errorf("Noise: is %g; must be 0 or more, and finite", c.Noise)
		}
	case klflow.RF:
		if c.Solver != flows.Euler && c.Solver != flows.Heun {
			return fmt.Errorf("Solver: is %q; must be %q or %q", c.Solver, flows.Euler, flows.Heun)
		}
		if c.SolverSteps < 1 {
			return fmt.Errorf("SolverSteps: is %d; must be at least 1", c.SolverSteps)
		}
		if c.Noise != 0 {
			return fmt.Errorf("Noise: is %g; must be 0 except for the flow %q", c.Noise, klflow.WGF)
		}
		if c.Folds != 0 {
			return fmt.Errorf("Folds: is %d; must be 0 for the rectified flow, which measures no "+
				"divergence", c.Folds)
		}
	default:
		return fmt.Errorf("Kind: is %q; must be %q or %q", c.Kind, klflow.WGF, klflow.RF)
	}
	return nil
}

func (c Config) validateTraining() error {
	if c.Optimizer != klflow.Adam && c.Optimizer != klflow.Adagrad {
		return fmt.Errorf("Optimizer: is %q; must be %q or %q", c.Optimizer, klflow.Adam, klflow.Adagrad)
	}
	if !signal.Positive(c.LearningRate) {
		return fmt.Errorf("LearningRate: is %g; must be positive and finite", c.LearningRate)
	}
	if c.BatchSize < 1 {
		return fmt.Errorf("BatchSize: is %d; must be at least 1", c.BatchSize)
	}
	if (c.Epochs > 0) == (c.Steps > 0) || c.Epochs < 0 || c.Steps < 0 {
		return fmt.Errorf("Epochs and Steps: are %d and %d; must be one positive and the other 0",
			c.Epochs, c.Steps)
	}
	return nil
}

func (c Config) validateFolds(t int) error {
	switch {
	case c.Folds == 0:
		return nil
	case c.Folds < 2:
		return fmt.Errorf("Folds: is %d; must be 0, or at least 2", c.Folds)
	case c.Block < 1:
		return fmt.Errorf("Block: is %d; must be at least 1 position", c.Block)
	case c.Folds > t:
		return fmt.Errorf("Folds: is %d; must be at most %d, the number of positions", c.Folds, t)
	}
	return nil
}

// NewOptimizer returns an optimizer with the given learning rate: Adam unless name is Adagrad.
func NewOptimizer(name klflow.Optimizer, learningRate float64) optimizer.Interface {
	if name == klflow.Adagrad {
		return flows.Adagrad().LearningRate(learningRate).Done()
	}
	return optimizer.Adam().LearningRate(learningRate).Epsilon(1e-8).Done()
}
