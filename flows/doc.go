// Package flows has what it takes on GoMLX to learn vector fields that move samples from one
// distribution towards another, and to follow them:
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
// The functions that build graphs take nodes with any leading axes; the last axis is the sample's.
// They panic on wrong shapes, as those of GoMLX do; model.Exec and NewTrainer make errors of that.
// A loss, a velocity, a logit or an optimizer of yours may panic with anything here. GoMLX alone
// waits for ever where a graph function panics with anything but an error.
//
// # Runs
//
// A Trainer trains R independent runs at once. They are the first axis of data, variables and
// losses, as in package layers, and the second of batches, after the steps. One run needs no such
// axis: a [StepLoss] may be a scalar, of any network of GoMLX. The losses of the runs are summed.
// So any optimizer that works element by element keeps the runs independent. One that clips or
// normalises over all variables doesn't; [RunsAdam] clips each run by itself.
//
// # Trainer or GoMLX's train.Loop
//
// train.Loop calls the device once per step, a Trainer once for many steps. On XLA that is several
// times as fast where a step takes less than half a millisecond, by [Trainer.Train] on prepared
// batches more than by [Trainer.Loop] on a data set (BenchmarkStep). For longer steps, and on the
// pure-Go backend, there is hardly a difference. Use train.Loop there, and for what a While can't
// give: a hook that sees the variables of each step, metrics on predictions, evaluation during
// training, gradient accumulation, batches of several shapes, or operations with gradients through
// a While of their own.
//
// # Cancellation and concurrency
//
// A call of XLA can't be interrupted. A context is checked before it, so that its end takes effect
// after at most S steps; in pure Go it is checked before each step. A Trainer and its store are for
// one goroutine at a time. Several with stores of their own may train at once, on one backend too.
//
// References:
//   - S. Liu, "Self-sufficient Independent Component Analysis via KL
//     Minimizing Flows", https://arxiv.org/abs/2512.00665 (the paper). The losses and velocities
//     are its equations, except that it prints one coefficient of [StraightPath] wrongly.
//     Networks, settings and what it leaves open are in package sica.
//   - X. Liu, C. Gong, Q. Liu, "Flow Straight and Fast: Learning to Generate
//     and Transfer Data with Rectified Flow", 2022.
//   - M. Sugiyama, T. Suzuki, T. Kanamori, "Density Ratio Estimation in
//     Machine Learning", 2012.
package flows
