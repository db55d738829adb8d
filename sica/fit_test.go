package sica

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// mixedAR7 are two AR(7) sources after steps mixing steps, and the sources.
func mixedAR7(t testing.TB, seed uint64, positions, steps int, gelu bool) (x, s *mat.Dense) {
	t.Helper()
	s, err := datasets.AR7(rng(seed), 2, positions)
	if err != nil {
		t.Fatal(err)
	}
	return mixed(t, s, steps, gelu), s
}

func mixed(t testing.TB, s *mat.Dense, steps int, gelu bool) *mat.Dense {
	t.Helper()
	opt := datasets.MixOptions{Steps: steps}
	if gelu {
		opt.H = datasets.GELU
	}
	x, err := datasets.Mix(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func fit(t *testing.T, b compute.Backend, x *mat.Dense, cfg Config) *Result {
	t.Helper()
	result, err := Fit(context.Background(), x, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return result
}

func largestDifference(a, b *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return max(mat.Max(&diff), -mat.Min(&diff))
}

// smokes are small versions of every preset and of what else a Config can say.
func smokes() map[string]Config {
	plain := FastWGF().Smoke()
	window := plain.Clone()
	window.Flow.Context, window.Flow.Windows, window.Flow.Hidden = klflow.LocalWindow, []int{0, 2}, []int{8}
	window.Flow.Folds, window.Flow.Block = 2, 16
	free := window.Clone()
	free.Flow.Family, free.Flow.Windows, free.Flow.Noise, free.Flow.WarmStart = klflow.Free, []int{1}, 0, false
	local := PaperRF().Smoke()
	local.Flow.Context, local.Flow.Windows, local.Flow.Hidden = klflow.LocalWindow, []int{2}, []int{8}
	local.Flow.Solver = flows.Heun
	wgf, rf := PaperWGF().Smoke(), PaperRF().Smoke()
	wgf.Flow.BatchSize, rf.Flow.BatchSize = 50, 50
	double := window.Clone()
	double.Flow.Float64 = true
	return map[string]Config{
		"default": plain, "window": window, "free": free, "local RF": local,
		"paper WGF": wgf, "paper RF": rf, "float64": double,
	}
}

// Run r of FitRuns gives the result of Fit for it alone. The same seed gives the same bits on one
// backend, another seed others. The pure-Go backend agrees with XLA.
func TestFitRunsAndRepeats(t *testing.T) {
	for name, cfg := range smokes() {
		t.Run(name, func(t *testing.T) {
			positions := 64
			if cfg.Flow.Context == klflow.WholeSequence {
				positions = 32 // each adds weights, with which the time to compile grows
			}
			first, _ := mixedAR7(t, 0, positions, 3, true)
			other, _ := mixedAR7(t, 1, positions, 3, false)
			runs := []Run{{X: first, Seed: 10}, {X: other, Seed: 11}, {X: first, Seed: 11}}
			alone := func(b compute.Backend, r int) *Result {
				cfg := cfg.Clone()
				cfg.Seed = runs[r].Seed
				return fit(t, b, runs[r].X, cfg)
			}
			const second = 1 // not the first, so that runs which are mixed up show
			pureGo := alone(backendtest.Open(t, backend.Go), second)
			backendtest.Each(t, func(t *testing.T, b compute.Backend) {
				if backend.NameOf(b) != backend.Go && name != "default" && name != "local RF" && !Long() {
					t.Skip("compiles a program of three runs; --long")
				}
				results, err := FitRuns(context.Background(), runs, cfg.On(b))
				if err != nil {
					t.Fatalf("%+v", err)
				}
				if results[0].Loss[0] == results[2].Loss[0] {
					t.Error("another seed gave the same loss")
				}
				if diff := largestDifference(results[second].Z, pureGo.Z); !(diff < 1e-3) {
					t.Errorf("differs by %g from the run alone in pure Go", diff)
				}
				if got := results[second]; got.Config.Seed != pureGo.Config.Seed || got.Iterations != pureGo.Iterations || got.Stopped != pureGo.Stopped {
					t.Errorf("%+v, alone %+v", got, pureGo)
				}
				if backend.NameOf(b) != backend.Go && name != "default" && name != "local RF" {
					return // one of each flow is enough to compile twice more
				}
				one, again := alone(b, second), pureGo
				if backend.NameOf(b) != backend.Go {
					again = alone(b, second)
				}
				if diff := largestDifference(results[second].Z, one.Z); !(diff < 1e-3) {
					t.Errorf("differs by %g from the run alone", diff)
				}
				if !mat.Equal(one.Z, again.Z) {
					t.Errorf("the same seed gave other signals, by up to %g", largestDifference(one.Z, again.Z))
				}
			})
		})
	}
}

// The paper's presets run on images, with networks over the image's axes.
func TestPaperPresetsOnImages(t *testing.T) {
	s, _, err := datasets.MNIST(rng(1), 3)
	if err != nil {
		t.Fatal(err)
	}
	small := mat.NewDense(3, 36, nil) // 6×6 pixels of the middle keep it quick
	for i := range 3 {
		for p := range 36 {
			small.Set(i, p, s.At(i, (13+p/6)*32+13+p%6))
		}
	}
	x := mixed(t, small, 5, true)
	for name, cfg := range map[string]Config{"WGF": PaperWGF().Smoke(), "RF": PaperRF().Smoke()} {
		backendtest.Each(t, func(t *testing.T, b compute.Backend) {
			if backend.NameOf(b) != backend.Go && (name == "WGF" || !Long()) {
				t.Skip("TestRecoveryAsRecorded compiles the paper's programs; --long")
			}
			cfg := cfg.Clone()
			cfg.Flow.BatchSize, cfg.Flow.LearningRate = 16, 1e-3
			cfg.Shape = []int{6, 6}
			image := fit(t, b, x, cfg)
			if len(image.Loss) != cfg.Flow.Iterations || !signal.Finite(image.Loss[0]) {
				t.Errorf("%s: losses %v", name, image.Loss)
			}
			if backend.NameOf(b) != backend.Go {
				return // compiling once more would say the same
			}
			cfg.Shape = nil
			if flat := fit(t, b, x, cfg); mat.Equal(flat.Z, image.Z) {
				t.Errorf("%s: the shape made no difference", name)
			}
		})
	}
}

// A cancelled fit returns the signals of the last complete iteration with the context's error.
func TestFitCancelled(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		x, _ := mixedAR7(t, 4, 256, 3, false)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		cfg := FastWGF()
		cfg.Flow.Steps, cfg.Flow.KeepBest = 5, false
		var last *mat.Dense
		cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
			if last = it.Z; it.J == 2 {
				cancel()
			}
		}
		result, err := Fit(ctx, x, cfg.On(b))
		if !errors.Is(err, context.Canceled) || result == nil {
			t.Fatalf("result %v, error %v", result, err)
		}
		if result.Stopped != klflow.StoppedCancelled || result.Iterations != 2 || result.Z != last {
			t.Errorf("stopped %q after %d iterations", result.Stopped, result.Iterations)
		}
	})
}

