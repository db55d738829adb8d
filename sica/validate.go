package sica

import (
	"errors"
	"fmt"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ErrConfig is wrapped by the error for a setting that is out of range.
var ErrConfig = errors.New("a setting is out of range")

// settingError is an error about a setting, in its own words.
type settingError struct{ error }

func (e settingError) Is(target error) bool { return target == ErrConfig }
func (e settingError) Unwrap() error        { return e.error }

// Validate returns an error that names the first setting that is out of range
// for d signals at t positions, and what would be valid; it wraps ErrConfig.
func (c Config) Validate(d, t int) error {
	if _, err := c.index(d, t); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

// index is that of t positions of d signals, for which the settings are valid.
func (c Config) index(d, t int) (*grid.Grid, error) {
	if d < 2 {
		return nil, fmt.Errorf("%d signal: separating needs at least 2", d)
	}
	g, err := grid.New(c.Shape, t)
	if err != nil {
		return nil, settingError{err}
	}
	for _, check := range []error{
		c.validatePreparation(t), c.networks().Validate(g), c.validateMovement(), c.validateRunning(),
	} {
		if check != nil {
			return nil, settingError{check}
		}
	}
	return g, nil
}

func (c Config) validatePreparation(t int) error {
	for _, start := range append([][]preprocess.Transform{c.Start}, c.Alternatives...) {
		for _, step := range start {
			if _, err := preprocess.Parse(string(step)); err != nil {
				return fmt.Errorf("start: %w", err)
			}
		}
	}
	if c.Settled < 0 || !signal.Finite(c.Settled) {
		return fmt.Errorf("settled %g: want a dependence of 0 or more", c.Settled)
	}
	if c.Rotations < 0 {
		return fmt.Errorf("rotations %d: want 0 or more", c.Rotations)
	}
	if c.Rotations > 0 && !white(c.Start) {
		return fmt.Errorf("rotations %d of the start %s: want a start that ends with %q or %q, or 0 rotations", c.Rotations, startName(c.Start), preprocess.ZCA, preprocess.Conditional)
	}
	if (c.chooses() || c.KeepBest) && t < dependence.MinPositions {
		return fmt.Errorf("%d positions are too few to measure a dependence on: want at least %d, or a config without settled, rotations, alternatives and best iterate", t, dependence.MinPositions)
	}
	return nil
}

func (c Config) validateMovement() error {
	if c.Family != Free && c.Family != Linear {
		return fmt.Errorf("family %q: want %q or %q", c.Family, Free, Linear)
	}
	if c.Flow == WGF {
		if !signal.Positive(c.FirstStep) || !signal.Positive(c.LastStep) {
			return fmt.Errorf("steps %g to %g: want positive numbers", c.FirstStep, c.LastStep)
		}
		if c.MaxMove < 0 || !signal.Finite(c.MaxMove) {
			return fmt.Errorf("largest move %g: want a positive number, or 0 for no bound", c.MaxMove)
		}
	}
	if c.Iterations < 1 {
		return fmt.Errorf("iterations %d: want at least 1", c.Iterations)
	}
	return nil
}

func (c Config) validateRunning() error {
	switch {
	case c.Folds == 0 && c.Patience != 0:
		return fmt.Errorf("patience %d: the plateau rule needs a held-out divergence; want folds of at least 2 or patience 0", c.Patience)
	case c.Patience < 0:
		return fmt.Errorf("patience %d: want 0 or more", c.Patience)
	case c.Budget < 0:
		return fmt.Errorf("budget %v: want a positive time, or 0 for none", c.Budget)
	}
	return nil
}
