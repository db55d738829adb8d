package sica

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"

	"github.com/seed-47b1e431/gosica/flows"
)

// maxChunk is the most training steps that one compiled call makes; between
// calls a fit can be cancelled.
const maxChunk = 500

// Validate returns an error that names the first setting that is out of range
// for d signals at t positions, and what would be valid.
func (c Config) Validate(d, t int) error {
	for _, check := range []func(d, t int) error{
		c.validateSignals, c.validateField, c.validateFlow, c.validateTraining, c.validateFolds,
	} {
		if err := check(d, t); err != nil {
			return fmt.Errorf("sica: %w", err)
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
		product *= n
	}
	if len(c.Shape) > 0 && product != t {
		return fmt.Errorf("shape %v has %d positions, the signals have %d: want a shape whose product is %d", c.Shape, product, t, t)
	}
	for _, step := range c.Start {
		if _, err := ParseTransform(string(step)); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	return nil
}

func (c Config) validateField(d, t int) error {
	switch c.Context {
	case WholeSequence:
		if c.Noise != 0 {
			return fmt.Errorf("noise %g: noise goes with the context %q; want 0", c.Noise, LocalWindow)
		}
	case LocalWindow:
		if c.Window < 0 {
			return fmt.Errorf("window %d: want 0 or more", c.Window)
		}
		for _, n := range c.indexShape(t) {
			if n < 2*c.Window+1 {
				return fmt.Errorf("window %d spans %d positions, an axis of the signals has only %d: want a smaller window or longer signals", c.Window, 2*c.Window+1, n)
			}
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
		return fmt.Errorf("context %q: want %q or %q", c.Context, WholeSequence, LocalWindow)
	}
	if c.Family != Free && c.Family != Linear {
		return fmt.Errorf("family %q: want %q or %q", c.Family, Free, Linear)
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
	case t < c.Folds*c.Block:
		return fmt.Errorf("%d positions are too few for %d folds of blocks of %d: want at least %d positions, fewer folds or a smaller block", t, c.Folds, c.Block, c.Folds*c.Block)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func positive(v float64) bool { return v > 0 && finite(v) }

// indexShape is the shape of the position index for t positions.
func (c Config) indexShape(t int) []int {
	if len(c.Shape) == 0 {
		return []int{t}
	}
	return c.Shape
}

func (c Config) dtype() dtypes.DType {
	if c.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// networks is the number of networks that share a run.
func (c Config) networks() int { return max(c.Folds, 1) }

// trainPositions is the smallest number of positions that a network trains on.
func (c Config) trainPositions(t int) int {
	smallest := t
	for fold := range c.networks() {
		train, _ := foldPositions(t, max(c.Block, 1), fold, c.Folds)
		smallest = min(smallest, len(train))
	}
	return smallest
}

// batch is the number of joint samples of a training step on t positions.
func (c Config) batch(t int) int { return min(c.BatchSize, c.trainPositions(t)) }

// steps is the number of training steps of an iteration.
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

// chunk is the number of training steps that one call makes.
func (c Config) chunk(t int) int {
	if c.Steps > 0 {
		return min(c.Steps, maxChunk)
	}
	return min(c.epochSteps(t), maxChunk)
}
