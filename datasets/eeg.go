package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/dipole"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// EEGOptions are the settings of [SimulateEEG]. Begin with [DefaultEEG].
type EEGOptions struct {
	// Channels are the names of electrodes of the 10–20 or the 10–10 system, at least 8.
	Channels []string
	// Rate is the sampling rate in Hz, at least 128. Seconds is the length, at least 10.
	Rate, Seconds float64
	// Background is the number of dipoles with a 1/f spectrum. Above len(Channels)−6 there are more
	// sources than channels, with the six other sources of [SimulateEEG].
	Background int
	// Bursts is the standard deviation of the logarithm of a background source's amplitude, which
	// varies over seconds, at most 5; 0 for stationary Gaussian sources.
	Bursts float64
}

// DefaultEEG returns settings for two minutes in 32 channels at 128 Hz with 46 sources, more than
// there are channels.
func DefaultEEG() EEGOptions {
	return EEGOptions{
		Channels: []string{
			"Fp1", "Fp2", "AF3", "AF4", "F7", "F3", "Fz", "F4", "F8", "FC5", "FC1", "FC2", "FC6",
			"T7", "C3", "Cz", "C4", "T8", "CP5", "CP1", "CP2", "CP6", "P7", "P3", "Pz", "P4", "P8",
			"PO3", "PO4", "O1", "Oz", "O2",
		},
		Rate: 128, Seconds: 120, Background: 40, Bursts: 0.5,
	}
}

// A SimulatedEEG is a recording of k sources in d channels, and its truth.
type SimulatedEEG struct {
	// Recording holds the channels, d×n, in µV: Patterns·Sources plus the noise of the channels.
	Recording *Recording
	// Kinds are the kinds of the sources: "blinks", "eye movements", "alpha" twice, "muscle",
	// "line", and "background".
	Kinds []string
	// Sources holds the sources, k×n, each in µV at the channel where it is strongest.
	Sources *mat.Dense
	// Patterns holds the patterns of the sources, d×k. The largest absolute entry of each is 1.
	Patterns *mat.Dense
}

// SimulateEEG draws an electroencephalogram from a forward model: dipoles in a spherical head of
// four layers (brain, fluid, skull, scalp), with the average of the electrodes as the reference,
// plus noise of 1 µV in each channel. No person was recorded. The sources are, with their largest
// standard deviations in a channel in µV,
//
//   - blinks (pulses of 0.3 s, 150 high, every 2 to 6 s) and eye movements (steps, 15), at both
//     eyes;
//   - two alpha rhythms of 9.5 and 10.5 Hz in the back of the head, which come and go (10 and 7);
//   - bursts of a muscle below T8, 20 to 60 Hz (5), and the line, 50 Hz, in all channels (3);
//   - opt.Background dipoles between 55 and 75 mm from the middle, in random directions, of
//     spectra 1/f^a with a from 1 to 2 (4 times e^z with z from N(0, 0.5²)).
//
// It is an error if a setting is out of range or a channel isn't an electrode.
func SimulateEEG(rng *rand.Rand, opt EEGOptions) (*SimulatedEEG, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("datasets: SimulateEEG: %w", err)
	}
	n := int(opt.Rate * opt.Seconds)
	g := &generator{rng: rng, rate: opt.Rate, n: n}
	g.potentials = dipole.NewMontage(opt.Channels).Potentials
	g.add("blinks", g.eyes(r3.Vec{Y: 1, Z: 0.6}), 0, g.blinks())
	g.add("eye movements", g.eyes(r3.Vec{X: 1}), 15, g.gaze())
	left, leftMoment := r3.Vec{X: -0.025, Y: -0.055, Z: 0.03}, r3.Vec{X: -0.3, Y: -1, Z: 0.3}
	right, rightMoment := r3.Vec{X: 0.03, Y: -0.05, Z: 0.04}, r3.Vec{X: 0.2, Y: -0.4, Z: 1}
	g.add("alpha", g.potentials(left, leftMoment), 10, g.bursting(1, g.coloured(band(9.5, 1))))
	g.add("alpha", g.potentials(right, rightMoment), 7, g.bursting(1, g.coloured(band(10.5, 1))))
	belowT8 := g.potentials(r3.Vec{X: 0.077, Z: -0.003}, r3.Vec{X: 1, Y: 0.3})
	g.add("muscle", belowT8, 5, g.bursting(1.5, g.coloured(band(40, 10))))
	g.add("line", g.everywhere(len(opt.Channels)), 3, g.line())
	for range opt.Background {
		exponent := 1 + rng.Float64()
		spectrum := func(f float64) float64 { return math.Pow(max(f, 0.5), -exponent/2) }
		place := r3.Scale(0.055+0.02*rng.Float64(), g.direction())
		pattern, deviation := g.potentials(place, g.direction()), 4*math.Exp(0.5*rng.NormFloat64())
		g.add("background", pattern, deviation, g.bursting(opt.Bursts, g.coloured(spectrum)))
	}
	e := &SimulatedEEG{Kinds: g.kinds}
	const noise = 1 // in µV
	e.Recording, e.Sources, e.Patterns = g.recording(opt.Channels, noise)
	return e, nil
}

