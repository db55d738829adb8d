// Package ablation turns rules of the separation off, and multiplies its numbers, to measure the
// value of each, in builds with the tag ablation only. In other builds every rule is on, and Off
// costs nothing. A rule that a number turns off needs no name here, such as surpluserrors*inf.
package ablation

// A Rule is a part of the separation that can be off.
type Rule int

// The rules, with the part of the separation that each controls.
const (
	AddNoisy        Rule = iota // descents with channel noise in the models
	CoarserDescents             // descents at coarser time scales
	Corrected                   // demixings corrected for the noise of the channels
	Correlated                  // groups of signals of a sequence that correlate
	Doubtful                    // groups of signals that depend on each other
	Drift                       // expected error of a mixing that changes
	MinDep                      // the demixing with the least dependence, if the best is doubtful
	MostNoise                   // the descent with nearly the most noise that there can be
	NearlyAsGood                // doubt of signals that differ in a demixing that is nearly as good
	Noiseless                   // the search with noise in the channels
	NoiseLike                   // doubt of noise-like signals
	NonlinearNull               // evidence against nonlinear mixtures in the judgement of a demixing
	Occupied                    // low-passing of mixtures that occupy a part of the band
	PassBand                    // the search for noise within the pass band of filtered recordings
	Settled                     // the search ends early where the noiseless demixing is settled
)
