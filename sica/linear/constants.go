package linear

import (
	"math"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
)

// The constants on which the decisions of the rule depend. Measurements are those of the table
// linear (scripts/tables) unless another test is named; "a choice" means that nothing was measured.

const (
	// resolution is the noise, in standard deviations, that is added to the whitened signals
	// for estimation only. Signals without noise of their own, like a square wave, have
	// densities and predictions without bound: sine, square and sawtooth end at an MCC of 0.40
	// without it and at 0.999 with it. Half of it still bounds them; twice hides innovations
	// below 0.06 standard deviations.
	resolution = 0.03

	// significance is how many standard errors a difference or a correlation must be away
	// from 0 to overrule the code length: five, as for a discovery in physics. Half of it
	// doubts one in a hundred right separations; twice needs four times the positions.
	significance = 5

	// doubtfulDependence is the correlation of the sizes of innovations above which signals
	// count as dependent. Of 80 triples of digits those below it were recovered with an MCC of
	// 0.976 or more, those above it with 0.73 to 0.999.
	doubtfulDependence = 0.1

	// independenceLags is up to which lag the innovations of two signals are compared. It is a choice.
	independenceLags = 3
	// largestMeasured is the number of positions of the longest mixtures by which limits were measured.
	// Longer ones must depend on each other, or contradict their models, as much as is significant there:
	// in a long recording any dependence is. Of 12 recordings of 160,000 positions (four voices, EEG-like
	// processes and machines, with noise of 0 and 3 %), each as a whole and by a part of 65,536, all 24
	// are identified, rightly, with this and with the joints of the part, 15 without both. Half and twice
	// of it weren't measured.
	largestMeasured = 20000
	// minIndependence is the probability below which signals don't count as independent. Of 224
	// mixtures of 1,024 and 2,500 positions whose signals were all identified, rightly, 10 have less,
	// six of them of voices or bursts; of 11 that were wrong, with surplus sources, 4. With a tenth of
	// it 5 and 4.
	minIndependence = 0.01

	// angleGain is what an angle must gain, in nats, to be worth estimating: half a nat is
	// gained by chance, and as much is lost elsewhere (H. Akaike, IEEE Trans. Automatic
	// Control 19(6), 1974). Half of it accepts rotations of noise; twice asks for e times the
	// odds for each angle.
	angleGain = 1
)

// identified is the evidence in nats from which signals count as identified: odds of 20 to 1,
// as for an error of 5 %. Half of it is 4.5 to 1, twice 400 to 1.
var identified = math.Log(20)

// certain is the evidence in nats that leaves no doubt, so that a part of a long sequence decides
// alone. It is a choice; half of it decides more sequences by their part.
var certain = 10 * identified

