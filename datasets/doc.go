// Package datasets makes and reads the signals that a separation starts from:
// the sources and the mixings of the SICA paper (S. Liu, arXiv:2512.00665), and files.
//
// Signals are gonum matrices of d rows (signals) by T columns (positions), in
// float64. A signal over an image is the image's rows, one after another.
//
//   - [Heart], [AR7], [AR], [LaplaceAR] and [MNIST] make sources.
//   - [Voices], [ECG] and [Photographs] are real ones, built in.
//   - [Mix], [LinearMix], [LayeredMix] and [PostNonlinearMix] mix them.
//   - [ReadFile], [WriteFile], [ReadImages], [WriteImages], [ReadWAV] and
//     [WriteWAV] move them from and to files, which are written whole or not at all.
//   - [DownloadMNIST] and [LoadMNIST] are for the whole of MNIST. Nothing else
//     in this package uses the network.
//
// Every generator takes its own *rand.Rand, and the same state of it gives the
// same signals on every machine up to the last bits of math.Exp and its like.
package datasets
