// Package layers has building blocks of GoMLX for networks that see one position of several
// signals and the positions around it. There are contexts (the whole sequence, as in the SICA
// paper, or a local window) and networks over them (the paper's CNN, an MLP). [Invertible] is
// a map of all signals at a position with an inverse and a Jacobian in closed form.
//
// Start with [CNN] over [WholeContext], [MLP] over [WindowContext], and [Invertible]:
//
//	x := layers.WholeContext(z, y, idx, positions) // [R, B, T, 3d]
//	logit := layers.CNN(scope, x).Done()           // [R, B, 1]
//
// # The runs axis
//
// Every tensor carries a leading runs axis R: R independent networks, each
// with weights of its own, work on R independent sets of signals in one
// program. Shapes are written with
//
//	R runs, B samples of a batch, d signals, T positions,
//	p… axes of the position index (their product is T), C channels, K neighbours.
//
// A single network is R = 1: between GoMLX's layers, whose tensors have no such
// axis, put it there with InsertAxes(x, 0), and take it away with Squeeze(y, 0).
//
// # In a model of GoMLX
//
// Layers take a scope first, as those of GoMLX, and options are set by methods before Done.
// Options have hyperparameters (ParamCNNChannels, ParamMLPHidden, ParamInvertibleLayers).
// Layers work in the graph of any model.Exec, under train.Trainer and under flows.Trainer, and
// with GoMLX's checkpoints.
//
// Layers open sub-scopes: two of a kind in one scope panic. To use the weights of a
// layer twice, give it scope.ResetVisited().
//
// Weights and biases are drawn by the scope's initializer, run by run as for a layer
// without runs: with GoMLX's default He's weights and biases of 0. [Initialise] sets
// them as PyTorch has them, from random streams of yours, the same on every backend.
// Invertible has initializers of its own; [InitialiseInvertible] draws better values. Weights
// of affine maps and convolutions are regularized by regularizer.ParamL2 and ParamL1, summed
// over the runs; nothing else is.
//
// As everywhere in GoMLX, functions that build graphs panic on wrong shapes;
// model.Exec turns that into an error. Functions that run on the host return
// errors. Of each store, one goroutine at a time may build graphs.
//
// References: S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing
// Flows", arXiv:2512.00665, for the contexts and the CNN; D. P. Kingma, P. Dhariwal, "Glow",
// 2018, and J. T. Barron, arXiv:2112.11687, for Invertible.
package layers
