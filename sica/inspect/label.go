package inspect

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

// A Label says what a component looks like. The zero Label is that of a component that looks like
// none of the kinds of [Labels].
type Label struct {
	// Name is the kind.
	Name string `json:"name"`
	// Evidence says in a few words what the Name is based on, with its number.
	Evidence string `json:"evidence"`
	// Probability is how often components of this Name were mostly such a source in simulated
	// recordings; see docs/how-to/recordings.md.
	Probability float64 `json:"probability"`
	// Beats is how many come a minute, of a heartbeat; else 0.
	Beats float64 `json:"beats_a_minute,omitempty"`
}

// Artefact reports whether the component is an artefact in any recording: line, blink, eye movement
// or muscle. A heart isn't one in an ECG.
func (l Label) Artefact() bool { return l.has(artefact) }

// Brain reports whether the component is the brain's, and so no artefact: alpha.
func (l Label) Brain() bool { return l.has(brain) }

// Steady reports whether the component doesn't come and go, and so has no quiet half: line or
// drift.
func (l Label) Steady() bool { return l.has(steady) }

func (l Label) has(t traits) bool {
	for _, k := range kinds {
		if k.name == l.Name {
			return k.traits&t != 0
		}
	}
	return false
}

// The limits of the labels: shares and |correlations|, chosen on part A of the table labels.
const (
	minPower   = 0.5 // of the power of line, alpha, muscle and eyes in their bands, and of beats
	minSlow    = 0.7 // of the power of drift: half of it is below slowest in signals of 1/f²
	minPattern = 0.8 // of the pattern of one electrode, and |correlation| with that of eyes
)

// minOvertones is the least share of a mean beat's variance that isn't its best sine: narrow-band
// noise, whose waves are sines, has 0. A pulse with half of its amplitude at the second harmonic has
// 0.2.
const minOvertones = 0.02

// minBursts is the smallest excess kurtosis of muscles and blinks, which come and go. Steady noise
// has 0, and drift less than minBursts: slow events, such as calcium's transients, are no drift.
const minBursts = 1

// Bands of frequencies, in Hz.
const (
	slowest   = 0.5 // drift is below
	eyesBelow = 5   // half of the power of blinks and eye movements is
	alphaFrom = 7.5
	alphaTo   = 12.5
	fastAbove = 20 // muscles are
	humWidth  = 1  // on each side of the line and its multiples

	// maxSlowBand is the largest share of the recorded band that is below slowest if drift is
	// looked for: white noise has that share of its power there, far less than minSlow.
	maxSlowBand = 0.1
)

// LabelledPositions is how many of the first positions of a recording labels are based on: as many
// as Recording analyses together.
const LabelledPositions = blockSize

// spectrumSeconds is the length of a segment of these spectra, in seconds: twice the period of
// slowest.
const spectrumSeconds = 4

// hums are the frequencies of power lines in Hz.
var hums = []float64{50, 60}

// traits are what is known of the components with a label.
type traits int

const (
	artefact traits = 1 << iota // in any recording
	brain                       // no artefact
	steady                      // doesn't come and go
	paced                       // has Label.Beats
)

// kinds are the labels; a component gets the first that applies. The probability is measured on
// part A of the table labels: (k+1)/(n+2) if k of n labels were right (Laplace's rule of
// succession).
var kinds = []struct {
	name        string
	probability float64
	traits      traits
	applies     func(*measures) bool
	evidence    func(*measures) string
}{
	{"line", 0.98, artefact | steady, func(m *measures) bool {
		return m.line >= minPower
	}, func(m *measures) string {
		return fmt.Sprintf("%.0f %% of its power at %g Hz and multiples", 100*m.line, m.hum)
	}},
	{"blink", 0.97, artefact, func(m *measures) bool {
		return m.blink >= minPattern && m.belowEyes >= minPower && m.kurtosis >= minBursts
	}, func(m *measures) string {
		return fmt.Sprintf("falls off from both eyes (correlation %.2f), with peaks", m.blink)
	}},
	{"eye movement", 0.83, artefact, func(m *measures) bool {
		return m.gaze >= minPattern && m.belowEyes >= minPower
	}, func(m *measures) string {
		return fmt.Sprintf("opposite signs beside the eyes (correlation %.2f)", m.gaze)
	}},
	{"alpha", 0.99, brain, func(m *measures) bool {
		return m.alpha >= minPower
	}, func(m *measures) string {
		return fmt.Sprintf("%.0f %% of its power at 8 to 12 Hz", 100*m.alpha)
	}},
	{"heartbeat", 0.95, paced, func(m *measures) bool {
		return m.share >= minPower && m.overtones >= minOvertones
	}, (*measures).beating},
	{"drift", 0.95, steady, func(m *measures) bool {
		return m.slow >= minSlow && m.kurtosis < minBursts
	}, func(m *measures) string {
		return fmt.Sprintf("%.0f %% of its power below %g Hz", 100*m.slow, slowest)
	}},
	{"muscle", 0.88, artefact, func(m *measures) bool {
		return m.fast >= minPower && m.kurtosis >= minBursts && m.isAtEdge
	}, func(m *measures) string {
		return fmt.Sprintf("%.0f %% of its power above %d Hz, in bursts, at the edge", 100*m.fast,
			fastAbove)
	}},
	{"one electrode", 0.85, 0, func(m *measures) bool {
		return m.single >= minPattern
	}, func(m *measures) string {
		return fmt.Sprintf("its pattern is that of %s (%.3f)", m.electrode, m.single)
	}},
}