// A fit whose numbers stop being finite returns the last finite signals with an error.
func TestFitNotFinite(t *testing.T) {
	x, _ := mixedAR7(t, 4, 256, 3, false)
	cfg := FastWGF()
	cfg.Flow.Steps, cfg.Flow.Standardise, cfg.Flow.Folds, cfg.Flow.Family = 5, false, 0, klflow.Free
	cfg.Flow.MaxMove, cfg.Flow.KeepBest = 0, false
	cfg.Flow.FirstStep, cfg.Flow.LastStep = 1e300, 1e300
	result, err := Fit(context.Background(), x, cfg.On(backendtest.Open(t, backend.Go)))
	if !errors.Is(err, signal.ErrNotFinite) || result == nil || result.Stopped != klflow.StoppedNotFinite {
		t.Fatalf("result %+v, error %v", result, err)
	}
	if !strings.HasPrefix(err.Error(), "sica: iteration ") ||
		!strings.Contains(err.Error(), "; use smaller steps or another method") {
		t.Errorf("the error of a single run is %q", err)
	}
	_, err = FitRuns(context.Background(), []Run{{X: x}, {X: x, Seed: 1}}, cfg.On(backendtest.Open(t, backend.Go)))
	if err == nil || !strings.HasPrefix(err.Error(), "sica: run 1: iteration ") {
		t.Errorf("the error of the first of two runs is %v", err)
	}
	if err := signal.Check("z", result.Z); err != nil {
		t.Error(err)
	}
	if len(result.Loss) != result.Iterations || !strings.Contains(result.Why, "kept the signals from before it") {
		t.Errorf("%d losses for %d iterations; %s", len(result.Loss), result.Iterations, result.Why)
	}
}

func TestFitErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	good, _ := mixedAR7(t, 1, 256, 1, false)
	constant := mat.DenseCopyOf(good)
	for k := range 256 {
		constant.Set(1, k, 3)
	}
	nan := mat.DenseCopyOf(good)
	nan.Set(0, 7, math.NaN())
	few := mat.NewDense(16, 17, nil)
	draw := rng(1)
	few.Apply(func(int, int, float64) float64 { return draw.NormFloat64() }, few)
	with := func(change func(*Config)) Config {
		cfg := FastWGF()
		change(&cfg)
		return cfg
	}
	for _, test := range []struct {
		name string
		x    *mat.Dense
		cfg  Config
		want string // in the error
	}{
		{"nil", nil, FastWGF(), "x: is empty"},
		{"constant", constant, FastWGF(), "signal 2"},
		{"NaN", nan, FastWGF(), "position 8"},
		{"one signal", mat.NewDense(1, 3, []float64{1, 2, 3}), FastWGF(), "at least 2"},
		{"one signal of Default", mat.NewDense(1, 3, []float64{1, 2, 3}), Default(), "x: is 1 signal; must be at least 2"},
		{"a row for each position", mat.DenseCopyOf(good.T()), Default(), "; must be at least 16: a row is a signal, a column a position; transpose x (mat.DenseCopyOf(x.T())) if it is the other way round"},
		{"few for a network", mat.DenseCopyOf(good.Slice(0, 2, 0, 18)), Direct(), "x: has positions of shape [18], too few for networks that see a past of 1; must be at least [20]"},
		{"an image for a network", good, Config{Mode: NetworkOnly, Shape: []int{128, 2}}, "must be at least [20 3]"},
		{"short", mat.NewDense(2, 3, []float64{1, 2, 3, 2, 1, 5}), FastWGF(), "Windows: 3 spans"},
		{"four positions", mat.NewDense(2, 4, []float64{1, 2, 3, 7, 2, 1, 5, 4}), Default(), "x: has 4 positions of 2 signals, too few for sica.Auto; must be at least 16"},
		{"hardly more positions than signals", few, Default(), "too few"},
		{"shape", good, with(func(c *Config) { c.Shape = []int{10, 10} }), "Shape: is [10 10] for 256 positions; must have the product 256"},
		{"axes", good, with(func(c *Config) { c.Shape = []int{4, 4, 4, 4} }), "axes"},
		{"window", good, with(func(c *Config) { c.Flow.Windows = []int{200} }), "Windows: 200"},
		{"image window", good, with(func(c *Config) { c.Shape, c.Flow.Windows = []int{2, 128}, []int{1} }), "Windows: 1 spans"},
		{"windows", good, with(func(c *Config) { c.Flow.Context, c.Flow.Windows = klflow.LocalWindow, []int{2, 1} }), "rising"},
		{"no window", good, with(func(c *Config) { c.Flow.Windows = nil }), "Windows"},
		{"windows without folds", good, with(func(c *Config) { c.Flow.Context, c.Flow.Windows, c.Flow.Folds = klflow.LocalWindow, []int{0, 1}, 0 }), "held-out"},
		{"prediction", good, with(func(c *Config) { c.Flow.Windows = []int{0} }), "prediction"},
		{"move", good, with(func(c *Config) { c.Flow.MaxMove = -1 }), "MaxMove"},
		{"rule", good, with(func(c *Config) { c.Mode = "ica" }), `Mode: is "ica"; must be sica.Auto, sica.LinearOnly`},
		{"name of Auto", good, Config{Mode: "auto"}, `Mode: is "auto"; must be sica.Auto`},
		{"budget", good, with(func(c *Config) { c.Flow.Budget = -1 }), "Flow: Budget: is -1ns"},
		{"start", good, with(func(c *Config) { c.Transforms = []preprocess.Transform{"pca"} }), `sica: Transforms: is "pca"; must be one of`},
		{"steps without networks", good, Config{Mode: LinearOnly, NetworkSteps: 9}, "NetworkSteps: is 9; must be 0 for sica.LinearOnly"},
		{"flow", good, with(func(c *Config) { c.Flow.Kind = "ode" }), `Kind: is "ode"`},
		{"no kind", good, with(func(c *Config) { c.Flow = &klflow.Config{Iterations: 5} }), "start from sica.FastWGF().Flow"},
		{"context", good, with(func(c *Config) { c.Flow.Context = "" }), "Context"},
		{"family", good, with(func(c *Config) { c.Flow.Family = "cubic" }), "Family"},
		{"iterations", good, with(func(c *Config) { c.Flow.Iterations = -1 }), "Iterations: is -1"},
		{"step", good, with(func(c *Config) { c.Flow.LastStep = math.NaN() }), "NaN"},
		{"learning rate", good, with(func(c *Config) { c.Flow.LearningRate = -1 }), "LearningRate"},
		{"optimizer", good, with(func(c *Config) { c.Flow.Optimizer = "sgd" }), "Optimizer"},
		{"batch", good, with(func(c *Config) { c.Flow.BatchSize = 0 }), "BatchSize"},
		{"both", good, with(func(c *Config) { c.Flow.Epochs = 1 }), "Epochs and Steps: are 1 and 50"},
		{"folds", good, with(func(c *Config) { c.Flow.Folds = 1 }), "Folds: is 1"},
		{"noise", good, with(func(c *Config) { c.Flow.Noise = -1 }), "Noise"},
		{"hidden", good, with(func(c *Config) { c.Flow.Hidden = nil }), "Hidden"},
		{"solver", good, func() Config { c := PaperRF(); c.Flow.Solver = "rk4"; return c }(), "Solver"},
		{"RF folds", good, func() Config { c := PaperRF(); c.Flow.Folds, c.Flow.Block = 3, 4; return c }(), "Folds: is 3"},
		{"sum of outputs", good, func() Config { c := PaperRF(); c.Flow.SumOutputs = true; return c }(), "SumOutputs"},
		{"time waves", good, func() Config { c := PaperRF(); c.Flow.TimeWaves = 17; return c }(), "TimeWaves: is 17; must be 0 to 16"},
		{"time waves of WGF", good, func() Config { c := PaperWGF(); c.Flow.TimeWaves = 1; return c }(), "TimeWaves: is 1"},
		{"whole noise", good, func() Config { c := PaperWGF(); c.Flow.Noise = 1; return c }(), "Noise: is 1"},
	} {
		result, err := Fit(context.Background(), test.x, test.cfg.On(b))
		if err == nil || result != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: result %v, error %v; want an error with %q", test.name, result, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), "sica: ") > 1) {
			t.Errorf("%s: not one clear line: %q", test.name, err)
		}
	}
	if _, err := FitRuns(context.Background(), nil, FastWGF().On(b)); err == nil {
		t.Error("no runs gave no error")
	}
	short, _ := mixedAR7(t, 1, 200, 1, false)
	_, err := FitRuns(context.Background(), []Run{{X: good}, {X: short}}, FastWGF().On(b))
	const want = "sica: run 2: x: is 2×200; must be 2×256, the size of run 1"
	if !errors.Is(err, ErrSignals) || err.Error() != want {
		t.Errorf("runs of two sizes: %v", err)
	}
}

