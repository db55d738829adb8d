package network

import (
	"math"
	"os"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// manyProblem draws d Laplace AR sources behind L leaky-ReLU layers.
func manyProblem(t *testing.T, seed uint64, d, layers, n int) (s, x *mat.Dense) {
	t.Helper()
	rng := newRand(seed)
	s, err := datasets.LaplaceAR(rng, d, n, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	if x, err = datasets.LayeredMix(rng, s, layers, datasets.LeakyReLU(0.2)); err != nil {
		t.Fatal(err)
	}
	return s, x
}

// trained trains a few steps of nine signals.
func trained(t *testing.T, b compute.Backend, x *mat.Dense, o Options) *training {
	t.Helper()
	tr := trainingOf(t, b, x, o)
	if err := tr.train(t.Context()); err != nil {
		t.Fatalf("%+v", err)
	}
	return tr
}

// slotOf returns the slot of the first problem and fold, with its first run's initial network.
func slotOf(t *testing.T, tr *training) *slot {
	t.Helper()
	s, err := tr.newSlot(t.Context(), 0, new(atomic.Int64))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(s.discard)
	return s
}

// skipManyOnXLA skips a test of two networks of many signals on XLA without --long.
func skipManyOnXLA(t *testing.T, b compute.Backend) {
	t.Helper()
	if backend.NameOf(b) != backend.Go && os.Getenv("SICA_LONG_TESTS") == "" {
		t.Skip("XLA compiles each for four seconds; SICA_LONG_TESTS=1. TestTenSignals compiles one")
	}
}

// Restarts are trained to the end, one after the other, until the folds' networks recover the same
// signals. What becomes of a run doesn't depend on the others.
func TestRestarts(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	o := Options{layers: 2, restarts: 2, Steps: 80, past: 2, batch: 128, learningRate: 0.02}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		skipManyOnXLA(t, b)
		tr := trained(t, b, x, o)
		for r, best := range tr.best {
			if len(best.curve) != len(stages) { // evaluated at the end of each
				t.Errorf("run %d ended after %d stages, want %d", r, len(best.curve), len(stages))
			}
		}
		if same, err := tr.foldsAgree(); same || err != nil {
			t.Errorf("after 80 steps the folds agree: %v (%v)", same, err)
		}
		o.restarts = 1
		for r, best := range trained(t, b, x, o).best {
			if !reflect.DeepEqual(best.curve, tr.best[r].curve) {
				t.Errorf("run %d is %v alone, %v before another", r, best.curve, tr.best[r].curve)
			}
		}
		for r := range tr.best {
			tr.best[r].network = tr.best[0].network
		}
		if same, err := tr.foldsAgree(); !same || err != nil {
			t.Errorf("the same networks agree: %v (%v)", same, err)
		}
	})
}

// A run that diverges goes on from where its stage began, at half the rate.
func TestDivergedRun(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	b := backendtest.Open(t, backend.Go)
	s := slotOf(t, trainingOf(t, b, x, Options{layers: 1, restarts: 1, Steps: 100, past: 2, batch: 128,
		learningRate: 1e6}))
	if err := s.stage(t.Context(), 0, 50); err != nil {
		t.Fatal(err)
	}
	if s.rate != 0.5 || !math.IsInf(s.lastValue(), -1) {
		t.Errorf("the rate is %g of the others', and the log-likelihood %g; want 0.5 and -Inf",
			s.rate, s.lastValue())
	}
	maps, err := s.maps()
	if err != nil {
		t.Fatal(err)
	}
	if z := apply(t, maps[0], s.problems[0].whitened); math.IsNaN(mat.Sum(z)) {
		t.Error("the network isn't the one that the stage began with")
	}
}

// Costs are those measured, to a half. They grow with the signals, and a thousand are too many for
// Improve.
func TestCost(t *testing.T) {
	for _, measured := range []struct {
		signals, restarts int
		seconds           float64
	}{{10, 1, 39}, {20, 1, 105}, {20, 2, 361}} {
		c := Options{restarts: measured.restarts}.expectedCost(measured.signals, 16384)
		if want := measured.seconds; c.seconds < want/1.5 || c.seconds > 1.5*want {
			t.Errorf("%d signals, restarts %d: %v, measured %g s", measured.signals,
				measured.restarts, c, want)
		}
	}
	previous := 0.0
	for _, d := range []int{9, 10, 20, 1000} {
		c := Options{}.expectedCost(d, 16384)
		if c.seconds <= previous {
			t.Errorf("%d signals: %v, as much as fewer", d, c)
		}
		previous = c.seconds
	}
	if previous < maxSeconds {
		t.Errorf("a thousand signals: %g s", previous)
	}
}

// The signals of the most evident dependences are examined, all if they are few.
func TestSuspects(t *testing.T) {
	z := mat.NewDense(12, 3, nil)
	for i := range 12 {
		z.Set(i, 0, float64(i))
	}
	pairs := []dependence{
		{0, 1, 1, 1}, {10, 11, 9, 1}, {2, 5, 8, 1}, {5, 7, 7, 1}, {3, 8, 6, 1}, {4, 9, 5, 1},
	}
	got := mat.Col(nil, 0, selectSuspects(z, pairs))
	if want := []float64{2, 3, 4, 5, 7, 8, 10, 11}; !reflect.DeepEqual(got, want) {
		t.Errorf("signals %v, want %v", got, want)
	}
	few := mat.NewDense(8, 3, nil)
	if selectSuspects(few, pairs) != few {
		t.Error("not all of eight signals")
	}
}

