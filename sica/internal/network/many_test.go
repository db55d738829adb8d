package network

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/mapping"
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

// halved trains a few steps of nine signals.
func halved(t *testing.T, b compute.Backend, x *mat.Dense, o Options) *training {
	t.Helper()
	tr := trainingOf(t, b, x, o)
	t.Cleanup(tr.discard)
	if err := tr.train(t.Context()); err != nil {
		t.Fatalf("%+v", err)
	}
	return tr
}

// skipManyOnXLA skips a test of two networks of many signals on XLA without --long.
func skipManyOnXLA(t *testing.T, b compute.Backend) {
	t.Helper()
	if backend.NameOf(b) != backend.Go && os.Getenv("SICA_LONG_TESTS") == "" {
		t.Skip("XLA compiles each for four seconds; SICA_LONG_TESTS=1. TestTenSignals compiles one")
	}
}

// One restart of each fold makes all steps, others a quarter and an eighth of them. What
// becomes of a run doesn't depend on the others: its variables are the same after another's turn.
func TestHalving(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	o := Options{Layers: 2, Restarts: 4, Steps: 80, Past: 2, Batch: 128, LearningRate: 0.02}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		skipManyOnXLA(t, b)
		tr := halved(t, b, x, o)
		alone := o
		alone.Restarts = 1
		first := halved(t, b, x, alone)
		for fold := range 2 {
			count := make(map[int]int) // of runs by their last step
			for r := fold; r < tr.runs(); r += 2 {
				curve := tr.best[r].curve
				last := curve[len(curve)-1]
				count[last.Step]++
				if r == fold { // restart 0
					long := first.best[fold].curve
					for k, e := range curve {
						if e != long[k] {
							t.Errorf("fold %d: evaluation %d is %v among others, %v alone",
								fold, k, e, long[k])
						}
					}
				}
			}
			if want := map[int]int{10: 2, 20: 1, 80: 1}; !reflect.DeepEqual(count, want) {
				t.Errorf("fold %d: runs by their last step %v, want %v", fold, count, want)
			}
		}
	})
}

// A run that diverged goes on from where its stage began, at half the rate; others go on.
func TestRevive(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	b := backendtest.Open(t, backend.Go)
	tr := trainingOf(t, b, x, Options{Layers: 1, Restarts: 1, Steps: 80, Past: 2, Batch: 128})
	defer tr.discard()
	h := &halving{
		training: tr, states: make([]state, 2), rates: []float64{1, 1}, entrants: [][]int{{0}, {1}},
	}
	var err error
	if err := h.trainer.ResetOptimizer(); err != nil {
		t.Fatal(err)
	}
	if h.states, err = h.currentStates(); err != nil {
		t.Fatal(err)
	}
	begin := h.states
	if err := h.advance(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	moved, err := h.currentStates()
	if err != nil {
		t.Fatal(err)
	}
	tr.best[0].curve = []Evaluation{{2, math.NaN()}}
	tr.best[1].curve = []Evaluation{{2, -3}}
	if err := h.revive(); err != nil {
		t.Fatal(err)
	}
	now, err := h.currentStates()
	if err != nil {
		t.Fatal(err)
	}
	const path = mapScope + "/invertible/matrices"
	if !reflect.DeepEqual(now[0][path], begin[0][path]) || h.rates[0] != 0.5 {
		t.Errorf("the diverged run isn't where it began, or its rate is %g", h.rates[0])
	}
	if !reflect.DeepEqual(now[1][path], moved[1][path]) || h.rates[1] != 1 {
		t.Errorf("the other run moved, or its rate is %g", h.rates[1])
	}
}

// Grown networks are at first those that they begin with, up to new nonlinearities near the
// identity: each restart those of the run of its rank.
func TestPrepend(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	o := Options{Layers: 2, Restarts: 2, Steps: 80, Past: 2, Batch: 128, LearningRate: 0.02}
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		skipManyOnXLA(t, b)
		first := halved(t, b, x, o)
		o := first.options
		o.Layers = 4
		next, err := newTraining(t.Context(), b, []*problem{{whitened: first.signals[0]}}, first.index, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(next.discard)
		for r := range next.runs() {
			_, restart, fold := next.locate(r)
			next.initial = append(next.initial, first.final[fold][restart])
		}
		for restart := range o.Restarts {
			next.active = []int{2 * restart, 2*restart + 1}
			if err := next.initialise(); err != nil {
				t.Fatal(err)
			}
			maps, err := next.maps()
			if err != nil {
				t.Fatal(err)
			}
			for fold, m := range maps {
				begin := map[string][]float64{}
				for path, values := range next.initial[2*restart+fold] {
					begin[strings.TrimPrefix(path, mapScope+"/invertible/")] = values
				}
				want := apply(t, mapOfVariables(9, begin), first.signals[0])
				got := apply(t, m, first.signals[0])
				if len(m.Asymmetries) != 4 {
					t.Errorf("restart %d, fold %d: %d layers, want 4", restart, fold, len(m.Asymmetries))
				}
				for i := range 9 {
					r := stat.Correlation(got.RawRowView(i), want.RawRowView(i), nil)
					if r < 0.99 {
						t.Errorf("restart %d, fold %d: signal %d has a correlation of %.4f with that "+
							"of the network before", restart, fold, i, r)
					}
				}
			}
		}
	})
}

