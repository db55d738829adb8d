package network

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Signals that were turned are turned back, to the last digits.
func TestTowards(t *testing.T) {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 3, 500)
	if err != nil {
		t.Fatal(err)
	}
	white, err := preprocess.Apply(s, preprocess.ZCA)
	if err != nil {
		t.Fatal(err)
	}
	var qr mat.QR
	qr.Factorize(mat.NewDense(3, 3, []float64{1, 2, -1, .5, -1, 3, 2, 0, 1}))
	var turn, turned mat.Dense
	qr.QTo(&turn)
	turned.Mul(&turn, white)
	turnedBack, err := nearestMap(white, &turned)
	if err != nil {
		t.Fatal(err)
	}
	back, err := turnedBack.Apply(&turned)
	if err != nil || !mat.EqualApprox(back, white, 1e-12) {
		t.Errorf("not turned back (%v)", err)
	}
}

// Separations behind transforms that aren't linear have the Jacobian of each position, and
// conditional normalisation comes behind them too, but not twice.
func TestSeparationsBehindTransforms(t *testing.T) {
	s, err := datasets.AR7(rand.New(rand.NewPCG(5, 0)), 2, 512)
	if err != nil {
		t.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, .6, -.3, 1}), s)
	for _, test := range []struct {
		transforms []preprocess.Transform
		linear     bool // both of the first two are
		count      int
	}{
		{nil, true, 3},
		{[]preprocess.Transform{preprocess.Standardise}, true, 3},
		{[]preprocess.Transform{preprocess.Gaussianise}, false, 3},
		{[]preprocess.Transform{preprocess.Conditional}, false, 2},
	} {
		imp := newImprover(t, &x, test.transforms)
		c, err := imp.codes(t.Context(), &x, imp.options)
		if err != nil {
			t.Fatalf("%v: %v", test.transforms, err)
		}
		if len(c.codes) != test.count {
			t.Fatalf("%v: %d separations, want %d", test.transforms, len(c.codes), test.count)
		}
		for k, s := range c.codes[:2] {
			if (len(s.logDet) == 1) != test.linear {
				t.Errorf("%v: separation %d has %d log-determinants", test.transforms, k, len(s.logDet))
			}
		}
		if test.count == 3 {
			want := append(slices.Clone(test.transforms), preprocess.Conditional)
			if got := c.codes[conditionalPlace].separation.Transforms; !slices.Equal(got, want) {
				t.Errorf("%v: the third separation is %v, want %v", test.transforms, got, want)
			}
		}
	}
}

// sheared is a custom map that isn't linear, but keeps volumes.
type sheared struct{}

func (sheared) Apply(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	for t, v := range x.RawRowView(0) {
		z.Set(1, t, z.At(1, t)+v*v)
	}
	return z, nil
}

func (sheared) LogDet(x *mat.Dense) ([]float64, error) {
	_, n := x.Dims()
	return make([]float64, n), nil
}

// The code of a map that isn't linear has the level of those, although its log-determinants are
// equal, also as a part of another map.
func TestMapThatKeepsVolumesIsNotLinear(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 4, 3, 1, 5})
	shear := mapping.AsMap(sheared{})
	turn := mapping.LinearMap(mat.NewDense(2, 2, []float64{1, 2, -2, 1}), []float64{0, 0})
	for name, test := range map[string]struct {
		maps   []mapping.Map
		linear bool
	}{
		"linear":         {[]mapping.Map{turn, mapping.Sequence{turn}}, true},
		"sheared":        {[]mapping.Map{turn, shear}, false},
		"sheared inside": {[]mapping.Map{mapping.Sequence{turn, shear}}, false},
	} {
		c, err := NewCode(t.Context(), name, x, test.maps)
		if err != nil {
			t.Fatal(err)
		}
		if (len(c.logDet) == 1) != test.linear {
			t.Errorf("%s: %d log-determinants", name, len(c.logDet))
		}
	}
}