// Candidates and descents.
const (
	// fewSignals is up to how many signals all candidates, rotations of pairs and explanations with noise
	// are tried. Of more each takes so long that only the most promising are. It is a choice.
	fewSignals = 16
	// fastICAIterations bounds FastICA's iterations for a candidate. Its end only has to lie
	// in the right basin, for which 20 suffice as a rule; twice of it costs time only.
	fastICAIterations = 100
	// briefIterations bounds them for more than fewSignals signals, at minBriefPositions for each, or
	// for FastICA of the signals after that of their innovations has converged. Of 64 signals at 4,000
	// and 10,000 positions the codes after 20, 40 and 100 are the same, after 10 one is longer.
	briefIterations = 30
	// It also bounds those for manySignals or more with fewer than minHopefulPositions for each, where
	// FastICA doesn't find the sources. The MCC of 300 Laplace AR(1) sources at 4,000 positions is 0.2;
	// that of 100 is 0.45 at 1,600, 0.57 to 0.92 at 2,000 and 0.97 at 2,400. That of 24 at 370 is 0.86,
	// and would be 0.84 with briefIterations.
	minHopefulPositions, manySignals = 16, 64
	// fastICATolerance ends them: scikit-learn's default. Twice of it is an angle of a degree,
	// which a descent corrects in a step.
	fastICATolerance = 1e-4
	// maxPredictors bounds the values that the innovations of all signals together are
	// predicted from, d for each lag. It bounds time and memory (512² moments); half of it
	// shortens pasts from 22 signals on.
	maxPredictors = 512
	// firstValues is how many values of each signal's past are tried first. Of 16 signals, with the 24
	// of maxLags it takes 5 ms, a fiftieth of the separation of 20,000 positions. Half of it misses more
	// pasts that begin late. It is a choice.
	firstValues = 8
	// maxSweeps and sweepTolerance (radians) end joint diagonalisation. A candidate's angle
	// only has to be right to some degrees.
	maxSweeps, sweepTolerance = 30, 1e-4

	// maxSteps bounds the steps of a descent: half have ended after 6 and 98 of 100 after 30.
	maxSteps = 60
	// firstSteps is that of the candidates after the first, of which half have ended by then.
	// Twice of it costs the time of as many descents.
	firstSteps = 6
	// minBriefPositions is how many positions a signal must have for the models of such a candidate
	// not to be chosen anew in its first steps. At 32, with 32 signals, that costs an MCC of
	// 0.0002 to 0.006; twice and half of it are choices.
	minBriefPositions = 64
	// minSufficient is how many positions a signal must have for one candidate to suffice: with fewer
	// its evidence is seldom certain. It is a choice.
	minSufficient = 200
	// promising is how many nats per signal such a candidate may lie behind to go on. It is a
	// choice: half of it gives up some slow descents, twice follows hopeless ones.
	promising = 20
	// maxRotations is how often pairs of signals that a descent left mixed are rotated. Of 64 signals
	// at 20,000 positions one is enough. It is a choice.
	maxRotations = 3
	// sameLength is by how many nats code lengths may differ that count as the same: less
	// than any decision here asks for.
	sameLength = 0.2
	// basinShare is the share of a signal's power from which two demixings recover the same
	// one: an angle of 13 degrees, a third of that to the boundary of two basins.
	basinShare = 0.95

	// minEigenvalue bounds a pair's curvature from below, so that a step is at most 20
	// gradients. Twice of it takes more steps where signals are hardly distinguishable.
	minEigenvalue = 0.05
	// minSlope is the same for a score's slope, as a share of its mean square: at the edge of
	// a density the slope says little.
	minSlope = 0.2
	// maxStep bounds the entries of a step, 0.7 being an angle of 40 degrees: farther is a
	// permutation.
	maxStep = 0.7
	// A step that doesn't shorten the code shrinks by this factor, as long as it promises enough.
	shrink = 0.4
	// minGain is how many nats in all a step must promise and gain for the descent to go on: a
	// twentieth of sameLength.
	minGain = 0.01
	// minEntryGain is the same for each entry of the demixing, if that is more: 1/500 of what chance
	// gains. With five times of it the code of 32 signals at 1,024 positions is longer by 30 to 90 nats,
	// and their evidence smaller by 15 to 45.
	minEntryGain = 0.001

	// maxDoubted is the most signals whose dependence is compared, and glance the most
	// positions, about the middle. Of 8 signals at 4096 positions a comparison takes 0.12 s
	// where the separation takes 1.9 s, at 16384 positions 0.9 s and 2.6 s, and there is one
	// for each of a dozen descents (one core of an AMD EPYC). Beyond, it would take longer
	// than all the rest.
	maxDoubted, glance = 8, 4096
)

// spectraLags are the lags whose covariances the candidate from spectra makes diagonal: the
// nearest, and some that reach further (A. Belouchrani, K. Abed-Meraim, J.-F. Cardoso, E.
// Moulines, IEEE Trans. Signal Processing 45(2), 1997).
var spectraLags = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 24, 32, 48, 64, 100}

// varianceBlocks are into how many blocks the candidate from variances cuts the positions.
var varianceBlocks = []int{8, 32}

