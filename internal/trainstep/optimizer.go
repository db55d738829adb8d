package trainstep

import (
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
)

// Optimizer names an optimizer with PyTorch's constants.
type Optimizer string

// The optimizers.
const (
	Adam    Optimizer = "adam"
	Adagrad Optimizer = "adagrad"
)

// NewOptimizer makes an optimizer of the given learning rate, Adam unless it is Adagrad.
func NewOptimizer(name Optimizer, learningRate float64) optimizer.Interface {
	if name == Adagrad {
		return flows.Adagrad().LearningRate(learningRate).Done()
	}
	return optimizer.Adam().LearningRate(learningRate).Epsilon(1e-8).Done()
}