// newImprover returns that of the linear rule's demixing of x behind transforms.
func newImprover(t *testing.T, x *mat.Dense, transforms []preprocess.Transform) *improver {
	t.Helper()
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	imp := &improver{x: signals, transforms: transforms, options: Options{Shape: signals.Shape()}}
	steps := append(slices.Clone(transforms), preprocess.ZCA)
	imp.white.Z, imp.white.Maps, imp.white.Transforms, err = mapping.Begin(t.Context(), x, steps)
	if err != nil {
		t.Fatal(err)
	}
	if imp.demixed, err = Demix(t.Context(), signals, imp.white, linear.Config{}); err != nil {
		t.Fatal(err)
	}
	return imp
}

// brokenMap is a step that fails.
type brokenMap struct{ mapping.Map }

var errBroken = errors.New("broken")

func (brokenMap) Apply(*mat.Dense) (*mat.Dense, error) { return nil, errBroken }

// Signals that can't be compared leave the linear rule's separation as it is; other errors are
// returned.
func TestImproveErrors(t *testing.T) {
	s, err := datasets.LaplaceAR(newRand(1), 2, 1024, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	saturated, err := datasets.PostNonlinearMix(newRand(2), s, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	for n, shape := range map[int][]int{18: {18}, 1024: {16, 64}} {
		x := mat.DenseCopyOf(saturated.Slice(0, 2, 0, n))
		imp := newImprover(t, x, nil)
		if imp.x, err = ica.New(x, shape...); err != nil {
			t.Fatal(err)
		}
		imp.options.Shape = shape
		if improvement, err := imp.improve(t.Context()); improvement != nil || err != nil {
			t.Errorf("shape %v: %+v, error %v", shape, improvement, err)
		}
	}
	imp := newImprover(t, s, nil)
	imp.white.Maps = append([]mapping.Map{brokenMap{}}, imp.white.Maps...)
	if _, err := imp.improve(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("error %v of the gate, want %v", err, errBroken)
	}
	if _, err := imp.straighten(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("error %v of curves, want %v", err, errBroken)
	}
}

// Of voices with silences, whose positions repeat, conditional normalisation isn't the
// shorter description: all starts are compared with the same noise. It was by nats without
// bound, at the point that the silence is.
func TestSilence(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(8, 0))
	s := mat.NewDense(2, n, nil)
	for i := range 2 {
		v := 0.
		for k := range n {
			v = .9*v + rng.ExpFloat64()*math.Copysign(1, rng.Float64()-.5)
			if on := k < n/3 || i == 0 && k > 2*n/3; on { // both are silent in the middle third
				s.Set(i, k, v)
			}
		}
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{.6, .3, .35, .6}), s)
	if err != nil {
		t.Fatal(err)
	}
	imp := newImprover(t, x, nil)
	c, err := imp.codes(t.Context(), x, imp.options)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Choose(t.Context(), c.codes, imp.options)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range chosen.Scored {
		t.Logf("%s: %.3f nats per position", c.codes[of.code].name, of.CodeLength)
	}
	if chosen.Chosen != linearPlace {
		t.Errorf("%s is the shortest description", c.codes[chosen.Chosen].name)
	}
}

