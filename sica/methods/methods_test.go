package methods_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// laplace are two mixed signals of Laplace innovations at 128 positions.
func laplace(t *testing.T) *mat.Dense {
	t.Helper()
	process := datasets.ARProcess{Coefficients: []float64{.5}, Scale: 1,
		Innovation: datasets.Laplace}
	s, err := datasets.AR(rand.New(rand.NewPCG(3, 0)), 128, process, process)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, .6, .3, 1}), s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func checked(t *testing.T, x *mat.Dense) *ica.Signals {
	t.Helper()
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	return signals
}

// apply returns f of every entry.
func apply(x *mat.Dense, f func(i, t int, v float64) float64) *mat.Dense {
	var y mat.Dense
	y.Apply(f, x)
	return &y
}

// every runs the test for every method, with the settings of a smoke test, on the
// pure-Go backend, which needs no compiler. The paper's flows and PCL take some
// time.
func every(t *testing.T, test func(t *testing.T, b compute.Backend, m methods.Entry,
	p methods.Preset)) {
	b := backendtest.Open(t, backend.Go)
	for _, m := range methods.All() {
		t.Run(m.Name, func(t *testing.T) {
			if testing.Short() && slices.Contains([]string{"sica-wgf", "sica-rf",
				"sica-rf-standardised", "pcl"}, m.Name) {
				t.Skip("long")
			}
			test(t, b, m, m.Nearest(methods.Smoke))
		})
	}
}

// Each method has a style of its own in pictures.
func TestEveryMethodHasAStyle(t *testing.T) {
	for _, m := range methods.All() {
		if !plot.HasStyle(m.Label) {
			t.Errorf("plot has no style for %q, the label of %s", m.Label, m.Name)
		}
	}
}

// A rival's errors begin with its name in the list.
func TestMethodsHaveTheirNames(t *testing.T) {
	for _, m := range methods.All() {
		if strings.HasPrefix(m.Name, "sica") {
			continue
		}
		task := methods.Task{Preset: m.Nearest(methods.Default)}
		if name := m.New(task).Name(); name != m.Name {
			t.Errorf("%s is named %q by its method; must be equal", m.Name, name)
		}
	}
}

// The same seed gives the same signals, the mixed signals are not changed, and for extreme scales
// and offsets all values are finite.
func TestFitIsSeededAndFinite(t *testing.T) {
	x := laplace(t)
	all := map[string]*mat.Dense{
		"plain": x,
		"tiny and unequal": apply(x, func(i, _ int,
			v float64) float64 {
			return []float64{1e-12, 1e-4}[i] * v
		}),
		"huge and far from zero": apply(x, func(_, _ int,
			v float64) float64 {
			return 1e12 * (1e4 + v)
		}),
	}
	every(t, func(t *testing.T, b compute.Backend, m methods.Entry, p methods.Preset) {
		for name, in := range all {
			before := mat.DenseCopyOf(in)
			r, err := m.Fit(t.Context(), methods.Task{Backend: b, Signals: checked(t, in), Preset: p, Seed: 5})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !mat.Equal(in, before) {
				t.Errorf("%s: the mixed signals were changed", name)
			}
			for _, v := range r.Signals.RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: recovered %g", name, v)
				}
			}
			if name != "plain" {
				continue
			}
			again, err := m.Fit(t.Context(), methods.Task{Backend: b, Signals: checked(t, in), Preset: p, Seed: 5})
			if err != nil || !mat.Equal(again.Signals, r.Signals) {
				t.Errorf("the second time it came out otherwise (%v)", err)
			}
		}
	})
}

func TestFitOfUnknownPreset(t *testing.T) {
	x := checked(t, laplace(t))
	every(t, func(t *testing.T, b compute.Backend, m methods.Entry, p methods.Preset) {
		if _, err := m.Fit(t.Context(), methods.Task{Backend: b, Signals: x, Preset: "best", Seed: 5}); err == nil {
			t.Error("a preset that there isn't gave no error")
		}
	})
}

