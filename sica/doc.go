// Package sica separates mixed signals by self-sufficiency: each recovered
// signal at position t depends on the others only through the rest of itself,
//
//	p(z_t | Z̃₋ₜ) = Π_i p(z_{i,t} | Z̃_{i,₋ₜ})
//
// (S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing
// Flows", equation sica). Fit moves the mixed signals, iteration by iteration,
// along a flow that reduces the Kullback–Leibler divergence between the two
// sides: a Wasserstein gradient flow or a rectified flow.
//
// PaperWGF and PaperRF are the paper's method to the letter. Default is what to
// use: it differs from the paper in that
//
//   - the networks are small and see, in place of the whole sequence, z_t and
//     each signal's own prediction of it from its neighbours; networks with and
//     without the prediction are weighed against each other;
//   - held-out positions say how much of what a network learned is real, and
//     the rest moves nothing;
//   - a step is the affine map of the signals nearest to the flow, so that the
//     whole flow is a linear demixing of its start;
//   - the start is symmetric whitening, its rotation of least entropy or a
//     conditional normalisation, whichever first leaves little dependence, and
//     a start that leaves next to none isn't moved at all.
//
// A Result maps other signals as its fit did (Transform, InverseTransform), and is
// kept with Save and Load. A fit with a Config.Checkpoint goes on after its process
// was killed, to the same result.
//
// Signals are matrices of d rows × T columns. Package metric scores a
// recovery against the truth; package dependence and EstimateDivergence measure it
// without, and package report draws the conclusion.
package sica