// TestGate has a mixture for each of the gate's tests, and linear ones, which ask for nothing.
func TestGate(t *testing.T) {
	const n = 1024
	s, layered := leakyProblem(t, 41, 2, n)
	matrix := mat.NewDense(2, 2, []float64{1, 0.6, -0.3, 1})
	linearly, err := datasets.LinearMix(matrix, s)
	if err != nil {
		t.Fatal(err)
	}
	rng := newRand(3)
	noisy := mat.DenseCopyOf(linearly)
	noisy.Apply(func(_, _ int, v float64) float64 { return v + 0.3*rng.NormFloat64() }, noisy)
	afterwards := func(seed uint64, f func(float64) float64) *mat.Dense {
		x, err := datasets.PostNonlinearMix(newRand(seed), s, f)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	cubic := func(v float64) float64 { return v + 0.3*v*v*v }
	for name, test := range map[string]struct {
		x                     *mat.Dense
		open, curved, certain bool
	}{
		"tanh":              {afterwards(6, math.Tanh), true, true, true},
		"two layers":        {layered, true, false, true},
		"a cubic":           {afterwards(2, cubic), true, false, false},
		"a matrix":          {linearly, false, false, false},
		"a matrix in noise": {noisy, false, false, false},
	} {
		imp := newImprover(t, test.x, nil)
		screening, open, err := imp.gate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if open != test.open || screening.Network != test.curved ||
			screening.isCertain() != test.certain || !screening.predicted {
			t.Errorf("%s: open %v; %+v, want %+v", name, open, screening, test)
		}
		if imp.isUnexplained(screening) != (test.certain && !hasNoise(imp.demixed.Linear)) {
			t.Errorf("%s: unexplained %v", name, imp.isUnexplained(screening))
		}
	}
}

// A channel with few different values, such as a sensor's steps, is found; many steps aren't few.
func TestCoarseChannel(t *testing.T) {
	const n = 2000
	rng := newRand(1)
	x := mat.NewDense(3, n, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	if k := coarseChannel(x); k != -1 {
		t.Errorf("of continuous channels: %d, want -1", k)
	}
	rounded := func(step float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		for k, v := range y.RawRowView(1) {
			y.Set(1, k, step*math.Round(v/step))
		}
		y.Set(1, n/2, 0.01234) // as of a mended outlier
		return y
	}
	if k := coarseChannel(rounded(0.1)); k != 1 {
		t.Errorf("in steps of 0.1 standard deviations: %d, want 1", k)
	}
	if k := coarseChannel(rounded(0.01)); k != -1 {
		t.Errorf("in steps of 0.01 standard deviations: %d, want -1", k)
	}
}

// The gain is over the shortest code of the linear rule, and noise explains twice as much of it if
// the rule found noise or more sources than channels.
func TestGain(t *testing.T) {
	c := &codeSet{codes: []Code{{}, {place: linearPlace}, {place: conditionalPlace}, {place: linearPlace}}}
	length := func(nats float64) nonlinear.Score { return nonlinear.Score{CodeLength: nats} }
	choice := &Choice{Scored: []ScoredCode{
		{code: whitenedPlace, Score: length(1)}, {code: linearPlace, Score: length(3)},
		{code: conditionalPlace, Score: length(2.25)}, {code: 3, Score: length(2.5)},
		{code: whitenedPlace, network: true, Score: length(2)},
	}}
	for place, want := range []float64{1.5, -0.5, 0.25, 0, 0.5} {
		if got := c.gain(choice, place); got != want {
			t.Errorf("candidate %d: %g, want %g", place, got, want)
		}
	}
	x, err := ica.New(mat.NewDense(3, 4, []float64{1, 2, 3, 5, 8, 1, 2, 4, 0, 1, 0, 3}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		findings linear.Findings
		want     float64
	}{
		{linear.Findings{Noise: []float64{0, minNoise / 2, 0}}, 1.5 * noiseGainPerSignal},
		{linear.Findings{Noise: []float64{0, 2 * minNoise, 0}}, 3 * noiseGainPerSignal},
		{linear.Findings{Reason: linear.MoreSources}, 3 * noiseGainPerSignal},
	} {
		imp := &improver{x: x, demixed: Separation{Linear: &test.findings}}
		if got := imp.noiseGain(); got != test.want {
			t.Errorf("%+v: %g, want %g", test.findings, got, test.want)
		}
	}
}

// The linear rule's code length is that of the best of its models, if its own is significantly
// longer.
func TestCodeLengthOfRule(t *testing.T) {
	long, equal := nonlinear.Difference{Mean: 0.2, SE: 0.06}, nonlinear.Difference{Mean: 0.1, SE: 0.06}
	c := &codeSet{codes: []Code{{}, {place: linearPlace}, {place: linearPlace}}}
	for _, test := range []struct{ own, noisy, want nonlinear.Difference }{
		{long, nonlinear.Difference{}, nonlinear.Difference{}}, {long, equal, equal}, {equal, nonlinear.Difference{}, equal},
	} {
		all := c.withCodeLengths(&Choice{Scored: []ScoredCode{
			{}, {code: linearPlace, Score: nonlinear.Score{Excess: test.own}},
			{code: 2, Score: nonlinear.Score{Excess: test.noisy}},
		}})
		if len(all) != 2 || all[linearPlace].Excess != test.want {
			t.Errorf("%+v: %+v", test, all)
		}
	}
}
