// Package sica separates mixed signals by self-sufficiency: each recovered
// signal at position t depends on the others only through the rest of itself,
//
//	p(z_t | Z̃₋ₜ) = Π_i p(z_{i,t} | Z̃_{i,₋ₜ})
//
// (S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing
// Flows", https://arxiv.org/abs/2512.00665, equation sica; "the paper"). [Fit] looks for
// signals that reduce the Kullback–Leibler divergence between the two sides: by a rule that
// minimises description length, or by the paper's flows, which move the signals iteration
// by iteration.
//
// Signals are matrices of d rows × T columns. Package metric scores a recovery against the
// truth; package dependence and [EstimateDivergence] measure it without, and package report
// draws the conclusion. A [Result] maps other signals as its fit did (Transform,
// InverseTransform), and is kept with Save and [Load]. Package blockwise is for recordings
// longer than memory.
//
// # Presets
//
// [Default] is what to use. It makes no iterations: its [AnyRule] takes the linear demixing
// with the fewest nats that describe the signals, and an invertible network where that is
// better and known to be right. Clicks and other accidents are left out of what it learns
// from. [FastWGF] is the gradient flow in seconds, kept to linear maps, by small networks
// that see predictions in place of the whole sequence and whose held-out positions say what
// is real.
//
// [PaperWGF] and [PaperRF] are the paper's method to the letter as far as the letter goes:
// its equations of both flows, the networks, the product samples drawn once an iteration,
// the optimizers with their rates, batches and epochs, the numbers of iterations and of Euler
// steps. The paper gives neither the signals' scale (here they are standardised first) nor
// the η of SICA-WGF (here 1), nor what SICA-RF's network sees beside the mask and the
// context (here τ); the path of SICA-RF is read as (1−τ)·y(0) + τ·y(1), of which one
// coefficient is a misprint. docs/paper.md lists every such reading, and what others gave.
//
// # Which settings apply to what
//
//	Preparation    always; Standardise to iterations
//	VectorField    iterations; Windows, Hidden, Network not to WholeSequence
//	Movement       iterations; FirstStep, LastStep, MaxMove to WGF, Solver to RF
//	Training       iterations; Noise to WGF with a window or a prediction
//	HeldOut        iterations of WGF
//	Running        always; Devices, Float64, KeepBest, OnIteration and Stop to iterations,
//	               OnStart to the rules
//
// A setting that doesn't apply is either ignored (all of iterations where there are none)
// or, where it would mislead, an error of [Config.Validate].
//
// # Parts of one's own
//
// Preparation.Prepare is a transform before all others, VectorField.Network a network in
// the place of the MLP, Training.NewOptimizer any optimizer of GoMLX, Running.Stop a rule
// to stop. Their docs say what Save and checkpoints make of them. [Method] is SICA behind
// the interface of its rivals.
//
// # Runs
//
// [FitRuns] makes several separations of one size in one compiled program, in which all
// tensors have a leading axis of runs × networks of a run. Run r is what it would be alone,
// to the backend's rounding: its draws come from its own seed, on the host.
//
// # Cancellation
//
// A context is looked at between calls of the device: in an iteration before each chunk of
// training steps (10, or as many more as are 2000 for all networks together, or 65536/T of
// the paper's), and between the steps of a rule. A call of XLA can't be
// interrupted; in pure Go a chunk ends after the step that it is at. What a fit had by then
// is its result, with ctx.Err(); Running.Stop and Running.Budget end it without an error,
// after an iteration. A fit with a Running.Checkpoint goes on to the same result after its
// context ended, after its process was killed or, with a larger Budget, after that was used
// up; one that Stop ended has ended.
//
// # Concurrency
//
// Fits may run at once, on one backend too, and Transform and InverseTransform of one
// Result. SetBackend and changes to a Result's fields may not run beside them. OnStart,
// OnIteration and Stop are called by the goroutine that called Fit, one at a time.
package sica
