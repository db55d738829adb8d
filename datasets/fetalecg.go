package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
)

// FetalECGOptions are the settings of [SimulateFetalECG]. Begin with [DefaultFetalECG].
type FetalECGOptions struct {
	// Rate is the sampling rate in Hz, at least 250. Seconds is the length, at least 10.
	Rate, Seconds float64
	// Noise is the standard deviation of the noise of each lead, in µV.
	Noise float64
}

// DefaultFetalECG returns settings for one minute at 500 Hz.
func DefaultFetalECG() FetalECGOptions {
	return FetalECGOptions{Rate: 500, Seconds: 60, Noise: 2}
}

// A SimulatedFetalECG is a recording of 7 sources in 8 leads, and its truth.
type SimulatedFetalECG struct {
	// Recording holds the leads, 8×n, in µV: Patterns·Sources plus the noise of the leads.
	Recording *Recording
	// Kinds are the kinds of the sources: "mother" three times, "child", "breathing", "line" and
	// "uterus".
	Kinds []string
	// Sources holds the sources, 7×n, each in µV in the lead where it is strongest.
	Sources *mat.Dense
	// Patterns holds the patterns of the sources, 8×7. The largest absolute entry of each is 1.
	Patterns *mat.Dense
	// Mother and Child are the times of their R waves, in seconds.
	Mother, Child []float64
}

// leads are the positions of the electrodes on the abdomen and the chest, in m from the navel: to
// the left, to the front and up.
var leads = []struct {
	name  string
	place r3.Vec
}{
	{"A1", r3.Vec{X: -0.1, Y: 0.12}}, {"A2", r3.Vec{X: 0.1, Y: 0.12}},
	{"A3", r3.Vec{Y: 0.15, Z: 0.1}}, {"A4", r3.Vec{Y: 0.15, Z: -0.1}},
	{"A5", r3.Vec{X: 0.05, Y: 0.14, Z: -0.04}},
	{"T1", r3.Vec{X: 0.05, Y: 0.12, Z: 0.25}}, {"T2", r3.Vec{X: -0.05, Y: 0.12, Z: 0.29}},
	{"T3", r3.Vec{X: 0.14, Y: 0.05, Z: 0.24}},
}

// waves are P, Q, R, S and T: their angles in a beat in radians from R, their widths, and the
// heart's dipole, scaled to a size of about 1 at its largest.
var waves = []struct {
	angle, width float64
	dipole       r3.Vec
}{
	{-1.2, 0.15, r3.Vec{X: 0.08, Y: 0.1, Z: -0.04}},
	{-0.12, 0.04, r3.Vec{X: -0.1, Y: 0.4, Z: -0.3}},
	{0, 0.05, r3.Vec{X: 1.3, Y: 0.2, Z: -0.45}},
	{0.1, 0.05, r3.Vec{X: 0.1, Y: -0.45, Z: 0.35}},
	{1.8, 0.35, r3.Vec{X: 0.3, Y: 0.1, Z: -0.05}},
}

