// Package linear separates linear mixtures by one rule: of all demixings it takes the one whose
// signals, each coded by a model of its own, have the shortest code together.
//
// The names to know are Default, Config, Solution and Reason:
//
//	x, err := ica.New(mixed)                         // d×n
//	model, err := linear.Default().Fit(ctx, x)       // an ica.Method
//	solution := model.Details.(*linear.Solution)     // what is identified, and how sure
//	fmt.Println(solution.Groups, solution.Reason, solution.Why)
//
// A linear demixing z = B·(x − mean) has the code length
//
//	L(B) = Σ_i h_i − log|det B|
//
// in nats per sample. h_i is the code length of signal i alone, with the model's parameters: an
// autoregression, the local scale of its innovation, and a density. So a difference in spectrum, in
// strength over time or in density distinguishes sources. If nothing identifies a rotation, the
// result is the symmetric whitening of the innovations.
//
// Limits: a nonlinear mixing can identify a wrong rotation, and outliers can rotate the result.
// Package sica handles both. Saturating sensors are the simplest nonlinear mixing: Straighten finds
// the curves that undo the saturation. With a local scale, which is estimated from both sides of a
// position, h_i is a pseudo-likelihood.
//
// The models of L have no noise. So a demixing that noise or surplus sources have misled is
// replaced, if another with noise in its models, or of a textbook method, explains x better.
//
// docs/explanation/linear.md has the rule in words, with references.
package linear
