package experiment

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A mixture is sources and their mixing, other than the paper's. Its name is that of
// Problem.Mixture.
type mixture struct {
	name    string
	signals int // how many mixed signals there are
	// stream is the stream of random numbers, the second word of a PCG's seed. It keeps
	// the draws of one table different from those of another.
	stream  uint64
	sources source
	mix     mixing
}

// A mixing mixes sources.
type mixing func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error)

// mixturePositions is the length of a mixture's sequences, if a problem gives none: that of
// the paper's AR(7).
const mixturePositions = arPositions

// draw returns the sources, of which there may be more than mixed signals, and the mixed signals.
func (m mixture) draw(seed uint64, positions int) (*mat.Dense, *ica.Signals, error) {
	positions = cmp.Or(positions, mixturePositions)
	rng := rand.New(rand.NewPCG(seed, m.stream))
	s, shape, err := m.sources(rng, positions)
	if err != nil {
		return nil, nil, err
	}
	x, err := m.mix(rng, s)
	if err != nil {
		return nil, nil, err
	}
	mixed, err := ica.New(x, shape...)
	return s, mixed, err
}

// mixtureNamed returns the mixture of that name: one of the lists below, or sources,
// number of signals and mixing in one word, or "files:" and paths.
func mixtureNamed(name string) (mixture, error) {
	if m, ok := mixturesByName()[name]; ok {
		return m, nil
	}
	if paths, ok := strings.CutPrefix(name, filesPrefix); ok {
		list := strings.Split(paths, ",")
		return mixture{name, len(list), linearStream, files(list), randomMixing}, nil
	}
	return composedMixture(name)
}

// listedMixtures are those of the tables.
func listedMixtures() [][]mixture {
	return [][]mixture{
		qualityMixtures(), hardMixtures(), linearMixtures(), nullMixtures(), noiseMixtures(),
		filteredMixtures(),
	}
}

var mixturesByName = sync.OnceValue(func() map[string]mixture {
	all := make(map[string]mixture)
	for _, m := range slices.Concat(listedMixtures()...) {
		all[m.name] = m
	}
	return all
})

const (
	filesPrefix = "files:"
	// unseenPrefix, linearPrefix and nullPrefix begin the names of mixtures of a table; its rows
	// leave them out.
	unseenPrefix = "unseen: "
	linearPrefix = "linear: "
	nullPrefix   = "null: "
)

// The streams of the quality table, which has the paper's mixtures too, and of the tables
// of the linear rule.
const (
	qualityStream = 0
	linearStream  = 7
)

// quality returns a mixture of the quality table.
func quality(name string, d int, sources source, mix mixing) mixture {
	return mixture{name, d, qualityStream, sources, mix}
}

// qualityMixtures returns mixtures on which sica.Default is measured in addition to the paper's:
// other sources under random, not symmetric, mixing matrices. Those called "unseen" are kinds that
// it was not developed on: they were chosen and committed before anything was run on them, and none
// was taken out afterwards.
func qualityMixtures() []mixture {
	laplace, uniform := process(datasets.Laplace, 0), process(datasets.Uniform, 0)
	seven := datasets.PaperAR7()
	waves := phasesFirst(
		steadyWave(0.0131, sine), steadyWave(0.0211, square), steadyWave(0.0073, ramp))
	softClip := func(v float64) float64 { return v / (1 + math.Abs(v)/2) }
	return []mixture{
		quality("Gaussian AR, two spectra, random A", 2, twoSpectra, standardMixing),
		quality("Laplace d=2, random A", 2, severalProcesses(2, laplace), standardMixing),
		quality("Laplace d=3, random A", 3, severalProcesses(3, laplace), standardMixing),
		quality("uniform d=2, random A", 2, severalProcesses(2, uniform), standardMixing),
		quality("uniform d=3, random A", 3, severalProcesses(3, uniform), standardMixing),
		quality("sine+square+sawtooth, random A", 3, waves, standardMixing),
		quality("AR(7) d=4, linear, J=5", 4, severalProcesses(4, seven), stepsMixing(5, 0, nil)),
		quality("Laplace d=8, random A", 8, severalProcesses(8, laplace), standardMixing),
		quality("Laplace AR(1) d=8, random A", 8, severalProcesses(8, laplaceAR1), standardMixing),
		quality("Gaussian AR, eight spectra, random A", 8, eightSpectra, standardMixing),
		quality("MNIST d=8, random A", 8, someDigits(8), standardMixing),
		quality("Laplace d=16, random A", 16, severalProcesses(16, laplace), standardMixing),
		quality("Laplace d=32, random A", 32, severalProcesses(32, laplace), standardMixing),

		quality("unseen: exponential d=3, random A", 3,
			severalProcesses(3, process(exponential, 0)), standardMixing),
		quality("unseen: Laplace AR(1) d=2, random A", 2,
			severalProcesses(2, laplaceAR1), standardMixing),
		quality("unseen: bursts d=2, random A", 2, phasesFirst(bursts, bursts), standardMixing),
		quality("unseen: pulses+chirp+triangle, random A", 3,
			phasesFirst(laboratory, laboratory, laboratory), standardMixing),
		quality("unseen: telegraph d=2, random A", 2, each(telegraph, telegraph), standardMixing),
		quality("unseen: AR(7), soft-clipped A·s", 2,
			severalProcesses(2, seven), pointwise(paperMatrix, softClip)),
		quality("unseen: AR(7), tanh(A·s)", 2,
			severalProcesses(2, seven), pointwise(paperMatrix, math.Tanh)),
		quality("unseen: two spectra, cubic A·s", 2, twoSpectra, pointwise(standardMatrix, cubic)),
	}
}

