// Package network undoes a nonlinear mixing by minimising SICA's criterion directly over invertible
// networks.
//
// For an invertible z = g(x) the criterion is the mean over positions t of KL[p(z_t | Z̃₋ₜ) ‖ Π
// p(z_i,t | Z̃_i,₋ₜ)], with the past as the context. Up to a constant it is
//
//	Σ_i h(z_i,t | own past) − E log|det ∂g/∂x|
//
// which is the code length of x, in nats per position, if each z_i is coded by a separate model. So
// an invertible map g (layers.Invertible) and an autoregressive model of each signal
// (flows.Autoregressive) are fitted together by maximum likelihood. For up to eight signals,
// several restarts are trained at once, in one compiled loop. The code length at held-out blocks of
// positions decides which step and which restart is kept, and what the map is worth. The true
// sources are never used.
//
// Terms: a run is one restart on one fold of held-out positions. The best run of a fold has the
// shortest code at these. Every run begins with whitened signals, by symmetric whitening.
//
// A Code describes the mixed signals by the signals of a separation; codes are compared by length.
//
// The names to know are Options, Fit, Model and Improve:
//
//	model, err := network.Fit(ctx, mixed, network.Options{}) // d×n
//	signals, err := model.Map.Apply(mixed)
//
// Signals are matrices of d rows × n columns. docs/explanation/networks.md has the proof, and says
// what is identified and when sica.Default chooses a network.
package network
