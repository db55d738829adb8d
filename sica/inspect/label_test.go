package inspect

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/electrode"
)

// beating returns beats with intervals of a mean in seconds, which spread by a share of it, and noise.
func beating(rng *rand.Rand, n int, rate, interval, spread, noise float64) []float64 {
	x := make([]float64, n)
	for t := range x {
		x[t] = noise * rng.NormFloat64()
	}
	for at := interval; at*rate < float64(n); at += interval * (1 + spread*rng.NormFloat64()) {
		for t := max(0, int((at-0.2)*rate)); t < min(n, int((at+0.4)*rate)); t++ {
			s := float64(t)/rate - at
			x[t] += math.Exp(-0.5*math.Pow(s/0.015, 2)) +
				0.3*math.Exp(-0.5*math.Pow((s-0.22)/0.05, 2))
		}
	}
	return x
}

// What is an artefact in any recording, the brain's or steady is known by the name.
func TestTraits(t *testing.T) {
	for name, want := range map[string][3]bool{
		"line": {true, false, true}, "blink": {true}, "alpha": {false, true}, "drift": {2: true},
		"heartbeat": {}, "": {}, "of an older version": {},
	} {
		l := Label{Name: name}
		if got := [3]bool{l.Artefact(), l.Brain(), l.Steady()}; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// Generated components of each kind have its label, with its number, and others have none.
func TestLabels(t *testing.T) {
	const rate, n = 250.0, 250 * 40
	rng := rand.New(rand.NewPCG(1, 0))
	opt := datasets.DefaultEEG()
	opt.Rate, opt.Seconds = rate, n/rate
	eeg, err := datasets.SimulateEEG(rng, opt)
	if err != nil {
		t.Fatal(err)
	}
	names := opt.Channels
	white := func() []float64 {
		x := make([]float64, n)
		for t := range x {
			x[t] = rng.NormFloat64()
		}
		return x
	}
	slope := make([]float64, len(names)) // of a heart, over the whole head
	for i, name := range names {
		place, _ := electrode.PlaceOf(name)
		slope[i] = place.Direction().X + place.Direction().Z
	}
	one := make([]float64, len(names))
	one[7] = 1
	drift := white()
	for t := 1; t < n; t++ {
		drift[t] = 0.999*drift[t-1] + 0.01*drift[t]
	}
	var components []Component
	var rows [][]float64
	var want []string
	add := func(label string, row, pattern []float64) {
		components = append(components, Component{Signal: len(rows), Pattern: pattern})
		rows, want = append(rows, row), append(want, label)
	}
	for j, kind := range eeg.Kinds[:7] {
		label := strings.TrimSuffix(kind, "s")
		if kind == "background" {
			label = ""
		}
		add(label, eeg.Sources.RawRowView(j), mat.Col(nil, j, eeg.Patterns))
	}
	add("heartbeat", beating(rng, n, rate, 0.8, 0.05, 0.02), slope)
	add("heartbeat", beating(rng, n, rate, 0.4, 0.05, 0.02), slope) // of an unborn child
	add("drift", drift, slope)
	add("one electrode", white(), one)
	add("", white(), slope)
	add("", white(), mat.Col(nil, 8, eeg.Patterns))
	z := mat.NewDense(len(rows), n, nil)
	for i, row := range rows {
		z.SetRow(i, row)
	}
	got, err := Labels(components, z, names, rate)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range got {
		if l.Name != want[i] || (l.Name == "") != (l.Evidence == "") ||
			(l.Name == "") != (l.Probability == 0) {
			t.Errorf("component %d: %+v, want %q", i, l, want[i])
		}
	}
	if !strings.Contains(got[7].Evidence, "beat, 75 a minute") {
		t.Errorf("75 beats a minute: %q", got[7].Evidence)
	}
	// Without names there are neither eyes nor edges.
	got, err = Labels(components, z, nil, rate)
	if err != nil || got[0].Name == "blink" || got[7].Name != "heartbeat" ||
		!strings.Contains(got[10].Evidence, "channel 8") {
		t.Errorf("without names: %+v, error %v", got, err)
	}
}

// Another electrode of reference, and the sign, make no difference.
func TestLabelsIgnoreReferenceAndSign(t *testing.T) {
	names := datasets.DefaultEEG().Channels
	var m, other measures
	pattern := make([]float64, len(names))
	for i := range pattern {
		pattern[i] = math.Exp(-float64(i))
	}
	m.setEyes(pattern, names)
	m.setSingle(pattern, names)
	floats.Scale(-2, pattern)
	floats.AddConst(5, pattern)
	other.setEyes(pattern, names)
	other.setSingle(pattern, names)
	if math.Abs(m.blink-other.blink) > 1e-9 || math.Abs(m.gaze-other.gaze) > 1e-9 ||
		math.Abs(m.single-other.single) > 1e-9 || m.isAtEdge != other.isAtEdge {
		t.Errorf("%+v, and %+v with another reference", m, other)
	}
}

// What an electrode of a limb adds to the leads of an ECG is known, with any others beside them.
func TestLabelsOfLimbs(t *testing.T) {
	names := []string{"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V6", "resp"}
	pattern := []float64{-2, 0, 2, 1, -2, 1, 0.6, 0.7, 3}
	rng := rand.New(rand.NewPCG(2, 0))
	z := mat.NewDense(1, 2000, nil)
	for k := range z.RawRowView(0) {
		z.Set(0, k, rng.NormFloat64())
	}
	got, err := Labels([]Component{{Pattern: pattern}}, z, names, 250)
	if err != nil || got[0].Name != "one electrode" ||
		!strings.Contains(got[0].Evidence, "left arm") {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestLabelsErrors(t *testing.T) {
	z := mat.NewDense(1, 100, nil)
	one := []Component{{Pattern: []float64{1, 2}}}
	for want, c := range map[string]struct {
		components []Component
		z          *mat.Dense
		names      []string
		rate       float64
	}{
		"inspect: z: ":          {one, nil, nil, 1},
		"a row for each of the": {append(one, one...), z, nil, 1},
		"inspect: rate: is 0; ": {one, z, nil, 0},
		"channels: are 3 names": {one, z, []string{"a", "b", "c"}, 1},
		"inspect: components: ": {[]Component{{Signal: 1}}, z, nil, 1},
	} {
		_, err := Labels(c.components, c.z, c.names, c.rate)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// Of a recording whose rate is below 10 Hz, as of fMRI, nothing is called drift: most of its band is
// slow.
func TestNoDriftAtLowRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	const n = 5000
	z := mat.NewDense(1, n, nil)
	for k := 1; k < n; k++ {
		z.Set(0, k, 0.9995*z.At(0, k-1)+rng.NormFloat64())
	}
	for rate, want := range map[float64]string{0.526: "", 1: "", 9.9: "", 10: "drift", 250: "drift"} {
		got, err := Labels([]Component{{Pattern: []float64{1, 2}}}, z, nil, rate)
		if err != nil || got[0].Name != want {
			t.Errorf("%g Hz: %+v, error %v, want %q", rate, got, err, want)
		}
	}
}

// A mother's and her child's heart are labelled by their own beats, as many as there were, if noise
// of the leads is in the components.
func TestLabelsOfTwoHearts(t *testing.T) {
	for seed := range uint64(5) {
		opt := datasets.DefaultFetalECG()
		ecg, err := datasets.SimulateFetalECG(rand.New(rand.NewPCG(seed, 0)), opt)
		if err != nil {
			t.Fatal(err)
		}
		var z mat.Dense
		if err := z.Solve(ecg.Patterns, ecg.Recording.Signals); err != nil {
			t.Fatal(err)
		}
		var components []Component
		for j := range ecg.Kinds {
			components = append(components,
				Component{Signal: j, Pattern: mat.Col(nil, j, ecg.Patterns)})
		}
		got, err := Labels(components, &z, ecg.Recording.Names, opt.Rate)
		if err != nil {
			t.Fatal(err)
		}
		for j, kind := range ecg.Kinds {
			want := map[string]int{"mother": len(ecg.Mother), "child": len(ecg.Child)}[kind]
			if (got[j].Name == "heartbeat") != (want > 0) ||
				math.Abs(got[j].Beats-float64(want)) > 0.04*float64(want) {
				t.Errorf("seed %d, %s, %d beats: %+v", seed, kind, want, got[j])
			}
		}
	}
}

// A stimulus each second and a tone are no hearts, and slow events, as of cells that calcium shows,
// are no drift.
func TestLabelsOfOtherEvents(t *testing.T) {
	const rate, n = 250, 250 * 60
	rng := rand.New(rand.NewPCG(4, 0))
	z := mat.NewDense(3, n, nil)
	z.SetRow(0, beating(rng, n, rate, 1, 0, 0.02))
	level := 0.0
	for k := range n {
		level *= 1 - 0.5/rate
		if rng.Float64() < 0.05/rate {
			level++
		}
		z.Set(1, k, level+0.01*rng.NormFloat64())
		z.Set(2, k, math.Sin(2*math.Pi*17*float64(k)/rate))
	}
	var components []Component
	for i := range 3 {
		components = append(components, Component{Signal: i, Pattern: []float64{1, 2}})
	}
	got, err := Labels(components, z, nil, rate)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range got {
		if l.Name != "" {
			t.Errorf("signal %d: %+v, want no label", i, l)
		}
	}
}

// A pulse is a wave that fills its period and isn't a sine, whichever way up it is, with drift and
// noise beside it. Sines, and narrow-band noise at a pulse's frequency, are none.
func TestLabelsOfPulses(t *testing.T) {
	const rate, n = 30., 30 * 40
	rng := rand.New(rand.NewPCG(3, 0))
	for hertz := 0.8; hertz < 3; hertz += 0.3 {
		phase, last, before, drift := 0.0, 0.0, 0.0, 0.0
		z := mat.NewDense(4, n, nil)
		for k := -n; k < n; k++ {
			phase += 2 * math.Pi * hertz / rate * (1 + 0.03*rng.NormFloat64())
			radius := math.Exp(-2 * math.Pi * 0.05 / rate)
			next := 2*radius*math.Cos(2*math.Pi*hertz/rate)*last - radius*radius*before
			last, before = next+rng.NormFloat64(), last
			drift = 0.99*drift + 0.05*rng.NormFloat64()
			if k < 0 {
				continue
			}
			wave := math.Sin(phase) + 0.35*math.Sin(2*phase+1)
			z.Set(0, k, wave+0.3*rng.NormFloat64())
			z.Set(1, k, drift-wave)
			z.Set(2, k, math.Sin(phase)+0.3*rng.NormFloat64())
			z.Set(3, k, last)
		}
		var components []Component
		for i := range 4 {
			components = append(components, Component{Signal: i, Pattern: []float64{1, 2, 3}})
		}
		got, err := Labels(components, z, nil, rate)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"heartbeat", "heartbeat", "", ""} {
			if got[i].Name != want {
				t.Errorf("%.1f Hz, signal %d: %+v, want %q", hertz, i, got[i], want)
			}
		}
	}
}
