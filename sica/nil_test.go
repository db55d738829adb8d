package sica_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// problem returns the error of f, or its panic as one.
func problem(f func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return f()
}

func second[T any](_ T, err error) error { return err }

// firstError returns the first error of blocks.
func firstError(blocks blockwise.Blocks) error {
	for _, err := range blocks {
		if err != nil {
			return err
		}
	}
	return nil
}

// Every method refuses Signals that are nil or the zero value with an error that names them.
func TestMethodsRefuseZeroSignals(t *testing.T) {
	for name, x := range map[string]*ica.Signals{"nil": nil, "zero": new(ica.Signals)} {
		calls := map[string]func() error{
			"linear.Separate": func() error {
				return second(linear.Separate(t.Context(), x, linear.Default()))
			},
			"AsMethod": func() error {
				return second(sica.AsMethod(sica.Config{}).Fit(t.Context(), x))
			},
			"Whitening":  func() error { return second(x.Whitening()) },
			"WithJoints": func() error { return second(x.WithJoints(nil)) },
		}
		for _, m := range methods.All() {
			task := methods.Task{Signals: x, Preset: m.Nearest(methods.Smoke)}
			calls[m.Name] = func() error { return second(m.Fit(t.Context(), task)) }
			task.Signals = nil // of the settings
			calls["alone "+m.Name] = func() error { return second(m.New(task).Fit(t.Context(), x)) }
		}
		for call, f := range calls {
			if err := problem(f); !errors.Is(err, ica.ErrSignals) ||
				!strings.Contains(err.Error(), "x: is nil or empty") {
				t.Errorf("%s of %s signals: %v", call, name, err)
			}
		}
	}
}

