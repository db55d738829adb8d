// Package layers has GoMLX building blocks for networks that see one position of several signals
// and the positions around it: contexts (the whole sequence, as in the SICA paper, or a local
// window) and networks over them (the paper's CNN, an MLP). [Invertible] is a map of all signals at
// a position with an inverse and a Jacobian in closed form.
//
// GoMLX has a package of the same name, so programs import this one as sicalayers:
//
//	import (
//		"github.com/gomlx/gomlx/ml/layers"
//		sicalayers "github.com/seed-47b1e431/gosica/layers"
//	)
//
// Start with [CNN] over [WholeContext], [MLP] over [WindowContext], and [Invertible]:
//
//	// z [R, d, T] are signals, idx int32 [R, B, d] the positions that each sample hides in them.
//	y := sicalayers.GatherSignals(z, idx)    // [R, B, d], the hidden values
//	x := sicalayers.WholeContext(z, y, idx)  // [R, B, T, 3d], y included
//	logit := sicalayers.CNN(scope, x).Done() // [R, B, 1]
//
// A network that is to predict the hidden values gets zeros for y.
//
// # The runs axis
//
// Every tensor has a leading runs axis R: R independent networks, each with its own weights, work
// on R independent sets of signals in one program. Shapes are written with
//
//	R runs, B samples of a batch, d signals, T positions,
//	p… axes of the position index (their product is T), C channels, K neighbours.
//
// Signals have their positions last, [R, d, T]. Inputs and outputs of layers have their channels
// last, as in GoMLX: contexts turn signals into [R, B, p…, C], the input of Conv.
//
// A single network is R = 1: between GoMLX's layers, whose tensors have no runs axis, add the axis
// with InsertAxes(x, 0), and remove it with Squeeze(y, 0). For more runs set the hyperparameter
// [ParamRuns]. A layer with weights panics if the first axis of its input has another length, since
// a batch would become runs, with a network for each sample. Only a batch of one sample is
// indistinguishable from R = 1. Contexts have no weights, and accept any R. [SelectRun] makes a
// store of one of the runs, such as the best.
//
// Contexts take one set of signals for each run. For N sequences that share one network, treat the
// sequences as runs of the context, and then as one batch:
//
//	x := sicalayers.WindowContext(z, idx, neighbours) // [N, B, d·K] of z [N, d, T]
//	x = Reshape(x, 1, -1, x.Shape().Dim(-1))          // [1, N·B, d·K]
//	y := sicalayers.MLP(scope, x).Done()              // [1, N·B, 1]
//
// # In a model of GoMLX
//
// As in GoMLX, layers take a scope first, and methods before Done set options, such as widths. Only
// two options are hyperparameters, since all layers of a model share them: the number of runs,
// [ParamRuns], and the seed of the initial values, [ParamSeed]. Layers work in the graph of any
// model.Exec, with train.Trainer and flows.Trainer, and with GoMLX's checkpoints.
//
// Layers open sub-scopes: two layers of the same kind in one scope panic. To use the weights of a
// layer twice, call ResetVisited on the outer scope, before In: scope.ResetVisited().In("map").
// GoMLX's message names Shared(), which is for a single sub-scope.
//
// The scope's initializer draws weights and biases, for each run as for a layer without runs:
// GoMLX's default gives He's weights, and biases of 0. With the hyperparameter [ParamSeed] weights
// and biases have PyTorch's distribution, the same values on every backend, and Invertible begins
// with better values, too. [Initialise] and [InitialiseInvertible] do so later, from given random
// streams. Only the weights of affine maps and convolutions are regularized, by regularizer.ParamL2
// and ParamL1, summed over the runs.
//
// As everywhere in GoMLX, functions that build graphs panic on wrong shapes; model.Exec turns that
// into an error. Functions that run on the host return errors. Only one goroutine at a time may
// build graphs with a store.
//
// References: S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing
// Flows", arXiv:2512.00665, for the contexts and the CNN; D. P. Kingma, P. Dhariwal, "Glow",
// 2018, and J. T. Barron, arXiv:2112.11687, for Invertible.
package layers