// The memory of a fit, including that of the device, does not grow with its iterations.
func TestMemoryDoesNotGrow(t *testing.T) {
	resident := func() int {
		debug.FreeOSMemory() // what other tests left
		data, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skipf("no resident memory to read here: %v", err)
		}
		var size, pages int
		if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
			t.Fatal(err)
		}
		return pages * os.Getpagesize()
	}
	median := func(v []int) int { return slices.Sorted(slices.Values(v))[len(v)/2] }
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		x, _ := mixedAR7(t, 4, 300, 2, false)
		cfg := FastWGF()
		iterations := 100
		if Long() {
			iterations = 300
		}
		cfg.Flow.Iterations, cfg.Flow.Steps = iterations, 2
		var early, late []int
		cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
			switch {
			case it.J%5 > 0 || it.J <= 30: // the heap hasn't its size yet
			case it.J <= 65:
				early = append(early, resident())
			case it.J > iterations-35:
				late = append(late, resident())
			}
		}
		fit(t, b, x, cfg)
		// The size moves by up to 7 MiB from one moment to another, over 3000 iterations no
		// further; what each kept would be there iterations − 65 times.
		if grown := median(late) - median(early); grown > 16<<20 {
			t.Errorf("%d iterations took %d KiB more", iterations-65, grown>>10)
		}
	})
}

