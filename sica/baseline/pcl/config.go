package pcl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
)

// Config holds the settings of permutation-contrastive learning, and is a
// baseline.Method. Begin with Default or Paper, and set Backend.
type Config struct {
	// Backend trains the networks; see package backend. JSON leaves it out.
	Backend compute.Backend `json:"-"`

	// Hidden is the width of each hidden layer of the feature network, at least
	// 1. Without any, the features are affine.
	Hidden []int

	// LearningRate is that of Adam at the start, above 0.
	LearningRate float64

	// Decay lets the learning rate fall to 0 by the last step, along half a
	// cosine. Without it the rate is constant.
	Decay bool

	// Batch is how many positions a step learns from, each with its neighbour
	// and with a random other, at least 1. If there are fewer, it is all.
	Batch int

	// Epochs is how often the training goes through all positions, at least 1.
	Epochs int

	// Seed is that of the weights and of the order of the positions.
	Seed uint64
}

// Default is two hidden layers of 32 and 500 epochs in batches of 256, with a
// learning rate that falls from 1e-2 to 0. It has no Backend.
func Default() Config {
	return Config{Hidden: []int{32, 32}, LearningRate: 1e-2, Decay: true, Batch: 256, Epochs: 500}
}

// Paper is what SICA's paper compares with: two hidden layers of 256, and 1000
// epochs in batches of 256 with the learning rate 1e-2.
func Paper() Config {
	return Config{Hidden: []int{256, 256}, LearningRate: 1e-2, Batch: 256, Epochs: 1000}
}

// validate returns an error that names the first setting that is out of range, and
// what would be valid.
func (c Config) validate() error {
	switch {
	case c.Backend == nil:
		return errors.New("no backend: set Backend to one that backend.Open returns")
	case len(c.Hidden) > 0 && slices.Min(c.Hidden) < 1:
		return fmt.Errorf("hidden layers of %v: want a width of at least 1 for each", c.Hidden)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0):
		return fmt.Errorf("learning rate %g: want it above 0", c.LearningRate)
	case c.Batch < 1:
		return fmt.Errorf("batch %d: want at least 1", c.Batch)
	case c.Epochs < 1:
		return fmt.Errorf("epochs %d: want at least 1", c.Epochs)
	}
	return nil
}

// batch is the size of a batch from n positions, the first of which has no
// neighbour.
func (c Config) batch(n int) int { return min(c.Batch, n-1) }

// steps is how many steps a training on n positions has. What is left over of an
// epoch after whole batches is dropped.
func (c Config) steps(n int) int { return c.Epochs * ((n - 1) / c.batch(n)) }
