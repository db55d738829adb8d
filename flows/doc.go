// Package flows has GoMLX functions for learning vector fields that move samples from one
// distribution towards another, and for following them:
//
//   - the Wasserstein gradient flow of the KL divergence, v = −∇ log r, whose density ratio r is
//     learned by logistic regression ([LogisticLoss], [RatioVelocity]);
//   - the rectified flow, a regression on the straight path from the current sample at τ = 0 to the
//     target sample at τ = 1 ([StraightPath], [RectifiedLoss]);
//   - maximum likelihood for invertible maps, the paper's criterion for them, with models of each
//     signal given its own past ([Autoregressive], [LogLikelihood]);
//   - [Integrate], which solves dy/dτ = v(y, τ) in one compiled loop, by a [Solver];
//   - [Trainer], which makes many training steps per call: in one compiled While loop on XLA, in a
//     loop on the host on the pure-Go backend;
//   - [Adagrad], which GoMLX lacks, and [RunsAdam], an Adam for several runs in one program.
//
// For a rectified flow start with [StraightPath] and [RectifiedLoss] in the loss, [NewTrainer] and
// [Follow]; for a gradient flow with [LogisticLoss] in the loss, and [RatioVelocity]:
//
//	trainer, err := flows.NewTrainer(backend, store, optimizer, loss, nil, batchShapes)
//	losses, err := trainer.Train(ctx, nil, batches, steps)
//	moved, err := flows.Follow(backend, store, velocity, y) // a sample, if y is normal
//
// Functions that build graphs take nodes with any leading axes; the last axis belongs to a sample.
// As in GoMLX they panic on wrong shapes; model.Exec and NewTrainer turn panics into errors. A
// custom loss, velocity, logit or optimizer may panic with any value here, whereas GoMLX alone
// hangs if a graph function panics with anything but an error.
//
// # Runs
//
// A Trainer trains R independent runs at once. The runs are the first axis of data, variables and
// losses, as in package layers, and the second axis of batches, after the steps. A single run needs
// no such axis: a [StepLoss] may be a scalar, of any GoMLX network. The losses of the runs are
// summed. So an elementwise optimizer keeps the runs independent; an optimizer that clips or
// normalises over all variables doesn't. [RunsAdam] clips each run separately.
//
// # Trainer or GoMLX's train.Loop
//
// train.Loop calls the device once per step, a Trainer once for many steps. On XLA a Trainer is
// several times as fast if a step takes less than half a millisecond, more so with [Trainer.Train]
// on prepared batches than with [Trainer.Loop] on a data set (BenchmarkStep). For longer steps, and
// on the pure-Go backend, there is hardly a difference. Then use train.Loop, which also allows what
// a While can't do: a hook that sees the variables of each step, metrics on predictions, evaluation
// during training, gradient accumulation, batches of several shapes, or a loss with gradients
// through a While.
//
// # Cancellation and concurrency
//
// A call of XLA can't be interrupted. The context is checked before each call, so its end takes
// effect after at most S steps; in pure Go it is checked before each step. A Trainer and its store
// are for one goroutine at a time. Several Trainers with different stores may train at once, even
// on one backend.
//
// References:
//   - S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing Flows",
//     https://arxiv.org/abs/2512.00665 (the paper). The losses and velocities follow its equations,
//     one of which misprints a coefficient of [StraightPath]. Networks, settings and choices that
//     the paper leaves open are in package sica.
//   - X. Liu, C. Gong, Q. Liu, "Flow Straight and Fast: Learning to Generate
//     and Transfer Data with Rectified Flow", 2022.
//   - M. Sugiyama, T. Suzuki, T. Kanamori, "Density Ratio Estimation in
//     Machine Learning", 2012.
package flows