// A nil argument other than a context is an error that names it, of every function that has one.
func TestNilArgumentsAreNamed(t *testing.T) {
	ctx := t.Context()
	x := mat.NewDense(2, 64, nil)
	for i := range 2 {
		for k := range 64 {
			x.Set(i, k, float64((k*k+i*k*7)%31))
		}
	}
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	r, err := sica.Fit(ctx, x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, test := range map[string]struct {
		names string
		call  func() error
	}{
		"Fit x":        {"x", func() error { return second(sica.Fit(ctx, nil, cfg)) }},
		"FitRuns runs": {"runs", func() error { return second(sica.FitRuns(ctx, nil, cfg)) }},
		"FitRuns x": {"x", func() error {
			return second(sica.FitRuns(ctx, []sica.Run{{}}, cfg))
		}},
		"EstimateDiv z": {"z", func() error {
			return second(sica.EstimateDivergence(ctx, nil, sica.DivergenceOptions{}))
		}},
		"Transform":      {"x", func() error { return second(r.Transform(nil)) }},
		"Remove":         {"x", func() error { return second(r.Remove(nil, []int{0})) }},
		"Inverse":        {"z", func() error { return second(r.InverseTransform(nil)) }},
		"OrderedLike":    {"nil", func() error { _, _, err := r.OrderedLike(nil); return err }},
		"ica.New":        {"x", func() error { return second(ica.New(nil)) }},
		"ica.Separate m": {"m", func() error { return second(ica.Separate(ctx, nil, x)) }},
		"ica.Separate x": {"x", func() error {
			return second(ica.Separate(ctx, fastica.Default(), nil))
		}},
		"ica.Demix x": {"x", func() error {
			return second(ica.Demix(nil, mat.NewDense(2, 2, nil), ica.Convergence{}))
		}},
		"ica.Demix w": {"w", func() error {
			return second(ica.Demix(signals, nil, ica.Convergence{}))
		}},
		"preprocess.Apply": {"x", func() error { return second(preprocess.Apply(nil, preprocess.ZCA)) }},
		"preprocess.Fit": {"x", func() error {
			_, _, err := preprocess.Fit(ctx, nil, preprocess.ZCA)
			return err
		}},
		"dependence": {"z", func() error { return second(dependence.Measure(nil)) }},
		"MCC":        {"z", func() error { return second(metric.MCC(nil, x)) }},
		"MCC s":      {"s", func() error { return second(metric.MCC(x, nil)) }},
		"Spearman":   {"s", func() error { return second(metric.SpearmanMCC(x, nil)) }},
		"Align":      {"z", func() error { return second(metric.Align(nil, x)) }},
		"Amari":      {"w", func() error { return second(metric.Amari(nil, x)) }},
		"Amari a":    {"a", func() error { return second(metric.Amari(x, nil)) }},
		"report r": {"result", func() error {
			return second(report.New(ctx, nil, x, report.Default()))
		}},
		"report x": {"x", func() error {
			return second(report.New(ctx, r, nil, report.Default()))
		}},
		"Components r": {"result", func() error { return second(inspect.Components(nil, x, nil)) }},
		"Components x": {"x", func() error { return second(inspect.Components(r, nil, nil)) }},
		"Recording x":  {"x", func() error { return second(inspect.Recording(r, nil, nil)) }},
		"Shares r":     {"result", func() error { return second(inspect.Shares(nil, x)) }},
		"Shares x":     {"x", func() error { return second(inspect.Shares(r, nil)) }},
		"Residual": {"patterns", func() error {
			return second(inspect.ResidualVariances([]string{"Fz", "Cz"}, nil))
		}},
		"Part": {"x", func() error { return second(blockwise.Part(ctx, nil, 10)) }},
		"blockwise.Fit": {"x", func() error {
			return second(blockwise.Fit(ctx, nil, cfg, 1000))
		}},
		"AR7": {"rng", func() error { return second(datasets.AR7(nil, 2, 64)) }},
		"AR": {"rng", func() error {
			return second(datasets.AR(nil, 64, datasets.PaperAR7()))
		}},
		"LaplaceAR": {"rng", func() error { return second(datasets.LaplaceAR(nil, 2, 64, 0.5)) }},
		"Heart": {"rng", func() error {
			return second(datasets.Heart(nil, datasets.PaperHeart()))
		}},
		"Mix": {"no signals", func() error {
			return second(datasets.Mix(nil, datasets.MixOptions{Steps: 2}))
		}},
		"LinearMix A": {"A", func() error { return second(datasets.LinearMix(nil, x)) }},
		"LinearMix s": {"no signals", func() error { return second(datasets.LinearMix(x, nil)) }},
		"PostNonlinear s": {"no signals", func() error {
			return second(datasets.PostNonlinearMix(rng, nil, datasets.GELU))
		}},
		"PostNonlinear rng": {"rng", func() error {
			return second(datasets.PostNonlinearMix(nil, x, datasets.GELU))
		}},
		"MNIST": {"rng", func() error { _, _, err := datasets.MNIST(nil, 2); return err }},
		"SimulateEEG": {"rng", func() error {
			return second(datasets.SimulateEEG(nil, datasets.DefaultEEG()))
		}},
		"FetalECG": {"rng", func() error {
			return second(datasets.SimulateFetalECG(nil, datasets.DefaultFetalECG()))
		}},
		"zero result": {"result", func() error {
			return new(sica.Result).CheckChannels(2, nil)
		}},
		"OrderedLike zero": {"earlier", func() error {
			_, _, err := r.OrderedLike(new(sica.Result))
			return err
		}},
		"zero Model": {"Model.Signals", func() error {
			return second(new(ica.Model).Transform(x))
		}},
		"blockwise.Transform r": {"r", func() error {
			return firstError(blockwise.Transform(nil, blockwise.InMemory{Dense: x}.Blocks(8)))
		}},
		"blockwise.Remove x": {"x", func() error {
			return firstError(blockwise.Remove(r, nil, []int{0}))
		}},
		"Part zero": {"x", func() error {
			return second(blockwise.Part(ctx, blockwise.InMemory{}, 10))
		}},
		"Recording zero": {"x", func() error {
			return second(inspect.Recording(r, blockwise.InMemory{}, nil))
		}},
		"Removal before": {"before", func() error {
			return new(inspect.Removal).Add(nil, x)
		}},
		"Picture": {"picture", func() error {
			return new(plot.Picture).Write(io.Discard, plot.PNG)
		}},
		"WriteBlocks": {"blocks", func() error {
			return datasets.WriteBlocks(t.TempDir()+"/a.csv", &datasets.Recording{}, 10, nil)
		}},
		"Skip":     {"no signals", func() error { return second(datasets.Skip(nil)) }},
		"Rounding": {"no signals", func() error { return second(datasets.Rounding(nil)) }},
		"WriteFile": {"no signals", func() error {
			return datasets.WriteFile(t.TempDir()+"/a.csv", nil)
		}},
		"WriteRecording": {"no recording", func() error {
			return datasets.WriteRecording(t.TempDir()+"/a.csv", nil)
		}},
	} {
		err := problem(test.call)
		if err == nil || strings.HasPrefix(err.Error(), "panic") ||
			!regexp.MustCompile(`\b`+test.names+`\b`).MatchString(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