// Long sequences.
const (
	// minLong is from how many positions on a sequence is long. The part that decides has
	// partPositions, or partPerSignal for each signal if that is more, and at most half of all. With
	// it 76 mixtures (38 kinds, 20,000 positions) have the same groups as with twice of it and MCCs
	// equal to 0.00002, in two thirds of the time. With it 32 and 64 Laplace AR(1) sources have the
	// same groups as with twice of it, too.
	minLong, partPositions, partPerSignal = 16384, 4096, 128
	// noisePart is in how many times as many positions noise is looked for. With half of it
	// it seemed to be in 3 of 6 clean mixtures of 4 and 16 signals; twice takes twice as long. If
	// there are fewer than an eighth more positions than that, it is looked for in all.
	noisePart = 4
	// polishSteps bounds the steps with all positions, which end when the next, which is the last,
	// promises less than polishGain nats for each entry of the demixing: half of what chance gains.
	// What a step promises falls to a twentieth or less from step to step. One to three are made.
	polishSteps, polishGain = 8, 0.25
	// errorPositions is how many positions the errors of the demixing are computed from, at most, in
	// blocks spread over all. It makes them known to two or three hundredths, twice of it to 0.7 of that.
	errorPositions = 1 << 13
	// unusualErrors and unusualNats are by how many standard deviations of the part's blocks,
	// and nats per position in addition, the code of a block may be longer than theirs. Longer
	// ones are of what doesn't occur in the part. Both are choices; half of them finds chance.
	unusualErrors, unusualNats = 8, 0.1
)

// Frequencies that a recording doesn't have.
const (
	// powerBands is into how many bands the frequencies are divided to see where the power ends,
	// and minBandWidth how many coefficients each has at least. With 64 bands the end of a recording
	// at twelve times the rate that it needs isn't seen sharply enough.
	powerBands, minBandWidth = 256, 4
	// powerBlock is the length of a block of Welch's method. All signals together have maxPowerBlocks,
	// and each has minPowerBlocks or more, as far as they overlap by a half at most. Twice of them costs
	// time only.
	powerBlock, maxPowerBlocks, minPowerBlocks = 4096, 32, 2
	// maxOccupied is the share of the frequencies below which those that have power count as all: a
	// recording is then taken at a lower rate. Of 300 noisy mixtures that a filter of order 4 had
	// low-passed (10 kinds, 2,500 positions) the mean MCC was 0.888 with it, 0.886 with a half of the
	// frequencies, in 0.8 of the time.
	//
	// The edge of a low-pass filter counts below it, too, as edges near the highest frequency touch few
	// bands. With all edges the components of two electrodes in a recorded ECG, filtered at 0.79, had
	// cosines of 0.97 and 0.64 with what the electrodes' places say; with these 0.98 and 0.90.
	maxOccupied = 0.75
	// minLowered is how many positions are left at the lower rate, at least. It is a choice.
	minLowered = 512
	// filterSlope is by which factor the power falls in half an octave, at least, from the edge of
	// a filter on: 15 dB an octave, less than a filter of order 4 has and more than most sources.
	// filterLevel is the share of the power at its edge down to which noise counts as white. With
	// slopes of 5.6 and 8 and levels of a quarter and a half the mean MCC of 200 of these mixtures
	// was 0.922 to 0.923 each time, 0.913 without the search for an edge.
	filterSlope, filterLevel = 5.6, 0.25
	// A high-pass filter is seen if the weakest direction has at the lowest frequencies at most the share
	// blockedPower of its power at any other. Up to the filter's edge less than the share passedPower of
	// the power is left, or it rises by the factor risingPower in an octave; that of the simplest filter
	// is 4. Of 72 band-passed mixtures with noise the mean MCC is 0.9684, and 0.9628 without the search
	// for an edge. It is 0.9661 and 0.9688 with a blockedPower of 0.25 and 1, 0.9684 and 0.9648 with
	// a passedPower of 0.1 and 0.4, 0.9677 and 0.9679 with a risingPower of 1.4 and 3.
	blockedPower, passedPower, risingPower = 0.5, 0.2, 2
)

