// Package lesson goes through the algorithm of SICA (S. Liu, arXiv:2512.00665), "the
// paper", one step at a time, on signals whose positions are independent draws: each recovered signal should then be
// independent of the others, as there is no context that could tell of it,
//
//	p(z_t) = Π_i p(z_{i,t})
//
// An iteration makes samples of the right-hand side from those of the left
// (Product), learns the ratio of the two densities by telling them apart
// (LearnRatio), and moves every sample a little against its gradient
// (Ratio.Step), which reduces the Kullback–Leibler divergence of the two. Follow
// makes one iteration after another.
//
// For a Gaussian all of this is known exactly; see Gaussian. So is the paper's other
// flow, the rectified one (Gaussian.Rectify), which gets to the product in one
// iteration.
//
// It is made of the packages layers and flows, as a program of one's own would be,
// and leaves out what package sica adds: contexts, held-out positions, the choice
// of a start and of an end. To separate signals use sica.Fit.
//
// Signals are matrices of d rows × T columns.
package lesson
