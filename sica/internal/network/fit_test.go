package network

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// with are options with a backend.
func with(o Options, b compute.Backend) Options {
	o.Backend = b
	return o
}

func mcc(t *testing.T, z, s *mat.Dense) float64 {
	t.Helper()
	m, err := metric.MCC(z, s)
	if err != nil {
		t.Fatal(err)
	}
	return m.MCC
}

// leakyProblem draws two Laplace AR sources behind L leaky-ReLU layers.
func leakyProblem(t *testing.T, seed uint64, layers, T int) (s, x *mat.Dense) {
	t.Helper()
	rng := newRand(seed)
	s, err := datasets.LaplaceAR(rng, 2, T, .7)
	if err != nil {
		t.Fatal(err)
	}
	if x, err = datasets.LayeredMix(rng, s, layers, datasets.LeakyReLU(.2)); err != nil {
		t.Fatal(err)
	}
	return s, x
}

func mustFit(t *testing.T, b compute.Backend, x *mat.Dense, o Options) *Model {
	t.Helper()
	m, err := Fit(t.Context(), x, with(o, b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return m
}

func fastest(t *testing.T) compute.Backend {
	t.Helper()
	return backendtest.Open(t, backend.Auto)
}

func needsXLA(t *testing.T, b compute.Backend) {
	t.Helper()
	if testing.Short() || backend.NameOf(b) == backend.Go {
		t.Skip("a whole fit takes seconds on XLA and a minute without")
	}
}

// small is enough for two signals behind a layer or two. Fits of as many positions share a program,
// which XLA takes seconds to compile.
var small = Options{Seed: 1, layers: 4, restarts: 2}

// A nonlinear mixing is undone, where whitening has an MCC of 0.71, and the signals are identified.
func TestFitSeparates(t *testing.T) {
	b := fastest(t)
	needsXLA(t, b)
	s, x := leakyProblem(t, 1, 1, 1024)
	m := mustFit(t, b, x, small)
	z, err := m.Map.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	if mcc := mcc(t, z, s); mcc < .98 {
		t.Errorf("MCC %g, want .98", mcc)
	}
	if !m.Identified || !m.OverWhitening.Significant() {
		t.Errorf("not identified: %+v", m)
	}
	back, err := m.Map.Invert(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-9) {
		t.Error("g⁻¹(z) isn't x")
	}
	// The code length is what the kept map gives, on the host with sources
	// fitted anew: their likelihoods differ by little.
	index, _ := newIndex([]int{1024}, 2)
	chosen := m.runs[m.chosen]
	train, held := index.train[chosen.fold], index.held[chosen.fold]
	logDet, err := m.Map.LogDet(x)
	if err != nil {
		t.Fatal(err)
	}
	scores, _, err := source.Scores(t.Context(), z, index.lags, train, held)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.
	for i, score := range scores {
		total -= (score + logDet[held[i]]) / float64(len(held))
	}
	if math.Abs(total-m.CodeLength) > .05 {
		t.Errorf("code length %g, by the map %g", m.CodeLength, total)
	}
}

// White sources after a nonlinear mixing are not identified, nor are Gaussian ones with equal
// spectra, which are rotated to the whitened signals.
func TestFitUnidentified(t *testing.T) {
	b := fastest(t)
	needsXLA(t, b)
	rng := newRand(3)
	white, err := datasets.LaplaceAR(rng, 2, 1024, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := datasets.ARProcess{Coefficients: []float64{.7}, Scale: 1, BurnIn: 100}
	equal, err := datasets.AR(rng, 1024, p, p)
	if err != nil {
		t.Fatal(err)
	}
	var models []*Model
	for i, s := range []*mat.Dense{white, equal} {
		x, err := datasets.LayeredMix(rng, s, 1, datasets.LeakyReLU(.2))
		if err != nil {
			t.Fatal(err)
		}
		m := mustFit(t, b, x, small)
		if m.Identified {
			t.Errorf("problem %d passes for identified: %+v", i, m)
		}
		models = append(models, m)
	}
	if models[0].PastGain[0].Significant() && models[0].PastGain[1].Significant() {
		t.Errorf("white sources are predicted by their past: %v", models[0].PastGain)
	}
	if len(models[1].Groups) != 1 {
		t.Errorf("groups %v, want one", models[1].Groups)
	}
}

// short are settings for a fit of a second.
var short = Options{Seed: 7, Steps: 60, restarts: 2, layers: 2, batch: 128}

// The backends give the same result up to float32's precision.
func TestFitBackendsAgree(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 400)
	var want *Model
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		m := mustFit(t, b, x, short)
		if want == nil {
			want = m
		}
		sameRuns(t, m, want)
	})
}

// sameRuns fails unless the code lengths of all runs agree to float32's
// precision, which training makes somewhat worse.
func sameRuns(t *testing.T, a, b *Model) {
	t.Helper()
	for r := range a.runs {
		if x, y := a.runs[r].value, b.runs[r].value; math.Abs(x-y) > 1e-4 {
			t.Errorf("run %d has log-likelihood %g and %g", r, x, y)
		}
	}
}