// Models of signals.
const (
	// maxLags is the most values of a sequence's past that a signal is predicted from: three
	// times the order of the paper's AR(7). Code length decides how many are used, so twice of
	// it only costs time, and half is enough for such sources.
	maxLags = 24
	// maxNeighbours is the same for images and videos: complete shells up to √10 positions
	// away in an image. Half of it is one shell of eight.
	maxNeighbours = 18
	// positionsPerLag is how many positions are wanted for each weight of one signal, and
	// positionsPerWeight for each of the weights that one value of all signals has. Both are
	// choices, which matter below 300 positions.
	positionsPerLag, positionsPerWeight = 12, 3

	// A window of the local scale has 8 positions on each side, or 32, 128, 512 or 2048. Code
	// length decides which; the factor is a choice.
	firstWindow, windowFactor, lastWindow = 8, 4, 2048
	// overallShare is the share of the local scale that is the signal's overall scale, so
	// that it is never 0: about that of one value among the 8 nearest on either side.
	overallShare = 0.1

	// windowNats and windowShare are by how many nats, in all or a position, a window's code with
	// simple densities may be longer than the shortest for a density to be fitted with it.
	// Densities change the order by less as a rule: both are choices, twice costs time only.
	windowNats, windowShare = 20, 0.01

	// whiteningRounds is how often the prediction and the whitening of its error are found in
	// turn. The second round changes the code by less than sameLength as a rule.
	whiteningRounds = 3
	// maxNonlinearity is the largest componentwise nonlinearity that is tried: at 1 its slope
	// would vanish on one side.
	maxNonlinearity = 0.9
)

// Explanations with noise of the channels.
const (
	// maxChannels is the most channels for which noise is looked for. Of ten EEGs of a forward model with
	// 32 channels, 45 sources that burst and muscles, the ten strongest sources correlate with the nearest
	// signals by 0.82 with it and 0.77 without. The search takes four times as long as the separation.
	maxChannels = 32
	// minPositions is how many positions a time scale must have, five for each of the 24 past
	// values. Of three instruments with noise of 0.02 to 0.2 (2,000 positions, 8 mixtures
	// each) the mean MCC was 0.943, 0.957 and 0.862 with 200, and 0.966, 0.963 and 0.896 with
	// 120.
	minPositions = 120
	// fastICAStarts is from how many starts FastICA's demixing is a candidate. Its contrast has
	// several maxima; a third start finds no other in most mixtures. It is a choice.
	fastICAStarts = 2
	// correctionRounds is how often a textbook method's mixing is corrected by the noise that it
	// implies. Of 160 mixtures of three and four AR(1) with noise of 0.2 and 0.3 (n = 2,500, normal
	// matrices) the mean MCC is 0.838, 0.846, 0.849 and 0.850 with 1, 2, 3 and 6 rounds.
	correctionRounds = 3
	// maxSpectraLag is the largest lag of the covariances that are made diagonal together, as
	// in EEGLAB's SOBI.
	maxSpectraLag = 100
	// distinct is the correlation from which two methods' signals are the same. Half as near
	// to 1 keeps FastICA's from two starts apart, which costs time only.
	distinct = 0.9999
	// sameChoice is the correlation from which two signals share the choices of their model: an
	// angle of 8 degrees. Choosing takes five times as long as fitting. It is a choice.
	sameChoice = 0.99
	// mostNoiseShare is the strongest noise that is tried, as a share of the weakest principal
	// component's variance. Of 24 mixtures of bursts with noise of 0.2 the mean MCC is 0.885, 0.902 and
	// 0.891 with 0.7, 0.9 and 0.97, and 0.866 without.
	mostNoiseShare = 0.9
	// maxCorrelation is the correlation between signals of an explanation, beyond that of the noise, up to
	// which it may be chosen among surplus sources: sources aren't correlated. Of 96 synthetic EEGs with
	// surplus sources (n = 2,500) the mean MCC is 0.003 higher with it.
	maxCorrelation = 0.25
	// minSignal bounds from below which share of a direction's variance isn't noise. A fifth is
	// a signal at −7 dB; beyond, its whitening would be noise enlarged.
	minSignal = 0.2
)

