// Package flows holds vector fields that move samples from one distribution
// towards another, and what it takes to learn and to follow them on GoMLX:
//
//   - the Wasserstein gradient flow of the KL divergence, v = −∇ log r, whose
//     density ratio r is learned by logistic regression ([LogisticLoss],
//     [RatioVelocity]);
//   - the rectified flow, which regresses the straight path from the current
//     sample at τ = 0 to the target sample at τ = 1 ([StraightPath],
//     [RectifiedLoss]);
//   - maximum likelihood for invertible maps, which is the paper's criterion for
//     them: models of each signal given its own past ([Autoregressive],
//     [LogLikelihood]);
//   - solvers of dy/dτ = v(y, τ) ([Euler], [Midpoint], [Heun]);
//   - [Adagrad], which GoMLX lacks, with PyTorch's conventions, and [RunsAdam],
//     an Adam that keeps the runs of a program apart;
//   - [Trainer], which runs many training steps in one call: one compiled
//     While loop on XLA, on one device or spread over several, a loop on the
//     host on the pure-Go backend.
//
// The functions that build graphs know nothing of signals or contexts: they
// take nodes with any leading axes, the last axis being the sample's.
//
// References:
//   - S. Liu, "Self-sufficient Independent Component Analysis via KL
//     Minimizing Flows" (the paper).
//   - X. Liu, C. Gong, Q. Liu, "Flow Straight and Fast: Learning to Generate
//     and Transfer Data with Rectified Flow", 2022.
//   - M. Sugiyama, T. Suzuki, T. Kanamori, "Density Ratio Estimation in
//     Machine Learning", 2012.
package flows
