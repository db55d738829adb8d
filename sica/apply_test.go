package sica

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// followed are small fits of every kind of stage: those of smokes, and of further
// starts and families whose networks learn enough to move the signals.
func followed() map[string]Config {
	cfgs := make(map[string]Config)
	for _, name := range []string{"paper WGF", "paper RF", "float64", "local RF"} {
		cfgs[name] = smokes()[name]
	}
	moving := FastWGF()
	moving.Flow.KeepBest = false
	moving.Flow.Iterations, moving.Flow.Steps, moving.Flow.LearningRate, moving.Transforms = 3, 50, 1e-2, nil
	for name, start := range map[string][]preprocess.Transform{
		"as given": nil, "conditional": {preprocess.Conditional}, "gaussianised": {preprocess.Gaussianise, preprocess.ZCA},
	} {
		moving.Transforms = start
		cfgs[name] = moving.Clone()
	}
	moving.Transforms = []preprocess.Transform{preprocess.Standardise}
	best := moving.Clone()
	best.Flow.KeepBest, best.Flow.Iterations = true, 4
	cfgs["best"] = best.Clone()
	moving.Flow.Family, moving.Flow.LearningRate, moving.Flow.MaxMove = klflow.Free, 3e-3, 0.05
	cfgs["free prediction"] = moving.Clone()
	moving.Flow.Context, moving.Flow.Windows, moving.Flow.Block = klflow.LocalWindow, []int{0, 1}, 16
	cfgs["free windows"] = moving.Clone()
	moving.Flow.Windows, moving.Flow.Folds, moving.Flow.WarmStart = []int{1}, 0, false
	cfgs["free window"] = moving.Clone()
	return cfgs
}

// followedFits are the fits of followed by backend and name, which tests share.
var followedFits = make(map[[2]string]*Result)

// followedFit is a fit of followed, and what it is of. The result must not be
// changed.
func followedFit(t *testing.T, b compute.Backend, name string) (*Result, *mat.Dense) {
	t.Helper()
	x := followedSignals(t)
	key := [2]string{backend.NameOf(b), name}
	if followedFits[key] == nil {
		followedFits[key] = fit(t, b, x, followed()[name])
	}
	return followedFits[key], x
}

// followedSignals are the mixed signals that followed are fits of.
func followedSignals(t *testing.T) *mat.Dense {
	t.Helper()
	x, _ := mixedAR7(t, 1, 100, 3, true)
	return x
}

// onBackendsOrGo is onBackends for some of followed, and for all if SICA_TEST_KILLS
// asks for long tests; else the pure-Go backend has to do.
func onBackendsOrGo(t *testing.T, name string, test func(t *testing.T, b compute.Backend)) {
	t.Helper()
	if os.Getenv("SICA_TEST_KILLS") != "" || name == "free windows" {
		backendtest.Each(t, test)
		return
	}
	test(t, backendtest.Open(t, backend.Go))
}

// checkFollows fails unless preprocess.Transform of the mixed signals is Z and
// InverseTransform of Z the mixed signals, and returns how far off they are.
func checkFollows(t *testing.T, result *Result, x *mat.Dense) (there, back float64) {
	t.Helper()
	z, err := result.Transform(x)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if result.Best > 0 && mat.Equal(result.Z, result.Initial) {
		t.Error("the flow moved nothing, which shows nothing")
	}
	if there = largestDifference(z, result.Z); !(there <= 1e-5) {
		t.Errorf("the transform of the mixed signals differs from the result by %g", there)
	}
	again, err := result.InverseTransform(z)
	if cfg := result.Config; errors.Is(err, preprocess.ErrNotInvertible) && cfg.Flow.Context == klflow.WholeSequence && cfg.Flow.Kind == klflow.WGF {
		return there, math.NaN() // the gradient of a network of ReLUs jumps
	}
	if err != nil {
		t.Fatalf("%+v", err)
	}
	roundTrip, err := result.RoundTrip(z)
	if back = largestDifference(again, x); err != nil || !(roundTrip <= 1e-4) || !(back <= 1e-4) {
		t.Errorf("the inverse differs from the mixed signals by %g, and goes to %g from the result, %v", back, roundTrip, err)
	}
	return there, back
}