// Labels says what the components of a recording look like, in their order: line (50 or 60 Hz),
// blink, eye movement, alpha, heartbeat, drift, muscle, one electrode, or none of these. A
// component has the first that applies. The rows of z are the recovered signals, d×n, or a part of
// some minutes, at the rate in Hz. Channels are their names, or nil. Blinks, eye movements and
// muscles are only looked for with 8 electrodes of the 10–10 system or more, one electrode with 8
// channels, electrodes of limbs with the leads of an ECG, and drift from 10 Hz on.
//
// It is an error if z hasn't a row for each component, if there isn't a name for each channel, or
// if the rate isn't positive.
func Labels(
	components []Component, z *mat.Dense, channels []string, rate float64,
) ([]Label, error) {
	if z == nil || z.IsEmpty() || z.RawMatrix().Rows != len(components) {
		return nil, fmt.Errorf("inspect: z: must have a row for each of the %d components",
			len(components))
	}
	if !(rate > 0) || math.IsInf(rate, 1) {
		return nil, fmt.Errorf("inspect: rate: is %g; must be positive and finite", rate)
	}
	for _, c := range components {
		if c.Signal < 0 || c.Signal >= len(components) {
			return nil, errors.New("inspect: components: must be those of all rows of z")
		}
		if channels != nil && len(channels) != len(c.Pattern) {
			return nil, fmt.Errorf("inspect: channels: are %d names; must be %d, one for "+
				"each channel", len(channels), len(c.Pattern))
		}
	}
	labels := make([]Label, len(components))
	for i, m := range measure(components, z, channels, rate) {
		labels[i] = m.label()
	}
	return labels, nil
}

// label returns the first label that applies.
func (m *measures) label() (l Label) {
	for _, k := range kinds {
		if !k.applies(m) {
			continue
		}
		l = Label{Name: k.name, Evidence: k.evidence(m), Probability: k.probability}
		if k.traits&paced != 0 {
			l.Beats = m.beats
		}
		return l
	}
	return l
}

// measures are what the label of a component is based on.
type measures struct {
	kurtosis float64
	lock             // to beats
	beats    float64 // a minute
	// Shares of its power: within humWidth of hum and multiples, below slowest, below eyesBelow, in
	// the band of alpha, and above fastAbove without the line.
	line, slow, belowEyes, alpha, fast float64
	hum                                float64
	// |Correlations| of its pattern with those of blinks and of horizontal eye movements.
	blink, gaze float64
	// single is the largest share of one electrode in the squares of its pattern, or its cosine
	// with the leads of a limb.
	single    float64
	electrode string
	isAtEdge  bool // whether its pattern is largest at the edge of the cap
}

// measure returns the measures of each component.
func measure(
	components []Component, z *mat.Dense, channels []string, rate float64,
) []measures {
	all := make([]measures, len(components))
	locked := locks(z, rate)
	for i, c := range components {
		row := mat.Row(nil, c.Signal, z)
		floats.AddConst(-stat.Mean(row, nil), row)
		m := measures{kurtosis: stat.ExKurtosis(row, nil), lock: locked[c.Signal]}
		if m.interval > 0 {
			m.beats = 60 * rate / float64(m.interval)
		}
		m.setPowers(row, rate)
		m.setSingle(c.Pattern, channels)
		m.setLimb(c.Pattern, channels)
		m.setEyes(c.Pattern, channels)
		all[i] = m
	}
	return all
}

// beating is the evidence for beats.
func (m *measures) beating() string {
	return fmt.Sprintf("%.0f %% repeats with each beat, %.0f a minute", 100*m.share, m.beats)
}

