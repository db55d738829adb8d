package experiment

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A labelKind is a kind of simulated EEG on which the labels of package inspect are measured: that
// of datasets.SimulateEEG and, each in half of the recordings, beats of a heart, drift and the
// noise of an electrode.
type labelKind struct {
	name string
	// These are of datasets.EEGOptions.
	channels, background int
	bursts               float64
}

// LabelSimulations returns the kinds on which labels are measured, those of part A first.
func LabelSimulations() []Simulation[LabelOutcome] {
	var all []Simulation[LabelOutcome]
	add := func(part string, channels, background int, bursts float64) {
		name := fmt.Sprintf("EEG, d=%d, background %d, bursts %g", channels, background, bursts)
		k := labelKind{name, channels, background, bursts}
		all = append(all, Simulation[LabelOutcome]{part, name, false, k.measure})
	}
	add("A", 16, 6, 0.5)
	add("A", 16, 20, 0.5)
	add("A", 20, 12, 0)
	add("B", 12, 12, 0.5)
	add("B", 18, 8, 1)
	add("B", 18, 24, 0.2)
	return all
}

// labelOfKind is the label of each kind of sources; "" of the others.
var labelOfKind = map[string]string{
	"blinks": "blink", "eye movements": "eye movement", "alpha": "alpha", "muscle": "muscle",
	"line": "line", "heartbeat": "heartbeat", "drift": "drift", "one electrode": "one electrode",
}

// Mixture is the truth of a component of which no source has half of the variance.
const Mixture = "mixture"

// A LabelledComponent is a component with its label and the truth.
type LabelledComponent struct {
	Label string `json:"label"`
	// Truth is the label of the source that the component mostly is, "" for the brain, and Mixture.
	Truth string `json:"truth"`
	// Correlation is the largest |correlation| with a source.
	Correlation float64 `json:"correlation"`
}

// A LabelOutcome is the labelled components of one recording.
type LabelOutcome struct {
	SimulationID
	Components []LabelledComponent `json:"components"`
}

// measure separates a recording by the linear rule, labels its components, and compares the labels
// with the truth.
func (k labelKind) measure(ctx context.Context, seed uint64) (LabelOutcome, error) {
	o := LabelOutcome{SimulationID: SimulationID{k.name, seed}}
	recording, sources, kinds, err := k.draw(seed)
	if err != nil {
		return o, err
	}
	cfg := sica.Default()
	cfg.Method, cfg.Seed = sica.LinearOnly, seed
	r, err := sica.Fit(ctx, nil, recording.Signals, cfg)
	if err != nil {
		return o, err
	}
	components, err := inspect.Components(r, recording.Signals, nil)
	if err != nil {
		return o, err
	}
	labels, err := inspect.Labels(components, r.Z, recording.Names, recording.Rate)
	if err != nil {
		return o, err
	}
	for i, c := range components {
		l := LabelledComponent{Label: labels[i].Name, Truth: Mixture}
		nearest := 0
		for j, s := range sources {
			correlation := math.Abs(stat.Correlation(r.Z.RawRowView(c.Signal), s, nil))
			if correlation > l.Correlation {
				nearest, l.Correlation = j, correlation
			}
		}
		if l.Correlation*l.Correlation >= 0.5 {
			l.Truth = labelOfKind[kinds[nearest]]
		}
		l.Correlation = roundDigits(l.Correlation, mccDigits)
		o.Components = append(o.Components, l)
	}
	return o, nil
}

