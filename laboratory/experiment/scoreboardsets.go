package experiment

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// developedSets returns part A of the scoreboard: mixtures as those of the tables, on whose kinds
// sica.Default was developed. Runs are as many as half an hour of a core makes, most of it for the
// wide, long and nonlinear ones.
func developedSets() []boardSet {
	return []boardSet{
		{"noise", fromProblems(listed(upTo(8, noiseMixtures())), noisePositions, 24)},
		{"normal", normalMatrices()},
		{"linear", fromProblems(listed(upTo(8, linearMixtures())), mixturePositions, 24)},
		{"null", fromProblems(listed(nullMixtures()), mixturePositions, 12)},
		{"filtered", fromProblems(listed(filteredMixtures()), filteredPositions, 24)},
		{"quality", linearQuality()},
		{"wide", wideRecordings()},
		{"long", longRecordings()},
		{"nonlinear", slices.Concat(
			fromProblems(mixtureProblems([]string{"laplace-2-leaky3", "laplace-3-leaky2"}), 1024, 8),
			fromProblems(mixtureProblems([]string{"laplace-5-leaky1"}), 4096, 6))},
		{"many", fromProblems(mixtureProblems(manyMixtures[:3]), manyPositions, 2)},
	}
}

// upTo returns the mixtures of at most d signals.
func upTo(d int, all []mixture) []mixture {
	return slices.DeleteFunc(all, func(m mixture) bool { return m.signals > d })
}

// fromProblems returns the mixtures of problems. Their sequences have the given length. Digits have
// one of their own.
func fromProblems(problems []Problem, positions, runs int) []boardMixture {
	var all []boardMixture
	for _, p := range problems {
		if p.Mixture != "" && !strings.Contains(p.Mixture, "digits") &&
			!strings.Contains(p.Mixture, "MNIST") {
			p.Positions = positions
		}
		draw := func(seed uint64) (*mat.Dense, *ica.Signals, error) {
			p := p
			p.Seed = seed
			return p.Draw()
		}
		all = append(all, boardMixture{p.label(), runs, draw})
	}
	return all
}

// board returns a mixture of the scoreboard, with a stream of random numbers of its own.
func board(name string, d, positions, runs int, sources source, mix mixing) boardMixture {
	m := mixture{name, d, streamOf(name), sources, mix}
	return boardMixture{name, runs, func(seed uint64) (*mat.Dense, *ica.Signals, error) {
		return m.draw(seed, positions)
	}}
}

// boardOf returns a noisy kind as a mixture of the scoreboard.
func boardOf(k noisy, positions, runs int) boardMixture {
	name := fmt.Sprintf("%s, d=%d, noise %g", k.name, k.signals, k.noise)
	if positions >= minLongRecording {
		name += fmt.Sprintf(", n=%d", positions)
	}
	return board(name, k.signals, positions, runs, k.allSources, k.mixing(recording{times: 1}))
}

// minLongRecording is the length of a recording from which on its name has it.
const minLongRecording = 20_000

// normalMatrices returns mixtures by normal matrices, some of which are nearly singular, so that
// noise of the channels hides sources.
func normalMatrices() []boardMixture {
	laplace := func(c ...float64) signal { return ar(datasets.Laplace, c...) }
	var all []boardMixture
	for _, k := range []noisy{
		{name: "Laplace AR(1)", signals: 2, sources: each(laplace(0.9), laplace(0.4))},
		{name: "Laplace AR(1)", signals: 4,
			sources: each(laplace(0.9), laplace(0.7), laplace(0.4), laplace(0.1))},
		{name: "white Laplace", signals: 3, sources: several(3, laplace())},
		{name: "uniform AR(1)", signals: 3, sources: each(ar(datasets.Uniform, 0.8),
			ar(datasets.Uniform, 0.5), ar(datasets.Uniform, 0.2))},
		{name: "sine, square, saw", signals: 3, sources: each(wave(sine), wave(square), wave(saw))},
		{name: "Gaussian spectra", signals: 4, sources: several(4, spectrum(4, 0.8))},
		{name: "smooth AR(2)", signals: 2, sources: each(laplace(1.7, -0.8), laplace(1.4, -0.55))},
		{name: "bursts", signals: 2, sources: several(2, bursts)},
	} {
		k.normal = true
		for _, k.noise = range []float64{0, 0.05, 0.15, 0.3} {
			all = append(all, boardOf(k, noisePositions, 24))
		}
	}
	return all
}

