package linear

import "math"

// The numbers that decide. limits_ablation.go can multiply the variables;
// laboratory/tables/results/numbers.md has what half and twice of each do. A number whose comment
// has no source is a choice.

const (
	// resolution is the standard deviation of the noise that is added to the whitened signals for
	// estimation only. Without it the likelihood of a noiseless signal, such as a square wave, has
	// no bound. More noise hides weaker innovations.
	resolution = 0.03
	// fewSignals is the largest number of signals for which all candidates, rotations of pairs and
	// explanations with noise are tried. With more signals only the most promising are, to save
	// time.
	fewSignals = 16
	// maxChannels is the largest number of channels for which explanations are compared. The
	// comparison then takes four times as long as the separation.
	maxChannels = 32
	// sameLength is the difference in nats up to which code lengths count as equal: less than any
	// decision here requires.
	sameLength = 0.2
	// minNoiseLike is the smallest correlation of a noise-like signal with the weakest principal
	// component, or with the space of the m weakest components if m signals are noise-like.
	minNoiseLike = 0.97
	// maxNoiseGainOfTwo replaces maxNoiseGain for two signals, since one of two is often near the
	// weakest principal component by chance.
	maxNoiseGainOfTwo = 0.015
	// minFidelity is the correlation between a signal and its source, as expected from the noise,
	// below which the signal isn't identified: a tenth of its variance is noise then.
	minFidelity = 0.95
)

// MaxCorrelation is the absolute correlation above which two recovered signals of a sequence aren't
// identified: they then have about a tenth of their variance in common.
const MaxCorrelation = 0.3

// certain returns the evidence in nats that counts as certain, so that a part of a long sequence
// decides alone. With less, a part would decide for more sequences.
func certain() float64 { return 10 * minEvidence }

var (
	// Whether a rotation is accepted, and its pairs are identified:

	// angleGain is the gain in nats, for each angle, that a rotation needs to replace whitening:
	// chance gains half a nat on these data, and loses as much on others (H. Akaike, IEEE Trans.
	// Automatic Control 19(6), 1974). More keeps whitening more often.
	angleGain = 1.
	// minEvidence is the least evidence in nats of identified signals: odds of 20 to 1, as for an
	// error of 5 %. More leaves more signals unidentified.
	minEvidence = math.Log(20)

	// Whether signals depend on each other:

	// minIndependence is the probability (Findings.Independence) below which signals count as
	// dependent. More rejects more correct separations.
	minIndependence = 0.01
	// doubtfulDependence is the correlation of the absolute innovations of two signals above which
	// the signals count as dependent. More misses sources that are still mixed.
	doubtfulDependence = 0.1

	// Whether a coarse separation is taken, of more than fewSignals channels:

	// coarseResolution replaces resolution in a coarse separation: a standard deviation, for
	// whitened sequences. Anything weaker in a recovered signal can't decide about that signal. It
	// is a choice.
	coarseResolution = 0.2
	// strongPower is the least power of the strongest direction in a frequency band that counts,
	// relative to the mean power: 1, since no recovered signal reaches its mean power in a weaker
	// band.
	strongPower = 1.

	// Which explanation of the channels is chosen:

	// rejection is the excess over the shortest code, in nats per pair of signals, that may be due
	// to chance: a few times the one or two nats that chance adds. More keeps the rule's demixing
	// more often.
	rejection = 5.
	// settledShare bounds the gain that a step at a coarser time scale promises, as a share of the
	// tolerance. Up to this gain the rule's demixing is kept without descents at that scale. More
	// saves time and misses better demixings.
	settledShare = 0.3
	// clearlyShorter is the reduction of the code length, in tolerances, that replaces whitening by
	// another explanation. It must be reached at half of the scales or more. More keeps whitening
	// where noise hides the sources.
	clearlyShorter = 5.
	// minSignal is the smallest share of the variance along a direction that is taken for signal:
	// −7 dB. With less, whitening would amplify noise. It is a choice.
	minSignal = 0.2
	// minChannelNoise is the share of noise in a channel's variance below which an image counts as
	// noiseless: the share of the resolution. More accepts fewer demixings with noise for images.
	minChannelNoise = resolution * resolution

	// Which of the chosen signals are identified:

	// surplusErrors is the evidence, in standard errors, above which there seem to be more sources
	// than channels. More misses surplus sources.
	surplusErrors = 3.5
	// nearlyAsGood bounds by how many nats the distance of a demixing that counts beside the chosen
	// one exceeds that one's. It is also the gain that a demixing without noise needs if the rule's
	// demixing is doubted. It equals the tolerance for three pairs. More leaves more signals
	// unidentified.
	nearlyAsGood = 15.
	// clearlyLonger is the excess code length, in tolerances at some scale, above which a demixing
	// of images doesn't count beside the chosen one. More leaves more signals unidentified. It is a
	// choice.
	clearlyLonger = 6.
	// hidingShare is the share of undetected noise in a signal's variance that must be ruled out.
	// Such noise leaves a correlation of 0.9 with the source. More identifies more signals, wrong
	// ones included.
	hidingShare = 0.19
	// maxUnseenNoise is the largest share of undetected noise in the channels' variance that is
	// considered for white signals, since spectra can't rule it out. More leaves more white signals
	// unidentified. It is a choice.
	maxUnseenNoise = 0.05
	// distinctSpread separates principal components of noise from those of signals: the strongest
	// noise component has at most this ratio to the next stronger component, in standard
	// deviations. Noise components differ by less. More finds noise more often.
	distinctSpread = 0.85
	// maxNoiseShare is the largest share of the total variance that noise-like signals imply for
	// noise in all channels.
	maxNoiseShare = 0.25
	// maxNoiseGain is the largest gain of a noise-like signal, in nats per position: the code of
	// white Gaussian noise is longer by at most this. More takes weak sources for noise.
	maxNoiseGain = 0.05
	// maxNoiseKurtosis is the largest absolute excess kurtosis of a noise-like signal. Heartbeats
	// have five or more.
	maxNoiseKurtosis = 1.
)