// Spectral matching.
const (
	// maxBands is how many frequency bands there are at most. Half of it hides narrow peaks;
	// twice leaves too few coefficients in each below 2,000 positions.
	maxBands = 40
	// skippedCoefficients are left out at the lowest frequencies: trends aren't noise, and
	// their few coefficients say nothing of a power. Their number is a choice.
	skippedCoefficients = 8
	// matchSteps bounds the quasi-Newton steps of spectral matching, which ends if five gain
	// less than matchTolerance nats, a quarter of sameLength.
	matchSteps, matchTolerance = 150, 0.05
	// Noise is searched for if it promises to gain more than the share minScoreGain of the code length
	// of its powers. Chance promises half a nat for each power, an eighth of its code length at 3,000
	// positions. Twice of it leaves less room for gains that the derivatives underestimate; it is a
	// choice.
	minScoreGain = 0.25
	// curvatureMemory is how many steps say how the loss is curved, as in Nocedal's article.
	curvatureMemory = 20
	// maxLogStep bounds the change of a logarithm in a step: e³ is 13 dB.
	maxLogStep = 3
	// sufficientDecrease is the share of the expected gain that a step must have: the usual
	// constant of Armijo's rule.
	sufficientDecrease = 1e-4
	// noiseSimilarity is the weight in nats of the squared deviations of log N from their
	// mean: a standard deviation of 0.5. Of 8 kinds of noisy mixtures (8 of each) the mean MCC
	// was 0.925 without it, 0.924 with 1, 4 and 0.918 with equal noise in all channels; the
	// share of a channel's noise is nearer to the truth with it.
	noiseSimilarity = 4
	// initialNoise is where the search for the noise begins, as a share of a channel's
	// variance: noise of 5 %. minPower bounds the powers at which it begins.
	initialNoise, minPower = 0.003, 1e-12
)

