package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
)

const (
	// noisePrefix begins the names of mixtures with noise; rows of the table leave it out.
	noisePrefix = "noise: "
	noiseStream = 42
	// noisePositions is the length of their sequences unless an option says another: ten seconds
	// at the 250 Hz of an EEG.
	noisePositions = 2500
	// wrongCorrelation is the correlation with its source below which a recovered signal is wrong.
	// A separation is right without such a signal. It is a choice.
	wrongCorrelation = 0.9
)

// A noisy kind of mixture has white noise in each channel, and perhaps more sources than channels.
type noisy struct {
	name    string
	signals int
	sources source
	// noise is its standard deviation. The sources have those of amplitudes, 1 if it is nil.
	noise      float64
	amplitudes []float64
	// surplus is the number of further sources, each a surplusSource. Each has the given share of the
	// last amplitude.
	surplus      int
	surplusShare float64
	// normal is whether the matrix is normal, whatever its condition number.
	normal bool
}

// recorded returns the mixture of that kind as r records it.
func (k noisy) recorded(prefix string, r recording) mixture {
	return mixture{
		prefix + k.name + r.name, k.signals, noiseStream, r.sources(k.allSources), k.mixing(r),
	}
}

// allSources draws the sources, the surplus ones last.
func (k noisy) allSources(rng *rand.Rand, n int) (*mat.Dense, []int, error) {
	s, shape, err := k.sources(rng, n)
	if err != nil || k.surplus == 0 {
		return s, shape, err
	}
	surplus, _, err := several(k.surplus, surplusSource)(rng, n)
	if err != nil {
		return nil, nil, err
	}
	var all mat.Dense
	all.Stack(s, surplus)
	return &all, shape, nil
}

// surplusSource is an AR(1), or an AR(2) if i is odd, with Laplace innovations.
func surplusSource(rng *rand.Rand, i, n int) func(int) float64 {
	weight := 0.3 + 0.6*rng.Float64()
	if i%2 == 1 {
		return ar(datasets.Laplace, 1.6*weight, -0.8*weight*weight)(rng, i, n)
	}
	return ar(datasets.Laplace, weight)(rng, i, n)
}

// noiseMixtures returns linear mixtures with white noise in each channel, and with more sources
// than channels.
func noiseMixtures() []mixture {
	var all []mixture
	for _, k := range noisyKinds() {
		all = append(all, k.recorded(noisePrefix, recording{times: 1}))
	}
	return all
}