// onGo runs a test on the pure-Go backend, which has nothing to compile.
func onGo(t *testing.T) compute.Backend {
	t.Helper()
	return backendtest.Open(t, backend.Go)
}

// A problem has the same map together with another as alone, and with another seed another one.
func TestFitsTogetherAreIndependent(t *testing.T) {
	b := onGo(t)
	_, x := leakyProblem(t, 1, 1, 400)
	_, other := leakyProblem(t, 2, 1, 400)
	models, err := fitAll(t.Context(), []*mat.Dense{other, x}, nil, with(short, b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	alone := mustFit(t, b, x, short)
	sameRuns(t, models[1], alone)
	if !reflect.DeepEqual(mustFit(t, b, x, short), alone) {
		t.Error("the same fit again is another")
	}
	o := short
	o.Seed++
	if mustFit(t, b, x, o).CodeLength == alone.CodeLength {
		t.Error("another seed gave the same code length")
	}
}

// An image is fitted with its own context, which differs from that of the same values in a row.
func TestFitImage(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 40*15)
	o := short
	o.Shape, o.past = []int{40, 15}, 1
	m := mustFit(t, onGo(t), x, o)
	row := o
	row.Shape = nil
	if mustFit(t, onGo(t), x, row).CodeLength == m.CodeLength {
		t.Error("a sequence has the code length of the image")
	}
	if curve := m.runs[0].curve; len(curve) != 3 || math.IsNaN(curve[2]) { // at steps 0, 50 and 60
		t.Errorf("the curve is %v", curve)
	}
}

// The shortest signals that can be fitted have finite evidence.
func TestFitShort(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 30)
	m := mustFit(t, onGo(t), x, short)
	if _, err := json.Marshal(m); err != nil {
		t.Errorf("%v: %+v", err, m)
	}
}

// For all scales and offsets of the signals the evidence is finite.
func TestFitScales(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 128)
	for name, scaled := range map[string]func(i, t int, v float64) float64{
		"tiny and unequal":       func(i, _ int, v float64) float64 { return []float64{1e-12, 1e-4}[i] * v },
		"huge and far from zero": func(_, _ int, v float64) float64 { return 1e12 * (1e4 + v) },
	} {
		var in mat.Dense
		in.Apply(scaled, x)
		m := mustFit(t, onGo(t), &in, short)
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("%s: %v: %+v", name, err, m)
		}
	}
}

// A run that diverged doesn't hide how far the others are behind the linear codes.
func TestBehindBesideDivergedRun(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 400)
	tr := trainingOf(t, onGo(t), x, short)
	defer tr.discard()
	for fold := range folds {
		// A density of 1 at all positions, which is above all others.
		high := make([]float64, len(tr.index.held[fold]))
		tr.problems[0].linearScores = append(tr.problems[0].linearScores, high)
	}
	want, err := tr.evaluate()
	if err != nil || !(want > 0) {
		t.Fatalf("%g, error %v", want, err)
	}
	biases := tr.store.GetVariable(mapScope + "/invertible/biases")
	values, err := host.Values(biases.MustValue())
	if err != nil {
		t.Fatal(err)
	}
	values[0] = math.NaN() // of the first run
	diverged := host.Tensor(values, biases.DType(), biases.Shape().Dimensions...)
	if err := biases.SetValue(diverged); err != nil {
		t.Fatal(err)
	}
	got, err := tr.evaluate()
	if err != nil || !(got >= want) {
		t.Errorf("%g, error %v; want at least %g", got, err, want)
	}
}

func TestFitStops(t *testing.T) {
	_, x := leakyProblem(t, 1, 1, 400)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := short
	o.Steps = 1000
	o.OnProgress = func(doing string, fraction float64) {
		if doing != fitting || fraction > .05 {
			t.Errorf("%s, %g, after the context ended", doing, fraction)
		}
		if fraction == .05 {
			cancel()
		}
	}
	if _, err := Fit(ctx, x, with(o, onGo(t))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestFitErrors(t *testing.T) {
	b := onGo(t)
	_, x := leakyProblem(t, 1, 1, 100)
	nan := mat.DenseCopyOf(x)
	nan.Set(1, 5, math.NaN())
	double := mat.DenseCopyOf(x)
	double.SetRow(1, double.RawRowView(0))
	for want, fit := range map[string]func() error{
		"x: is empty":            func() error { _, err := Fit(t.Context(), nil, Options{Backend: b}); return err },
		"finite":                 func() error { _, err := Fit(t.Context(), nan, Options{Backend: b}); return err },
		"linearly dependent":     func() error { _, err := Fit(t.Context(), double, Options{Backend: b}); return err },
		"at least 4 positions":   func() error { _, err := Fit(t.Context(), drawNormal(1, 3, 2, 1), Options{Backend: b}); return err },
		"must be at least [310]": func() error { _, err := Fit(t.Context(), x, Options{Backend: b, past: 30}); return err },
	} {
		if err := fit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