// The choice among explanations.
const (
	// rejection is by how many nats a pair of signals a code may be longer at a coarser scale
	// than the shortest there. Chance takes one to two nats an angle. 3.5, 5 and 8 gave the
	// same means, of 31 kinds with and without noise, to 0.01 except for twelve sources in
	// eight channels (0.929, 0.924, 0.910).
	rejection = 5
	// clearRejection is by how many tolerances a code must be longer than another at some scale for that
	// scale to count as all scales. Half and twice of it weren't measured.
	clearRejection = 3
	// misfitPositions is from how many positions on the tolerance grows with them if there are
	// surplus sources: the length of the synthetic EEGs on which rejection was measured. Of eight
	// channels with twelve sources (20,000 positions, 4 mixtures) the mean MCC is 0.929 with it,
	// 0.907 without, 0.929 with half and 0.917 with twice of it; SOBI's is 0.930.
	misfitPositions = 3000
	// driftBlocks is into how many parts a sequence is divided to see whether the demixing changes, and
	// driftWaves how many cosines of time the change may have: the slowest. They are choices. With fewer
	// positions than minDriftPositions a part has too few.
	driftBlocks, driftWaves, minDriftPositions = 16, 3, 512
	// A change counts if its probability by chance is below minDriftProbability, and if it costs a signal
	// more than minDriftError of its correlation with the source. Of 190 mixtures without noise (38 kinds,
	// 1,024 and 20,000 positions) one has less than that probability. Sampling costs 0.0007 in the mean of
	// such mixtures at 1,024 positions. Both are choices.
	minDriftProbability, minDriftError = 1e-3, 2e-4
	// settledShare is the share of the tolerance that a step at a coarser time scale may promise
	// for the rule's demixing to be kept without descents there. All of 228 mixtures without noise (38
	// kinds, n = 1,024) have the same signals as with descents, to the bit. Seven have more that are
	// identified, all rightly. The median time is 0.6 of that with descents, and 0.8 at 0.2. Of 114
	// mixtures, most with noise (n = 2,500), 14 would be kept that descents don't keep at once, and 16
	// at 0.5. Those of 105 with noise that were run had the same signals to 0.001.
	settledShare = 0.3
	// rivalShare is the share of the tolerance by which the code of a rival without noise must be
	// shorter at the coarsest time scale to be measured at the others, too. 550 mixtures of the table
	// of noise are decided as with all rivals at all scales. It is a choice.
	rivalShare = 1. / 16
	// settledPositions is how many positions the finest scale has that decides this in a long
	// sequence. Of 79 searches (n = 2,500) the finest scale but one alone decided a single one. With it
	// 50 mixtures of 20,000 positions (the kinds of the table of noise) have the same MCCs to 0.0001
	// as with all scales.
	settledPositions = 4096
	// nearlyAsGood is by how many nats the code of a demixing may be longer, over all time scales
	// and however many signals there are, for its signals to count: the tolerance for three. With
	// that of twelve, 330, Laplace AR(1) processes beside Gaussian noise weren't identified.
	nearlyAsGood = 3 * rejection
	// minChannelNoise is the share of noise in a channel's variance from which a choice of most
	// time scales is kept: the square of the resolution. AR(7) after five GELU steps, which
	// aren't linear, imply 0.0003; three instruments with noise of 0.05 imply 0.003 to 0.02. With
	// half and twice of it these decide the same.
	minChannelNoise = resolution * resolution
	// clearlyShorter is by how many tolerances a code must be shorter, at half of the scales or
	// more, for whitening to be left for it. Two hearts beside noise of 0.02 gain 10 to 30, two
	// short synthetic EEGs with surplus sources (n = 1,024) 8 to 9, AR(7) processes of equal
	// spectra after ten small GELU steps up to 3, except at the finest scale, where they gain up to
	// 17. Half of it leaves whitening for one of 12 of these; twice misses the EEGs.
	clearlyShorter = 5
	// clearlyLonger is by how many times the rejection of each pair that it mixes the code of another
	// demixing of images must be longer at a time scale for their signals to be identified. Of 96
	// mixtures of digits (24 triples, noise of 0 to 0.2) it is longer by 13 times or more in the 43
	// right ones, and by 6 times at most in the four wrong ones that are refused; by 8 times for two
	// textures of 64×64. Half of it refuses one wrong mixture less, twice the textures.
	clearlyLonger = 6
)

