// Package network undoes a nonlinear mixing by minimising SICA's criterion itself
// over invertible networks.
//
// For an invertible z = g(x) the criterion, the mean over positions t of
// KL[p(z_t | Z̃₋ₜ) ‖ Π p(z_i,t | Z̃_i,₋ₜ)] with the past for context, is up to a
// constant
//
//	Σ_i h(z_i,t | own past) − E log|det ∂g/∂x|
//
// the code length of x, in nats a position, for one who transmits each z_i by a
// model of its own. So g (layers.Invertible) and an autoregressive model of each
// signal (flows.Autoregressive) are fitted together by maximum likelihood, from
// several starts at once, in one compiled loop. Blocks of positions are held
// out: their code length says when to stop, which start to take and what the map
// is worth. Nothing looks at the truth.
//
// The package takes plain matrices and knows nothing of the rest of package
// sica.
package network