// Networks are grown if others recovered different signals, and taken if their code is shorter.
func TestGrown(t *testing.T) {
	_, x := manyProblem(t, 1, 9, 1, 600)
	b := onGo(t)
	var stages []Stage
	o := Options{Layers: 2, Restarts: 2, Steps: 80, Past: 2, Batch: 128}
	o.OnProgress = func(p Progress) { stages = append(stages, p.Stage) }
	o.Backend = b
	tr := halved(t, b, x, o)
	problems := []*problem{{whitening: mapping.LinearMap(rotation.Identity(9), make([]float64, 9)),
		whitened: tr.signals[0]}}
	for _, test := range []struct {
		agreement, length float64
		grows, taken      bool
	}{
		{0.99, 1e9, false, false},
		{0.9, 1e9, true, true},
		{0.9, -1e9, true, false},
	} {
		stages = nil
		before := &Model{
			Findings: Findings{Agreeing: 1, Agreement: test.agreement},
			Runs:     []Run{{CodeLength: test.length}},
		}
		got, err := tr.grow(t.Context(), problems, []*Model{before})
		if err != nil {
			t.Fatalf("%+v", err)
		}
		if grows := slices.Contains(stages, Growing); grows != test.grows ||
			(got[0] != before) != test.taken {
			t.Errorf("%+v: grown %t, taken %t", test, grows, got[0] != before)
		}
		if test.taken && (len(got[0].Runs) != 4 || len(got[0].Map.Asymmetries) != 4) {
			t.Errorf("%d runs of %d layers, want 4 of 4", len(got[0].Runs), len(got[0].Map.Asymmetries))
		}
	}
}

// Costs are those measured, to a half: 51 s of 10 signals, 154 s of 20.
func TestCost(t *testing.T) {
	for d, want := range map[int]float64{10: 51, 20: 154} {
		c, err := Options{}.Cost(d, 16384)
		if err != nil {
			t.Fatal(err)
		}
		if c.Seconds < want/1.5 || c.Seconds > 1.5*want {
			t.Errorf("%d signals: %v, measured %g s", d, c, want)
		}
		t.Logf("%d signals: %v", d, c)
	}
	if c, _ := (Options{}).Cost(1000, 16384); c.Seconds < maxSeconds {
		t.Errorf("a thousand signals: %v", c)
	}
}

// The signals of the most evident dependences are examined, all if they are few.
func TestSuspects(t *testing.T) {
	z := mat.NewDense(12, 3, nil)
	for i := range 12 {
		z.Set(i, 0, float64(i))
	}
	pairs := []Dependence{
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
	m := mustFit(t, b, x, Options{Seed: 1, Layers: 2, Steps: 1500, Restarts: 1})
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
	tr := trainingOf(t, b, &x, Options{Layers: 1, Restarts: 1, Folds: 1, Steps: 80, Batch: 128})
	defer tr.discard()
	h := &halving{training: tr, states: make([]state, 1), rates: []float64{1}, entrants: [][]int{{0}}}
	var err error
	if h.states, err = h.currentStates(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.evaluate(0); err != nil {
		t.Fatal(err)
	}
	before := h.lastValue(0)
	if err := h.demixActive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.restore(h.states); err != nil {
		t.Fatal(err)
	}
	maps, err := h.maps()
	if err != nil {
		t.Fatal(err)
	}
	z := apply(t, maps[0], h.signals[0])
	if mcc := mcc(t, z, s); mcc < 0.98 || h.lastValue(0) <= before {
		t.Errorf("MCC %.4f, likelihood %.3f before and %.3f after", mcc, before, h.lastValue(0))
	}
	after := h.lastValue(0)
	if _, err := h.evaluate(1); err != nil {
		t.Fatal(err)
	}
	if got := h.lastValue(0); math.Abs(got-after) > 1e-4 {
		t.Errorf("the state's likelihood is %.5f, the unmixed network's %.5f", got, after)
	}
}