// Surplus sources, and noise that the models miss.
const (
	// surplusErrors is the evidence for surplus sources, in standard errors, from which there
	// seem to be some, and surplusParts is into how many parts of the positions it looks. Of 208
	// mixtures with noise but without surplus sources (26 kinds) one is above it, of 32 synthetic
	// EEGs with one to eight surplus sources 19; above 5, 11 of these. With 2 parts 8 of the 208
	// and 17 of the 32 are above it, with 8 parts none and 18.
	surplusErrors, surplusParts = 3.5, 4
	// explainedErrors is the evidence below which a demixing that fits the spectra better explains
	// them. Twice of it hides half of the surplus sources at 2,500 positions.
	explainedErrors = 1
	// windowedPositions is from how many positions on windowed parts decide that. At 20,000, of 15
	// mixtures of a sine, a square wave and a sawtooth 2 are above it with Hann's window and 11
	// without, of 15 synthetic EEGs with surplus sources all are. At 2,500 the window, which uses
	// less of the positions, hides half of these.
	windowedPositions = 8192
	// suspectedSurplusErrors is the same for a suspicion. Networks must explain more then: between 2.5 and
	// 3.5 one of 180 mixtures (30 kinds) was given to one. Of 255 nonlinear mixtures 4 have more, and
	// networks are fitted to 239 with and without it.
	suspectedSurplusErrors = 2.5
	// Noise that spectra don't show is significant from significantNoise standard errors on. White signals
	// that it may hide aren't identified, with one standard error more than the estimate, but at most
	// maxUnseenNoise of the channels' variance. Of 1,152 mixtures of white sources with noise (Laplace,
	// uniform and exponential, d = 2 to 6, n = 2,500) 747 were identified without this, 183 wrongly;
	// 413 are with it, none wrongly. Of 288 without noise 286 are, as before. With 0.03 for
	// maxUnseenNoise 3 of 428 are wrong, with half a standard error none of 429, though at n = 1,000
	// 3 of 190 in place of 1 of 169. By significant noise alone 30 of 489 are, 23 of 465 with 2 for
	// significantNoise. minScoreShare is the share of a pair's score that angles must leave unexplained
	// for it to count; of two Gaussian signals it is 0. It is a choice.
	significantNoise, minScoreShare, maxUnseenNoise = 3, 0.01, 0.05
	// excludedFidelity is the correlation with its source below which noise must be excluded that nothing
	// shows. Of 1,440 mixtures of two channels by normal matrices with noise of 0.02 to 0.3 (eight kinds,
	// n = 1,024 to 6,000) 778 were identified rightly and 91 wrongly without it; 740 are with it, six
	// wrongly, without the floor by chance of floorCost. Of 288 without noise 281 are, 282 before. With
	// 0.923 about twice as many right ones are refused. With that floor 296 of 768 other mixtures of two
	// channels are identified rightly (four kinds, noise of 0 to 1, n = 2,500), and one wrongly; without it
	// 322 and 25.
	excludedFidelity = 0.9
	// minFidelity is the correlation with its source, as the noise lets expect, below which a
	// signal isn't identified: noise of a tenth of its variance.
	minFidelity = 0.95
)

// Signals like noise. Of 750 mixtures by normal matrices with columns of length 1 (d = 2 to 8, n = 1,000
// to 8,000, noise of 0 to 0.3, five kinds of sources with a memory) 355 were identified without these
// constants, 35 wrongly, and 323 are with them, three wrongly: none that was right is lost. Nor was one
// of 98 with a white Gaussian source. Half and twice of them weren't measured.
const (
	// minNoiseLike is the smallest correlation of a signal like noise with the weakest principal
	// component, or of several such signals with as many weakest components. With 0.9 one more of 16
	// wrong mixtures is found.
	minNoiseLike = 0.97
	// distinctSpread is the largest ratio of the standard deviation of such a component to that of the
	// next stronger component. Several such components differ by less than this ratio.
	distinctSpread = 0.85
	// maxNoiseShare is the largest share of the channels' variance that noise as strong as such a
	// component would have in each channel.
	maxNoiseShare = 0.25
	// maxNoiseGain is by how many nats per position the code of a signal like noise is shorter than that
	// of white Gaussian noise, at most. maxNoiseGainOfTwo is that for two signals, of which one is
	// often near the weakest component by chance.
	maxNoiseGain, maxNoiseGainOfTwo = 0.05, 0.015
	// maxNoiseKurtosis is the largest excess kurtosis of a signal like noise. It is a choice: the
	// heartbeats of a synthetic EEG have 5, and noise of 1,000 positions has a standard error of 0.15.
	maxNoiseKurtosis = 1
)

// timeScales are how many positions become one. At 8 and 16, three instruments, bursts and EEG
// with noise are recovered best; Laplace AR(1) and smooth AR(2) processes at 1 and 2. Each
// costs half of the one before.
var timeScales = []int{1, 2, 4, 8, 16}

// nonlinearitySteps are the steps of the search for a nonlinearity: it ends known to a
// twentieth.
var nonlinearitySteps = []float64{0.4, 0.2, 0.1, 0.05}

// newPast returns the past of d signals with positions of the given shape.
func newPast(shape []int, d int) *past.Past {
	n := grid.Product(shape)
	limit := maxLags
	if len(shape) > 1 {
		limit = maxNeighbours
	}
	limit = min(limit, n/positionsPerLag, n/(positionsPerWeight*d))
	return past.New(shape, past.Nearest(shape, limit))
}
