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
// in nats per position. h_i is that of signal i alone: its entropy rate under its model, and the
// cost of the model's parameters. If the mixing is linear, L is minimal where no signal has
// information about another that the other's own past doesn't have, which is SICA's criterion.
// A model predicts a signal from its own past, or from the earlier part of an image or video. It
// divides the innovation by its local scale, and has a density for the quotient. So spectra,
// varying strength and densities distinguish sources at once.
//
// Code length decides everything: the length of a past, the width of a window, the density, the
// candidate, whether a rotation of the white signals is accepted and whether a pair is identified.
// So the evidence grows with the data. Where there is none, as between Gaussian signals with one
// spectrum, the result is the symmetric whitening of the innovations and says so; it is right if
// the mixing was symmetric with positive eigenvalues. There is one exception: if signals depend on
// each other whatever the demixing, the models are wrong, and the demixing whose signals depend
// least on each other is taken.
//
// If noise of the channels is as large as the innovations, or if there are more sources than
// channels, the shortest code is that of independent noise, not of independent sources. So the rule's
// demixing is compared with others:
//
//   - the rule's at coarser time scales: of the lower frequencies of a cosine transform, which
//     commutes with an instantaneous mixing;
//   - those of FastICA and SOBI, and their mixings corrected by the noise that they imply, as both
//     methods whiten the channels with their noise;
//   - if any of these contradicts it, the rule's for channels transformed so that their noise is
//     white, which no rotation then changes.
//
// Each is measured at each time scale by a code with noise in it (spectral matching): that of the
// spectra under A·diag(P(f))·Aᵀ + N with its mixing A, minus what its signals gain by not being
// Gaussian. The rule's demixing is kept, to the bit, unless another has a significantly shorter code at
// a scale, or is as good and implies noise. Otherwise the choice is the demixing that the fewest scales
// reject, of several the one with the shortest code at the finest; with surplus sources, the one with
// the shortest code at the finest scale that no coarser one contradicts (J. A. Hausman's test).
//
// If one of the rule's signals can't be told from noise, a source may be hidden under it
// (Findings.NoiseLike). Then, or if the rule's signals depend on each other, a demixing with noise is
// preferred unless its code is significantly longer; if there is none, nothing is identified.
//
// The result is the best linear estimate of the sources with that noise (Wiener's). Findings.Noise,
// Scale and Surplus say so. Images and videos keep the rule's demixing unless the signals imply
// noise, and have no Surplus.
//
// A sequence at a higher rate than its signals need is taken at the lower one (Findings.Bandwidth):
// frequencies where all signals are weaker than the Resolution say nothing. Noise is looked for
// below the edge of a low-pass filter that the recording shows, as the models' noise is white.
//
// The limits:
//
//   - The mixing is assumed to be linear. Behind a nonlinear one, Gaussian sources can look like
//     others, rotated by 45°, with densities that identify them. Of 100 mixtures of two AR(7)
//     sources by fifteen steps of x + 0.1·GELU(W·x), 38 are called identified for that reason,
//     with an MCC of 0.62 to 0.75. Package sica tests for it first.
//   - White noise of the channels is in the models for 2 to 16 channels, of 240 positions or
//     more (Findings.Noise). Noise that spectra don't show, as beside white sources, is estimated
//     from the dependence that it causes (Findings.NoiseFromDependence), but not removed.
//   - All positions are learned from: a click in one channel can rotate the result. Package sica
//     excludes outliers first.
//   - The local scale of a position is taken from both sides, so that h_i is a
//     pseudo-likelihood where a window is chosen.
//
// References: X.-L. Li, T. Adalı, "Blind source separation by entropy rate minimization", IEEE
// Signal Processing Letters 17(2), 2010 (entropy rates, with a fixed family of densities and no
// evidence); D.-T. Pham, P. Garat, IEEE Trans. Signal Processing 45(7), 1997, and P. Ablin,
// J.-F. Cardoso, A. Gramfort, ibid. 66(15), 2018 (the steps); J. Rissanen, Annals of Statistics
// 11(2), 1983 (description length); J.-F. Cardoso, M. Le Jeune, J. Delabrouille, M. Betoule, G.
// Patanchon, IEEE J. Selected Topics in Signal Processing 2(5), 2008, and P. Ablin, J.-F. Cardoso,
// A. Gramfort, J. Neuroscience Methods 357, 2021 (spectral matching with noise); C. R. Rao, Proc.
// Cambridge Philosophical Society 44(1), 1948 (scores).
package linear