func (opt EEGOptions) check() error {
	const minChannels, minRate, minSeconds, maxBursts = 8, 128, 10, 5
	if found := dipole.NewMontage(opt.Channels).Channels; len(found) < len(opt.Channels) {
		for i, name := range opt.Channels {
			if !slices.Contains(found, i) {
				return fmt.Errorf("Channels: %q isn't an electrode of the 10–10 system, "+
					"or is twice there", name)
			}
		}
	}
	if d := len(opt.Channels); d < minChannels {
		return fmt.Errorf("Channels: are %d; must be at least %d", d, minChannels)
	}
	if !(opt.Rate >= minRate && opt.Seconds >= minSeconds) ||
		!(opt.Rate*opt.Seconds*(float64(len(opt.Channels))+float64(opt.Background)) <= MaxEntries) {
		return fmt.Errorf("Rate is %g and Seconds %g; must be at least %d and %d, "+
			"with at most %d values", opt.Rate, opt.Seconds, minRate, minSeconds, MaxEntries)
	}
	if opt.Background < 0 {
		return fmt.Errorf("Background is %d; must be at least 0", opt.Background)
	}
	if !(opt.Bursts >= 0 && opt.Bursts <= maxBursts) {
		return fmt.Errorf("Bursts is %g; must be 0 to %d", opt.Bursts, maxBursts)
	}
	return nil
}

// A generator draws the sources of a recording of a body, one after another.
type generator struct {
	rng  *rand.Rand
	rate float64
	n    int
	// potentials returns the potentials of a dipole with the given place and moment, in m and A·m.
	potentials func(place, moment r3.Vec) []float64

	kinds             []string
	sources, patterns [][]float64
}

// add adds a source with the shape of its pattern. Its standard deviation is scaled to deviation,
// in µV, unless that is 0.
func (g *generator) add(kind string, pattern []float64, deviation float64, source []float64) {
	floats.Scale(1/floats.Norm(pattern, math.Inf(1)), pattern)
	floats.AddConst(-stat.Mean(source, nil), source)
	if deviation > 0 {
		floats.Scale(deviation/stat.PopStdDev(source, nil), source)
	}
	g.kinds = append(g.kinds, kind)
	g.sources, g.patterns = append(g.sources, source), append(g.patterns, pattern)
}