// hardMixtures returns mixtures that aren't identifiable, or hardly, which serve to see whether
// a method knows.
func hardMixtures() []mixture {
	laplace, uniform := process(datasets.Laplace, 0), process(datasets.Uniform, 0)
	normal := process(datasets.Normal, 0)
	return []mixture{
		quality("white Gaussian d=2, random A", 2, severalProcesses(2, normal), standardMixing),
		quality("white Gaussian d=3, random A", 3, severalProcesses(3, normal), standardMixing),
		quality("Gaussian AR, equal spectra, random A", 2,
			severalProcesses(2, process(datasets.Normal, 100, 1.6, -0.8)), standardMixing),
		quality("AR(7), random A", 2, severalProcesses(2, datasets.PaperAR7()), standardMixing),
		quality("Laplace and two Gaussian, random A", 3,
			processes(laplace, normal, normal), standardMixing),
		quality("Laplace d=2, cubic A·s", 2,
			severalProcesses(2, laplace), pointwise(standardMatrix, cubic)),
		quality("uniform d=2, tanh(A·s)", 2,
			severalProcesses(2, uniform), pointwise(standardMatrix, math.Tanh)),
		quality("two spectra, tanh(A·s)", 2, twoSpectra, pointwise(standardMatrix, math.Tanh)),
		quality("two spectra, GELUMixing, J=5", 2, twoSpectra, stepsMixing(5, 0, datasets.GELU)),
	}
}

