// Package layers holds GoMLX building blocks for networks that look at one
// position t of several signals and at the other positions around it: the
// contexts (the whole sequence, as in the SICA paper, or a local window) and
// the networks over them (the paper's CNN, an MLP). [Invertible] and its parts,
// [PLU] and [Leaky], are for maps of all signals at a position that have an
// inverse and a Jacobian in closed form.
//
// Every tensor carries a leading runs axis R: R independent networks, each
// with weights of its own, work on R independent sets of signals in one
// program. A single network is R = 1. Shapes are written with
//
//	R runs, B samples of a batch, d signals, T positions,
//	p… axes of the position index (their product is T), C channels, K neighbours.
//
// As everywhere in GoMLX, functions that build graphs panic on wrong shapes;
// model.Exec turns that into an error.
package layers
