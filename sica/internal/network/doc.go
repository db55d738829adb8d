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
// (flows.Autoregressive) are fitted together by maximum likelihood, from several starts at
// once, in one compiled loop. The code length of held-out blocks of positions says when to
// stop, which start to keep and what the map is worth. The true sources are never used.
//
// The names to know are Options, Model and Improve:
//
//	x, err := ica.New(mixed)                      // d×n
//	model, err := network.Options{}.Fit(ctx, x)   // an ica.Method
//	found := model.Details.(*network.Model)       // whether the signals are identified
//
// Signals are matrices of d rows × n columns. The proof, what is identified and when
// sica.Default takes a network are in docs/explanation/networks.md.
package network