// A run among so many that a training takes several calls gives what it gives alone.
func TestFitRunsInChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 44 networks")
	}
	cfg := FastWGF().Smoke()
	cfg.Flow.Iterations, cfg.Flow.Steps = 1, 50
	x, _ := mixedAR7(t, 1, 200, 3, false)
	var runs []Run
	for seed := range uint64(11) {
		runs = append(runs, Run{X: x, Seed: seed})
	}
	n := iterate.Config(*cfg.Flow)
	if n.Chunk(200, len(runs)*n.Networks()) == n.Steps || n.Chunk(200, n.Networks()) < n.Steps {
		t.Fatal("want several calls for all runs, and one for a run alone")
	}
	b := backendtest.Open(t, backend.Available()[0])
	results, err := FitRuns(context.Background(), runs, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	cfg.Seed = runs[10].Seed
	if diff := largestDifference(results[10].Z, fit(t, b, x, cfg).Z); !(diff < 1e-4) {
		t.Errorf("the last run differs by %g from the run alone", diff)
	}
}

// Components of more than the rank are refused with the rank.
func TestComponentsAboveRank(t *testing.T) {
	s := noise(rng(5), 4, 200, datasets.Laplace)
	for k := range 200 {
		s.Set(3, k, s.At(0, k)+s.At(1, k))
	}
	_, err := Fit(t.Context(), s, Config{Components: 4})
	want := "sica: Components: is 4 of mixed signals of rank 3; must be from 2 to 3, or 0 for their rank"
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// Noise as strong as the components that were left out hides signals.
func TestComponentsLeftOutAreNoise(t *testing.T) {
	const d, n = 4, 3000
	r := rng(3)
	s := noise(r, d, n, datasets.Laplace)
	for i, scale := range []float64{1, 0.8, 0.3, 0.2} {
		row := s.RawRowView(i)
		for k := 1; k < n; k++ {
			row[k] += 0.3 * float64(i) * row[k-1]
		}
		floats.Scale(scale/stat.StdDev(row, nil), row)
	}
	var x mat.Dense
	x.Mul(rotation.Random(r, d), s)
	result, err := Fit(t.Context(), &x, Config{Mode: LinearOnly, Components: 3})
	if err != nil {
		t.Fatal(err)
	}
	if l := result.Linear; l.Reason != linear.Noise || len(l.Groups) == 3 {
		t.Errorf("groups %v, reason %v; want noise that hides signals", l.Groups, l.Reason)
	}
}

// The noise of channels that were reduced is that of the channels, not that of the components, of
// which the weakest may be all noise.
func TestNoiseOfReducedChannels(t *testing.T) {
	const d, n, variance = 5, 4000, 0.02
	r := rng(12)
	s := noise(r, 3, n, (*rand.Rand).NormFloat64)
	for i, memory := range []float64{0.95, 0.8, 0.6} {
		for k := 1; k < n; k++ {
			s.Set(i, k, memory*s.At(i, k-1)+math.Sqrt(1-memory*memory)*s.At(i, k))
		}
	}
	a := noise(r, d, 3, (*rand.Rand).NormFloat64)
	var x mat.Dense
	x.Mul(a, s)
	x.Apply(func(_, _ int, v float64) float64 { return v + math.Sqrt(variance)*r.NormFloat64() }, &x)
	truth := 0.0
	for i := range d {
		truth += variance / stat.Variance(x.RawRowView(i), nil) / d
	}
	for _, components := range []int{0, 4, 3} {
		result, err := Fit(t.Context(), &x, Config{Mode: LinearOnly, Components: components})
		if err != nil {
			t.Fatal(err)
		}
		// What is left out has noise, too.
		found := result.Linear.Noise
		if mean := stat.Mean(found, nil); len(found) != d || mean < truth/6 || mean > 1.5*truth {
			t.Errorf("%d components: noise %.4f of the channels, is %.4f", components, found, truth)
		}
	}
}
