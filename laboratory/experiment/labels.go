package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A labelKind is a kind of simulated recordings on which the labels of package inspect are
// measured.
type labelKind struct {
	name string
	draw func(*rand.Rand) (*datasets.Recording, []labelledSource, error)
}

// A labelledSource is a source with the label that its components should have, "" for none: one
// row, or those of a heart's dipole.
type labelledSource struct {
	label string
	rows  [][]float64
}

// LabelSimulations returns the kinds on which labels are measured, those of part A first.
func LabelSimulations() []Simulation[LabelOutcome] {
	var all []Simulation[LabelOutcome]
	add := func(part string, k labelKind) {
		all = append(all, Simulation[LabelOutcome]{part, k.name, false, k.measure})
	}
	eeg := func(part string, channels, background int, bursts float64) {
		name := fmt.Sprintf("EEG, d=%d, background %d, bursts %g", channels, background, bursts)
		add(part, labelKind{name, labelledEEG{channels, background, bursts}.draw})
	}
	eeg("A", 16, 6, 0.5)
	eeg("A", 16, 20, 0.5)
	eeg("A", 20, 12, 0)
	add("A", labelKind{"fetal ECG, 500 Hz", fetalECG{500, 2}.draw})
	add("A", labelKind{"webcam, 30 Hz", webcam{30, 30}.draw})
	eeg("B", 12, 12, 0.5)
	eeg("B", 18, 8, 1)
	eeg("B", 18, 24, 0.2)
	add("B", labelKind{"fetal ECG, 250 Hz", fetalECG{250, 1}.draw})
	add("B", labelKind{"webcam, 60 Hz", webcam{60, 40}.draw})
	return all
}

// Mixture is the truth of a component of which no source has half of the variance.
const Mixture = "mixture"

// A LabelledComponent is a component with its label and the truth.
type LabelledComponent struct {
	Label string `json:"label"`
	// Truth is the label of the source that the component mostly is, "" for one that has none, such
	// as the brain, and Mixture.
	Truth string `json:"truth"`
	// Correlation is the largest |correlation| with a source, or with the best sum of a heart's.
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
	recording, sources, err := k.draw(rand.New(rand.NewPCG(seed, streamOf(k.name))))
	if err != nil {
		return o, err
	}
	cfg := sica.Default()
	cfg.Mode, cfg.Seed = sica.LinearOnly, seed
	r, err := sica.Fit(ctx, recording.Signals, cfg)
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
		nearest := ""
		for _, s := range sources {
			if correlation := s.correlation(r.Z.RawRowView(c.Signal)); correlation > l.Correlation {
				nearest, l.Correlation = s.label, correlation
			}
		}
		if l.Correlation*l.Correlation >= 0.5 {
			l.Truth = nearest
		}
		l.Correlation = roundDigits(l.Correlation, mccDigits)
		o.Components = append(o.Components, l)
	}
	return o, nil
}

// correlation returns the largest |correlation| of z with a sum of the source's rows.
func (s labelledSource) correlation(z []float64) float64 {
	if len(s.rows) == 1 {
		return math.Abs(stat.Correlation(z, s.rows[0], nil))
	}
	design := mat.NewDense(len(z), len(s.rows)+1, nil) // and a constant
	for j, row := range s.rows {
		design.SetCol(j, row)
	}
	design.SetCol(len(s.rows), slices.Repeat([]float64{1}, len(z)))
	var weights, fitted mat.VecDense
	if weights.SolveVec(design, mat.NewVecDense(len(z), slices.Clone(z))) != nil {
		return 0
	}
	fitted.MulVec(design, &weights)
	return math.Abs(stat.Correlation(z, fitted.RawVector().Data, nil))
}

// labelledEEG is an EEG of datasets.SimulateEEG and, each in half of the recordings, beats of a
// heart, drift and the noise of an electrode.
type labelledEEG struct {
	// These are of datasets.EEGOptions.
	channels, background int
	bursts               float64
}

// labelOfKind is the label of each kind of an EEG's sources; "" of the others.
var labelOfKind = map[string]string{
	"blinks": "blink", "eye movements": "eye movement", "alpha": "alpha", "muscle": "muscle",
	"line": "line",
}