// noisyKinds returns the kinds of the table of noise.
func noisyKinds() []noisy {
	var all []noisy
	addLevels := func(k noisy, levels ...float64) {
		name := k.name
		for _, k.noise = range levels {
			k.name = fmt.Sprintf("%s, d=%d, noise %g", name, k.signals, k.noise)
			all = append(all, k)
		}
	}
	add := func(name string, sources source, d int, levels ...float64) {
		addLevels(noisy{name: name, signals: d, sources: sources}, levels...)
	}
	smooth := func(q float64) signal { return ar(datasets.Laplace, 1.8*q, -0.9*q*q) }
	add("sine, square, saw", each(wave(sine), wave(square), wave(saw)), 3, 0, 0.02, 0.05, 0.1, 0.2)
	add("voices", voices(4), 4, 0, 0.02, 0.1, 0.2)
	add("Laplace AR(1)", each(ar(datasets.Laplace, 0.9), ar(datasets.Laplace, 0.7),
		ar(datasets.Laplace, 0.4), ar(datasets.Laplace, 0.1)), 4, 0, 0.02, 0.1, 0.2)
	add("Gaussian spectra", several(4, spectrum(4, 0.8)), 4, 0, 0.02, 0.1, 0.2)
	add("smooth AR(2)", each(smooth(0.95), smooth(0.87), smooth(0.78)), 3, 0, 0.02, 0.1, 0.2)
	add("bursts", several(2, bursts), 2, 0, 0.02, 0.1, 0.2)
	add("AR(1) of four kinds", each(ar(datasets.Laplace, 0.9), ar(datasets.Uniform, 0.8),
		ar(datasets.Laplace, 0.6), ar(exponential, 0.5), ar(datasets.Normal, 0.95),
		ar(datasets.Normal, -0.3), ar(datasets.Uniform, 0.2), ar(datasets.Laplace)), 8,
		0, 0.02, 0.1, 0.2)
	addLevels(noisy{name: "AR(1) of one spectrum, normal matrix", signals: 3, normal: true,
		sources: several(3, ar(datasets.Laplace, 0.7))}, 0, 0.05, 0.1, 0.2)
	addLevels(noisy{name: "uniform AR(1), normal matrix", signals: 4, normal: true,
		sources: each(ar(datasets.Uniform, 0.9), ar(datasets.Uniform, 0.7), ar(datasets.Uniform, 0.4),
			ar(datasets.Uniform, 0.1))}, 0, 0.05, 0.1, 0.2)
	heart := func(shortest, longest int) signal { return pulses(15, shortest, longest) }
	add("hearts of mother and child", each(heart(200, 235), heart(105, 125),
		ar(datasets.Normal, 0.97)), 3, 0.02, 0.1)
	add("photographs", photographs, 3, 0, 0.02, 0.1, 0.2)
	add("digits", func(rng *rand.Rand, _ int) (*mat.Dense, []int, error) {
		return someDigits(3)(rng, datasets.MNISTSide*datasets.MNISTSide)
	}, 3, 0, 0.02, 0.1, 0.2)
	eeg := []signal{
		pulses(38, 380, 1280), pulses(15, 200, 235), alpha, ar(datasets.Laplace, 0.8),
		ar(datasets.Laplace, 0.5), ar(datasets.Laplace, 1.2, -0.6), ar(datasets.Normal, 0.9),
		ar(datasets.Normal, -0.5),
	}
	amplitudes := []float64{60, 30, 20, 15, 10, 10, 10, 10}
	for _, count := range []struct{ d, surplus int }{
		{4, 0}, {4, 1}, {4, 2}, {4, 4}, {4, 8}, {8, 0}, {8, 4},
	} {
		d := count.d
		all = append(all, noisy{
			name:    fmt.Sprintf("EEG, d=%d, noise 0.01, %d surplus sources", d, count.surplus),
			signals: d, sources: each(eeg[:d]...), noise: 0.5, amplitudes: amplitudes[:d],
			surplus: count.surplus, surplusShare: 0.5,
		})
	}
	for _, count := range []struct{ d, surplus int }{{2, 1}, {3, 1}, {4, 2}, {4, 4}, {8, 4}} {
		d := count.d
		all = append(all, noisy{
			name: fmt.Sprintf("EEG of equal strengths, d=%d, noise 0.01, %d surplus sources", d,
				count.surplus),
			signals: d, sources: each(eeg[:d]...), noise: 0.01, surplus: count.surplus, surplusShare: 1,
		})
	}
	return all
}

// mixing mixes recorded sources by a matrix of unit columns and adds noise recorded by r to each
// channel. The columns of surplus sources are normal.
func (k noisy) mixing(r recording) mixing {
	return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		_, n := s.Dims()
		d := k.signals
		amplitudes := k.amplitudes
		if amplitudes == nil {
			amplitudes = slices.Repeat([]float64{1}, d)
		}
		draw := normalMatrix
		if !k.normal {
			draw = func(rng *rand.Rand, d int) *mat.Dense { return randomMatrix(rng, d, maxCondition) }
		}
		a := draw(rng, d)
		x := mat.NewDense(d, n, nil)
		add := func(column, source []float64, amplitude float64) {
			mean, sd := stat.PopMeanStdDev(source, nil)
			scale := amplitude / sd / floats.Norm(column, 2)
			for i, c := range column {
				row := x.RawRowView(i)
				for t, v := range source {
					row[t] += scale * c * (v - mean)
				}
			}
		}
		for j := range d {
			add(mat.Col(nil, j, a), s.RawRowView(j), amplitudes[j])
		}
		for j := range k.surplus {
			column := make([]float64, d)
			for i := range column {
				column[i] = rng.NormFloat64()
			}
			add(column, s.RawRowView(d+j), k.surplusShare*amplitudes[d-1])
		}
		noise := mat.NewDense(d, n/r.times, nil)
		noise.Apply(func(_, _ int, _ float64) float64 { return k.noise * rng.NormFloat64() }, noise)
		x.Add(x, r.record(noise))
		return x, nil
	}
}

