package sica

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// logs is the logarithm of signals that are positive but for an offset.
type logs struct{ Offsets []float64 }

func (logs) Fit(_ context.Context, x *mat.Dense) (preprocess.Applier, error) {
	var fitted logs
	d, _ := x.Dims()
	for i := range d {
		fitted.Offsets = append(fitted.Offsets, 1-mat.Min(x.RowView(i)))
	}
	return &fitted, nil
}

func (l *logs) Apply(x *mat.Dense) (*mat.Dense, error) {
	x.Apply(func(i, _ int, v float64) float64 { return math.Log(v + l.Offsets[i]) }, x) // of its own copy
	return x, nil
}

func (l *logs) Invert(z *mat.Dense) (*mat.Dense, error) {
	z.Apply(func(i, _ int, v float64) float64 { return math.Exp(v) - l.Offsets[i] }, z)
	return z, nil
}

// by is a Fitter, and applying an Applier, that is one function.
type by func(x *mat.Dense) (*mat.Dense, error)

func (b by) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return b, nil }
func (b by) Apply(x *mat.Dense) (*mat.Dense, error)                      { return b(x) }

// fitter is a Fitter that is one function.
type fitter func(x *mat.Dense) (preprocess.Applier, error)

func (f fitter) Fit(_ context.Context, x *mat.Dense) (preprocess.Applier, error) { return f(x) }

func init() { preprocess.Register("sica_test.logs", func() preprocess.Applier { return new(logs) }) }

// quick is a small fit that makes iterations.
func quick() Config {
	cfg := FastWGF().Smoke()
	cfg.Flow.Steps = 5
	return cfg
}

// A fit with a custom transform is that of the transformed signals, and the transform is the first
// map of the result: applied, inverted, saved and loaded, and used by fits with the settings of a
// loaded result.
func TestPrepareComesFirst(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, true)
	before := mat.DenseCopyOf(x)
	cfg := quick()
	cfg.Prepare = logs{}
	result := fit(t, b, x, cfg)
	if !mat.Equal(x, before) {
		t.Error("the fit changed x")
	}
	fitted, err := logs{}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := fitted.Apply(mat.DenseCopyOf(x))
	if err != nil {
		t.Fatal(err)
	}
	if alone := fit(t, b, prepared, quick()); !mat.Equal(alone.Z, result.Z) {
		t.Errorf("differs by %g from the fit of the prepared signals", largestDifference(alone.Z, result.Z))
	}
	if !result.Prepared || !strings.Contains(result.Why, "sica.logs") {
		t.Errorf("prepared %v: %s", result.Prepared, result.Why)
	}
	checkFollows(t, result, x)
	if !mat.Equal(x, before) {
		t.Error("Transform changed x")
	}

	loaded := reloaded(t, result)
	again := fit(t, b, x, loaded.Config)
	loaded.Config.Prepare = result.Config.Prepare // compared by what it does
	checkEqual(t, loaded, result, x)
	if !mat.Equal(again.Z, result.Z) {
		t.Error("a loaded result's settings separate otherwise")
	}
}