func TestTransformIsZ(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(followed())) {
		t.Run(name, func(t *testing.T) {
			onBackendsOrGo(t, name, func(t *testing.T, b compute.Backend) {
				result, x := followedFit(t, b, name)
				there, back := checkFollows(t, result, x)
				t.Logf("transform %.1e, inverse %.1e", there, back)
			})
		})
	}
}

// The transform is exact for whitening, a rotation of it and conditional normalisation.
func TestTransformOfMapsWithoutNetworks(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	gaussian := twoSpectra(t, 31)
	rotated := new(mat.Dense)
	rotated.Mul(mat.NewDense(2, 2, []float64{1, 0.8, -0.9, 1}), gaussian)
	linear, _ := mixedAR7(t, 21, 1024, 5, false)
	gelu, _ := mixedAR7(t, 21, 1024, 5, true)
	rule := Default()
	rule.Mode = LinearOnly
	conditional := FastWGF()
	conditional.Transforms, conditional.Flow = []preprocess.Transform{preprocess.Conditional}, nil
	for _, test := range []struct {
		name string
		x    *mat.Dense
		cfg  Config
	}{{"whitened", linear, rule}, {"rotated", rotated, rule}, {"conditional", gelu, conditional}} {
		result := fit(t, b, test.x, test.cfg)
		there, back := checkFollows(t, result, test.x)
		t.Logf("%s: transform %.1e, inverse %.1e", test.name, there, back)
	}
}

// A network's map is exact in both directions, also after saving and loading, and on signals that
// it was not fitted to.
func TestTransformOfNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	x, s := mixedAR7(t, 21, 1024, 5, true)
	cfg := Direct()
	cfg.NetworkSteps = 400
	result := fit(t, backendtest.Open(t, backend.Available()[0]), x, cfg)
	if m, err := metric.MCC(result.Z, s); err != nil || m.MCC < 0.9 || result.Chosen.Mode != NetworkOnly || result.Network == nil {
		t.Errorf("MCC %.4f, %v; %s", m.MCC, err, result.Why)
	}
	checkFollows(t, result, x)
	loaded := reloaded(t, result)
	checkFollows(t, loaded, x)
	if loaded.Network.OverWhitening != result.Network.OverWhitening || len(loaded.Network.HeldOut) != len(result.Network.HeldOut) {
		t.Errorf("loaded as %+v, was %+v", loaded.Network, result.Network)
	}
	other, _ := mixedAR7(t, 22, 300, 5, true)
	z, err := loaded.Transform(other)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := loaded.InverseTransform(z); err != nil || largestDifference(back, other) > 1e-6 {
		t.Errorf("other signals come back off by %g, %v", largestDifference(back, other), err)
	}
	if roundTrip, err := loaded.RoundTrip(z); err != nil || roundTrip > 1e-6 {
		t.Errorf("the round trip is off by %g, %v", roundTrip, err)
	}
}

// Networks over images, with windows or the whole index, transform images of the fit's shape; with
// windows also those of another shape.
func TestTransformOfImages(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 5, 144, 2, true)
	window := followed()["free window"]
	window.Shape, window.Flow.Block = []int{12, 12}, 12
	whole := PaperWGF().Smoke()
	whole.Shape, whole.Flow.BatchSize = []int{12, 12}, 16
	for name, cfg := range map[string]Config{"window": window, "whole": whole} {
		result := fit(t, b, x, cfg)
		checkFollows(t, result, x)
		other, _ := mixedAR7(t, 6, 96, 2, true)
		if _, err := result.Transform(other); err == nil || !strings.Contains(err.Error(), "shape") {
			t.Errorf("%s, no shape: %v", name, err)
		}
		_, err := result.Transform(other, 8, 12)
		if (err == nil) != (name == "window") {
			t.Errorf("%s, another shape: %v", name, err)
		}
		clean, err := result.Remove(other, nil, 8, 12)
		if (err == nil) != (name == "window") {
			t.Errorf("%s, removal with another shape: %v", name, err)
		}
		if err == nil && (clean == other || largestDifference(clean, other) > 1e-9) {
			t.Errorf("%s: nothing was removed, but x changed by %g", name, largestDifference(clean, other))
		}
	}
}

