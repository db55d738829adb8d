package blockwise

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// gathered are all blocks beside each other, or the error that ended them.
func gathered(blocks Blocks) (*mat.Dense, error) {
	all := new(mat.Dense)
	for z, err := range blocks {
		if err != nil {
			return nil, err
		}
		if all.IsEmpty() {
			all.CloneFrom(z)
			continue
		}
		var longer mat.Dense
		longer.Augment(all, z)
		all = &longer
	}
	return all, nil
}

func open(t *testing.T) compute.Backend {
	t.Helper()
	return backendtest.Open(t, backend.Go)
}

// mixedAR7 are two AR(7) sources after five steps of the mixing with GELU.
func mixedAR7(t *testing.T, seed uint64, positions int) *mat.Dense {
	t.Helper()
	s, err := datasets.AR7(rand.New(rand.NewPCG(seed, 0)), 2, positions)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 5, H: datasets.GELU})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func fit(t *testing.T, b compute.Backend, x *mat.Dense, cfg sica.Config) *sica.Result {
	t.Helper()
	r, err := sica.Fit(t.Context(), x, cfg.On(b))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// In blocks a result maps signals, and removes others, as it does with all of them at once.
func TestBlocksAreTransformedAsTheWhole(t *testing.T) {
	x := mixedAR7(t, 2, 600)
	b := open(t)
	for name, change := range map[string]func(*sica.Config){
		"linear": func(*sica.Config) {},
		"gaussianised": func(c *sica.Config) {
			c.Mode, c.Transforms = sica.TransformsOnly, []preprocess.Transform{preprocess.Gaussianise, preprocess.ZCA}
		},
		"conditional": func(c *sica.Config) {
			c.Mode, c.Transforms = sica.TransformsOnly, []preprocess.Transform{preprocess.Conditional}
		},
	} {
		cfg := sica.Default().Smoke()
		change(&cfg)
		r := fit(t, b, x, cfg)
		want, err := r.Transform(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gathered(Transform(r, InMemory{x}.Blocks(77)))
		if err != nil || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: in blocks it differs (%v)", name, err)
		}
		if name != "linear" {
			continue
		}
		clean, err := r.Remove(x, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := gathered(Remove(r, InMemory{x}.Blocks(77), []int{1})); err != nil || !mat.EqualApprox(got, clean, 1e-12) {
			t.Errorf("removed in blocks it differs (%v)", err)
		}
		if _, err := gathered(Remove(r, InMemory{x}.Blocks(77), []int{2})); err == nil || !strings.Contains(err.Error(), "remove: rows: has 2; must be from 0 to 1") {
			t.Errorf("a third of two signals: %v", err)
		}
		if _, err := gathered(Transform(r, InMemory{mat.NewDense(3, 5, nil)}.Blocks(2))); err == nil || !strings.Contains(err.Error(), "x: has 3 signals") {
			t.Errorf("three signals for two: %v", err)
		}
	}
}

// A part has the given number of positions, in blocks spread evenly over the recording.
func TestPartIsSpreadEvenly(t *testing.T) {
	for _, c := range []struct{ n, of int }{{10, 10}, {1, 3}, {3, 10}, {spread, 3 * spread}, {2*spread + 5, 9*spread + 3}, {5 * spread, 5*spread + 1}, {4*spread - 1, 100 * spread}} {
		at := mat.NewDense(1, c.of, nil)
		for k := range c.of {
			at.Set(0, k, float64(k))
		}
		part, err := Part(t.Context(), InMemory{at}, c.n)
		if err != nil {
			t.Fatal(err)
		}
		got := part.RawRowView(0)
		jumps, gap := 0, float64((c.of-c.n)/((c.n+spread-1)/spread))
		for k := 1; k < c.n; k++ {
			switch step := got[k] - got[k-1]; {
			case step == 1:
			case math.Abs(step-1-gap) > 1:
				t.Fatalf("%d of %d: a step of %g at %d", c.n, c.of, step, k)
			default:
				jumps++
			}
		}
		if blocks := (c.n + spread - 1) / spread; c.n < c.of && gap > 0 && jumps != blocks-1 {
			t.Errorf("%d of %d: %d jumps", c.n, c.of, jumps)
		}
		if before, after := got[0], float64(c.of-1)-got[c.n-1]; math.Abs(before-after) > 2 {
			t.Errorf("%d of %d: %g positions left out before it, %g after it", c.n, c.of, before, after)
		}
	}
}

// tape is a recording of d signals, mixed from autoregressive ones, that is made as it is
// read.
type tape struct {
	d, t   int
	mixing *mat.Dense
	// heap is the most that was in use while a block was read.
	heap uint64
}

func newTape(d, t int) *tape {
	rng := rand.New(rand.NewPCG(7, 7))
	mixing := mat.NewDense(d, d, nil)
	for i := range mixing.RawMatrix().Data {
		mixing.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return &tape{d: d, t: t, mixing: mixing}
}

func (p *tape) Dims() (d, t int) { return p.d, p.t }

func (p *tape) sources(n int) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		rng := rand.New(rand.NewPCG(1, 9))
		last := make([]float64, p.d)
		for from := 0; from < p.t; from += n {
			s := mat.NewDense(p.d, min(n, p.t-from), nil)
			for i := range p.d {
				row := s.RawRowView(i)
				for k := range row {
					u := rng.Float64() - .5
					last[i] = (.9-.2*float64(i))*last[i] + u*u*u
					row[k] = last[i]
				}
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (p *tape) Blocks(n int) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		for s := range p.sources(n) {
			x := new(mat.Dense)
			x.Mul(p.mixing, s)
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			p.heap = max(p.heap, memory.HeapAlloc)
			if !yield(x, nil) {
				return
			}
		}
	}
}

// Of two million positions of eight signals, ten million in a long proof, Default learns from a
// part, chosen by the expected error of the linear rule. The recovery of all positions is as good
// as that error, and at no time is half of them in memory.
func TestFitChoosesPartByExpectedError(t *testing.T) {
	p := newTape(8, 2e6)
	if os.Getenv("SICA_LONG_TESTS") != "" {
		p.t = 1e7
	}
	if testing.Short() {
		p.d, p.t, p.mixing = 3, 1.5e5, newTape(3, 1).mixing
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Fit(t.Context(), p, sica.Default().On(open(t)), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, n := r.Z.Dims()
	if n != AlwaysLearned || !strings.HasPrefix(r.Why, "Learned from 65536 of ") {
		t.Errorf("learned from %d: %s", n, r.Why)
	}
	d, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	// What W·A is but for order, sign and scale of the sources, which are independent: the
	// mean correlation of those that its rows are most of.
	var c mat.Dense
	c.Mul(d.Unmixing, p.mixing)
	s := new(mat.Dense)
	for block := range p.sources(1 << 15) {
		s = block
		break
	}
	z := new(mat.Dense)
	z.Mul(&c, s)
	match, err := metric.MCC(z, s)
	if err != nil || match.MCC < 1-2*worthLearning {
		t.Errorf("MCC %.5f (%v)", match.MCC, err)
	}
	last := 0
	for block, err := range Transform(r, p.Blocks(1<<14)) {
		if err != nil {
			t.Fatal(err)
		}
		last += block.RawMatrix().Cols
	}
	if last != p.t {
		t.Errorf("%d positions of %d", last, p.t)
	}
	if all := uint64(p.d) * uint64(p.t) * 8; !testing.Short() && p.heap > before.HeapAlloc+all/2 {
		t.Errorf("the heap grew by %d MB for a recording of %d MB", int64(p.heap-before.HeapAlloc)>>20, all>>20)
	}
}

// The reason names the error of the identified signals only: that of others isn't known.
func TestErrorOfMostPositions(t *testing.T) {
	for want, e := range map[string]errorsOfPart{
		"identifies no signal there":      {worst: 1, signals: 3},
		"expects of them an error":        {worst: 0.002, known: 0.002, identified: 3, signals: 3},
		"for the 2 signals that it ident": {worst: 1, known: 0.002, identified: 2, signals: 3},
		"for the 1 signal that it identi": {worst: 1, known: 0.002, identified: 1, signals: 3},
	} {
		got := e.ofMost(0.5)
		if numbers := strings.Contains(got, "of up to 0.002; more positions may save 0.001."); !strings.Contains(got, want) || numbers != (e.identified > 0) {
			t.Errorf("%+v: %s", e, got)
		}
	}
}

// The fit by which the part was chosen is the result.
func TestFitThatChosePartIsResult(t *testing.T) {
	p := newTape(2, 2*AlwaysLearned+1000)
	b := open(t)
	part, err := Part(t.Context(), p, AlwaysLearned)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []sica.Mode{sica.LinearOnly, sica.Auto} {
		cfg := sica.Default()
		cfg.Mode = method
		got, err := Fit(t.Context(), p, cfg.On(b), 0)
		if err != nil {
			t.Fatal(err)
		}
		joints := signal.Joints(Positions(p, AlwaysLearned))
		if len(joints) != AlwaysLearned/spread-1 {
			t.Fatalf("%d joints of %d blocks", len(joints), AlwaysLearned/spread)
		}
		results, err := sica.FitRuns(t.Context(), []sica.Run{{X: part, Seed: cfg.Seed, Joints: joints}}, cfg.On(b))
		if err != nil {
			t.Fatal(err)
		}
		want := results[0]
		if !mat.Equal(got.Z, want.Z) || !strings.HasSuffix(got.Why, want.Why) ||
			got.Why == want.Why || got.Config.Mode != method {
			t.Errorf("%s: it isn't the fit of the part: %s", method, got.Why)
		}
	}
}

// Up to twice AlwaysLearned positions are all learned from, as by sica.Fit.
func TestFitUsesAllOfShortRecordings(t *testing.T) {
	p := newTape(2, AlwaysLearned+1000)
	b := open(t)
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	got, err := Fit(t.Context(), p, cfg.On(b), 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Part(t.Context(), p, p.t)
	if err != nil {
		t.Fatal(err)
	}
	if want := fit(t, b, x, cfg); !mat.Equal(got.Z, want.Z) || got.Why != want.Why {
		t.Errorf("%d of %d positions: %s", got.Z.RawMatrix().Cols, p.t, got.Why)
	}
}

// The given number of positions is learned from, all of them as by sica.Fit. Without an expected
// error, all are.
func TestFitUsesGivenPositions(t *testing.T) {
	x := mixedAR7(t, 1, 1000)
	b := open(t)
	cfg := sica.Default().Smoke()
	want := fit(t, b, x, cfg)
	for _, n := range []int{0, 1000, 2000} {
		got, err := Fit(t.Context(), InMemory{x}, cfg.On(b), n)
		if err != nil || !mat.Equal(got.Z, want.Z) || got.Why != want.Why {
			t.Errorf("n = %d isn't Fit (%v)", n, err)
		}
	}
	got, err := Fit(t.Context(), InMemory{x}, cfg.On(b), 500)
	if err != nil || got.Z.RawMatrix().Cols != 500 || !strings.HasPrefix(got.Why, "Learned from 500 of 1000 positions, as asked.") {
		t.Errorf("%s (%v)", got.Why, err)
	}
	if _, err := Fit(t.Context(), InMemory{x}, cfg.On(b), -1); !errors.Is(err, sica.ErrConfig) ||
		err.Error() != "blockwise: n: is -1; must be 1 or more, or 0 to choose" {
		t.Errorf("-1 positions: %v", err)
	}
	cfg.Shape = []int{10, 100}
	if _, err := Fit(t.Context(), InMemory{x}, cfg.On(b), 0); !errors.Is(err, sica.ErrConfig) ||
		!strings.HasPrefix(err.Error(), "blockwise: Shape: is [10 100]; must be that of a sequence") {
		t.Errorf("an image: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Fit(ended, InMemory{x}, sica.Default().On(b), 0)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

// scaling is a custom transform that says whether it is pointwise, before it is fitted.
type scaling struct{ pointwise bool }

func (s scaling) Pointwise() bool { return s.pointwise }

func (s scaling) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return s, nil }

func (s scaling) Apply(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	z.Scale(2, z)
	return z, nil
}

// unread is a recording that must not be read.
type unread struct{ t *testing.T }

func (u unread) Dims() (d, n int) { return 2, 1000 }

func (u unread) Blocks(int) Blocks {
	u.t.Error("the recording was read")
	return InMemory{mat.NewDense(2, 1000, nil)}.Blocks(1000)
}

// A click is an outlier at its position in the recording. Where blocks are joined, smooth signals
// jump, which is none.
func TestFitOutliers(t *testing.T) {
	const n, click = 60000, 45000 // in the second of the two blocks
	rng := rand.New(rand.NewPCG(1, 46))
	x := mat.NewDense(2, n, nil)
	x.Apply(func(i, t int, _ float64) float64 {
		return 100*math.Sin(2*math.Pi*float64(t)/(9000-700*float64(i))) + rng.NormFloat64()
	}, x)
	x.Set(0, click, x.At(0, click)+300)
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	part, err := Part(t.Context(), InMemory{Dense: x}, 2*spread)
	if err != nil {
		t.Fatal(err)
	}
	if got := fit(t, open(t), part, cfg).Outliers; !slices.Contains(got, spread) && !slices.Contains(got, spread-1) {
		t.Fatalf("the joint at %d isn't among the outliers of the part, %v", spread, got)
	}
	r, err := Fit(t.Context(), InMemory{Dense: x}, cfg.On(open(t)), 2*spread)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{click}; !slices.Equal(r.Outliers, want) {
		t.Errorf("outliers %v, want %v", r.Outliers, want)
	}
	if want := "Position 45001 is an outlier"; !strings.Contains(r.Why, want) {
		t.Errorf("%s: want %q", r.Why, want)
	}
}

// A custom transform that is not pointwise is an error before anything is read; a pointwise one
// maps blocks as the whole.
func TestFitNeedsPointwiseTransform(t *testing.T) {
	cfg := sica.Default().Smoke()
	cfg.Prepare = scaling{}
	for _, n := range []int{0, 500} {
		_, err := Fit(t.Context(), unread{t}, cfg, n)
		if !errors.Is(err, sica.ErrNotPointwise) || !strings.Contains(err.Error(), "Prepare") {
			t.Errorf("n = %d: error %v, want ErrNotPointwise about Prepare", n, err)
		}
	}
	cfg.Prepare = scaling{pointwise: true}
	x := mixedAR7(t, 1, 1000)
	r, err := Fit(t.Context(), InMemory{x}, cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gathered(Transform(r, InMemory{x}.Blocks(300)))
	if err != nil || !mat.EqualApprox(z, r.Z, 1e-12) {
		t.Errorf("in blocks it differs (%v)", err)
	}
}
