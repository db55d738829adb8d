package network

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// whitening is that start of x.
func whitening(t *testing.T, x *mat.Dense) Code {
	t.Helper()
	w, logDet, err := whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	return Code{name: "whitening", signals: apply(t, w, x), logDet: []float64{logDet}, network: true}
}

// demixed is the start of x that knows its linear mixing.
func demixed(t *testing.T, mixing, x *mat.Dense) Code {
	t.Helper()
	var inverse mat.Dense
	if err := inverse.Inverse(mixing); err != nil {
		t.Fatal(err)
	}
	logDet, _ := mat.LogDet(&inverse)
	return Code{name: "the truth", signals: apply(t, mapping.LinearMap(&inverse, []float64{0, 0}), x), logDet: []float64{logDet}}
}

// Networks behind whitening that don't get ahead of the right linear demixing aren't trained to the
// end, nor judged.
func TestChooseFutile(t *testing.T) {
	b := fastest(t)
	needsXLA(t, b)
	s, err := datasets.LaplaceAR(newRand(1), 2, 4000, .7)
	if err != nil {
		t.Fatal(err)
	}
	mixing := mat.NewDense(2, 2, []float64{1, .5, -.7, 1})
	var x mat.Dense
	x.Mul(mixing, s)
	fitted := 0.0
	o := Options{Backend: b, Seed: 1, layers: 4, restarts: 1, Steps: 4800, OnProgress: func(doing string, fraction float64) {
		switch doing {
		case fitting:
			fitted = fraction
		case judging:
			t.Error("networks were judged")
		}
	}}
	c, err := Choose(t.Context(), []Code{whitening(t, &x), demixed(t, mixing, &x)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := float64(patientSteps) / 4800; fitted == 0 || fitted > want {
		t.Errorf("trained %g of the steps, want at most %g", fitted, want)
	}
	if c.Chosen != 1 || c.failed() != "" || strings.Contains(c.Why, "failed") {
		t.Errorf("%+v", c)
	}
	k := c.Scored[len(c.Scored)-1]
	if !k.network || k.model != nil || !errors.Is(k.err, errFutile) {
		t.Errorf("the network is %+v", k)
	}
}

// A linear mixture is left to the linear start that separates it: without a network,
// and so without a backend.
func TestChooseLinear(t *testing.T) {
	s, err := datasets.LaplaceAR(newRand(1), 2, 2000, .7)
	if err != nil {
		t.Fatal(err)
	}
	mixing := mat.NewDense(2, 2, []float64{1, .5, -.7, 1})
	var x mat.Dense
	x.Mul(mixing, s)
	var stages []string
	o := Options{OnProgress: func(doing string, _ float64) { stages = append(stages, doing) }}
	white, truth := whitening(t, &x), demixed(t, mixing, &x)
	white.network = false
	c, err := Choose(t.Context(), []Code{white, truth}, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Chosen != 1 || len(c.Scored) != 2 || !c.Scored[0].Excess.Significant() {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(c.Why, "the truth describes the mixed signals best (") {
		t.Error(c.Why)
	}
	if !reflect.DeepEqual(stages, []string{measuring, measuring, measuring, measuring}) { // two folds
		t.Errorf("stages %v", stages)
	}
}

// The reason for a network says by how much its code is shorter than the linear rule's, and than the
// runner-up's.
func TestAdvantage(t *testing.T) {
	score := func(length, excess, se float64) nonlinear.Score {
		return nonlinear.Score{CodeLength: length, Excess: nonlinear.Difference{Mean: excess, SE: se}}
	}
	s := &scorer{
		Choice: Choice{Scored: []ScoredCode{
			{code: 0, Score: score(2.9, 0.9, 0.05)}, {code: 1, Score: score(2.3, 0.3, 0.02)},
			{code: 0, network: true, Score: nonlinear.Score{CodeLength: 2}},
		}},
		codes: []Code{{name: "the linear rule", logDet: []float64{0}},
			{name: "conditional normalisation", logDet: make([]float64, 2)}},
	}
	want := "0.900 nats per position shorter than the linear rule, SE 0.050; 0.300 shorter than " +
		"conditional normalisation, SE 0.020"
	if got := s.advantage(2, 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := s.advantage(2, 0); strings.Contains(got, ";") || !strings.HasPrefix(got, "0.900 nats") {
		t.Errorf("%q of the linear rule alone", got)
	}
}

// The sources of a linear mixture call for no network, those of a nonlinear one
// that was only whitened do, and white ones behind one don't: it couldn't be known for
// right.
func TestCalled(t *testing.T) {
	s, err := datasets.LaplaceAR(newRand(1), 2, 1500, .7)
	if err != nil {
		t.Fatal(err)
	}
	white, err := datasets.LaplaceAR(newRand(3), 2, 1500, 0)
	if err != nil {
		t.Fatal(err)
	}
	mix := func(s *mat.Dense) *mat.Dense {
		x, err := datasets.LayeredMix(newRand(4), s, 2, datasets.LeakyReLU(.2))
		if err != nil {
			t.Fatal(err)
		}
		return whitening(t, x).signals
	}
	for _, c := range []struct {
		name                          string
		z                             *mat.Dense
		network, dependent, predicted bool
	}{
		{"sources", s, false, false, true},
		{"mixed", mix(s), true, true, true},
		{"white, mixed", mix(white), false, true, false},
	} {
		call, err := Screen(t.Context(), c.z, false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if call.Network != c.network || call.Dependent != c.dependent ||
			call.predicted != c.predicted || len(call.pairs) != 1 {
			t.Errorf("%s: %+v", c.name, call)
		}
	}
}

// A code length is that of x, whatever the start's scale.
func TestChooseScale(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 1000)
	start := whitening(t, x)
	larger := Code{name: "larger", signals: mat.DenseCopyOf(start.signals), logDet: make([]float64, 1000)}
	larger.signals.Scale(8, larger.signals)
	for k := range larger.logDet {
		larger.logDet[k] = start.logDet[0] + 2*2.0794415416798357 // log 8
	}
	start.network = false
	c, err := Choose(t.Context(), []Code{start, larger}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The ridge of the autoregression is for variance 1.
	if d := c.Scored[0].CodeLength - c.Scored[1].CodeLength; d > 1e-3 || d < -1e-3 {
		t.Errorf("code lengths differ by %g", d)
	}
	if c.Chosen != 0 {
		t.Errorf("%+v", c)
	}
}

// A nonlinear mixture gets a network, which leaves no dependence.
func TestChooseNetwork(t *testing.T) {
	b := fastest(t)
	needsXLA(t, b)
	s, x := leakyProblem(t, 1, 2, 1024)
	start := whitening(t, x)
	c, err := Choose(t.Context(), []Code{start}, with(small, b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	m := c.Scored[c.Chosen].model
	if m == nil {
		t.Fatalf("no network: %+v", c)
	}
	z := apply(t, m.Map, start.signals)
	if mcc := mcc(t, z, s); mcc < .98 {
		t.Errorf("MCC %g, want .98", mcc)
	}
	after, err := dependencesOf(t, z)
	if err != nil {
		t.Fatal(err)
	}
	if _, dependent := mostSignificant(after); dependent || !c.Scored[0].Excess.Significant() || !strings.Contains(c.Why, "Nonlinear: a network on whitening describes the mixed signals best") {
		t.Errorf("after: %+v; %s", after, c.Why)
	}
}

// If the context ends, also while a network is fitted, there is no choice.
func TestChooseStops(t *testing.T) {
	_, x := leakyProblem(t, 1, 2, 600)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := short
	o.Steps = 1000
	o.OnProgress = func(doing string, _ float64) {
		if doing == fitting {
			cancel()
		}
	}
	if c, err := Choose(ctx, []Code{whitening(t, x)}, with(o, onGo(t))); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("while a network is fitted: %+v, %v", c, err)
	}
	if c, err := Choose(ctx, []Code{whitening(t, x)}, with(short, onGo(t))); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %+v, %v", c, err)
	}
}

func TestChooseErrors(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 100)
	good := whitening(t, x)
	with := func(change func(s *Code)) Code {
		s := good
		change(&s)
		return s
	}
	for want, starts := range map[string][]Code{
		"code of odd: x: is empty": {with(func(s *Code) { s.name, s.signals = "odd", nil })},
	} {
		if _, err := Choose(t.Context(), starts, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A code that is no shorter than another within the error isn't called better.
func TestChooseTie(t *testing.T) {
	s, err := datasets.LaplaceAR(newRand(1), 2, 512, .7)
	if err != nil {
		t.Fatal(err)
	}
	var swapped mat.Dense
	swapped.Mul(mat.NewDense(2, 2, []float64{0, 1, -1, 0}), s)
	c, err := Choose(t.Context(), []Code{
		{name: "one", signals: s, logDet: []float64{0}},
		{name: "another", signals: &swapped, logDet: []float64{0}},
	}, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.Why, "best") || strings.Contains(c.Why, "-0") ||
		!strings.Contains(c.Why, "equally well within two standard errors (") {
		t.Error(c.Why)
	}
}

// The simplest that isn't beaten is taken: a shorter code has to be so beyond chance, for a
// kind that isn't as simple.
func TestSimplest(t *testing.T) {
	s := &scorer{codes: []Code{{logDet: []float64{0}}, {logDet: []float64{0}}, {logDet: make([]float64, 2)}}}
	rng := newRand(8)
	noise := make([]float64, 4000)
	for k := range noise {
		noise[k] = rng.NormFloat64()
	}
	floats.AddConst(-floats.Sum(noise)/float64(len(noise)), noise)
	scores := func(mean, scatter float64) []float64 {
		v := make([]float64, len(noise))
		for k := range v {
			v[k] = mean + scatter*noise[k]
		}
		return v
	}
	for name, test := range map[string]struct {
		scores [5][]float64 // two linear, conditional, two networks
		chosen int
	}{
		"linear":        {[5][]float64{scores(-3, 0), scores(-2, 0), scores(-2.01, 1), scores(-2.02, 1), scores(-2.1, 1)}, 1},
		"within chance": {[5][]float64{scores(-3, 0), scores(-2, 0), scores(-1.99, 1), scores(-1.98, 1), scores(-2.1, 1)}, 1},
		"conditional":   {[5][]float64{scores(-3, 0), scores(-2, 0), scores(-1.5, 1), scores(-1.499, 2), scores(-2, 1)}, 2},
		"network":       {[5][]float64{scores(-2, 0), scores(-3, 0), scores(-1.5, 1), scores(-1, 1), scores(-1.1, 1)}, 3},
		"straight on":   {[5][]float64{scores(-2, 0), scores(-3, 0), scores(-1.99, 1), scores(-1, 1), scores(-1.1, 1)}, 3},
		// A few positions make the code of the second long, but not beyond chance.
		"a kind in doubt": {[5][]float64{scores(-2, 0), scores(-3, 100), scores(-1.5, 1), scores(-1, 1), scores(-1.1, 1)}, 0},
		// The one that beats the lower kind beyond chance isn't the shortest of its own.
		"its kind": {[5][]float64{scores(-2, 0), scores(-3, 0), scores(-1.5, 1), scores(-1.4, 1), scores(-1.39, 9)}, 4},
	} {
		s.Scored = nil
		for k, v := range test.scores {
			mean := floats.Sum(v) / float64(len(v))
			score := nonlinear.Score{CodeLength: -mean}
			s.Scored = append(s.Scored,
				ScoredCode{code: min(k, 2), network: k > 2, Score: score, scores: v})
		}
		if chosen := s.simplest(); chosen != test.chosen {
			t.Errorf("%s: %d, want %d", name, chosen, test.chosen)
		}
	}
}

// All are compared as sources of constant strength, unless that of the signals of the shortest
// description varies beyond chance.
func TestScore(t *testing.T) {
	const n = 4000
	rng := newRand(9)
	candidate := func(constant, gain, scatter float64) ScoredCode {
		c := ScoredCode{likelihoods: likelihoods{make([]float64, n), make([]float64, n)}}
		for k := range n {
			c.constant[k] = constant
			c.varying[k] = constant + gain + scatter*rng.NormFloat64()
		}
		return c
	}
	for name, test := range map[string]struct {
		candidates []ScoredCode
		varying    bool
	}{
		"constant":      {[]ScoredCode{candidate(-3, .5, 0), candidate(-2, 0, 0)}, false},
		"varying":       {[]ScoredCode{candidate(-3, 1.5, 1), candidate(-2, .2, 1)}, true},
		"within chance": {[]ScoredCode{candidate(-3, .5, 1), candidate(-2, .02, 1)}, false},
	} {
		s := &scorer{Choice: Choice{Scored: test.candidates}}
		s.score()
		for k, c := range s.Scored {
			want := c.constant
			if test.varying {
				want = c.varying
			}
			if !slices.Equal(c.scores, want) {
				t.Errorf("%s: candidate %d has the scores of another kind", name, k)
			}
		}
	}
}
