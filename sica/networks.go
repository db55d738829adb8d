package sica

import (
	"github.com/gomlx/compute/dtypes"

	"github.com/seed-47b1e431/gosica/layers"
)

// The most training steps that one compiled call makes, those of all its
// networks counted, unless each network would then make fewer than minChunk.
const (
	maxSteps      = 2000
	maxWholeSteps = 1 << 16 // of networks over the whole sequence, times T
	minChunk      = 10
)

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

// block is the number of consecutive of t positions that are held out together.
func (c Config) block(t int) int {
	if c.Folds == 0 {
		return t // nothing is
	}
	return min(c.Block, t/c.Folds)
}

// window is the longest reach of a LocalWindow.
func (c Config) window() int { return c.Windows[len(c.Windows)-1] }

// seesContext tells whether the networks see more than z_t, for a context that
// isn't the whole sequence.
func (c Config) seesContext() bool { return c.Context != WholeSequence && c.window() > 0 }

// views are the inputs that the networks of each kind see, one or zero: z_t
// and then the context of a signal.
func (c Config) views(axes int) [][]float64 {
	if c.judge {
		return [][]float64{{1, 0}, {1, 1}, {0, 1}}
	}
	if c.Context == Prediction {
		return [][]float64{{1, 0}, {1, 1}}[2-c.kinds():]
	}
	var views [][]float64
	for _, window := range c.Windows {
		view := []float64{1}
		for _, reach := range layers.Reaches(c.window(), axes) {
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

// folds is the number of networks that have the same view.
func (c Config) folds() int { return max(c.Folds, 1) }

// kinds is the number of networks of a fold, each with a view of its own.
func (c Config) kinds() int {
	switch {
	case c.judge:
		return 3
	case c.Context == Prediction && c.Folds > 0:
		return 2
	}
	return len(c.Windows)
}

// networks is the number of networks that share a run. Network n belongs to
// fold n mod folds and has the view n div folds.
func (c Config) networks() int {
	if c.Context == WholeSequence {
		return c.folds()
	}
	return c.folds() * c.kinds()
}

// trainPositions is the smallest number of positions that a network trains on.
func (c Config) trainPositions(t int) int {
	smallest := t
	for fold := range c.folds() {
		train, _ := foldPositions(t, c.block(t), fold, c.Folds)
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

// chunk is the number of training steps that one compiled call makes with all
// lanes networks (runs × networks of a run). Only between calls can a fit be
// cancelled, so there are fewer steps in a call the more networks it trains and,
// over the whole sequence, the more positions: with Default's small networks a
// call of 20 runs stays within a second on a slow core. There are at least
// minChunk, as a call itself costs as much as a step or two. The draws, and so
// the signals, don't depend on how the steps are parted; the mean loss does in
// its rounding.
func (c Config) chunk(t, lanes int) int {
	most := maxSteps / lanes
	if c.Context == WholeSequence {
		most = maxWholeSteps / (t * lanes)
	}
	return min(c.steps(t), max(most, minChunk))
}