// recording returns the channels in µV with their noise, and the truth.
func (g *generator) recording(
	names []string, noise float64,
) (r *Recording, sources, patterns *mat.Dense) {
	sources, patterns = signal.Rows(g.sources).Dense(), mat.DenseCopyOf(signal.Rows(g.patterns).Dense().T())
	var x mat.Dense
	x.Mul(patterns, sources)
	x.Apply(func(_, _ int, v float64) float64 { return v + noise*g.rng.NormFloat64() }, &x)
	return &Recording{Signals: &x, Names: slices.Clone(names), Rate: g.rate,
		Units: slices.Repeat([]string{"uV"}, len(names))}, sources, patterns
}

// eyes returns the potentials of two equal dipoles at the eyes.
func (g *generator) eyes(moment r3.Vec) []float64 {
	v := g.potentials(r3.Vec{X: -0.03, Y: 0.068, Z: -0.027}, moment)
	floats.Add(v, g.potentials(r3.Vec{X: 0.03, Y: 0.068, Z: -0.027}, moment))
	return v
}

// everywhere returns random potentials in d channels, like those induced in wires.
func (g *generator) everywhere(d int) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = g.rng.NormFloat64()
	}
	return v
}

// direction returns a uniformly distributed unit vector.
func (g *generator) direction() r3.Vec {
	return r3.Unit(r3.Vec{X: g.rng.NormFloat64(), Y: g.rng.NormFloat64(), Z: g.rng.NormFloat64()})
}

// band returns the amplitude of a band as a function of the frequency in Hz: 1 at its middle, and
// e^−½ at a distance of width.
func band(middle, width float64) func(f float64) float64 {
	return func(f float64) float64 { return math.Exp(-0.5 * math.Pow((f-middle)/width, 2)) }
}

// coloured returns periodic Gaussian noise of variance 1, with the given amplitude at each
// frequency in Hz.
func (g *generator) coloured(amplitude func(f float64) float64) []float64 {
	fft := fourier.NewFFT(g.n)
	coefficients := make([]complex128, g.n/2+1)
	for k := 1; k < len(coefficients); k++ { // without a mean
		a := amplitude(fft.Freq(k) * g.rate)
		coefficients[k] = complex(a*g.rng.NormFloat64(), a*g.rng.NormFloat64())
	}
	x := fft.Sequence(nil, coefficients)
	floats.Scale(1/stat.PopStdDev(x, nil), x)
	return x
}

// bursting multiplies x by e^(deviation·z), where z is slow Gaussian noise, mostly below 0.3 Hz.
func (g *generator) bursting(deviation float64, x []float64) []float64 {
	if deviation > 0 {
		for t, z := range g.coloured(band(0, 0.15)) {
			x[t] *= math.Exp(deviation * z)
		}
	}
	return x
}

// blinks returns pulses of 0.3 s, each 120 to 180 µV high.
func (g *generator) blinks() []float64 {
	x := make([]float64, g.n)
	width := int(0.3 * g.rate)
	for begin := g.wait(1, 3); begin+width < g.n; begin += g.wait(2, 6) {
		height := 120 + 60*g.rng.Float64()
		for k := range width {
			x[begin+k] = height * math.Pow(math.Sin(math.Pi*float64(k)/float64(width)), 2)
		}
	}
	return x
}

// gaze returns a direction of view that steps every 0.5 to 4 s.
func (g *generator) gaze() []float64 {
	x := make([]float64, g.n)
	for begin := 0; begin < g.n; {
		end := min(begin+g.wait(0.5, 4), g.n)
		view := 2*g.rng.Float64() - 1
		for t := begin; t < end; t++ {
			x[t] = view
		}
		begin = end
	}
	return x
}

// wait returns a number of positions, uniformly distributed between least and most seconds.
func (g *generator) wait(least, most float64) int {
	return int((least + (most-least)*g.rng.Float64()) * g.rate)
}

// line returns the hum of a power line.
func (g *generator) line() []float64 {
	const hertz = 50
	phase, x := 2*math.Pi*g.rng.Float64(), make([]float64, g.n)
	for t := range x {
		x[t] = math.Sin(phase + 2*math.Pi*hertz*float64(t)/g.rate)
	}
	return x
}
