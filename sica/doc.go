// Package sica recovers sources from mixed signals ([Fit]), without a model of them. The criterion
// is self-sufficiency: a signal's own values at other positions predict it as well as the values of
// all signals do. For the values z_t at position t and the values Z̃₋ₜ at all other positions,
//
//	p(z_t | Z̃₋ₜ) = Π_i p(z_{i,t} | Z̃_{i,₋ₜ})
//
// Fit looks for signals that reduce the Kullback–Leibler divergence between the two sides: by a
// method that minimises the code length of the mixed signals, or by the paper's flows, which move
// the signals iteration by iteration.
//
// Signals are matrices of d rows × n columns, a signal in each row. For a samples × signals matrix,
// as in gonum/stat, use mat.DenseCopyOf(samples.T()).
//
// Signals, positions and runs count from 0 in Go and in JSON. Sentences, such as Why and errors,
// count from 1, unless an error repeats an argument.
//
// The names to know are [Fit], [Config] and [Result]:
//
//	x, _ := datasets.ReadFile("mixed.csv")                        // d×n
//	result, err := sica.Fit(ctx, x, sica.Default())
//	z := result.Z                                                 // the recovered signals
//	fmt.Println(result.Why)                                       // what was done, how sure it is
//	later, err := result.Transform(more)                          // other signals, mapped alike
//
// # Settings
//
// Start with [Default]. It compares methods by the code length of held-out positions: the linear
// rule (package linear), the rule after straightening the channels, conditional normalisation,
// invertible networks (alone: [Direct]) and the caller's [Config].Candidates. It makes no
// iterations. Outliers are excluded from fitting.
//
// Config.Flow has the settings of the iterations (package klflow). [FastWGF] is the gradient flow
// in seconds, kept to linear maps. [PaperWGF] and [PaperRF] follow the paper wherever it specifies
// a choice, except that Z⁽⁰⁾ is standardised and SICA-WGF has one logit: both flows, the networks,
// product samples drawn once an iteration, the optimizers with their rates, batches and epochs, the
// numbers of iterations and of Euler steps. docs/evaluation/paper.md lists how the rest was
// interpreted, and what other interpretations gave.
//
// Custom parts are Config.Prepare (a transform before all others), Config.Candidates (methods to
// compare), Flow.Network, Flow.NewOptimizer and Flow.Stop. [AsMethod] makes a fit an ica.Method, as
// its rivals are.
//
// # Runs, cancellation, concurrency
//
// [FitRuns] makes several separations of one size in one compiled program. Each run gives the same
// result as alone, up to the backend's rounding: its draws come from its own seed.
//
// The context is checked between calls of the device: in an iteration before each chunk of training
// steps, and between the steps of a method. Fit then returns the result so far, with ctx.Err(),
// while a compilation, or a call of the device, continues in the background. Flow.Stop and
// Flow.Budget end a fit without an error, after an iteration. A fit with a Config.Checkpoint
// continues to the same result after its context ended or its process was killed, or with a larger
// Budget.
//
// Fits may run at once, even on one backend, and so may Transform and InverseTransform of one
// Result. SetBackend and changes to a Result's fields may not run at the same time. Callbacks are
// called by the goroutine that called Fit, one at a time. If a callback or a custom part panics,
// Fit returns an error; a candidate that panics has failed.
//
// # See also
//
// Package metric scores a recovery against the true sources. Package dependence and
// [EstimateDivergence] assess it without them, and package report draws conclusions. Package
// blockwise is for recordings that exceed memory.
//
// # References
//
// S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing Flows",
// https://arxiv.org/abs/2512.00665 ("the paper").
package sica
