package sica

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// rotatedAR7 returns AR(7) sources behind a matrix.
func rotatedAR7(t *testing.T, seed uint64) *mat.Dense {
	t.Helper()
	s, err := datasets.AR7(rand.New(rand.NewPCG(seed, 0)), 2, 512)
	if err != nil {
		t.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, .6, -.3, 1}), s)
	return &x
}

// newFitting returns the fit of the sequences x, without a backend.
func newFitting(t *testing.T, ctx context.Context, x *mat.Dense, cfg Config) *fitting {
	t.Helper()
	_, n := x.Dims()
	g, err := grid.New(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	return &fitting{ctx: ctx, cfg: cfg, grid: g}
}

// separate returns what the method of the settings makes of x, without a backend.
func separate(t *testing.T, ctx context.Context, x *mat.Dense, cfg Config) (*decision, error) {
	t.Helper()
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	return newFitting(t, ctx, x, cfg).decide(&fitRun{reduced: signals})
}

// For each method the maps of the separation, applied to the mixed signals, give its signals.
func TestMapsGiveSignals(t *testing.T) {
	x := rotatedAR7(t, 2)
	for name, cfg := range map[string]Config{
		"as given":   {Mode: TransformsOnly},
		"transforms": {Mode: TransformsOnly, Transforms: []preprocess.Transform{preprocess.Gaussianise, preprocess.ZCA}},
		"linear":     {Mode: LinearOnly},
	} {
		s, err := separate(t, t.Context(), x, cfg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		z, err := mapping.ApplyAll(x, s.Maps)
		if err != nil || !mat.EqualApprox(z, s.Z, 1e-12) {
			t.Errorf("%s: the maps make other signals (%v)", name, err)
		}
		if (s.why() != "") != (cfg.Mode != TransformsOnly) || (s.Linear != nil) != (cfg.Mode == LinearOnly) || s.chosen().Mode != cfg.Mode {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// What LinearOnly identifies comes with what it didn't look for, also of nonlinear mixtures. So does what
// Auto identifies of images, which it doesn't test.
func TestLinearOnlySaysWhatItLeavesOut(t *testing.T) {
	const want = "Both signals are identified. No nonlinear mixing was looked for."
	for name, f := range map[string]func(float64) float64{
		"linear": func(v float64) float64 { return v }, "nonlinear": func(v float64) float64 { return math.Tanh(v / 4) },
	} {
		var identified []string
		for seed := range uint64(3) {
			x := new(mat.Dense)
			x.Mul(mat.NewDense(2, 2, []float64{0.5, 0.3, -0.2, 0.5}), twoSpectra(t, seed))
			x.Apply(func(_, _ int, v float64) float64 { return f(v) }, x)
			r := fit(t, nil, x, Config{Mode: LinearOnly, Seed: 1})
			if strings.Contains(r.Linear.Why, "looked for") {
				t.Errorf("%s: of the demixing: %q", name, r.Linear.Why)
			}
			_, n := x.Dims()
			image := fit(t, nil, x, Config{Mode: Auto, Seed: 1, Shape: []int{n / 32, 32}})
			if said := strings.Contains(image.Why, curvesOnlySentence); said != (len(image.Linear.Groups) == 2) {
				t.Errorf("%s, as images: %q of groups %v", name, image.Why, image.Linear.Groups)
			}
			if len(r.Linear.Groups) == 2 {
				identified = append(identified, r.Why)
			} else if strings.Contains(r.Why, linearOnlySentence) {
				t.Errorf("%s: nothing is identified, and %q", name, r.Why)
			}
		}
		if identified = slices.Compact(identified); !slices.Equal(identified, []string{want}) {
			t.Errorf("%s: %q, want %q", name, identified, want)
		}
	}
}

// A result says whether something was separated and identified.
func TestTextOfResult(t *testing.T) {
	x := rotatedAR7(t, 2)
	for want, transforms := range map[string][]preprocess.Transform{
		"Nothing was separated.": nil,
		"Nothing was separated: the signals are as the transforms left them.": {preprocess.ZCA},
	} {
		r, err := Fit(t.Context(), x, Config{Mode: TransformsOnly, Transforms: transforms})
		if err != nil || r.Why != want || !strings.Contains(r.String(), "; identified: not examined\n") {
			t.Errorf("%v, error %v; want %q", r, err, want)
		}
	}
	for want, found := range map[string]*nonlinear.Findings{
		"; identified: all\n":                  {Identified: true},
		"; identified: not all, see Network\n": {},
	} {
		r := &Result{Z: x, Summary: Summary{Network: found}}
		if got := r.String(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Wherever the context ends, there is a separation and no error.
func TestCancelledChoiceHasSeparation(t *testing.T) {
	x := rotatedAR7(t, 4)
	for looks := range 20 {
		s, err := separate(t, contexttest.EndsAfter(t.Context(), looks), x, Config{Mode: LinearOnly})
		if err != nil || s.Z == nil || len(s.Maps) == 0 {
			t.Errorf("after %d looks at the context: %+v, error %v", looks, s, err)
		}
	}
	s, err := separate(t, contexttest.EndsAfter(t.Context(), 1), x, Config{Mode: LinearOnly})
	const whitened = "Stopped before the linear rule had ended: the signals are whitened only."
	if err != nil || s.why() != whitened {
		t.Errorf("%+v, error %v; want %q", s, err, whitened)
	}
	for looks := range 4 {
		r, err := Fit(contexttest.EndsAfter(t.Context(), 1+looks), x, Default())
		if !errors.Is(err, context.Canceled) || r == nil || r.Z == nil {
			t.Errorf("after %d looks at the context: result %v, error %v", 1+looks, r, err)
		}
	}
	r, err := Fit(contexttest.EndsAfter(t.Context(), 5), x, Config{Mode: NetworkOnly})
	const untrained = "Stopped before a network was fitted: the signals are whitened only."
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(r.Why, untrained) ||
		!strings.Contains(r.Why, "The context ended (canceled).") {
		t.Errorf("%+v, error %v; want %q", r, err, untrained)
	}
}

// A choice that the context ended says so first and identifies nothing, even if the linear rule
// had.
func TestCancelledChoiceIdentifiesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	s, err := datasets.AR(rng, 512,
		datasets.ARProcess{Coefficients: []float64{0.9}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 50},
		datasets.ARProcess{Coefficients: []float64{-0.5}, Scale: 1, Innovation: datasets.Laplace, BurnIn: 50})
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LayeredMix(rng, s, 1, datasets.LeakyReLU(0.7))
	if err != nil {
		t.Fatal(err)
	}
	ends := func(calls int, m Mode) (*decision, bool) {
		ctx := contexttest.EndsAfter(t.Context(), calls)
		s, err := separate(t, ctx, x, Config{Mode: m})
		if err != nil {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		return s, ctx.Err() != nil
	}
	// The calls after which the linear rule has ended.
	all := sort.Search(1<<20, func(calls int) bool { _, cut := ends(calls, LinearOnly); return !cut })
	if s, _ := ends(1<<20, LinearOnly); !slices.ContainsFunc(s.Linear.Pairs, identified) {
		t.Fatal("the linear rule identifies nothing")
	}
	for _, calls := range []int{0, 1, all / 2, all, all + 1, all + 2, all + 3} {
		s, cut := ends(calls, Auto)
		want := "Stopped before all nonlinear mixings were examined."
		if calls < all {
			want = "Stopped before the linear rule had ended: the signals are whitened only."
		}
		if !cut || !strings.HasPrefix(s.why(), want) {
			t.Errorf("after %d calls, cut short %v: %q", calls, cut, s.why())
		}
		if calls < all {
			continue
		}
		if f := s.Linear; f == nil || len(f.Groups) != 1 || slices.ContainsFunc(f.Pairs, identified) {
			t.Errorf("after %d calls: %+v", calls, f)
		}
	}
}

// A choice that isn't cut short is the whole one, and it is kept if the context ends just after it.
func TestFinishedChoiceIsKept(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the context is then checked equally often
	b, x := backendtest.Open(t, backend.Go), rotatedAR7(t, 4)
	for _, cfg := range []Config{
		{Mode: LinearOnly}, {Mode: Auto}, {Mode: NetworkOnly, NetworkSteps: 3},
	} {
		choose := func(ctx context.Context) *decision {
			signals, err := ica.New(x)
			if err != nil {
				t.Fatal(err)
			}
			f := newFitting(t, ctx, x, cfg)
			f.backend = b
			s, err := f.decide(&fitRun{reduced: signals})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		choose(t.Context()) // compiles
		ctx, calls := contexttest.Counted(t.Context())
		whole := choose(ctx)
		checks := calls()
		for _, after := range []int{checks / 7, checks / 2, checks - 2, checks - 1, checks} {
			s := choose(contexttest.EndsAfter(t.Context(), after))
			if s.cutShort == (after == checks) {
				t.Errorf("%s after %d of %d checks: cut short %v, %s",
					cfg.Mode, after, checks, s.cutShort, s.why())
			}
			if !s.cutShort && (!mat.Equal(s.Z, whole.Z) || s.why() != whole.why()) {
				t.Errorf("%s after %d of %d checks: %s, want %s",
					cfg.Mode, after, checks, s.why(), whole.why())
			}
		}
	}
}

func identified(p linear.Pair) bool { return p.Identified }

// drawn are four sources of a kind at 1024 positions, and their mixtures by a random matrix.
func drawn(t *testing.T, rng *rand.Rand, source func(k int) datasets.ARProcess) (s, x *mat.Dense) {
	t.Helper()
	const d, n = 4, 1024
	var processes []datasets.ARProcess
	for k := range d {
		processes = append(processes, source(k))
	}
	s, err := datasets.AR(rng, n, processes...)
	if err != nil {
		t.Fatal(err)
	}
	matrix := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			matrix.Set(i, j, rng.NormFloat64())
		}
	}
	x = new(mat.Dense)
	x.Mul(matrix, s)
	return s, x
}

// Clicks in two channels do not change the recovery at other positions. With --long the log has the
// results of the linear rule alone and FastICA, too.
func TestClicksAreExcluded(t *testing.T) {
	for name, source := range map[string]func(k int) datasets.ARProcess{
		"Gaussian, four spectra": func(k int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{.9 - .5*float64(k)}, Scale: 1}
		},
		"Laplace AR(.8)": func(int) datasets.ARProcess {
			return datasets.ARProcess{Coefficients: []float64{.8}, Scale: 1, Innovation: datasets.Laplace}
		},
	} {
		unclicked := make(map[uint64]*decision) // by seed, the same for all clicks
		for _, clicks := range []struct {
			n      int
			size   float64 // in standard deviations of the channel
			atEnds bool
		}{{1, 6, false}, {1, 20, false}, {1, 500, false}, {10, 20, false}, {2, 20, true}, {2, 500, true}} {
			scores := make(map[string][]float64)
			seeds := uint64(2)
			if Long() {
				seeds = 8
			}
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(seed, 97))
				s, clean := drawn(t, rng, source)
				_, n := s.Dims()
				x := mat.DenseCopyOf(clean)
				var at []int
				for k := range clicks.n {
					c := k % 2
					at = append(at, 20+k*97+rng.IntN(90))
					if clicks.atEnds {
						at[k] = k*(n-1) + (1-2*k)*(3+rng.IntN(13))
					}
					x.Set(c, at[k], x.At(c, at[k])+clicks.size*mat.Norm(clean.RowView(c), 2)/math.Sqrt(float64(n)))
				}
				slices.Sort(at)
				score := func(name string, z *mat.Dense, err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
					m, err := metric.MCC(z, s)
					if err != nil {
						t.Fatal(err)
					}
					scores[name] = append(scores[name], m.MCC)
				}
				if unclicked[seed] == nil {
					a, err := separate(t, t.Context(), clean, Config{Mode: LinearOnly})
					if err != nil || a.outliers != nil {
						t.Fatalf("%s: %v, outliers %v", name, err, a.outliers)
					}
					unclicked[seed] = a
				}
				score("without", unclicked[seed].Z, nil)
				b, err := separate(t, t.Context(), x, Config{Mode: LinearOnly})
				if err != nil {
					t.Fatal(err)
				}
				if clicks.size > 6 && !slices.Equal(b.outliers, at) { // some of 6 are too small
					t.Errorf("%s, %v, seed %d: outliers %v, want %v", name, clicks, seed, b.outliers, at)
				}
				if b.outliers != nil && !strings.Contains(b.why(), fmt.Sprintf(" %d", b.outliers[0]+1)) {
					t.Errorf("%q doesn't have %d", b.why(), b.outliers[0]+1)
				}
				z, err := mapping.ApplyAll(clean, b.Maps)
				score("with", z, err)
				if drop := scores["without"][seed] - scores["with"][seed]; drop > .002 {
					t.Errorf("%s, %v, seed %d: the MCC fell by %.4f", name, clicks, seed, drop)
				}
				if !Long() {
					continue
				}
				signals, err := ica.New(x)
				if err != nil {
					t.Fatal(err)
				}
				alone, err := linear.Config{}.Fit(t.Context(), signals)
				if err != nil {
					t.Fatal(err)
				}
				z, err = alone.Transform(clean)
				score("linear", z, err)
				f, err := fastica.Default().Fit(t.Context(), signals)
				if err != nil {
					t.Fatal(err)
				}
				z, err = f.Transform(clean)
				score("FastICA", z, err)
			}
			line := fmt.Sprintf("%s, %d of %g standard deviations:", name, clicks.n, clicks.size)
			for _, name := range slices.Sorted(maps.Keys(scores)) {
				mean, sd := stat.MeanStdDev(scores[name], nil)
				line += fmt.Sprintf(" %s %.4f (%.4f)", name, mean, sd/math.Sqrt(float64(seeds)))
			}
			t.Log(line)
		}
	}
}

// voices are n positions of d of the four voices.
func voices(t *testing.T, rng *rand.Rand, d, n int) *mat.Dense {
	t.Helper()
	v, err := datasets.Voices()
	if err != nil {
		t.Fatal(err)
	}
	of, all := v.Signals.Dims()
	from := rng.IntN(all - n + 1)
	s := mat.NewDense(d, n, nil)
	for i, voice := range rng.Perm(of)[:d] {
		s.SetRow(i, v.Signals.RawRowView(voice)[from:from+n])
	}
	if s, err = preprocess.Apply(s, preprocess.Standardise); err != nil {
		t.Fatal(err)
	}
	return s
}

// Two voices that are loud at the same times, by chance, depend on each other, but their linear
// demixing is kept.
func TestSharedLoudnessCallsForNoNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	b := backendtest.Open(t, backend.Auto)
	if backend.NameOf(b) == backend.Go {
		t.Skip("minutes in pure Go")
	}
	const seed = 843 // of voice-2-linear in laboratory/tables
	rng := rand.New(rand.NewPCG(seed, 0x6973ea240ab74ac6))
	s := voices(t, rng, 2, 4000)
	x, err := datasets.LayeredMix(rng, s, 0, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Fit(t.Context(), x, Config{Seed: seed}.On(b))
	if err != nil {
		t.Fatal(err)
	}
	match, err := metric.MCC(found.Z, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("MCC %.4f. %s", match.MCC, found.Why)
	call, err := network.Screen(t.Context(), found.Z, false, network.Options{Seed: seed})
	if err != nil || !call.Dependent {
		t.Errorf("the voices don't depend on each other: %+v, error %v", call, err)
	}
	if found.Network != nil || match.MCC < .999 {
		t.Errorf("MCC %.4f. %s", match.MCC, found.Why)
	}
}

// White sources after a linear and after a nonlinear mixing, which no network can undo. Those that
// depend on each other are not identified.
func TestUnexplainedDependenceIsNotIdentified(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(7, 7))
	s := mat.NewDense(2, 1024, nil)
	s.Apply(func(int, int, float64) float64 { return 2*draw.Float64() - 1 }, s)
	for _, test := range []struct {
		cubic  float64
		groups int
	}{{0, 2}, {0.3, 1}} {
		x := mixed(t, s, 1, false)
		x.Apply(func(_, _ int, v float64) float64 { return v + test.cubic*v*v*v }, x)
		all, err := separate(t, t.Context(), x, Config{Mode: Auto})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Linear.Groups) != test.groups {
			t.Errorf("cubic %g: groups %v; want %d", test.cubic, all.Linear.Groups, test.groups)
		}
		none := test.groups == 1
		if got := all.Linear.Reason; (got == linear.Dependence) != none ||
			none != (all.Linear.Pairs[0].AngleError == 0) {
			t.Errorf("cubic %g: reason %v, pairs %+v", test.cubic, got, all.Linear.Pairs)
		}
	}
}
