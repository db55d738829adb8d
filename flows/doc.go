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
//   - solvers of dy/dτ = v(y, τ) ([Euler], [Midpoint], [Heun]), a step at a time
//     or in one compiled loop ([Integrate]);
//   - [Adagrad], which GoMLX lacks, with PyTorch's conventions, and [RunsAdam],
//     an Adam that keeps the runs of a program apart;
//   - [Trainer], which runs many training steps in one call: one compiled
//     While loop on XLA, on one device or spread over several, a loop on the
//     host on the pure-Go backend.
//
// The functions that build graphs know nothing of signals or contexts: they
// take nodes with any leading axes, the last axis being the sample's. They panic on
// wrong shapes, as GoMLX's do, which model.Exec and NewTrainer turn into errors.
//
// # Runs
//
// A Trainer trains R independent runs at once, which are the leading axis of data,
// variables and losses, as in package layers, and the second of batches, after the
// steps. One run needs no such axis: a [StepLoss] may be a scalar, of any network
// of GoMLX. The runs' losses are summed, so that any optimizer that works element by
// element keeps them apart; one that clips or normalises over all variables, doesn't:
// there is [RunsAdam].
//
// # Trainer or GoMLX's train.Loop
//
// train.Loop calls the device once a step. A Trainer calls it once for many, which
// is worth having where a step is short. Microseconds a step of an MLP with two
// hidden layers and Adam on XLA, one core, by GoMLX's train.Loop, by [Trainer.Loop]
// on the same data set, and by [Trainer.Train] on batches that are put together
// before (medians of 21 rounds of 200 steps, in turns, on a busy machine;
// BenchmarkStep):
//
//	width  batch  train.Loop  Trainer.Loop  Train
//	   32     64         516           132     48
//	   32    256         228           101     45
//	  128    256        2284          1868   2059
//
// So below half a millisecond a step Train is 5 to 10 times as fast and Trainer.Loop
// 2 to 4 times; above two milliseconds, and on the pure-Go backend, where either calls
// once a step, there is nothing to gain. Use train.Loop there, and wherever you want
// what a While can't give: a hook that sees the variables of each step, metrics on
// predictions, evaluation during training, gradient accumulation, batches of several
// shapes, or operations with gradients through a While of their own.
//
// # Cancellation, concurrency
//
// A call of XLA can't be interrupted: a context is looked at before it, so that the
// steps S of a call are how long its end may take. In pure Go it is looked at before
// each step. A Trainer and its store are for one goroutine at a time; several with
// stores of their own may train at once, on one backend too.
//
// References:
//   - S. Liu, "Self-sufficient Independent Component Analysis via KL
//     Minimizing Flows", https://arxiv.org/abs/2512.00665 (the paper). The losses and
//     velocities are its equations to the letter, but for the straight path, of which it
//     prints one coefficient wrongly (see [StraightPath]); networks, settings and what
//     it leaves open are package sica's matter.
//   - X. Liu, C. Gong, Q. Liu, "Flow Straight and Fast: Learning to Generate
//     and Transfer Data with Rectified Flow", 2022.
//   - M. Sugiyama, T. Suzuki, T. Kanamori, "Density Ratio Estimation in
//     Machine Learning", 2012.
package flows
