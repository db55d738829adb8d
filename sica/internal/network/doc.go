// Package network undoes a nonlinear mixing by minimising SICA's criterion itself
// over invertible networks.
//
// For an invertible z = g(x) the criterion, the mean over positions t of
// KL[p(z_t | Z̃₋ₜ) ‖ Π p(z_i,t | Z̃_i,₋ₜ)] with the past for context, is up to a
// constant
//
//	Σ_i h(z_i,t | own past) − E log|det ∂g/∂x|
//
// which is the code length of x, in nats per position, if each z_i is coded by a model of its
// own. So an invertible map g (layers.Invertible) and an autoregressive model of each signal
// (flows.Autoregressive) are fitted together by maximum likelihood. Several restarts are trained at
// once, in one compiled loop. The code length at held-out blocks of positions decides which step
// and which restart is kept, and what the map is worth. The true sources are never used.
//
// Words: a run is one restart on one fold of held-out positions. A fold's best run has the shortest
// code at these. Whitened signals are those of symmetric whitening, with which every run begins.
//
// A Code describes the mixed signals by those of a separation; codes are compared by length.
//
// The names to know are Options, Fit, Model and Improve:
//
//	model, err := network.Fit(ctx, mixed, network.Options{}) // d×n
//	signals, err := model.Map.Apply(mixed)
//
// Signals are matrices of d rows × n columns. The proof, what is identified and when
// sica.Default takes a network are in docs/explanation/networks.md.
package network