// linearMixtures returns the mixtures of the linear rule: kinds that it was developed on, then
// kinds of the quality table, then those that were written down and committed before anything was
// run on them.
func linearMixtures() []mixture {
	together := func(name string, signals ...signal) mixture {
		d := len(signals)
		name = named(linearPrefix, name, d)
		return mixture{name, d, linearStream, each(signals...), randomMixing}
	}
	linear := func(name string, d int, draw signal) mixture {
		return together(name, slices.Repeat([]signal{draw}, d)...)
	}
	laplace, uniform, gaussian := ar(datasets.Laplace), ar(datasets.Uniform), ar(datasets.Normal)
	varyingGARCH := garch(0, 0.85, 0.05, 0.15, 0.8, 0)
	return []mixture{
		sevenSteps(linearPrefix, 2, 5),
		sevenSteps(linearPrefix, 2, 20),
		sevenSteps(linearPrefix, 4, 5),
		linear("Laplace", 2, laplace),
		linear("Laplace", 3, laplace),
		linear("Laplace", 8, laplace),
		linear("Laplace", 16, laplace),
		linear("Laplace", 32, laplace),
		linear("uniform", 2, uniform),
		linear("uniform", 3, uniform),
		linear("exponential", 3, ar(exponential)),
		linear("Student's t(5)", 2, ar(student(5))),
		linear("Student's t(5)", 4, ar(student(5))),
		linear("Laplace AR(.9)", 2, ar(datasets.Laplace, 0.9)),
		linear("Laplace AR(.9)", 8, ar(datasets.Laplace, 0.9)),
		together("Gaussian AR .5/.7", ar(datasets.Normal, 0.5), ar(datasets.Normal, 0.7)),
		linear("Gaussian, spectra", 8, spectrum(8, 0.8)),
		linear("varying variance", 2, swell),
		linear("varying variance", 4, swell),
		together("3 Laplace + Gauss", laplace, laplace, laplace, gaussian),
		together("2 Laplace + 2 Gauss", laplace, laplace, gaussian, gaussian),
		together("sine+square+saw", wave(sine), wave(square), wave(saw)),

		together("two spectra", ar(datasets.Normal, 1.6, -0.8), ar(datasets.Normal, -0.5, 0.2)),
		linear("Gaussian, spectra .9", 8, spectrum(8, 0.9)),
		linear("Laplace AR(.8)", 2, ar(datasets.Laplace, 0.8)),
		linear("bursts", 2, bursts),
		linear("pulses+chirp+triangle", 3, laboratory),
		linear("telegraph", 2, telegraph),

		linear("new: flat, exponent 4", 3, ar(flat)),
		together("new: four kinds", laplace, uniform, ar(datasets.Normal, 0.9), telegraph),
		linear("new: GARCH(1,1)", 2, varyingGARCH),
		linear("new: gamma(3) AR(.7)", 3, ar(gamma3, 0.7)),
		linear("new: logistic map", 2, logisticMap),
		linear("new: sparse Laplace", 4, ar(sparse)),
		together("new: MA(1) ±.6", ma(0.6), ma(-0.6)),
		together("new: sixteen mixed",
			laplace, uniform, ar(exponential), ar(datasets.Laplace, 0.5), ar(datasets.Normal, 0.95),
			ar(datasets.Normal, -0.7), swell, ar(student(3)), telegraph, ar(sparse), wave(saw),
			ar(datasets.Uniform, 0.6), varyingGARCH, ar(flat), ar(twoValued), ma(0.9)),
		linear("new: t(3) AR(.5)", 6, ar(student(3), 0.5)),
		linear("new: binary + noise", 4, ar(twoValued)),
		linear("new: log-normal", 5, ar(logNormal)),
		linear("new: two AM tones", 2, tone),

		{
			named(linearPrefix, "digits, linear 5", 3), 3, linearStream,
			someDigits(3), stepsMixing(5, 0, nil),
		},
	}
}

// nullMixtures are mixtures of which no rotation is identified.
func nullMixtures() []mixture {
	var all []mixture
	add := func(name string, d int, draw signal) {
		name = named(nullPrefix, name, d)
		all = append(all, mixture{name, d, linearStream, several(d, draw), randomMixing})
	}
	for _, d := range []int{2, 4, 8, 16, 32} {
		add("white", d, ar(datasets.Normal))
		if d == 32 {
			break // the others take long
		}
		add("AR(.9)", d, ar(datasets.Normal, 0.9))
		all = append(all, sevenSteps(nullPrefix, d, 5))
	}
	return all
}

// named returns the name of a mixture of a table.
func named(prefix, name string, d int) string { return fmt.Sprintf("%s%s, d=%d", prefix, name, d) }

// sevenSteps returns the paper's AR(7) after linear steps.
func sevenSteps(prefix string, d, steps int) mixture {
	name := named(prefix, fmt.Sprintf("AR(7), J=%d", steps), d)
	sources := severalProcesses(d, datasets.PaperAR7())
	return mixture{name, d, linearStream, sources, stepsMixing(steps, 0, nil)}
}

// composedMixture returns the mixture of a name such as laplace-2-leaky3: sources, number of
// signals and mixing. Its stream is the name's hash.
func composedMixture(name string) (mixture, error) {
	wrong := func(what string) (mixture, error) {
		return mixture{}, fmt.Errorf("experiment: mixture: %s (%q); must be a row of "+
			"laboratory/tables/results/quality.md, or sources-signals-mixing such as laplace-2-leaky3 "+
			"(docs/evaluation/nonlinear.md has the words)", what, name)
	}
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return wrong("unknown name")
	}
	d, err := strconv.Atoi(parts[1])
	if err != nil || d < 1 || d > maxComposed {
		return wrong("wrong number of signals")
	}
	sources, ok := composedSources(parts[0], d)
	if !ok {
		return wrong("unknown sources")
	}
	mix, ok := composedMixing(parts[2])
	if !ok {
		return wrong("unknown mixing")
	}
	return mixture{name, d, streamOf(name), sources, mix}, nil
}