// SimulateFetalECG draws an electrocardiogram of a pregnant woman: five leads on the abdomen and
// three on the chest against a distant electrode. No person was recorded. The potentials are those
// of dipoles in an unbounded conductor. The sources are
//
//   - the mother's heart, a dipole whose three coordinates are sums of Gaussian waves of the beat's
//     angle, at 70 to 90 beats a minute and about 1000 µV at the chest;
//   - the child's heart, a dipole of one direction, at 120 to 160 beats a minute and 50 µV in the
//     lead where it is strongest;
//   - breathing of 12 to 20 a minute with a standard deviation of 50 µV, the line of 50 Hz (10), and
//     contractions of the uterus, waves of about 0.6 Hz that come and go (30).
//
// Intervals between beats vary by 3 %, the mother's by another 3 % with her breathing. The model of
// the heart follows R. Sameni, G. D. Clifford, C. Jutten, M. B. Shamsollahi, Multichannel ECG and
// Noise Modeling: Application to Maternal and Fetal ECG Signals, EURASIP J. Advances in Signal
// Processing 2007, with rounded numbers.
//
// It is an error if a setting is out of range.
func SimulateFetalECG(rng *rand.Rand, opt FetalECGOptions) (*SimulatedFetalECG, error) {
	if rng == nil {
		return nil, errNilRand
	}
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("datasets: SimulateFetalECG: %w", err)
	}
	g := &generator{rng: rng, rate: opt.Rate, n: int(opt.Rate * opt.Seconds)}
	uniform := func(from, to float64) float64 { return from + (to-from)*rng.Float64() }

	breath := uniform(0.2, 1./3) // Hz
	motherBeats := g.beats(uniform(70, 90), 0.03, breath)
	motherPlace := r3.Vec{X: uniform(0.01, 0.04), Y: uniform(0.02, 0.05), Z: uniform(0.24, 0.28)}
	const strength = 6 // of the mother's dipole, in µV·m²
	for i, source := range g.heart(motherBeats) {
		pattern := potentials(motherPlace, []r3.Vec{{X: 1}, {Y: 1}, {Z: 1}}[i])
		floats.Scale(strength*floats.Norm(pattern, math.Inf(1)), source)
		g.add("mother", pattern, 0, source)
	}
	childBeats := g.beats(uniform(120, 160), 0, 0)
	childPlace := r3.Vec{X: uniform(-0.04, 0.04), Y: 0.06, Z: uniform(-0.06, 0)}
	child := g.heart(childBeats)[0]
	const childPeak = 50 // in µV
	floats.Scale(childPeak/floats.Max(child), child)
	g.add("child", potentials(childPlace, g.direction()), 0, child)

	g.add("breathing", g.everywhere(len(leads)), 50, g.coloured(band(breath, 0.03)))
	g.add("line", g.everywhere(len(leads)), 10, g.line())
	uterus := make([]float64, len(leads))
	for i, l := range leads {
		uterus[i] = 1 / r3.Norm2(r3.Sub(l.place, r3.Vec{X: uniform(-0.05, 0.05), Y: 0.05}))
	}
	g.add("uterus", uterus, 30, g.bursting(0.5, g.coloured(band(0.6, 0.3))))

	e := &SimulatedFetalECG{Kinds: g.kinds, Mother: g.inside(motherBeats), Child: g.inside(childBeats)}
	names := make([]string, len(leads))
	for i, l := range leads {
		names[i] = l.name
	}
	e.Recording, e.Sources, e.Patterns = g.recording(names, opt.Noise)
	return e, nil
}

func (opt FetalECGOptions) check() error {
	const minRate, minSeconds = 250, 10
	if !(opt.Rate >= minRate && opt.Seconds >= minSeconds) ||
		!(opt.Rate*opt.Seconds*float64(len(leads)) <= MaxEntries) {
		return fmt.Errorf("Rate is %g and Seconds %g; must be at least %d and %d, "+
			"with at most %d values", opt.Rate, opt.Seconds, minRate, minSeconds, MaxEntries)
	}
	return checkAmount("Noise", opt.Noise)
}

// potentials returns the potentials of a dipole at the leads.
func potentials(place, moment r3.Vec) []float64 {
	v := make([]float64, len(leads))
	for i, l := range leads {
		from := r3.Sub(l.place, place)
		v[i] = r3.Dot(moment, from) / math.Pow(r3.Norm(from), 3)
	}
	return v
}

// beats returns the times of beats in seconds, at the given number a minute, from before the
// recording to after it. Intervals vary by chance, and by the share sinus with the breaths.
func (g *generator) beats(minute, sinus, breath float64) []float64 {
	const variation = 0.03
	interval := 60 / minute
	at := -interval * (1 + g.rng.Float64())
	times := []float64{at}
	for at*g.rate < float64(g.n) {
		factor := 1 + variation*g.rng.NormFloat64() + sinus*math.Sin(2*math.Pi*breath*at)
		at += interval * max(factor, 0.5)
		times = append(times, at)
	}
	return times
}

// inside returns the times within the recording.
func (g *generator) inside(times []float64) (in []float64) {
	for _, at := range times {
		if 0 <= at && at*g.rate < float64(g.n) {
			in = append(in, at)
		}
	}
	return in
}

// heart returns the coordinates of a heart's dipole. The angle makes one turn from beat to beat.
func (g *generator) heart(beats []float64) [3][]float64 {
	xyz := [3][]float64{make([]float64, g.n), make([]float64, g.n), make([]float64, g.n)}
	k := 0
	for t := range g.n {
		at := float64(t) / g.rate
		for beats[k+1] <= at {
			k++
		}
		angle := 2 * math.Pi * (at - beats[k]) / (beats[k+1] - beats[k])
		for _, w := range waves {
			away := math.Remainder(angle-w.angle, 2*math.Pi) / w.width
			v := r3.Scale(math.Exp(-0.5*away*away), w.dipole)
			xyz[0][t] += v.X
			xyz[1][t] += v.Y
			xyz[2][t] += v.Z
		}
	}
	return xyz
}
