// Package klflow has the settings of the flows of the SICA paper (S. Liu, arXiv:2512.00665), and
// the reports of their iterations. An iteration learns a vector field that reduces the
// Kullback–Leibler divergence of the signals from self-sufficient ones, and moves every position
// along it (Algorithm 2). There are two flows: the Wasserstein gradient flow, along the gradient of
// a density ratio that networks learn by classification, and the rectified flow.
//
// Package sica runs them. A program changes a preset's settings and watches the iterations:
//
//	cfg := sica.PaperWGF()
//	cfg.Flow.Iterations = 20
//	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) { fmt.Println(it.J, it.Loss) }
//	result, err := sica.Fit(ctx, x, cfg)
//
// The networks and contexts are of package layers, the losses and solvers of package flows.
package klflow

import (
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
)

// Kind is the kind of vector field that moves the signals (paper, Algorithm 2).
type Kind string

const (
	// WGF is the Wasserstein gradient flow: v = −∇ log of a density ratio
	// learned by logistic regression (paper, equation log.joint.ratio).
	WGF Kind = "wgf"
	// RF is the rectified flow: v regresses z′ − z along the straight path
	// (paper, equation rec.obj).
	RF Kind = "rf"
)

// Context is the information about other positions that the vector field gets.
type Context string

const (
	// WholeSequence gives the network every position except t, as in the paper.
	WholeSequence Context = "whole"
	// LocalWindow gives the network the neighbours of t up to a window away along each axis of the
	// index. The cost of a step doesn't depend on the number of positions.
	LocalWindow Context = "window"
	// Prediction gives the network, for each signal, the linear prediction of z_t from the signal's
	// own neighbours up to a window away. This summarises the context in one number per signal,
	// from which a network learns with few positions.
	Prediction Context = "prediction"
)

// Family is the set of maps that one iteration may apply to the signals.
type Family string

const (
	// Free moves every position by the vector field itself.
	Free Family = "free"
	// Linear moves the signals by the affine map of z_t nearest to the vector field in least
	// squares. The whole flow then stays a linear demixing.
	Linear Family = "linear"
)

// Optimizer names an optimizer with PyTorch's constants.
type Optimizer string

const (
	// Adam has β = (0.9, 0.999) and ε = 1e-8.
	Adam Optimizer = "adam"
	// Adagrad has ε = 1e-10 and no initial accumulator.
	Adagrad Optimizer = "adagrad"
)

