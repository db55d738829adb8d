package linear

import "math"

// The numbers that decide. The variables are those that limits_ablation.go can multiply; what half and
// twice of each do is in laboratory/tables/results/numbers.md. A number whose comment has no source is a
// choice.

const (
	// resolution is the noise, in standard deviations, that is added to the whitened signals for
	// estimation only. Signals without noise of their own, like a square wave, have densities and
	// predictions without bound. More hides weaker innovations.
	resolution = 0.03
	// fewSignals is up to how many signals all candidates, rotations of pairs and explanations with
	// noise are tried. Of more each takes so long that only the most promising are.
	fewSignals = 16
	// maxChannels is the most channels for which explanations are compared. At as many it takes
	// four times as long as the separation.
	maxChannels = 32
	// sameLength is by how many nats code lengths may differ that count as the same: less than any
	// decision here asks for.
	sameLength = 0.2
	// minNoiseLike is the smallest correlation of a signal like noise with the weakest principal
	// component, or of several with as many weakest components.
	minNoiseLike = 0.97
	// maxNoiseGainOfTwo is maxNoiseGain for two signals, of which one is often near the weakest
	// component by chance.
	maxNoiseGainOfTwo = 0.015
	// minFidelity is the correlation with its source, as the noise lets expect, below which a signal
	// isn't identified: noise of a tenth of its variance.
	minFidelity = 0.95
)

// MaxCorrelation is the |correlation| of two recovered signals of a sequence above which they aren't
// identified: they have about a tenth of their variance in common.
const MaxCorrelation = 0.3

// certain returns the evidence in nats that leaves no doubt, so that a part of a long sequence decides
// alone. Less decides more sequences by their part.
func certain() float64 { return 10 * minEvidence }

var (
	// Whether a rotation is accepted, and its pairs are identified:

	// angleGain is what an angle must gain, in nats, for a rotation to replace whitening: half a
	// nat is gained by chance, and as much is lost elsewhere (H. Akaike, IEEE Trans. Automatic
	// Control 19(6), 1974). More keeps whitening more often.
	angleGain = 1.
	// minEvidence is the evidence in nats from which signals count as identified: odds of 20 to 1,
	// as for an error of 5 %. More leaves more signals unidentified.
	minEvidence = math.Log(20)

	// Whether signals depend on each other:

	// minIndependence is the probability below which signals don't count as independent. More
	// doubts more right separations.
	minIndependence = 0.01
	// doubtfulDependence is the correlation of the sizes of innovations above which two signals
	// count as dependent. More misses sources that are still mixed.
	doubtfulDependence = 0.1

	// Whether a coarse separation is taken, of more than fewSignals channels:

	// coarseResolution is the noise of the coarse separation, in standard deviations of whitened
	// sequences. What is weaker in a recovered signal can't decide about it. It is a choice.
	coarseResolution = 0.2
	// strongPower is the power of the strongest direction of a frequency band, in mean powers, from
	// which the band counts: 1, as below it no recovered signal has its mean power there.
	strongPower = 1.

	// Which explanation of the channels is chosen:

	// rejection is by how many nats a pair of signals a code may be longer than the shortest by
	// chance: a few times the one to two nats that chance takes. More keeps the rule's demixing
	// more often.
	rejection = 5.
	// settledShare is the share of the tolerance that a step at a coarser time scale may promise
	// for the rule's demixing to be kept without descents there. More saves time and misses better
	// demixings.
	settledShare = 0.3
	// clearlyShorter is by how many tolerances a code must be shorter, at half of the scales or
	// more, for whitening to be left for it. More keeps whitening where noise hides the sources.
	clearlyShorter = 5.
	// minSignal is the least share of a direction's variance that counts as signal: −7 dB. With
	// less, whitening would enlarge noise. It is a choice.
	minSignal = 0.2
	// minChannelNoise is the share of noise in a channel's variance below which images have next to
	// none: that of the resolution. More takes fewer demixings with noise for images.
	minChannelNoise = resolution * resolution

	// Which of the chosen signals are identified:

	// surplusErrors is the evidence for more sources than channels, in standard errors, from which
	// there seem to be some. More misses surplus sources.
	surplusErrors = 3.5
	// nearlyAsGood is how many nats further from the shortest codes a demixing may be for its
	// signals to count beside the chosen ones, and what one without noise must gain if the rule's
	// demixing is doubted: the tolerance for three pairs. More leaves more signals unidentified.
	nearlyAsGood = 15.
	// clearlyLonger is by how many tolerances a code of images must be longer at some scale for its
	// signals not to count. More leaves more signals unidentified. It is a choice.
	clearlyLonger = 6.
	// hidingShare is the share of noise in a signal's variance that must be excluded where nothing
	// shows it: it leaves a correlation of 0.9 with the source. More identifies more, wrong ones
	// too.
	hidingShare = 0.19
	// maxUnseenNoise is the largest share of the channels' variance of noise that nothing excludes
	// beside white signals. More leaves more of these unidentified. It is a choice.
	maxUnseenNoise = 0.05
	// distinctSpread is the largest ratio of the standard deviation of a principal component of
	// noise to that of the next stronger one; several of noise differ by less. More finds one more
	// often.
	distinctSpread = 0.85
	// maxNoiseShare is the largest share of the channels' variance that such noise may have in
	// each.
	maxNoiseShare = 0.25
	// maxNoiseGain is by how many nats per position the code of a signal like noise is shorter than
	// that of white Gaussian noise, at most. More takes weak sources for noise.
	maxNoiseGain = 0.05
	// maxNoiseKurtosis is the largest excess kurtosis of a signal like noise. Heartbeats have five
	// or more.
	maxNoiseKurtosis = 1.
)