// The transform of a part is the part of the transform, unless networks see other positions.
func TestTransformOfPart(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	result, x := followedFit(t, b, "paper WGF")
	part := mat.DenseCopyOf(x.Slice(0, 2, 20, 90))
	for name, margin := range map[string]int{
		"conditional": 0, "gaussianised": 0, "as given": 0,
		"free windows": 3, "free window": 3, "local RF": 4 * 2 * 2, // a window, in each evaluation of the velocity
	} {
		result, _ := followedFit(t, b, name)
		got, err := result.Transform(part)
		if err != nil {
			t.Fatalf("%s: %+v", name, err)
		}
		want := result.Z.Slice(0, 2, 20+margin, 90-margin).(*mat.Dense)
		if diff := largestDifference(got.Slice(0, 2, margin, 70-margin).(*mat.Dense), want); !(diff < 1e-5) {
			t.Errorf("%s: the part differs by %g", name, diff)
		}
		if err := result.CheckPointwise(); errors.Is(err, ErrNotPointwise) != (margin > 0) {
			t.Errorf("%s: pointwise: %v", name, err)
		}
	}
	if _, err := result.Transform(part); err == nil || !strings.Contains(err.Error(), "whole sequence") {
		t.Errorf("the whole sequence's part: %v", err)
	}
}

func TestTransformErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	result, x := followedFit(t, b, "free window")
	bad := mat.DenseCopyOf(x)
	bad.Set(1, 7, math.NaN())
	for _, test := range []struct {
		name   string
		result *Result
		x      *mat.Dense
		shape  []int
		want   string
	}{
		{"no fit", &Result{Z: x}, x, nil, "Fit or Load"},
		{"nil", result, nil, nil, "empty"},
		{"signals", result, mat.NewDense(3, 100, nil), nil, "3 signals"},
		{"NaN", result, bad, nil, "position 8"},
		{"short", result, mat.NewDense(2, 2, []float64{1, 2, 3, 4}), nil, "Windows"},
		{"shape", result, x, []int{7}, "shape"},
		{"axes", result, x, []int{10, 10}, "axes"},
	} {
		if _, err := test.result.Transform(test.x, test.shape...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
		if _, err := test.result.InverseTransform(test.x, test.shape...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, inverse: %v, want an error with %q", test.name, err, test.want)
		}
		if _, err := test.result.RoundTrip(test.x, test.shape...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, round trip: %v, want an error with %q", test.name, err, test.want)
		}
	}
}

// Signals that don't fit are the caller's fault, and the error says how many are wanted.
func TestErrorOfSignalsThatDontFit(t *testing.T) {
	_, x := leads(200)
	r := fit(t, nil, x, Config{Mode: LinearOnly})
	few, nan := mat.DenseCopyOf(x.Slice(0, 5, 0, 9)), mat.DenseCopyOf(x)
	nan.Set(1, 2, math.NaN())
	for name, err := range map[string]error{
		"transform": second(r.Transform(few)), "remove": second(r.Remove(few, []int{0})),
	} {
		want := "sica: " + name + ": x: has 5 signals; must have 6, as in the fit"
		if !errors.Is(err, ErrSignals) || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for name, err := range map[string]error{
		"many": second(r.Transform(mat.NewDense(7, 9, nil))), "empty": second(r.Transform(nil)),
		"NaN": second(r.Transform(nan)), "shape": second(r.Transform(x, 7)),
		"shape of a removal": second(r.Remove(x, []int{0}, 7)),
	} {
		if !errors.Is(err, ErrSignals) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// second returns the second of two results.
func second[T any](_ T, err error) error { return err }

// The inverse of a step whose velocity is no contraction is an error that says so.
func TestInverseOfExpandingVelocityIsAnError(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := followed()["free window"]
	cfg.Flow.FirstStep, cfg.Flow.LastStep, cfg.Flow.MaxMove = 10, 10, 0
	result, err := Fit(context.Background(), x, cfg.On(b))
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if _, err := result.InverseTransform(result.Z); !errors.Is(err, preprocess.ErrNotInvertible) || !strings.Contains(err.Error(), "contract") {
		t.Errorf("the error is %v", err)
	}
}