// pulses returns raised cosines of a length, at distances drawn between the bounds, with noise of
// 0.02: blinks and beats of the heart.
func pulses(length, minDistance, maxDistance int) signal {
	return func(rng *rand.Rand, _, n int) func(int) float64 {
		s := make([]float64, n)
		for at := rng.IntN(maxDistance); at < n; at += minDistance + rng.IntN(maxDistance-minDistance) {
			height := 0.7 + 0.6*rng.Float64()
			for k := range min(length, n-at) {
				s[at+k] += height * (0.5 - 0.5*math.Cos(2*math.Pi*float64(k)/float64(length)))
			}
		}
		return func(t int) float64 { return s[t] + 0.02*rng.NormFloat64() }
	}
}

// alpha returns a tone of 10 Hz at 256 positions a second whose strength and phase wander.
func alpha(rng *rand.Rand, i, n int) func(int) float64 {
	strength, phase := ar(datasets.Normal, 0.99)(rng, i, n), 0.0
	return func(t int) float64 {
		phase += 2*math.Pi*10/256 + 0.05*rng.NormFloat64()
		return math.Abs(strength(t)) * math.Sin(phase)
	}
}

func noiseTable(o TableOptions) *Table {
	return tableOfNoise(o, noiseMixtures(), noisePositions)
}

func filteredTable(o TableOptions) *Table {
	return tableOfNoise(o, filteredMixtures(), filteredPositions)
}

// tableOfNoise returns the table of mixtures with noise, of so many positions.
func tableOfNoise(o TableOptions, mixtures []mixture, positions int) *Table {
	t := &Table{
		rivals: o.Methods, ours: []string{separated}, measure: measureLeast,
		problems: listed(mixtures), positions: positions,
	}
	for _, name := range slices.Concat(o.Methods, []string{separated}) {
		t.columns = append(t.columns, column{labelOf(name), func(r row) string {
			return estimateOf(r.mccs(name)).String()
		}})
	}
	identified := func(r row) []Outcome {
		return slices.DeleteFunc(slices.Clone(r.outcomes[separated]), func(o Outcome) bool {
			return o.Numbers[groupCount] < float64(r.problem.signals()) &&
				o.Numbers[networkIdentified] == 0
		})
	}
	isWrong := func(o Outcome) bool { return o.Numbers[minCorrelation] < wrongCorrelation }
	elsewhere := func(r row, name string) float64 { // of mixtures that aren't identified
		sum := r.sum(separated, name)
		for _, o := range identified(r) {
			sum -= o.Numbers[name]
		}
		return sum
	}
	t.columns = append(t.columns,
		text("Default − best", "%+.3f", func(r row) float64 {
			return stat.Mean(r.mccs(separated), nil) - r.bestMean(o.Methods)
		}),
		text("right", "%d", func(r row) int {
			return len(slices.DeleteFunc(slices.Clone(r.outcomes[separated]), isWrong))
		}),
		total("networks", separated, networkChosen),
		text("identified", "%d", func(r row) int { return len(identified(r)) }),
		text("of these wrong", "%d", func(r row) int {
			return len(identified(r)) - len(slices.DeleteFunc(identified(r), isWrong))
		}),
		text("identified signals of the others", "%.0f", func(r row) float64 {
			return elsewhere(r, identifiedSignals)
		}),
		text("of these wrong", "%.0f", func(r row) float64 {
			return elsewhere(r, wrongIdentifiedSignals)
		}))
	return t
}
