package ivae

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of iVAE, and is a baseline.Method. Begin with Default or
// Paper, and set Backend.
type Config struct {
	// Backend trains the networks; see package backend. JSON leaves it out.
	Backend compute.Backend `json:"-"`

	// U is what the sources are independent given: k numbers for each position,
	// k×T, such as a label as a column with one 1. Without it, u is the position
	// itself, from 0 to 1 along each axis of Shape.
	U *mat.Dense

	// Shape is the axes of the position, such as the rows and columns of an
	// image in row-major order; their product is T. Without it, there is one.
	// With U it must be empty.
	Shape []int

	// Hidden is the width of each hidden layer of every network, at least 1.
	// Without any, they are affine.
	Hidden []int

	// LearningRate is that of Adam at the start, above 0.
	LearningRate float64

	// Patience is for how many epochs the loss may fail to fall before the
	// learning rate is divided by ten, at least 0.
	Patience int

	// Batch is how many positions a step learns from, at least 1. If there are
	// fewer, it is all.
	Batch int

	// Iterations is the number of steps, at least 1. They are rounded up to whole
	// epochs.
	Iterations int

	// Seed is that of the weights, of the order of the positions and of the
	// samples of the recovered signals.
	Seed uint64
}

// Default is Paper with 1e4 steps, the learning rate 1e-2 and a patience of 100.
// With a patience of 20 the rate falls too early where there are few batches in
// an epoch. It has no Backend.
func Default() Config {
	cfg := Paper()
	cfg.LearningRate, cfg.Patience, cfg.Iterations = 1e-2, 100, 10000
	return cfg
}

// Paper is what SICA's paper compares with, the settings of the reference
// program with 2e4 steps for its 7e4: two hidden layers of 20, the learning rate
// 1e-3 with a patience of 20, and batches of 256. The paper doesn't say what it
// took for u.
func Paper() Config {
	return Config{Hidden: []int{20, 20}, LearningRate: 1e-3, Patience: 20, Batch: 256, Iterations: 20000}
}

// validate returns an error that names the first setting that is out of range for n
// positions, and what would be valid.
func (c Config) validate(n int) error {
	switch {
	case len(c.Hidden) > 0 && slices.Min(c.Hidden) < 1:
		return fmt.Errorf("hidden layers of %v: want a width of at least 1 for each", c.Hidden)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0):
		return fmt.Errorf("learning rate %g: want it above 0", c.LearningRate)
	case c.Patience < 0:
		return fmt.Errorf("patience %d: want at least 0", c.Patience)
	case c.Batch < 1:
		return fmt.Errorf("batch %d: want at least 1", c.Batch)
	case c.Iterations < 1:
		return fmt.Errorf("iterations %d: want at least 1", c.Iterations)
	case c.U != nil && len(c.Shape) > 0:
		return fmt.Errorf("both u and the shape %v: the shape is only for u where none is given", c.Shape)
	case c.U != nil:
		return checkU(c.U, n)
	case len(c.Shape) > 0 && (slices.Min(c.Shape) < 1 || product(c.Shape) != n):
		return fmt.Errorf("shape %v: want axes of at least 1 whose product is %d, the number of positions", c.Shape, n)
	}
	return nil
}

// checkU returns an error unless u is finite and has n positions.
func checkU(u *mat.Dense, n int) error {
	if u == nil || u.IsEmpty() {
		return fmt.Errorf("u is empty: want %d positions", n)
	}
	k, positions := u.Dims()
	if positions != n {
		return fmt.Errorf("u is %d×%d: want as many columns as there are positions, %d", k, positions, n)
	}
	for i := range k {
		for t, v := range u.RawRowView(i) {
			if !(math.Abs(v) <= math.MaxFloat32) {
				return fmt.Errorf("u has the value %g in row %d, column %d: every value must be finite in float32", v, i+1, t+1)
			}
		}
	}
	return nil
}

// batch is the size of a batch from n positions.
func (c Config) batch(n int) int { return min(c.Batch, n) }

// epoch is the number of steps of an epoch. What is left over of the positions
// after whole batches is dropped.
func (c Config) epoch(n int) int { return n / c.batch(n) }

// epochs is the number of epochs.
func (c Config) epochs(n int) int { return (c.Iterations + c.epoch(n) - 1) / c.epoch(n) }

// positions is u where none is given: the position along each axis over the
// axis's length, [axes]×n.
func positions(shape []int, n int) *mat.Dense {
	if len(shape) == 0 {
		shape = []int{n}
	}
	u := mat.NewDense(len(shape), n, nil)
	stride := n
	for i, size := range shape {
		stride /= size
		for t := range n {
			u.Set(i, t, float64(t/stride%size)/float64(size))
		}
	}
	return u
}

func product(sizes []int) int {
	p := 1
	for _, n := range sizes {
		p *= n
	}
	return p
}
