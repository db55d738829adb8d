package sica

import (
	"time"

	"github.com/seed-47b1e431/gosica/flows"
)

// Flow is the kind of vector field that moves the signals (paper, Algorithm 2).
type Flow string

const (
	// WGF is the Wasserstein gradient flow: v = −∇ log of a density ratio
	// learned by logistic regression (paper, equation log.joint.ratio).
	WGF Flow = "wgf"
	// RF is the rectified flow: v regresses z′ − z along the straight path
	// (paper, equation rec.obj).
	RF Flow = "rf"
)

// Context is what the vector field sees of the other positions.
type Context string

const (
	// WholeSequence gives the network every position but t, as in the paper.
	WholeSequence Context = "whole"
	// LocalWindow gives it the neighbours of t up to a window away along
	// each axis of the index. Its cost doesn't depend on T.
	LocalWindow Context = "window"
	// Prediction gives it, for each signal, the linear prediction of z_t from
	// the signal's own neighbours up to a window away: the context in one
	// number a signal, which few positions suffice to learn from.
	Prediction Context = "prediction"
)

// Family is the set of maps that one iteration may apply to the signals.
type Family string

const (
	// Free moves every position by the vector field itself.
	Free Family = "free"
	// Linear moves the signals by the affine map of z_t nearest to the vector
	// field in least squares, so that the whole flow stays a linear demixing.
	Linear Family = "linear"
)

// Optimizer trains the vector field's network.
type Optimizer string

const (
	// Adam with β = (0.9, 0.999) and ε = 1e-8, as PyTorch's.
	Adam Optimizer = "adam"
	// Adagrad with ε = 1e-10 and no initial accumulator, as PyTorch's.
	Adagrad Optimizer = "adagrad"
)

// Config says how Fit separates. Start from a preset (Default, PaperWGF,
// PaperRF, Smoke) and change what you need; Validate names what is out of
// range.
type Config struct {
	// Shape is the position index, row-major: {T}, {height, width} or
	// {frames, height, width}. Nil means {T}.
	Shape []int `json:"shape,omitempty"`
	// Seed gives every random draw of the fit.
	Seed uint64 `json:"seed"`

	// Start are the transforms of the mixed signals before the first
	// iteration, in order.
	Start []Transform `json:"start"`
	// Settled is the dependence (see MeasureDependence) below which a start is
	// the result as it is: nothing is left that could be told from chance. 0
	// always moves the signals.
	Settled float64 `json:"settled,omitempty"`
	// Rotations is the number of searches for a rotation of the first start
	// whose signals are each best known from their own rest. It is taken if it
	// leaves less than half of the start's dependence. 0 searches none; of two
	// signals one search sees all rotations.
	//
	// Of more than three signals, whose pairs tell little, the rotation is looked
	// for even if the start is settled, from where FastICA ends too, by how well
	// each signal is known from its own past; and it is taken if that gains plainly
	// more than a search gains by chance of Gaussian signals with one spectrum. See
	// Candidate.Gain.
	Rotations int `json:"rotations,omitempty"`
	// Alternatives are further starts. They are tried one after another while
	// the start taken leaves a dependence of more than 0.1. One is taken if it
	// leaves less than half of that, and at most 0.25.
	Alternatives [][]Transform `json:"alternatives,omitempty"`
	// Standardise brings every signal back to mean 0 and variance 1 after
	// each iteration.
	Standardise bool `json:"standardise"`

	Flow    Flow    `json:"flow"`
	Context Context `json:"context"`
	// Windows are the reaches of a LocalWindow along each axis, in rising
	// order; 0 shows a network nothing but z_t. With several, each fold trains
	// a network for each, and the held-out positions weigh them against one
	// another. A Prediction takes one window, and weighs a network with the
	// prediction against one without.
	Windows []int `json:"windows,omitempty"`
	// Hidden are the widths of the hidden layers of the MLP over a
	// LocalWindow. The network over a WholeSequence is the paper's.
	Hidden []int  `json:"hidden,omitempty"`
	Family Family `json:"family"`

	// Iterations is J, the largest number of times that the signals move.
	Iterations int `json:"iterations"`
	// FirstStep and LastStep are η of the first and the last iteration, with
	// a cosine between them. The rectified flow, which integrates to τ = 1,
	// takes no η.
	FirstStep float64 `json:"first_step"`
	LastStep  float64 `json:"last_step"`
	// MaxMove bounds the root mean square of an iteration's move, all signals
	// together, in units of their standard deviation when they are
	// standardised; a longer move is cut to it. 0 sets no bound.
	MaxMove float64 `json:"max_move,omitempty"`
	// Solver integrates the rectified flow from τ = 0 to 1 in SolverSteps steps.
	Solver      flows.Solver `json:"solver,omitempty"`
	SolverSteps int          `json:"solver_steps,omitempty"`

	Optimizer    Optimizer `json:"optimizer"`
	LearningRate float64   `json:"learning_rate"`
	// BatchSize is the number of joint samples of a training step; it is
	// paired with as many product samples.
	BatchSize int `json:"batch_size"`
	// Epochs is the number of passes over the positions an iteration, Steps
	// the number of training steps. One of the two is zero.
	Epochs int `json:"epochs,omitempty"`
	Steps  int `json:"steps,omitempty"`
	// FreshProduct draws new permutations for every pass over the positions;
	// otherwise an iteration keeps the ones that it began with, as the paper
	// does.
	FreshProduct bool `json:"fresh_product"`
	// WarmStart goes on with the weights and the optimizer's moments of the
	// iteration before; otherwise each iteration starts from new ones.
	WarmStart bool `json:"warm_start"`
	// Noise is the standard deviation of the Gaussian noise on the network's
	// inputs in training, joint and product samples alike.
	Noise float64 `json:"noise"`

	// Folds is the number of networks, each trained without one share of the
	// positions, whose average moves the signals; the positions left out
	// measure the divergence. 0 trains one network on all positions, as the
	// paper does, and measures none.
	Folds int `json:"folds"`
	// Block is the number of consecutive positions held out together; fewer, where
	// there wouldn't be a block for each fold otherwise.
	Block int `json:"block,omitempty"`
	// Patience is the number of iterations that the held-out divergence may
	// fail to fall before the fit stops. 0 never stops early.
	Patience int `json:"patience,omitempty"`

	// Devices is the number of the backend's devices that the training of runs
	// is spread over, in equal shares; it must divide the number of runs times
	// the networks of a run. 0 and 1 use one.
	Devices int `json:"devices,omitempty"`
	// Float64 computes on the device in double precision.
	Float64 bool `json:"float64,omitempty"`

	// KeepBest gives the iterate of least dependence, the start among them, as
	// the result; otherwise the last one is.
	KeepBest bool `json:"keep_best,omitempty"`
	// Budget ends the fit after the iteration in which it is used up. 0 sets
	// none.
	Budget time.Duration `json:"budget_ns,omitempty"`

	// Checkpoint, if set, is a folder of this fit alone, made if need be, that
	// keeps its state after the choice of the start and after each iteration. A
	// fit of the same signals and settings on the same backend goes on from
	// there, to the result that it would have had, bit for bit where the backend
	// repeats itself; one of others is refused. OnIteration isn't called again
	// for the iterations kept, and Elapsed and Budget count their time. The folder
	// stays when the fit is done, so that the result can't be lost before it is
	// used: the same fit then returns it at once. Remove it when it has served.
	Checkpoint string `json:"-"`

	// OnIteration, if set, is called after each iteration, in order. Run is
	// its place in FitRuns.
	OnIteration func(run int, it Iteration) `json:"-"`

	judge bool // the networks are Judge's
}
