package sica

import (
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Flow is the kind of vector field that moves the signals (paper, Algorithm 2).
type Flow = iterate.Flow

const (
	// WGF is the Wasserstein gradient flow: v = −∇ log of a density ratio
	// learned by logistic regression (paper, equation log.joint.ratio).
	WGF = iterate.WGF
	// RF is the rectified flow: v regresses z′ − z along the straight path
	// (paper, equation rec.obj).
	RF = iterate.RF
)

// Context is what the vector field sees of the other positions.
type Context = iterate.Context

const (
	// WholeSequence gives the network every position but t, as in the paper.
	WholeSequence = iterate.WholeSequence
	// LocalWindow gives it the neighbours of t up to a window away along
	// each axis of the index. Its cost doesn't depend on T.
	LocalWindow = iterate.LocalWindow
	// Prediction gives it, for each signal, the linear prediction of z_t from
	// the signal's own neighbours up to a window away: the context in one
	// number a signal, which few positions suffice to learn from.
	Prediction = iterate.Prediction
)

// Optimizer trains the vector field's network.
type Optimizer = iterate.Optimizer

const (
	// Adam with β = (0.9, 0.999) and ε = 1e-8, as PyTorch's.
	Adam = iterate.Adam
	// Adagrad with ε = 1e-10 and no initial accumulator, as PyTorch's.
	Adagrad = iterate.Adagrad
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

// Config says how Fit separates. Start from a preset (Default, PaperWGF, PaperRF) and
// change what you need, such as cfg.Iterations: the groups' fields are Config's own.
// Validate names what is out of range.
type Config struct {
	// Shape is the position index, row-major: {T}, {height, width} or
	// {frames, height, width}. Nil means {T}.
	Shape []int `json:"shape,omitempty"`
	// Seed gives every random draw of the fit.
	Seed uint64 `json:"seed"`

	Preparation // of the signals, before the first iteration and after each
	VectorField // its networks; Windows and Hidden aren't for WholeSequence
	Movement    // along the field: steps for WGF, a solver for RF
	Training    // of the networks; Noise is for WGF with a window
	HeldOut     // positions that the networks aren't trained on; not for RF
	Running     // where, how long, and what is kept and told
}

// Preparation is what is done to the signals before the first iteration, and after
// each. It applies to both flows.
type Preparation struct {
	// Prepare, if set, is a transform of your own that comes before all else; the signals
	// must stay as many. It is fitted to each run, and is the first of the maps of the
	// result: Transform applies it, InverseTransform inverts it if it can, Save keeps it
	// if its type is registered (preprocess.Register). With a Checkpoint it must make
	// the same of the same signals when the fit goes on. In a result that was
	// loaded it is the transform as it was fitted.
	Prepare preprocess.Fitter `json:"-"`
	// Start are the transforms of the mixed signals before the first
	// iteration, in order.
	Start []preprocess.Transform `json:"start"`
	// Starts are further transforms of your own that LinearRule and AnyRule compare with
	// their linear demixing of the mixed signals: each with its own linear demixing behind
	// it, by the nats that describe the mixed signals at positions held out, the
	// Jacobian paid. One is taken if it describes them in fewer, beyond chance if it isn't
	// linear; AnyRule then asks for no network. The transform that a Fitter makes has
	// a method LogDet (see preprocess.Applier), and Invert if the result's
	// InverseTransform is to work. Save keeps one of a type that is registered, as that of
	// Prepare. Result.Candidates has them all.
	Starts []preprocess.Fitter `json:"-"`
	// Components reduces the mixed signals, before anything else but Prepare, to as many of
	// their principal components. 0 does so only if they are linearly dependent but for
	// rounding, to as many as aren't, at the resolution that each channel is stored in.
	Components int `json:"components,omitempty"`
	// Rule separates what Start leaves, which it whitens itself.
	Rule Rule `json:"rule,omitempty"`
	// NetworkSteps are the training steps of the rule's invertible networks; 0 is d·T/4, but
	// at least 2400 and at most 4800 (docs/nonlinear.md).
	NetworkSteps int `json:"network_steps,omitempty"`
	// Standardise brings every signal back to mean 0 and variance 1 after
	// each iteration.
	Standardise bool `json:"standardise"`
}

// VectorField is what the networks of an iteration see and are.
type VectorField struct {
	Flow    Flow    `json:"flow"`
	Context Context `json:"context"`
	// SumOutputs makes the log-ratio of WGF over a WholeSequence the sum of d outputs of its
	// network, not one output: another reading of the paper, which has a layer
	// Linear(16·T, d) "for both" flows. RF has d outputs in any case.
	SumOutputs bool `json:"sum_outputs,omitempty"`
	// TimeWaves adds sin 2πkτ and cos 2πkτ, k = 1 to TimeWaves, to the time τ that the
	// networks of RF over a WholeSequence see: another reading of the paper's "additional
	// time-encoding". 0 is τ alone; at most 16.
	TimeWaves int `json:"time_waves,omitempty"`
	// Windows are the reaches of a LocalWindow along each axis, in rising
	// order; 0 shows a network nothing but z_t. With several, each fold trains
	// a network for each, and the held-out positions weigh them against one
	// another. A Prediction takes one window, and weighs a network with the
	// prediction against one without.
	Windows []int `json:"windows,omitempty"`
	// Hidden are the widths of the hidden layers of the MLP over a
	// LocalWindow or a Prediction. The network over a WholeSequence is the paper's.
	Hidden []int `json:"hidden,omitempty"`
	// Network, if set, is a network of your own in the place of that MLP: it takes x,
	// [R, B, inputs], to [R, B, outputs] by package layers' Dense, Conv, MLP or CNN,
	// whose weights each of the R networks has to itself, and GoMLX's functions between
	// them. For WGF it should be smooth. It is built several times.
	Network func(scope *model.Scope, x *graph.Node, outputs int) *graph.Node `json:"-"`
	// Family is what an iteration may do to the signals.
	Family Family `json:"family"`
}

// Movement is how the signals follow the vector field.
type Movement struct {
	// Iterations is J, the largest number of times that the signals move; 0 makes
	// the start the result.
	Iterations int `json:"iterations"`
	// FirstStep and LastStep are η of the first and the last iteration, with
	// a cosine between them. The rectified flow, which integrates to τ = 1,
	// takes no η.
	FirstStep float64 `json:"first_step"`
	LastStep  float64 `json:"last_step"`
	// MaxMove bounds the root mean square of an iteration's move, all signals
	// together, in units of their standard deviation when they are
	// standardised; a longer move is cut to it. 0 sets no bound. The rectified flow has none.
	MaxMove float64 `json:"max_move,omitempty"`
	// Solver integrates the rectified flow from τ = 0 to 1 in SolverSteps steps.
	Solver      flows.Solver `json:"solver,omitempty"`
	SolverSteps int          `json:"solver_steps,omitempty"`
}

// Training is how the networks are trained in an iteration.
type Training struct {
	Optimizer    Optimizer `json:"optimizer"`
	LearningRate float64   `json:"learning_rate"`
	// NewOptimizer, if set, makes any optimizer of GoMLX in the place of these two. One
	// that works element by element keeps runs apart; see package flows.
	NewOptimizer func() optimizer.Interface `json:"-"`
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
}

// HeldOut is which positions measure the divergence.
type HeldOut struct {
	// Folds is the number of networks, each trained without one share of the
	// positions, whose average moves the signals; the positions left out
	// measure the divergence. 0 trains one network on all positions, as the
	// paper does, and measures none.
	Folds int `json:"folds"`
	// Block is the number of consecutive positions held out together; fewer, where
	// there wouldn't be a block for each fold otherwise.
	Block int `json:"block,omitempty"`
	// Patience is the number of iterations that the held-out divergence may
	// fail to fall before the fit stops. 0 never stops early: no preset stops so,
	// as FastWGF keeps its best iterate. It is for fits of one's own, long ones.
	Patience int `json:"patience,omitempty"`
}

// Running is where and how long a fit runs, what it keeps and whom it tells.
type Running struct {
	// Devices is the number of the backend's devices that the training of runs
	// is spread over, in equal shares; it must divide the number of runs times
	// the networks of a run. 0 and 1 use one. It is for machines with several.
	Devices int `json:"devices,omitempty"`
	// Float64 computes on the device in double precision. It is for mixtures that
	// are nearly singular.
	Float64 bool `json:"float64,omitempty"`

	// KeepBest gives the iterate of least dependence, the start among them, as
	// the result; otherwise the last one is.
	KeepBest bool `json:"keep_best,omitempty"`
	// Budget ends the fit after the iteration in which it is used up. 0 sets none. It
	// doesn't cut the choice of the start short, which is all that Default does.
	Budget time.Duration `json:"budget_ns,omitempty"`

	// Checkpoint, if set, is a folder of this fit alone, made if need be, that
	// keeps its state after the choice of the start and after each iteration. A
	// fit of the same signals and settings on the same backend goes on from
	// there, to the result that it would have had, bit for bit where the backend
	// repeats itself; one of others, but for Budget, is refused. OnIteration isn't called again
	// for the iterations kept, and Elapsed and Budget count their time. The folder
	// stays when the fit is done, so that the result can't be lost before it is
	// used: the same fit then returns it at once. Remove it when it has served. A fit
	// with Starts, a Network or a NewOptimizer can't have one: functions can't be compared.
	Checkpoint string `json:"-"`

	// OnStart, if set, is called while a rule looks for the start: with what is being
	// done, and how much of it is done, 0 to 1. Run is its place in FitRuns.
	OnStart func(run int, doing string, done float64) `json:"-"`
	// OnIteration, if set, is called after each iteration, in order. Run is
	// its place in FitRuns.
	OnIteration func(run int, it Iteration) `json:"-"`
	// Stop, if set, is asked after each iteration, after OnIteration, whether the run has
	// had enough. Yes ends it as all iterations do, without an error: Result.Stopped is
	// StoppedAsked. A Default fit makes no iterations.
	Stop func(run int, it Iteration) bool `json:"-"`
}

// networks are the settings of the vector field's networks.
func (c Config) networks() iterate.Config {
	return iterate.Config{
		Flow: c.Flow, Context: c.Context, SumOutputs: c.SumOutputs, TimeWaves: c.TimeWaves, Windows: c.Windows, Hidden: c.Hidden, Network: c.Network,
		Solver: c.Solver, SolverSteps: c.SolverSteps,
		Optimizer: c.Optimizer, LearningRate: c.LearningRate, NewOptimizer: c.NewOptimizer, BatchSize: c.BatchSize,
		Epochs: c.Epochs, Steps: c.Steps, FreshProduct: c.FreshProduct, WarmStart: c.WarmStart, Noise: c.Noise,
		Folds: c.Folds, Block: c.Block, Devices: c.Devices, Float64: c.Float64,
		Learned: c.Family == Free,
	}
}