// streamOf returns the stream of random numbers of a name: its hash.
func streamOf(name string) uint64 {
	hash := fnv.New64()
	hash.Write([]byte(name))
	return hash.Sum64()
}

// maxComposed is the largest number of signals of a composed mixture, far beyond what a
// network separates in hours.
const maxComposed = 1024

// composedSources returns d sources of a kind, which the help of laboratory/tables describes.
func composedSources(kind string, d int) (source, bool) {
	switch kind {
	case "laplace", "iid":
		rho := map[string]float64{"laplace": laplaceRho}[kind]
		return severalProcesses(d, process(datasets.Laplace, 200, rho)), true
	case "varied":
		return variedLaplace(d), true
	case "ar7":
		return severalProcesses(d, datasets.PaperAR7()), true
	case "gauss":
		return differentProcesses(d, func(i int) datasets.ARProcess {
			return process(datasets.Normal, 200, 0.9-0.7*float64(i)/float64(d-1))
		}), true
	case "same":
		return severalProcesses(d, process(datasets.Normal, 200, 0.7)), true
	case "uniform":
		return differentProcesses(d, func(i int) datasets.ARProcess {
			return process(datasets.Uniform, 200, 0.8-0.5*float64(i)/float64(d))
		}), true
	case "white":
		return differentProcesses(d, func(i int) datasets.ARProcess {
			return process([]value{datasets.Uniform, datasets.Laplace}[i%2], 0)
		}), true
	case "garch":
		return several(d, garch(0.5, 1, 0.1, 0.3, 0.6, 200)), true
	case "waves":
		kinds := []signal{beating, jitteredSaw, ar(datasets.Normal, 1.5, -0.7)}
		var chosen []signal
		for i := range d {
			chosen = append(chosen, kinds[i%len(kinds)])
		}
		return each(chosen...), true
	case "voice":
		return voices(d), true
	case "digits":
		return someDigits(d), true
	case "light":
		return light(d), true
	}
	return nil, false
}

// composedMixing returns a mixing by its name and, of most, a number: of layers, of steps, or of
// percent of noise. The help of laboratory/tables describes them.
func composedMixing(kind string) (mixing, bool) {
	if clean, percent, ok := strings.Cut(kind, "+noise"); ok {
		mix, known := composedMixing(clean)
		share, err := strconv.Atoi(percent)
		return withNoise(mix, float64(share)/100), known && err == nil
	}
	name := strings.TrimRight(kind, "0123456789")
	n, _ := strconv.Atoi(kind[len(name):])
	layers := func(n int, h func(float64) float64) mixing {
		return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
			return datasets.LayeredMix(rng, s, n, h)
		}
	}
	postNonlinear := func(h func(float64) float64) mixing {
		return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
			return datasets.PostNonlinearMix(rng, s, h)
		}
	}
	switch name {
	case "linear":
		return layers(0, math.Tanh), true
	case "noise":
		return withNoise(layers(0, math.Tanh), float64(n)/100), true
	case "leaky":
		return layers(n, datasets.LeakyReLU(leakySlope)), true
	case "unit":
		return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
			return unitLayers(rng, s, n)
		}, true
	case "bent":
		return layers(n, func(u float64) float64 { return 0.2*u + math.Tanh(2*u) }), true
	case "tanh":
		return postNonlinear(math.Tanh), true
	case "cubic":
		return postNonlinear(cubic), true
	case "camera":
		return camera, true
	case "gelu":
		return stepsMixing(n, 0, datasets.GELU), true
	case "small":
		return stepsMixing(n, 0.1, datasets.GELU), true
	case "turn":
		return func(_ *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
			w := mat.NewDense(2, 2, []float64{1, 0.7, -0.7, 1})
			return datasets.Mix(s, datasets.MixOptions{Steps: n, W: w, H: datasets.GELU})
		}, true
	}
	return nil, false
}

