package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// A Simulation is a kind of simulated recordings, on which an O measures what is said of recovered
// signals without the truth. Kinds of part A set limits and probabilities, those of part B are only
// reported on.
type Simulation[O any] struct {
	Part, Name string
	// Surplus is whether there are more sources than channels.
	Surplus bool
	// Measure draws a recording, separates it by the linear rule, and compares what is said with
	// the truth.
	Measure func(ctx context.Context, seed uint64) (O, error)
}

// A SimulationID names a simulated recording.
type SimulationID struct {
	Kind string `json:"kind"`
	Seed uint64 `json:"seed"`
}

// ID returns the ID.
func (id SimulationID) ID() SimulationID { return id }

// GradeSimulations returns the kinds on which grades are measured, those of part A first.
func GradeSimulations() []Simulation[GradeOutcome] {
	var all []Simulation[GradeOutcome]
	add := func(part string, surplus bool, m boardMixture) {
		all = append(all, Simulation[GradeOutcome]{part, m.name, surplus,
			func(ctx context.Context, seed uint64) (GradeOutcome, error) {
				return measureGrades(ctx, m, seed)
			}})
	}
	eeg := func(channels, background int, bursts float64) boardMixture {
		name := fmt.Sprintf("EEG, d=%d, %d sources, bursts %g", channels, background+6, bursts)
		return boardMixture{name: name, draw: func(seed uint64) (*mat.Dense, *ica.Signals, error) {
			return drawEEG(name, seed, channels, background, bursts)
		}}
	}
	laplace := func(d, surplus int, share float64) noisy {
		name := fmt.Sprintf("Laplace AR(1), %d surplus of %g", surplus, share)
		return noisy{name: name, signals: d,
			sources: kindsOf(d, datasets.Laplace), noise: 0.05,
			surplus: surplus, surplusShare: share}
	}
	four := func(d, surplus int, share float64) noisy {
		k := laplace(d, surplus, share)
		k.name = fmt.Sprintf("AR(1) of four kinds, %d surplus of %g", surplus, share)
		k.sources = fourKinds(d)
		return k
	}
	recorded := func(k noisy) boardMixture { return boardOf(k, gradePositions, 0) }
	heart := func(shortest, longest int) signal { return pulses(15, shortest, longest) }
	hearts := func(d, surplus int, share float64) noisy {
		signals := []signal{heart(200, 235), heart(105, 125), ar(datasets.Normal, 0.97)}
		amplitudes := []float64{3, 1, 1}
		for i := len(signals); i < d; i++ {
			signals, amplitudes = append(signals, surplusSource), append(amplitudes, 0.5)
		}
		name := fmt.Sprintf("hearts of mother and child, %d surplus of %g", surplus, share)
		return noisy{name: name, signals: d, sources: each(signals...), noise: 0.02, amplitudes: amplitudes,
			surplus: surplus, surplusShare: share}
	}
	add("A", true, eeg(16, 20, 0.5))
	add("A", true, eeg(16, 30, 0))
	add("A", true, eeg(32, 40, 0.5))
	add("A", true, eeg(32, 40, 0))
	for _, share := range []float64{0.3, 1} {
		add("A", true, recorded(laplace(8, 4, share)))
		add("A", true, recorded(hearts(6, 3, share)))
	}
	add("A", false, recorded(laplace(6, 0, 0)))
	add("A", false, recorded(hearts(4, 0, 0)))
	add("B", true, eeg(24, 30, 1))
	add("B", true, eeg(16, 40, 0.3))
	for _, share := range []float64{0.5, 0.8} {
		add("B", true, recorded(four(10, 4, share)))
		add("B", true, recorded(hearts(5, 4, share)))
	}
	add("B", true, boardOf(hearts(4, 9, 0.5), longGradePositions, 0))
	add("B", false, recorded(four(8, 0, 0)))
	add("B", false, recorded(noisy{name: "voices", signals: 4, sources: voices(4), noise: 0.02}))
	return all
}

// gradePositions is the length of sequences of the grades: 30 s at the 250 Hz of an EEG.
const gradePositions = 7500