// Ten signals behind a layer are separated, and after a short training.
func TestTenSignals(t *testing.T) {
	b := fastest(t)
	needsXLA(t, b)
	s, x := manyProblem(t, 1, 10, 1, 4096)
	m := mustFit(t, b, x, Options{Seed: 1, layers: 2, Steps: 1500, restarts: 1})
	if mcc := mcc(t, apply(t, m.Map, x), s); mcc < 0.98 {
		t.Errorf("MCC %.4f, want 0.98", mcc)
	} else {
		t.Logf("MCC %.4f, identified: %v", mcc, m.Identified)
	}
}

// Twenty signals behind a layer are separated, and the model knows.
func TestTwentySignals(t *testing.T) {
	if os.Getenv("SICA_LONG_TESTS") == "" {
		t.Skip("minutes; SICA_LONG_TESTS=1")
	}
	b := fastest(t)
	needsXLA(t, b)
	s, x := manyProblem(t, 2, 20, 1, 16384)
	m := mustFit(t, b, x, Options{Seed: 2})
	if mcc := mcc(t, apply(t, m.Map, x), s); mcc < 0.99 || !m.Identified {
		t.Errorf("MCC %.4f, identified: %v; want 0.99 and true", mcc, m.Identified)
	}
}

// The scales are the outputs' standard deviations, and with the ridge the whitening takes their
// correlations to the identity. Of a constant or infinite output both are those of white ones.
func TestMetric(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{10, 0, 0, 8, 6, 0, 0.02, 0.06, 0.1})
	var y, scaled, product mat.Dense
	y.Mul(a, drawNormal(1, 3, 1000, 1))
	scales, m := measureMetric(&y)
	var c mat.SymDense
	stat.CorrelationMatrix(&c, y.T(), nil)
	for i := range 3 {
		if sd := stat.StdDev(y.RawRowView(i), nil); math.Abs(scales[i]-sd) > 1e-9*sd {
			t.Errorf("scale %d is %g, want %g", i, scales[i], sd)
		}
		c.SetSym(i, i, 1+metricRidge)
	}
	scaled.Apply(func(_, j int, v float64) float64 { return v * scales[j] }, m)
	product.Product(&scaled, &c, scaled.T())
	if !mat.EqualApprox(&product, rotation.Identity(3), 1e-9) {
		t.Errorf("the whitened correlations are\n%.4f", mat.Formatted(&product))
	}
	for _, v := range []float64{3, math.Inf(1)} {
		for k := range 1000 {
			y.Set(1, k, v)
		}
		if scales, m := measureMetric(&y); scales[0] != 1 || m.At(0, 0) != 1 || m.At(1, 0) != 0 {
			t.Errorf("outputs of %g: scales %v", v, scales)
		}
	}
}

// A network whose signals are a rotation of the sources is unmixed: its held-out positions are more
// likely, and the state holds the same network.
func TestUnmix(t *testing.T) {
	s, _ := manyProblem(t, 3, 9, 1, 4000)
	b := backendtest.Open(t, backend.Go)
	var x mat.Dense
	x.Mul(rotation.Random(newRand(2), 9), s)
	tr := trainingOf(t, b, &x, Options{layers: 1, restarts: 1, Steps: 80, batch: 128})
	h := slotOf(t, tr)
	if _, err := h.evaluate(); err != nil {
		t.Fatal(err)
	}
	before := h.lastValue()
	if err := h.demix(t.Context()); err != nil {
		t.Fatal(err)
	}
	maps, err := h.maps()
	if err != nil {
		t.Fatal(err)
	}
	z := apply(t, maps[0], h.problems[0].whitened)
	if mcc := mcc(t, z, s); mcc < 0.98 || h.lastValue() <= before {
		t.Errorf("MCC %.4f, likelihood %.3f before and %.3f after", mcc, before, h.lastValue())
	}
	after := h.lastValue()
	if _, err := h.evaluate(); err != nil {
		t.Fatal(err)
	}
	if got := h.lastValue(); math.Abs(got-after) > 1e-4 {
		t.Errorf("the state's likelihood is %.5f, the unmixed network's %.5f", got, after)
	}
}

// Later restarts of many signals are deeper, unless Layers says otherwise.
func TestLayersOfRestarts(t *testing.T) {
	for _, test := range []struct{ d, layers, first, later int }{
		{2, 0, 8, 8}, {10, 0, 16, 16}, {15, 0, 16, 24}, {30, 0, 16, 32}, {30, 5, 5, 5},
	} {
		o := Options{layers: test.layers}
		first, later := o.layersOf(0, test.d), o.layersOf(1, test.d)
		if first != test.first || later != test.later {
			t.Errorf("%d signals, Layers %d: %d and later %d layers, want %d and %d",
				test.d, test.layers, first, later, test.first, test.later)
		}
	}
}

// Deeper networks follow only networks of few signals whose training the caller left to the
// defaults, and they are trained as of many signals.
func TestDeeperNetworksFollowDefaults(t *testing.T) {
	for _, c := range []struct {
		given   Options
		signals int
		deepens bool
	}{
		{Options{}, 2, true}, {Options{}, fewSignals, true}, {Options{}, fewSignals + 1, false},
		{Options{Steps: 100}, 5, false}, {Options{layers: 3}, 5, false}, {Options{restarts: 1}, 5, false},
	} {
		if got := c.given.deepens(c.signals); got != c.deepens {
			t.Errorf("%d signals, %+v: deepens %v, want %v", c.signals, c.given, got, c.deepens)
		}
	}
	deep := Options{deep: true}
	o := deep.withDefaults(5, 1000)
	if o.layersOf(0, 5) != firstLayers || o.Steps != manySteps || deep.deepens(5) {
		t.Errorf("deep: %+v", o)
	}
}
