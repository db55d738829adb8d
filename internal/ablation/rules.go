// Package ablation turns rules of the separation off, and multiplies its numbers, to measure the
// value of each, in builds with the tag ablation only. In other builds every rule is on, and Off
// costs nothing. A rule is here if laboratory/tables/results/scoreboard keeps its worth, and no
// number turns it off, as surpluserrors*inf does.
package ablation

// A Rule is a part of the separation that can be off.
type Rule int

// The rules, with the part of the separation that each controls.
const (
	Drift         Rule = iota // expected error of a mixing that changes
	MinDep                    // the demixing with the least dependence, if the best is doubtful
	MostNoise                 // the descent with nearly the most noise that there can be
	NearlyAsGood              // doubt of signals that differ in a demixing that is nearly as good
	NoiseLike                 // doubt of noise-like signals
	NonlinearNull             // evidence against nonlinear mixtures in the judgement of a demixing
)