// linearQuality returns the linear mixtures of the table quality, and voices.
func linearQuality() []boardMixture {
	problems := slices.DeleteFunc(qualityProblems(), func(p Problem) bool {
		return p.Mixing == GELUMixing || strings.Contains(p.Mixture, "soft-clipped") ||
			strings.Contains(p.Mixture, "tanh") || strings.Contains(p.Mixture, "cubic")
	})
	all := fromProblems(problems, mixturePositions, 24)
	return append(all,
		fromProblems(mixtureProblems([]string{"voice-4-linear", "voice-4-noise1"}), 10_000, 24)...)
}

// fourKinds returns d autoregressions of four kinds of innovations, with different coefficients.
func fourKinds(d int) source {
	kinds := []value{datasets.Laplace, datasets.Uniform, exponential, datasets.Normal}
	return kindsOf(d, kinds...)
}

// kindsOf returns d AR(1) with coefficients from 0.95 down to 0.1, and innovations of the kinds in
// turn.
func kindsOf(d int, kinds ...value) source {
	signals := make([]signal, d)
	for i := range signals {
		c := 0.95 - 0.85*float64(i)/float64(max(d-1, 1))
		signals[i] = ar(kinds[i%len(kinds)], c)
	}
	return each(signals...)
}

// wideRecordings returns recordings of many channels, two of them like an EEG's with more sources
// than channels.
func wideRecordings() []boardMixture {
	const positions = 10_000
	var all []boardMixture
	for _, d := range []int{19, 32, 48, 64} {
		for _, noise := range []float64{0, 0.1} {
			laplace := noisy{name: "Laplace AR(1)", signals: d, noise: noise,
				sources: kindsOf(d, datasets.Laplace)}
			four := noisy{name: "AR(1) of four kinds", signals: d, noise: noise, sources: fourKinds(d)}
			all = append(all, boardOf(laplace, positions, 6), boardOf(four, positions, 6))
		}
	}
	for _, d := range []int{19, 32} {
		signals := []signal{pulses(38, 380, 1280), pulses(15, 200, 235), alpha, alpha}
		amplitudes := []float64{60, 30, 20, 20}
		for i := len(signals); i < d; i++ {
			signals = append(signals, ar(datasets.Laplace, 0.9-0.8*float64(i)/float64(d)))
			amplitudes = append(amplitudes, 10)
		}
		all = append(all, boardOf(noisy{name: "EEG with surplus sources", signals: d, noise: 0.5,
			sources: each(signals...), amplitudes: amplitudes, surplus: d / 2, surplusShare: 0.3},
			positions, 6))
	}
	return all
}

// longRecordings returns recordings of 20,000 and 100,000 positions.
func longRecordings() []boardMixture {
	laplace := noisy{name: "Laplace AR(1)", signals: 4, sources: kindsOf(4, datasets.Laplace)}
	four := noisy{name: "AR(1) of four kinds", signals: 8, sources: fourKinds(8)}
	flaring := noisy{name: "bursts", signals: 2, sources: several(2, bursts)}
	spoken := noisy{name: "voices", signals: 4, sources: voices(4)}
	varying := noisy{name: "GARCH", signals: 4,
		sources: several(4, garch(0.5, 1, 0.1, 0.3, 0.6, 200))}
	var all []boardMixture
	add := func(k noisy, noise float64, positions int) {
		k.noise = noise
		all = append(all, boardOf(k, positions, 6))
	}
	add(laplace, 0.1, 20_000)
	add(four, 0, 20_000)
	add(spoken, 0, 20_000)
	add(spoken, 0.1, 20_000)
	add(flaring, 0.1, 20_000)
	add(laplace, 0, 100_000)
	add(four, 0.1, 100_000)
	add(varying, 0, 100_000)
	add(flaring, 0, 100_000)
	return all
}
