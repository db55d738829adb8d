// Package chain is the way from mixed to recovered signals: maps that are fixed and steps
// that networks learned, one after another. It applies them, tells the matrix that they
// are if they are linear, and writes them to files and to checkpoints of GoMLX.
package chain

import (
	"errors"
	"fmt"

	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Stage is one map on the way: one that is fixed, or a step that networks learned. One
// of the two is set.
type Stage struct {
	Fixed   preprocess.Map
	Learned *field.Step
}

// A Chain is stages in the order in which they are applied.
type Chain []Stage

// Of are fixed maps as a chain.
func Of(maps []preprocess.Map) Chain {
	c := Chain{}
	for _, m := range maps {
		c = append(c, Stage{Fixed: m})
	}
	return c
}

// Step is a stage of size η of what networks have learned.
func Step(learned *field.Step, size float64) Stage {
	learned.Size = size
	return Stage{Learned: learned}
}

// On are the stages as maps of the signals that e is for.
func (c Chain) On(e *field.Evaluator) []preprocess.Map {
	maps := make([]preprocess.Map, len(c))
	for k, s := range c {
		if maps[k] = s.Fixed; s.Learned != nil {
			maps[k] = s.Learned.On(e)
		}
	}
	return maps
}

// ErrNotPointwise is wrapped by the error of Pointwise.
var ErrNotPointwise = errors.New("it looks at other positions than the one that it maps")

// Pointwise returns nil if each stage maps each position by itself.
func (c Chain) Pointwise() error {
	for k, s := range c {
		if s.Learned != nil {
			return fmt.Errorf("stage %d of %d, a step that networks learned: %w", k+1, len(c), ErrNotPointwise)
		}
		if !preprocess.ByPosition(s.Fixed) {
			return fmt.Errorf("stage %d of %d, a transform of the caller's: %w", k+1, len(c), ErrNotPointwise)
		}
	}
	return nil
}
