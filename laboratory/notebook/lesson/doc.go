// Package lesson goes through the algorithm of SICA (S. Liu, arXiv:2512.00665), "the paper",
// one step at a time. Its signals have no memory, so self-sufficient signals are simply
// independent ones:
//
//	p(z_t) = Π_i p(z_{i,t})
//
// The names to know are Product, LearnRatio and Follow. An iteration makes samples of the
// right-hand side from those of the left (Product). It learns the ratio of the two densities
// by classifying the samples (LearnRatio). It then moves every sample a little against the
// ratio's gradient (Ratio.Step), which reduces the Kullback–Leibler divergence of the two.
// Follow makes one iteration after another:
//
//	path, err := lesson.Follow(ctx, b, rng, z, 10, 0.1, lesson.DefaultTraining())
//
// For a Gaussian all of this is known exactly; see Gaussian. So is the paper's other flow,
// the rectified one (Gaussian.Rectify), which gets to the product in one iteration.
//
// The package is made of layers and flows, as any program could be. It leaves out
// what package sica adds: contexts, held-out positions, the choice of a start and of an end.
// To separate signals use sica.Fit.
//
// Signals are matrices of d rows × n columns.
package lesson