// setPowers sets the shares of the power of a signal of mean 0.
func (m *measures) setPowers(z []float64, rate float64) {
	length := max(min(int(spectrumSeconds*rate), len(z)), minSegment)
	s := newSpectra(length)
	s.add(z, nil)
	power := s.shares()
	share := func(isIn func(hz float64) bool) (sum float64) {
		for k, p := range power {
			if isIn(float64(k) * rate / float64(length)) {
				sum += p
			}
		}
		return sum
	}
	isLine := func(hz, hum float64) bool {
		return math.Abs(hz-max(1, math.Round(hz/hum))*hum) <= humWidth
	}
	for _, hum := range hums {
		if line := share(func(hz float64) bool { return isLine(hz, hum) }); line >= m.line {
			m.line, m.hum = line, hum
		}
	}
	m.fast = share(func(hz float64) bool { return hz >= fastAbove && !isLine(hz, m.hum) })
	if slowest <= maxSlowBand*rate/2 {
		m.slow = share(func(hz float64) bool { return hz <= slowest })
	}
	m.belowEyes = share(func(hz float64) bool { return hz <= eyesBelow })
	m.alpha = share(func(hz float64) bool { return alphaFrom <= hz && hz <= alphaTo })
}

// setSingle sets the share of one electrode. The reference adds the same to all channels: their
// median is subtracted.
func (m *measures) setSingle(pattern []float64, channels []string) {
	if len(pattern) < minElectrodes {
		return
	}
	centred := make([]float64, len(pattern))
	floats.AddConst(-median(pattern), floats.AddTo(centred, centred, pattern))
	squares := floats.Dot(centred, centred)
	for i, v := range centred {
		if share := v * v / squares; share > m.single {
			m.single, m.electrode = share, fmt.Sprintf("channel %d", i+1)
			if channels != nil {
				m.electrode = channels[i]
			}
		}
	}
}

// limbs are what a voltage of 1 at the electrode of a limb adds to the leads of an ECG, by their
// definitions; v stands for v1 to v6.
var limbs = []struct {
	name  string
	leads map[string]float64
}{
	{"the right arm's electrode", map[string]float64{
		"i": -1, "ii": -1, "iii": 0, "avr": 1, "avl": -0.5, "avf": -0.5, "v": -1. / 3}},
	{"the left arm's electrode", map[string]float64{
		"i": 1, "ii": 0, "iii": -1, "avr": -0.5, "avl": 1, "avf": -0.5, "v": -1. / 3}},
	{"the left leg's electrode", map[string]float64{
		"i": 0, "ii": 1, "iii": 1, "avr": -0.5, "avl": -0.5, "avf": 1, "v": -1. / 3}},
}

// minLeads is the smallest number of leads that a limb's electrode is looked for in: those of the
// limbs.
const minLeads = 6

// setLimb sets the cosine with the leads of a limb, if it is more than the share of one channel.
// Channels that aren't leads don't count.
func (m *measures) setLimb(pattern []float64, channels []string) {
	for _, limb := range limbs {
		var values, expected []float64
		for i, name := range channels {
			name = strings.ToLower(strings.TrimSpace(name))
			if len(name) == 2 && name[0] == 'v' && '1' <= name[1] && name[1] <= '6' {
				name = "v"
			}
			if v, ok := limb.leads[name]; ok {
				values, expected = append(values, pattern[i]), append(expected, v)
			}
		}
		if len(values) < minLeads {
			return
		}
		cosine := math.Abs(floats.Dot(values, expected)) /
			(floats.Norm(values, 2) * floats.Norm(expected, 2))
		if cosine > m.single {
			m.single, m.electrode = cosine, limb.name
		}
	}
}

// eyes are where the eyes are, in radii of the head from its middle: 3 cm from the middle of the
// face, as in MNE-Python's sphere of 9 cm.
var eyes = [2]r3.Vec{{X: -0.33, Y: 0.76, Z: -0.3}, {X: 0.33, Y: 0.76, Z: -0.3}}

// edgeHeight is how high the edge of a cap is at most, in radii from the middle of the head: the
// ring of Fp1, T7 and O1 and the one above it, of FC5 and CP5.
const edgeHeight = 0.35

// setEyes sets the correlations of the pattern with those of the eyes, which fall off with the
// square of the distance, and whether it is largest at the edge.
func (m *measures) setEyes(pattern []float64, channels []string) {
	var values, blinks, gazes, heights []float64
	for i, name := range channels {
		place, ok := electrode.PlaceOf(name)
		if !ok {
			continue
		}
		at, blink, gaze := place.Direction(), 0.0, 0.0
		for _, eye := range eyes {
			from := r3.Sub(at, eye)
			blink += 1 / r3.Norm2(from)
			gaze += from.X / math.Pow(r3.Norm(from), 3) // a dipole's that points sideways
		}
		values, heights = append(values, pattern[i]), append(heights, at.Z)
		blinks, gazes = append(blinks, blink), append(gazes, gaze)
	}
	if len(values) < minElectrodes {
		return
	}
	m.blink = math.Abs(stat.Correlation(values, blinks, nil))
	m.gaze = math.Abs(stat.Correlation(values, gazes, nil))
	floats.AddConst(-median(values), values)
	for i, v := range values {
		values[i] = math.Abs(v)
	}
	m.isAtEdge = heights[floats.MaxIdx(values)] <= edgeHeight
}
