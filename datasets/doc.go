// Package datasets generates, reads and writes the signals with which a separation begins. It has
// the sources and mixings of the SICA paper (S. Liu, arXiv:2512.00665), some real signals, and
// files in the formats CSV, NPY, WAV, EDF, BDF, BrainVision, EEGLAB, MAT, PNG and PGM.
//
// Signals are gonum matrices of d rows (signals) by n columns (positions), in float64. A signal
// over an image holds the image's rows, one after another.
//
// Start with [ReadFile] and [WriteFile] for signals in files, [AR] for sources, and [Mix] for
// mixtures. There are also
//
//   - sources: [AR7], [LaplaceAR], [Heart]; real ones: [Voices], [ECG], [Photographs], [MNIST];
//   - a recording with its truth: [SimulateEEG];
//   - mixings: [LinearMix], [LayeredMix], [PostNonlinearMix];
//   - files with names and rates: [ReadRecording], [WriteRecording]; images: [ReadImages],
//     [WriteImages]; recordings beyond memory: [OpenStream], [WriteBlocks].
//
// This writes mixed sources of the paper to a file:
//
//	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 1024)
//	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 5, H: datasets.GELU})
//	err = datasets.WriteFile("mixed.csv", x)
//
// The same state of a *rand.Rand gives the same signals on every machine, up to the last bits
// of math.Exp and the like.
//
// References: the paper; A. Hyvärinen, H. Morioka, AISTATS 2017, for LaplaceAR and LayeredMix;
// A. Taleb, C. Jutten, IEEE Transactions on Signal Processing 47(10), 1999, for
// PostNonlinearMix; mnist/README.md and recordings/README.md for the real signals.
package datasets