// displayGamma is the exponent from the values of a photograph to light, about that of sRGB.
const displayGamma = 2.2

// camera returns what a camera stores of mixtures of the sources, which are light from 0 to 1: the power
// 1/displayGamma of weighted means, in 256 steps. The condition number is at most maxCondition.
func camera(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
	d, _ := s.Dims()
	a := mat.NewDense(d, d, nil)
	for ok := false; !ok; ok = mat.Cond(a, 2) <= maxCondition {
		for i := range d {
			row := a.RawRowView(i)
			for j := range row {
				row[j] = rng.Float64()
			}
			floats.Scale(1/floats.Sum(row), row)
		}
	}
	x := new(mat.Dense)
	x.Mul(a, s)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(255 * math.Pow(v, 1/displayGamma)) }, x)
	return x, nil
}

// withNoise returns the mixing with white noise of a share of the standard deviation of each
// channel.
func withNoise(mix mixing, share float64) mixing {
	return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		x, err := mix(rng, s)
		if err == nil {
			addNoise(rng, x, share)
		}
		return x, err
	}
}

// addNoise adds to each channel white noise of a share of its standard deviation.
func addNoise(rng *rand.Rand, x *mat.Dense, share float64) {
	d, _ := x.Dims()
	for i := range d {
		row := x.RawRowView(i)
		sd := stat.StdDev(row, nil)
		for t := range row {
			row[t] += share * sd * rng.NormFloat64()
		}
	}
}

// stepsMixing returns the paper's x ← x + δ·h(W·x), with h the identity if it is nil and δ = 1
// if the size is 0.
func stepsMixing(steps int, size float64, h func(float64) float64) mixing {
	return func(_ *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		return datasets.Mix(s, datasets.MixOptions{Steps: steps, StepSize: size, H: h})
	}
}

// randomMixing is x = A·s with a randomMatrix.
func randomMixing(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
	d, _ := s.Dims()
	x := new(mat.Dense)
	x.Mul(randomMatrix(rng, d, maxCondition), s)
	return x, nil
}

// maxCondition is the largest condition number of a randomMixing. It is a choice.
const maxCondition = 20

// standardMixing is x = A·s with a standardMatrix, and each signal of x standardised.
var standardMixing = pointwise(standardMatrix, func(v float64) float64 { return v })

// pointwise returns x = f(A·s), with f of each value of mixed signals of variance 1: a
// post-nonlinear mixing.
func pointwise(matrix func(*rand.Rand, int) *mat.Dense, f func(float64) float64) mixing {
	return func(rng *rand.Rand, s *mat.Dense) (*mat.Dense, error) {
		d, _ := s.Dims()
		x, err := datasets.LinearMix(matrix(rng, d), s)
		if err != nil {
			return nil, err
		}
		for i := range d {
			row := x.RawRowView(i)
			mean, sd := stat.PopMeanStdDev(row, nil)
			for t, v := range row {
				row[t] = f((v - mean) / sd)
			}
		}
		return x, nil
	}
}

func cubic(u float64) float64 { return u + 0.2*u*u*u }

// paperMatrix returns the paper's W, whatever rng.
func paperMatrix(_ *rand.Rand, d int) *mat.Dense { return datasets.PaperW(d) }

// standardMatrix returns a randomMatrix with a condition number of at most 10.
func standardMatrix(rng *rand.Rand, d int) *mat.Dense { return randomMatrix(rng, d, 10) }

// randomMatrix is normal with a condition number of at most maxCondition. Large normal
// matrices hardly ever have that: of more than three signals it is instead one between
// random rotations, with singular values of 1 to half of maxCondition.
func randomMatrix(rng *rand.Rand, d int, maxCondition float64) *mat.Dense {
	if d > 3 {
		scale := mat.NewDiagDense(d, nil)
		for i := range d {
			scale.SetDiag(i, 1+(maxCondition/2-1)*rng.Float64())
		}
		a := new(mat.Dense)
		a.Product(rotation.Random(rng, d), scale, rotation.Random(rng, d))
		return a
	}
	for {
		if a := normalMatrix(rng, d); mat.Cond(a, 2) <= maxCondition {
			return a
		}
	}
}

// normalMatrix has independent normal entries.
func normalMatrix(rng *rand.Rand, d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	return a
}
