// Package linear separates linear mixtures by one rule: of all demixings it takes the one whose
// signals, each coded by a model of its own, have the shortest code together.
//
// The names to know are Options, Solution and Pair:
//
//	x, err := ica.New(mixed)                         // d×n
//	model, err := linear.Options{}.Fit(ctx, x)       // an ica.Method
//	solution := model.Details.(*linear.Solution)     // what is identified, and how sure
//	fmt.Println(solution.Groups, solution.Leak, solution.Why)
//
// A linear demixing z = B·(x − mean) has the code length
//
//	L(B) = Σ_i h_i − log|det B|
//
// in nats per position. h_i is the code length of signal i alone: its entropy rate under its
// model, and the cost of the model's parameters. A model predicts a signal from its own past, or
// from the earlier part of an image or video. It divides the innovation by its local scale, and
// has a density for the quotient. So spectra, varying strength and densities distinguish sources
// at once. L is SICA's criterion for a linear mixing: it is minimal where no signal has
// information about another that the other's own past doesn't have.
//
// Code length also selects each model, and decides which pairs are identified. If nothing
// identifies a rotation, the result is the symmetric whitening of the innovations. If signals
// depend on each other under every candidate, the candidate with the least dependence is taken.
//
// The models of L have no noise. Two checks replace a demixing that noise misleads:
//
//   - For more than 16 channels a coarse separation of a sequence leaves out frequencies where each
//     recovered signal has less than its mean power. It is taken if its models code the demixing of
//     all frequencies longer than by chance (Findings.Resolution, Bandwidth).
//   - For 2 to 32 channels, demixings of FastICA, SOBI and coarser time scales are compared by a
//     code with noise in it, spectral matching (Findings.Noise, Scale). If spectra show more
//     sources than channels, nothing is identified (Findings.Surplus). Images and videos keep
//     their demixing unless its signals imply noise, and have no Surplus.
//
// A sequence at a higher rate than its signals need is taken at the lower one (Bandwidth).
//
// The limits:
//
//   - The mixing is assumed to be linear. After a nonlinear one the densities can identify a wrong
//     rotation. Package sica tests for it first.
//   - All positions are learned from: a click in one channel can rotate the result. Package sica
//     excludes outliers first.
//   - Noise beside white sources is estimated from the dependence that it causes, but not removed
//     (Findings.NoiseFromDependence).
//   - The local scale of a position is estimated from both sides, so that h_i is a
//     pseudo-likelihood where a window is chosen.
//
// References: X.-L. Li, T. Adalı, "Blind source separation by entropy rate minimization", IEEE
// Signal Processing Letters 17(2), 2010 (entropy rates, with a fixed family of densities and no
// evidence); D.-T. Pham, P. Garat, IEEE Trans. Signal Processing 45(7), 1997, and P. Ablin,
// J.-F. Cardoso, A. Gramfort, ibid. 66(15), 2018 (the steps); J. Rissanen, Annals of Statistics
// 11(2), 1983 (description length); J. A. Hausman, Econometrica 46(6), 1978 (coarse against fine);
// J.-F. Cardoso, M. Le Jeune, J. Delabrouille, M. Betoule, G. Patanchon, IEEE J. Selected Topics
// in Signal Processing 2(5), 2008, and P. Ablin, J.-F. Cardoso, A. Gramfort, J. Neuroscience
// Methods 357, 2021 (spectral matching with noise); C. R. Rao, Proc. Cambridge Philosophical
// Society 44(1), 1948 (scores).
package linear