// draw returns a recording with its sources and their kinds.
func (k labelKind) draw(seed uint64) (*datasets.Recording, [][]float64, []string, error) {
	hash := fnv.New64()
	hash.Write([]byte(k.name))
	rng := rand.New(rand.NewPCG(seed, hash.Sum64()))
	opt := datasets.DefaultEEG()
	opt.Seconds, opt.Background, opt.Bursts = 60, k.background, k.bursts
	opt.Channels = spreadChannels(k.channels)
	eeg, err := datasets.SimulateEEG(rng, opt)
	if err != nil {
		return nil, nil, nil, err
	}
	x, kinds := eeg.Recording.Signals, eeg.Kinds
	var sources [][]float64
	for j := range kinds {
		sources = append(sources, eeg.Sources.RawRowView(j))
	}
	_, n := x.Dims()
	for _, extra := range []struct {
		kind      string
		deviation float64 // in µV where it is strongest
		draw      func(*rand.Rand, int, float64) []float64
		pattern   func(*rand.Rand, []string) []float64
	}{
		{"heartbeat", 6, heartbeat, slope},
		{"drift", 20, slowDrift, normalPattern},
		{"one electrode", 12, contactNoise, onePlace},
	} {
		source, pattern := extra.draw(rng, n, opt.Rate), extra.pattern(rng, opt.Channels)
		if rng.IntN(2) == 0 {
			continue
		}
		floats.Scale(extra.deviation/stat.PopStdDev(source, nil), source)
		floats.Scale(1/floats.Norm(pattern, math.Inf(1)), pattern)
		x.RankOne(x, 1, mat.NewVecDense(len(pattern), pattern), mat.NewVecDense(n, source))
		sources, kinds = append(sources, source), append(kinds, extra.kind)
	}
	return eeg.Recording, sources, kinds, nil
}

// spreadChannels returns so many of the electrodes of datasets.DefaultEEG, from front to back.
func spreadChannels(count int) []string {
	all, channels := datasets.DefaultEEG().Channels, make([]string, count)
	for i := range channels {
		channels[i] = all[i*len(all)/count]
	}
	return channels
}

// heartbeat returns beats of 50 to 100 a minute, whose intervals vary by 4 %, with the waves P, Q,
// R, S and T.
func heartbeat(rng *rand.Rand, n int, rate float64) []float64 {
	waves := []struct{ at, width, height float64 }{ // seconds from R, and its height is 1
		{-0.17, 0.025, 0.15}, {-0.03, 0.01, -0.1}, {0, 0.012, 1}, {0.03, 0.012, -0.25},
		{0.25, 0.04, 0.3},
	}
	x, interval := make([]float64, n), 60/(50+50*rng.Float64())
	for at := rng.Float64(); at*rate < float64(n); at += interval * (1 + 0.04*rng.NormFloat64()) {
		for t := max(0, int((at-0.4)*rate)); t < min(n, int((at+0.5)*rate)); t++ {
			for _, w := range waves {
				x[t] += w.height * math.Exp(-0.5*math.Pow((float64(t)/rate-at-w.at)/w.width, 2))
			}
		}
	}
	return x
}

// slowDrift returns an AR(1) of a time constant of two seconds, averaged over one.
func slowDrift(rng *rand.Rand, n int, rate float64) []float64 {
	x, level := make([]float64, n), 0.0
	keep, width := math.Exp(-1/(2*rate)), int(rate)
	values := make([]float64, n+width)
	for t := range values {
		level = keep*level + rng.NormFloat64()
		values[t] = level
	}
	for t := range x {
		x[t] = stat.Mean(values[t:t+width], nil)
	}
	return x
}

// contactNoise returns an AR(1) with jumps, as a bad contact makes.
func contactNoise(rng *rand.Rand, n int, _ float64) []float64 {
	next := ar(datasets.Laplace, 0.5)(rng, 0, n)
	x := make([]float64, n)
	for t := range x {
		x[t] = next(t)
	}
	return x
}

// slope returns a pattern that rises over the head in a random direction.
func slope(rng *rand.Rand, channels []string) []float64 {
	direction := r3.Unit(r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()})
	pattern := make([]float64, len(channels))
	for i, name := range channels {
		place, _ := electrode.PlaceOf(name)
		pattern[i] = r3.Dot(direction, place.Direction())
	}
	return pattern
}

func normalPattern(rng *rand.Rand, channels []string) []float64 {
	pattern := make([]float64, len(channels))
	for i := range pattern {
		pattern[i] = rng.NormFloat64()
	}
	return pattern
}

func onePlace(rng *rand.Rand, channels []string) []float64 {
	pattern := make([]float64, len(channels))
	pattern[rng.IntN(len(channels))] = 1
	return pattern
}