func (k labelledEEG) draw(rng *rand.Rand) (*datasets.Recording, []labelledSource, error) {
	opt := datasets.DefaultEEG()
	opt.Seconds, opt.Background, opt.Bursts = 60, k.background, k.bursts
	opt.Channels = spreadChannels(k.channels)
	eeg, err := datasets.SimulateEEG(rng, opt)
	if err != nil {
		return nil, nil, err
	}
	x := eeg.Recording.Signals
	var sources []labelledSource
	for j, kind := range eeg.Kinds {
		row := eeg.Sources.RawRowView(j)
		sources = append(sources, labelledSource{labelOfKind[kind], [][]float64{row}})
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
		sources = append(sources, labelledSource{extra.kind, [][]float64{source}})
	}
	return eeg.Recording, sources, nil
}

// fetalECG is an ECG of a mother and her child, of datasets.FetalECGOptions.
type fetalECG struct{ rate, noise float64 }

func (k fetalECG) draw(rng *rand.Rand) (*datasets.Recording, []labelledSource, error) {
	opt := datasets.DefaultFetalECG()
	opt.Rate, opt.Noise = k.rate, k.noise
	ecg, err := datasets.SimulateFetalECG(rng, opt)
	if err != nil {
		return nil, nil, err
	}
	sources := []labelledSource{{label: "heartbeat"}} // the mother's
	for j, kind := range ecg.Kinds {
		row := ecg.Sources.RawRowView(j)
		switch kind {
		case "mother":
			sources[0].rows = append(sources[0].rows, row)
			continue
		case "child":
			kind = "heartbeat"
		case "breathing":
			kind = "drift"
		case "uterus":
			kind = ""
		}
		sources = append(sources, labelledSource{kind, [][]float64{row}})
	}
	return ecg.Recording, sources, nil
}

// webcam is the mean colour of a face, of red, green and blue: the pulse, the light, which drifts,
// and movements that shake a few times, with noise.
type webcam struct{ rate, seconds float64 }

func (k webcam) draw(rng *rand.Rand) (*datasets.Recording, []labelledSource, error) {
	n, noise := int(k.rate*k.seconds), 0.005+0.015*rng.Float64()
	shake := datasets.ARProcess{Coefficients: shaking(0.8+0.19*rng.Float64(), 2/k.rate), Scale: 1,
		BurnIn: 200}
	shaken, err := datasets.AR(rng, n, shake)
	if err != nil {
		return nil, nil, err
	}
	sources := []labelledSource{
		{"heartbeat", [][]float64{pulse(rng, n, k.rate)}},
		{"drift", [][]float64{slowDrift(rng, n, k.rate)}},
		{"", [][]float64{shaken.RawRowView(0)}},
	}
	x := mat.NewDense(3, n, nil)
	for j, gains := range [][]float64{{0.015, 0.05, 0.025}, {1, 1, 1}, {1, 0.9, 0.7}} {
		row := sources[j].rows[0]
		floats.Scale(1/stat.PopStdDev(row, nil), row)
		for i := range gains {
			gains[i] *= 0.8 + 0.4*rng.Float64()
		}
		x.RankOne(x, 1, mat.NewVecDense(3, gains), mat.NewVecDense(n, row))
	}
	x.Apply(func(_, _ int, v float64) float64 { return v + noise*rng.NormFloat64() }, x)
	return &datasets.Recording{Signals: x, Names: []string{"red", "green", "blue"}, Rate: k.rate},
		sources, nil
}

// shaking returns the coefficients of an AR(2) that oscillates at a frequency in cycles a position.
func shaking(radius, frequency float64) []float64 {
	return []float64{2 * radius * math.Cos(2*math.Pi*frequency), -radius * radius}
}

// pulse returns a wave of 50 to 120 a minute with an overtone, whose rate wanders.
func pulse(rng *rand.Rand, n int, rate float64) []float64 {
	x := make([]float64, n)
	hertz, phase := (50+70*rng.Float64())/60, 0.0
	overtone, shift := 0.2+0.3*rng.Float64(), 2*math.Pi*rng.Float64()
	for t := range x {
		hertz += 0.03 * rng.NormFloat64() / math.Sqrt(rate)
		phase += 2 * math.Pi * hertz / rate
		x[t] = math.Sin(phase) + overtone*math.Sin(2*phase+shift)
	}
	return x
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