// A transform that is not registered and has no inverse can be applied, but not saved or inverted.
func TestPrepareUnregistered(t *testing.T) {
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := quick()
	cfg.Prepare = by(func(x *mat.Dense) (*mat.Dense, error) {
		x.Apply(func(_, _ int, v float64) float64 { return math.Cbrt(v) }, x)
		return x, nil
	})
	result := fit(t, backendtest.Open(t, backend.Go), x, cfg)
	z, err := result.Transform(x)
	if err != nil || largestDifference(z, result.Z) > 1e-9 {
		t.Errorf("transform: %v", err)
	}
	if _, err := result.InverseTransform(z); !errors.Is(err, preprocess.ErrNotInvertible) || !strings.Contains(err.Error(), "sica.by has no method Invert") {
		t.Errorf("inverse: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "result")
	if err := result.Save(dir); err == nil || !strings.Contains(err.Error(), "sica.by can't be saved: it isn't registered with preprocess.Register") {
		t.Errorf("saved: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("what can't be saved left a folder")
	}
	if _, err := result.Demixing(); !errors.Is(err, ErrNotLinear) ||
		!strings.HasSuffix(err.Error(), ": the transform of Config.Prepare isn't linear; use Transform") {
		t.Errorf("demixing: %v", err)
	}
}

// A map of package preprocess needs no registration, and a linear one stays linear; channels are
// reduced after it.
func TestPrepareReduced(t *testing.T) {
	two, _ := mixedAR7(t, 1, 200, 3, false)
	var x mat.Dense
	x.Mul(mat.NewDense(3, 2, []float64{1, 2, 3, -1, 0.5, 1}), two)
	cfg := Default()
	cfg.Mode = LinearOnly
	cfg.Prepare = fitter(func(x *mat.Dense) (preprocess.Applier, error) { return mapping.Standardisation(x), nil })
	result := fit(t, backendtest.Open(t, backend.Go), &x, cfg)
	loaded := reloaded(t, result)
	for name, r := range map[string]*Result{"fitted": result, "loaded": loaded} {
		checkFollows(t, r, &x)
		d, err := r.Demixing()
		if err != nil {
			t.Fatal(err)
		}
		if k, channels := d.Unmixing.Dims(); k != 2 || channels != 3 {
			t.Errorf("%s: a demixing of %d×%d, want 2×3", name, k, channels)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, false)
	for want, prepare := range map[string]preprocess.Fitter{
		"no such luck": fitter(func(*mat.Dense) (preprocess.Applier, error) { return nil, errors.New("no such luck") }),
		"nil":          fitter(func(*mat.Dense) (preprocess.Applier, error) { return nil, nil }),
		"made nothing": by(func(*mat.Dense) (*mat.Dense, error) { return nil, nil }),
		"made 1×200 of 2×200": by(func(x *mat.Dense) (*mat.Dense, error) {
			return mat.DenseCopyOf(x.Slice(0, 1, 0, 200)), nil
		}),
		"the value NaN": by(func(x *mat.Dense) (*mat.Dense, error) { x.Set(0, 3, math.NaN()); return x, nil }),
		"2 signals became 1": fitter(func(x *mat.Dense) (preprocess.Applier, error) {
			return mapping.Reduce(x, 1, nil)
		}),
	} {
		cfg := quick()
		cfg.Prepare = prepare
		result, err := Fit(t.Context(), x, cfg.On(b))
		if result != nil || err == nil || !strings.Contains(err.Error(), "Prepare: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("result %v, error %v; want an error with %q", result, err, want)
		}
	}
	cfg := quick()
	cfg.Checkpoint = t.TempDir()
	cfg.Prepare = logs{}
	first := fit(t, b, x, cfg)
	if again := fit(t, b, x, cfg); !mat.Equal(again.Z, first.Z) || !again.Prepared {
		t.Error("the checkpoint of a prepared fit gave another")
	}
	cfg.Prepare = nil
	if _, err := Fit(t.Context(), x, cfg.On(b)); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("a checkpoint of signals that were prepared otherwise: %v", err)
	}
}

// Each run stops when Stop returns true, without an error, and stays stopped in its checkpoint.
func TestStopEndsEachRun(t *testing.T) {
	first, _ := mixedAR7(t, 0, 128, 3, true)
	second, _ := mixedAR7(t, 1, 128, 3, true)
	cfg := quick()
	cfg.Flow.Iterations, cfg.Checkpoint = 4, t.TempDir()
	asked := 0
	cfg.Flow.Stop = func(run int, it klflow.Iteration) bool {
		asked++
		return run == 0 && it.J == 2 || run == 1 && it.J == 3
	}
	for _, want := range []int{5, 5} { // the second time from the checkpoint
		results, err := FitRuns(t.Context(), []Run{{X: first, Seed: 1}, {X: second, Seed: 2}}, cfg.On(backendtest.Open(t, backend.Go)))
		if err != nil {
			t.Fatal(err)
		}
		for r, result := range results {
			if result.Stopped != klflow.StoppedAsked || result.Iterations != r+2 || !strings.Contains(result.Why, "asked") {
				t.Errorf("run %d stopped %q after %d iterations: %s", r, result.Stopped, result.Iterations, result.Why)
			}
		}
		if asked != want {
			t.Errorf("asked %d times, want %d", asked, want)
		}
	}
}

// After the common average reference, which is singular, the demixing has a right inverse, nothing
// is left of a signal that is removed, and the average can't be found again.
func TestPrepareCommonAverage(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	for _, d := range []int{3, 4, 5, 6, 7} {
		r := rng(uint64(d))
		s := noise(r, d, 1000, datasets.Laplace)
		var x mat.Dense
		x.Mul(noise(r, d, d, datasets.Normal), s)
		average := mat.NewDense(d, d, nil)
		average.Apply(func(i, j int, _ float64) float64 {
			if i == j {
				return 1 - 1/float64(d)
			}
			return -1 / float64(d)
		}, average)
		cfg := Default()
		cfg.Mode = LinearOnly
		cfg.Prepare = fitter(func(*mat.Dense) (preprocess.Applier, error) {
			return preprocess.LinearMap(average, make([]float64, d)), nil
		})
		result := fit(t, b, &x, cfg)
		demixing, err := result.Demixing()
		if err != nil {
			t.Fatal(err)
		}
		var product mat.Dense
		product.Mul(demixing.Unmixing, demixing.Mixing)
		if !mat.EqualApprox(&product, rotation.Identity(d-1), 1e-9) {
			t.Errorf("%d channels: W·A = %.3f", d, mat.Formatted(&product))
		}
		clean, err := result.Remove(&x, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		z, err := result.Transform(clean)
		if err != nil {
			t.Fatal(err)
		}
		if sd := stat.PopStdDev(z.RawRowView(0), nil); sd > 1e-9 {
			t.Errorf("%d channels: the removed signal keeps the standard deviation %.3g", d, sd)
		}
		if _, err := result.InverseTransform(z); !errors.Is(err, preprocess.ErrNotInvertible) {
			t.Errorf("%d channels: the inverse: %v", d, err)
		}
	}
}
