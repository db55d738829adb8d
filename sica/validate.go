package sica

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-47b1e431/gosica/flows"
)

// Validate returns an error that names the first setting that is out of range
// for d signals at t positions, and what would be valid.
func (c Config) Validate(d, t int) error {
	if err := c.validate(d, t); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

func (c Config) validate(d, t int) error {
	for _, check := range []func(d, t int) error{
		c.validateSignals, c.validateField, c.validateFlow, c.validateTraining, c.validateFolds,
	} {
		if err := check(d, t); err != nil {
			return err
		}
	}
	return nil
}

func (c Config) validateSignals(d, t int) error {
	if d < 2 {
		return fmt.Errorf("%d signal: separating needs at least 2", d)
	}
	if len(c.Shape) > 3 {
		return fmt.Errorf("shape %v: want one, two or three axes", c.Shape)
	}
	product := 1
	for _, n := range c.Shape {
		if n < 1 {
			return fmt.Errorf("shape %v: every axis must be at least 1", c.Shape)
		}
		product = min(product, t+1) * min(n, t+1) // beyond t is enough, beyond int would be too much
	}
	if len(c.Shape) > 0 && product != t {
		return fmt.Errorf("shape %v doesn't fit the signals' %d positions: want a shape whose product is %d", c.Shape, t, t)
	}
	for _, start := range append([][]Transform{c.Start}, c.Alternatives...) {
		for _, step := range start {
			if _, err := ParseTransform(string(step)); err != nil {
				return fmt.Errorf("start: %w", err)
			}
		}
	}
	return c.validateChoice(t)
}

func (c Config) validateChoice(t int) error {
	if c.Settled < 0 || !finite(c.Settled) {
		return fmt.Errorf("settled %g: want a dependence of 0 or more", c.Settled)
	}
	if c.Rotations < 0 {
		return fmt.Errorf("rotations %d: want 0 or more", c.Rotations)
	}
	if c.Rotations > 0 && !white(c.Start) {
		return fmt.Errorf("rotations %d of the start %s: want a start that ends with %q or %q, or 0 rotations", c.Rotations, startName(c.Start), ZCA, Conditional)
	}
	if (c.chooses() || c.KeepBest) && t < dependencePositions {
		return fmt.Errorf("%d positions are too few to measure a dependence on: want at least %d, or a config without settled, rotations, alternatives and best iterate", t, dependencePositions)
	}
	if c.Budget < 0 {
		return fmt.Errorf("budget %v: want a positive time, or 0 for none", c.Budget)
	}
	return nil
}

func (c Config) validateField(d, t int) error {
	switch c.Context {
	case WholeSequence:
		if c.Noise != 0 {
			return fmt.Errorf("noise %g: the whole-sequence network takes none; want 0", c.Noise)
		}
	case LocalWindow, Prediction:
		if err := c.validateWindows(t); err != nil {
			return err
		}
		if len(c.Hidden) == 0 {
			return errors.New("hidden: want the width of at least one hidden layer")
		}
		for _, width := range c.Hidden {
			if width < 1 {
				return fmt.Errorf("hidden %v: every layer needs at least one unit", c.Hidden)
			}
		}
	default:
		return fmt.Errorf("context %q: want %q, %q or %q", c.Context, WholeSequence, LocalWindow, Prediction)
	}
	if c.Family != Free && c.Family != Linear {
		return fmt.Errorf("family %q: want %q or %q", c.Family, Free, Linear)
	}
	return nil
}

func (c Config) validateWindows(t int) error {
	if len(c.Windows) == 0 || c.Windows[0] < 0 {
		return fmt.Errorf("windows %v: want at least one, of 0 or more", c.Windows)
	}
	for k := range c.Windows[1:] {
		if c.Windows[k+1] <= c.Windows[k] {
			return fmt.Errorf("windows %v: want them in rising order", c.Windows)
		}
	}
	if c.Context == Prediction && (len(c.Windows) > 1 || c.Windows[0] == 0) {
		return fmt.Errorf("windows %v: the context %q takes one window of at least 1", c.Windows, Prediction)
	}
	if len(c.Windows) > 1 && c.Folds == 0 {
		return fmt.Errorf("windows %v: several are weighed by held-out positions; want one window, or folds of at least 2", c.Windows)
	}
	for _, n := range c.indexShape(t) {
		if span := 2*c.window() + 1; n < span {
			return fmt.Errorf("window %d spans %d positions, an axis of the signals has only %d: want a smaller window or longer signals", c.window(), span, n)
		}
	}
	return nil
}

func (c Config) validateFlow(_, _ int) error {
	switch c.Flow {
	case WGF:
		if !positive(c.FirstStep) || !positive(c.LastStep) {
			return fmt.Errorf("steps %g to %g: want positive numbers", c.FirstStep, c.LastStep)
		}
		if c.Noise < 0 || !finite(c.Noise) {
			return fmt.Errorf("noise %g: want 0 or more", c.Noise)
		}
		if c.MaxMove < 0 || !finite(c.MaxMove) {
			return fmt.Errorf("largest move %g: want a positive number, or 0 for no bound", c.MaxMove)
		}
	case RF:
		if c.Solver != flows.Euler && c.Solver != flows.Midpoint && c.Solver != flows.Heun {
			return fmt.Errorf("solver %q: want %q, %q or %q", c.Solver, flows.Euler, flows.Midpoint, flows.Heun)
		}
		if c.SolverSteps < 1 {
			return fmt.Errorf("solver steps %d: want at least 1", c.SolverSteps)
		}
		if c.Noise != 0 {
			return fmt.Errorf("noise %g: noise goes with the flow %q; want 0", c.Noise, WGF)
		}
		if c.Folds != 0 {
			return fmt.Errorf("folds %d: the rectified flow measures no divergence to hold positions out for; want 0", c.Folds)
		}
	default:
		return fmt.Errorf("flow %q: want %q or %q", c.Flow, WGF, RF)
	}
	if c.Iterations < 1 {
		return fmt.Errorf("iterations %d: want at least 1", c.Iterations)
	}
	return nil
}

func (c Config) validateTraining(_, _ int) error {
	if c.Optimizer != Adam && c.Optimizer != Adagrad {
		return fmt.Errorf("optimizer %q: want %q or %q", c.Optimizer, Adam, Adagrad)
	}
	if !positive(c.LearningRate) {
		return fmt.Errorf("learning rate %g: want a positive number", c.LearningRate)
	}
	if c.BatchSize < 1 {
		return fmt.Errorf("batch size %d: want at least 1", c.BatchSize)
	}
	if c.Devices < 0 {
		return fmt.Errorf("devices %d: want 0 or more", c.Devices)
	}
	if (c.Epochs > 0) == (c.Steps > 0) || c.Epochs < 0 || c.Steps < 0 {
		return fmt.Errorf("epochs %d and steps %d: want one of them positive and the other 0", c.Epochs, c.Steps)
	}
	return nil
}

func (c Config) validateFolds(_, t int) error {
	switch {
	case c.Folds == 0:
		if c.Patience != 0 {
			return fmt.Errorf("patience %d: the plateau rule needs a held-out divergence; want folds of at least 2 or patience 0", c.Patience)
		}
		return nil
	case c.Folds < 2:
		return fmt.Errorf("folds %d: want 0, or at least 2", c.Folds)
	case c.Block < 1:
		return fmt.Errorf("block %d: want at least 1 position", c.Block)
	case c.Patience < 0:
		return fmt.Errorf("patience %d: want 0 or more", c.Patience)
	case c.Folds > t:
		return fmt.Errorf("folds %d of %d positions: want at most a fold a position", c.Folds, t)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func positive(v float64) bool { return v > 0 && finite(v) }