// longGradePositions is the length of long recordings, whose mixtures repeat nearly as well as
// sources: one minute at 500 Hz.
const longGradePositions = 30_000

// drawEEG draws an EEG of 60 s by datasets.SimulateEEG, in channels that are spread over the head.
func drawEEG(
	name string, seed uint64, channels, background int, bursts float64,
) (*mat.Dense, *ica.Signals, error) {
	opt := datasets.DefaultEEG()
	opt.Seconds, opt.Background, opt.Bursts = 60, background, bursts
	opt.Channels = spreadChannels(channels)
	s, err := datasets.SimulateEEG(rand.New(rand.NewPCG(seed, streamOf(name))), opt)
	if err != nil {
		return nil, nil, err
	}
	x, err := ica.New(s.Recording.Signals)
	return s.Sources, x, err
}

// A GradedSignal is a recovered signal with its grade and the truth.
type GradedSignal struct {
	report.Graded
	// OneSource is the largest |correlation| with a source.
	OneSource float64 `json:"one_source"`
	// Correlation is OneSource or, of a signal that repeats in a group of k, the smallest canonical
	// correlation of the group with the k sources that it holds most of.
	Correlation float64 `json:"correlation"`
}

// IsRight reports whether the signal is one source, or its group is as many.
func (s *GradedSignal) IsRight() bool { return s.Correlation >= wrongCorrelation }

// A GradeOutcome is the graded signals of one recording.
type GradeOutcome struct {
	SimulationID
	Signals []GradedSignal `json:"signals"`
}

// measureGrades separates a recording by the linear rule, grades its signals by report.Grades, and
// compares them with the truth.
func measureGrades(ctx context.Context, m boardMixture, seed uint64) (GradeOutcome, error) {
	o := GradeOutcome{SimulationID: SimulationID{m.name, seed}}
	sources, x, err := m.draw(seed)
	if err != nil {
		return o, err
	}
	cfg := sica.Default()
	cfg.Mode, cfg.Seed = sica.LinearOnly, seed
	r, err := sica.Fit(ctx, x.X(), cfg)
	if err != nil {
		return o, err
	}
	grades, err := report.Grades(ctx, r, x.X(), report.Config{})
	if err != nil && !errors.Is(err, report.ErrHalves) {
		return o, err
	}
	for i, g := range grades {
		one, err := sourceCorrelation(r.Z, sources, []int{i})
		if err != nil {
			return o, err
		}
		correlation := one
		if g.Grade == report.Repeats {
			if correlation, err = sourceCorrelation(r.Z, sources, g.Group); err != nil {
				return o, err
			}
		}
		g.Share, g.Repeat = roundDigits(g.Share, mccDigits), roundDigits(g.Repeat, mccDigits)
		g.GroupRepeat = roundDigits(g.GroupRepeat, mccDigits)
		o.Signals = append(o.Signals, GradedSignal{g, roundDigits(one, mccDigits),
			roundDigits(correlation, mccDigits)})
	}
	return o, nil
}

// sourceCorrelation returns the smallest canonical correlation of a group of the signals z with as
// many sources: those that correlate most with its signals, by the sum of squares.
func sourceCorrelation(z, sources *mat.Dense, group []int) (float64, error) {
	count, n := sources.Dims()
	squares, order := make([]float64, count), make([]int, count)
	for j := range count {
		for _, i := range group {
			squares[j] -= math.Pow(stat.Correlation(z.RawRowView(i), sources.RawRowView(j), nil), 2)
		}
	}
	floats.Argsort(squares, order)
	if len(group) == 1 {
		return math.Sqrt(-squares[0]), nil
	}
	signals, nearest := mat.NewDense(n, len(group), nil), mat.NewDense(n, len(group), nil)
	for k, i := range group {
		signals.SetCol(k, z.RawRowView(i))
		nearest.SetCol(k, sources.RawRowView(order[k]))
	}
	var canonical stat.CC
	if err := canonical.CanonicalCorrelations(signals, nearest, nil); err != nil {
		return 0, err
	}
	return floats.Min(canonical.CorrsTo(nil)), nil
}
