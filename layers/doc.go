// Package layers holds GoMLX building blocks for networks that look at one
// position t of several signals and at the other positions around it: the
// contexts (the whole sequence, as in the SICA paper, or a local window) and
// the networks over them (the paper's CNN, an MLP). [Invertible] and its parts,
// [PLU] and [Leaky], are for maps of all signals at a position that have an
// inverse and a Jacobian in closed form.
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
// Layers take a scope first, as GoMLX's do, and those with options are built with
// setters and Done. Options have hyperparameters (ParamCNNChannels, ParamMLPHidden,
// ParamInvertibleLayers). They work in a graph of any model.Exec, under
// train.Trainer and under flows.Trainer, and with GoMLX's checkpoints.
//
// Layers open sub-scopes: two of a kind in one scope panic. To use the weights of a
// layer twice, give it scope.ResetVisited().
//
// Weights and biases are drawn by the scope's initializer, run by run as for a layer
// without runs: with GoMLX's default He's weights and biases of 0. [Initialise] sets
// them as PyTorch has them, from random streams of yours, the same on every backend.
// PLU, Leaky and Invertible have initializers of their own; [InitialiseInvertible]
// draws better ones. Weights of affine maps and convolutions are regularized by
// regularizer.ParamL2 and ParamL1, which is a sum over the runs; nothing else is.
//
// As everywhere in GoMLX, functions that build graphs panic on wrong shapes;
// model.Exec turns that into an error. Functions that run on the host return
// errors. Building is for one goroutine at a time a store.
package layers