// A method whose context ends returns its error after at most one more call of the device. The
// paper's settings take long enough for the context to end before.
func TestFitCancelled(t *testing.T) {
	x := laplace(t)
	every(t, func(t *testing.T, b compute.Backend, m methods.Entry, _ methods.Preset) {
		p := m.Nearest(methods.Paper)
		ended, end := context.WithCancel(t.Context())
		end()
		counting := backendtest.Count(b, nil)
		if _, err := m.Fit(ended, methods.Task{Backend: counting, Signals: checked(t, x), Preset: p, Seed: 5}); !errors.Is(err,
			context.Canceled) {
			t.Errorf("with a context that has ended the error is %v", err)
		}
		if calls := counting.Calls(); calls > 0 {
			t.Errorf("with a context that has ended there were %d calls", calls)
		}
		for _, last := range []int64{1, 4} { // the first draws the weights, later ones train
			ctx, stop := context.WithCancel(t.Context())
			counting := backendtest.Count(b, func(n int64) {
				if n == last {
					stop()
				}
			})
			_, err := m.Fit(ctx, methods.Task{Backend: counting, Signals: checked(t, x), Preset: p, Seed: 5})
			if calls := counting.Calls(); calls > last+1 {
				t.Errorf("%d calls after the one in which the context ended", calls-last)
			}
			if counting.Calls() >= last && !errors.Is(err, context.Canceled) {
				t.Errorf("ended in call %d of %d: the error is %v", last, counting.Calls(), err)
			}
			stop()
		}
	})
}

func TestMethodNamed(t *testing.T) {
	if m, err := methods.Named("ica"); err == nil {
		t.Errorf("ica is %v", m)
	}
}

// SICA's methods have settings for the presets that they list, and for no others.
func TestMethodConfig(t *testing.T) {
	flows := map[string]*klflow.Config{"sica": nil, "sica-wgf": sica.PaperWGF().Flow,
		"sica-rf":              sica.PaperRF().Flow,
		"sica-rf-standardised": sica.PaperRF().Flow, "sica-direct": nil,
		"sica-fast": sica.FastWGF().Flow}
	for _, m := range methods.All() {
		flow, isSICA := flows[m.Name]
		for _, p := range []methods.Preset{methods.Paper, methods.Default,
			"printed", methods.Smoke, ""} {
			cfg, err := m.Config(methods.Task{Preset: p})
			switch {
			case (err == nil) != (isSICA && slices.Contains(m.Presets, p)):
				t.Errorf("%s, %q: %v", m.Name, p, err)
			case err != nil:
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %q: %v: want a line", m.Name, p, err)
				}
			case (cfg.Flow == nil) != (flow == nil) || flow != nil && cfg.Flow.Kind != flow.Kind ||
				p == methods.Smoke && cfg.Iterations() > 2:
				t.Errorf("%s, %q: %+v", m.Name, p, cfg)
			}
		}
	}
}

// The linear rule knows the joints of dependent signals, too, which are reduced before: it predicts
// nothing from before a joint.
func TestReducedSignalsKeepTheirJoints(t *testing.T) {
	x := laplace(t)
	_, n := x.Dims()
	dependent := mat.NewDense(3, n, nil)
	dependent.Stack(x, mat.NewDense(1, n, mat.Row(nil, 0, x)))
	rule, err := methods.Named("sica-linear")
	if err != nil {
		t.Fatal(err)
	}
	var fits []*mat.Dense
	for _, joints := range [][]int{nil, {n / 2}} {
		signals := checked(t, dependent)
		if joints != nil {
			if signals, err = signals.WithJoints(joints); err != nil {
				t.Fatal(err)
			}
		}
		fit, err := rule.Fit(t.Context(), methods.Task{Signals: signals, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		fits = append(fits, fit.Signals)
	}
	if mat.Equal(fits[0], fits[1]) {
		t.Error("a joint changes nothing")
	}
}
