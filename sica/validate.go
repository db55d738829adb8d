package sica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/start"
)

// ErrConfig is wrapped by the error for a setting that is out of range.
var ErrConfig = errors.New("a setting is out of range")

// settingError is an error about a setting, in its own words.
type settingError struct{ error }

func (e settingError) Is(target error) bool { return target == ErrConfig }
func (e settingError) Unwrap() error        { return e.error }

// Validate returns an error that names the first setting that is out of range
// for d mixed signals at t positions, and what would be valid; it wraps ErrConfig, or
// ErrSignals if there are fewer than two signals.
func (c Config) Validate(d, t int) error {
	if _, err := c.index(d, t); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}

// index is that of t positions of d signals, mixed or recovered, for which the settings are valid.
func (c Config) index(d, t int) (*grid.Grid, error) {
	if d < 2 {
		return nil, signalsError{fmt.Errorf("%d signal: separating needs at least 2", d)}
	}
	g, err := grid.New(c.Shape, t)
	if err != nil {
		return nil, settingError{err}
	}
	checks := []error{c.validatePreparation(d, t), c.validateRunning(), c.validateFinite()}
	if c.Iterations > 0 { // else no network is made
		checks = append(checks, c.networks().Validate(g), c.validateMovement())
	}
	for _, check := range checks {
		if check != nil {
			return nil, settingError{check}
		}
	}
	return g, nil
}

func (c Config) validatePreparation(d, t int) error {
	for _, step := range c.Start {
		if _, err := preprocess.Parse(string(step)); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	if c.NetworkSteps < 0 {
		return fmt.Errorf("network steps %d: want at least 1, or 0 for as many as the signals ask for", c.NetworkSteps)
	}
	if c.Components < 0 || c.Components == 1 || c.Components > d {
		return fmt.Errorf("components %d of %d signals: want 2 to %[2]d, or 0 for the signals' rank", c.Components, d)
	}
	if !slices.Contains(start.Rules, c.Rule) {
		return fmt.Errorf("rule %q: want one of %q", c.Rule, start.Rules)
	}
	if len(c.Starts) > 0 && c.Rule != LinearRule && c.Rule != AnyRule {
		return fmt.Errorf("starts: they are compared by the rules %q and %q only, not by %q", LinearRule, AnyRule, c.Rule)
	}
	if slices.Contains(c.Starts, nil) {
		return errors.New("starts: one is nil")
	}
	if c.KeepBest && c.Iterations > 0 && t < dependence.MinPositions {
		return fmt.Errorf("%d positions are too few to keep the best iterate by their dependence: want at least %d, or to keep the last", t, dependence.MinPositions)
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
	return nil
}

func (c Config) validateRunning() error {
	switch {
	case c.Iterations < 0:
		return fmt.Errorf("iterations %d: want 0 or more", c.Iterations)
	case c.Folds == 0 && c.Patience != 0:
		return fmt.Errorf("patience %d: the plateau rule needs a held-out divergence; want folds of at least 2 or patience 0", c.Patience)
	case c.Patience < 0:
		return fmt.Errorf("patience %d: want 0 or more", c.Patience)
	case c.Checkpoint != "" && (c.Network != nil || c.NewOptimizer != nil || len(c.Starts) > 0):
		return errors.New("checkpoint: whether Starts, Network or NewOptimizer are those of the fit that it is of can't be told: want none, or none of the three")
	case c.Budget < 0:
		return fmt.Errorf("budget %v: want a positive time, or 0 for none", c.Budget)
	}
	return nil
}

// validateFinite returns an error if a number isn't finite, also of those that the fit
// doesn't use: JSON, as which a result is kept, has no others.
func (c Config) validateFinite() error {
	for _, setting := range []struct {
		name  string
		value float64
	}{
		{"first step", c.FirstStep}, {"last step", c.LastStep}, {"largest move", c.MaxMove},
		{"learning rate", c.LearningRate}, {"noise", c.Noise},
	} {
		if !signal.Finite(setting.value) {
			return fmt.Errorf("%s %g: want a finite number", setting.name, setting.value)
		}
	}
	return nil
}