// Config holds the settings of the iterations (paper, Algorithm 2). FastWGF, PaperWGF and PaperRF
// return complete presets.
type Config struct {
	// Kind is WGF, the Wasserstein gradient flow, or RF, the rectified flow.
	Kind Kind `json:"kind"`
	// Iterations is J, the largest number of times that the signals move.
	Iterations int `json:"iterations"`
	// Standardise brings every signal back to mean 0 and variance 1 after each iteration.
	Standardise bool `json:"standardise,omitempty"`
	// KeepBest returns the iterate of least dependence, where the signals before the first
	// iteration count as an iterate. The dependence is that of the most dependent pair at all
	// positions, with and without Folds. Otherwise the last iterate is the result.
	KeepBest bool `json:"keep_best,omitempty"`
	// Budget is the time from the beginning of the fit after which no iteration begins; 0 sets no
	// limit. Exceeding it is no error. The first iteration compiles, which can take longer than a
	// short Budget. For a deadline of any fit use a context; see sica.Fit.
	Budget time.Duration `json:"budget_ns,omitempty"`

	// Context is the input of the networks in addition to z_t: WholeSequence, LocalWindow or
	// Prediction. The last two need Windows and Hidden, and Shape for an image or a video.
	Context Context `json:"context"`
	// Windows are the numbers of positions that a LocalWindow reaches to each side along each axis,
	// such as {3}; 0 shows a network only z_t. Several windows, in increasing order, are weighted
	// by their fit at the held-out positions: each fold trains a network for each. A Prediction
	// takes one window, and weights a network with the prediction against one without.
	Windows []int `json:"windows,omitempty"`
	// Hidden are the widths of the hidden layers of the MLP over a LocalWindow or a
	// Prediction. The network over a WholeSequence is the paper's.
	Hidden []int `json:"hidden,omitempty"`
	// Network, if set, is a custom network that replaces this MLP. It maps x, [R, B, inputs], to
	// [R, B, outputs] by Dense, Conv, MLP or CNN of package layers, which have separate weights for
	// each of the R networks, and GoMLX's functions between them. For WGF it should be smooth. It
	// is built several times.
	Network func(scope *model.Scope, x *graph.Node, outputs int) *graph.Node `json:"-"`
	// SumOutputs makes the log-ratio of WGF over a WholeSequence the sum of d outputs of the
	// network instead of one output: another reading of the paper, which has a layer Linear(16·T,
	// d) "for both" flows. RF always has d outputs.
	SumOutputs bool `json:"sum_outputs,omitempty"`
	// TimeWaves adds sin 2πkτ and cos 2πkτ, k = 1 to TimeWaves, to the time τ that the
	// networks of RF over a WholeSequence see: another reading of the paper's "additional
	// time-encoding". 0 is τ alone; at most 16.
	TimeWaves int `json:"time_waves,omitempty"`
	// Family is the set of maps of an iteration: Free moves every position by the vector field,
	// Linear by the nearest affine map.
	Family Family `json:"family"`

	// FirstStep and LastStep are η of the first and the last iteration of WGF, with a cosine
	// between them; set both to one value for a constant η, as in Algorithm 2. RF integrates to
	// τ = 1 and takes no η.
	FirstStep float64 `json:"first_step,omitempty"`
	LastStep  float64 `json:"last_step,omitempty"`
	// MaxMove bounds the root mean square of a move by WGF, over all signals, in their standard
	// deviations if they are standardised. A longer move is shortened. 0 sets no bound. Use less,
	// with more Iterations, if iterates become more dependent.
	MaxMove float64 `json:"max_move,omitempty"`
	// Solver integrates RF from τ = 0 to 1 in SolverSteps steps.
	Solver      flows.Solver `json:"solver,omitempty"`
	SolverSteps int          `json:"solver_steps,omitempty"`

	// Optimizer, Adam or Adagrad, trains the networks at LearningRate.
	Optimizer    Optimizer `json:"optimizer"`
	LearningRate float64   `json:"learning_rate"`
	// NewOptimizer, if set, returns a GoMLX optimizer that replaces Optimizer. An elementwise
	// optimizer keeps runs independent; see package flows.
	NewOptimizer func() optimizer.Interface `json:"-"`
	// BatchSize is the number of joint samples in a training step, paired with as many product
	// samples. A larger batch has less noisy gradients and costs more.
	BatchSize int `json:"batch_size"`
	// Epochs is the number of passes over the positions per iteration, Steps the number of training
	// steps per iteration. One of the two must be zero.
	Epochs int `json:"epochs,omitempty"`
	Steps  int `json:"steps,omitempty"`
	// FreshProduct draws new permutations for every pass over the positions. Otherwise an iteration
	// keeps its permutations, as in the paper, and networks memorise them in many passes.
	FreshProduct bool `json:"fresh_product,omitempty"`
	// WarmStart continues with the weights and the optimizer's moments of the iteration before.
	// Since signals move little in between, fewer Steps suffice. Otherwise each iteration begins
	// with new weights.
	WarmStart bool `json:"warm_start,omitempty"`
	// Noise is the standard deviation of the Gaussian noise on the network's inputs in training,
	// joint and product samples alike. It is for WGF with a window or a prediction, and keeps
	// networks from memorising single positions. Far above 1, the standard deviation of the
	// signals, it hides what there is to learn, and nothing moves.
	Noise float64 `json:"noise,omitempty"`
	// Float64 computes on the device in double precision, for nearly singular mixtures.
	Float64 bool `json:"float64,omitempty"`

	// Folds is the number of networks of WGF, each trained without one share of the positions,
	// whose average moves the signals. The held-out positions measure the divergence. 0 trains one
	// network on all positions, as in the paper, without measuring the divergence. More folds, for
	// short signals, leave each network more positions at a proportional cost.
	Folds int `json:"folds,omitempty"`
	// Block is the number of consecutive positions that are held out together; fewer if there
	// wouldn't be a block for each fold. It should exceed the memory of the signals, or networks
	// infer the held-out positions from neighbours.
	Block int `json:"block,omitempty"`

	// OnIteration, if set, is called after each iteration, in order, with the index of the run in
	// sica.FitRuns.
	OnIteration func(run int, it Iteration) `json:"-"`
	// Stop, if set, is called after each iteration, after OnIteration. True ends the run without an
	// error, with the status StoppedAsked.
	Stop func(run int, it Iteration) bool `json:"-"`
}

// FastWGF returns the settings of a Wasserstein gradient flow that takes seconds and keeps the
// signals a linear map of the mixed ones. In each iteration two small networks learn the density
// ratio on each of two folds of the positions. One network sees z_t, the other also the prediction
// of each signal at t from its neighbours. Each is weighted by its fit to the held-out positions,
// so that a network that fits noise moves nothing. The result is the iterate with the smallest
// dependence.
func FastWGF() Config {
	return Config{
		Kind: WGF, Context: Prediction, Windows: []int{3}, Hidden: []int{32, 32}, Family: Linear,
		Iterations: 25, FirstStep: 1, LastStep: 0.1, MaxMove: 0.2,
		Standardise: true, KeepBest: true,
		Optimizer: Adam, LearningRate: 3e-3, BatchSize: 256, Steps: 50,
		FreshProduct: true, WarmStart: true, Noise: 0.3,
		Folds: 2, Block: 64,
	}
}

// PaperWGF returns the paper's settings of SICA-WGF.
func PaperWGF() Config {
	return Config{
		Kind: WGF, Context: WholeSequence, Family: Free,
		Iterations: 10, FirstStep: 1, LastStep: 1,
		Optimizer: Adam, LearningRate: 1e-5, BatchSize: 100, Epochs: 10,
	}
}

// PaperRF returns the paper's settings of SICA-RF.
func PaperRF() Config {
	return Config{
		Kind: RF, Context: WholeSequence, Family: Free,
		Iterations: 30, Solver: flows.Euler, SolverSteps: 100,
		Optimizer: Adagrad, LearningRate: 1e-5, BatchSize: 100, Epochs: 100,
	}
}
