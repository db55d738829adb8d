package sica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// arsinh undoes sensors that answer by sinh.
type arsinh struct{}

func (arsinh) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return arsinh{}, nil }

func (arsinh) Apply(x *mat.Dense) (*mat.Dense, error) {
	z := new(mat.Dense)
	z.Apply(func(_, _ int, v float64) float64 { return math.Asinh(v) }, x)
	return z, nil
}

func (arsinh) Invert(z *mat.Dense) (*mat.Dense, error) {
	x := new(mat.Dense)
	x.Apply(func(_, _ int, v float64) float64 { return math.Sinh(v) }, z)
	return x, nil
}

func (arsinh) LogDet(x *mat.Dense) ([]float64, error) {
	d, n := x.Dims()
	sum := make([]float64, n)
	for i := range d {
		for t, v := range x.RawRowView(i) {
			sum[t] -= math.Log(v*v+1) / 2
		}
	}
	return sum, nil
}

// applied is an Applier without more.
type applied struct{ preprocess.Applier }

func (a applied) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return a, nil }

// afterTransform is a custom method: a transform and then the linear rule.
type afterTransform struct {
	name    string
	fitter  preprocess.Fitter
	warning string // of its convergence
}

func (a afterTransform) Name() string { return a.name }

func (a afterTransform) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	transform, err := a.fitter.Fit(ctx, x.X())
	if err != nil {
		return nil, err
	}
	y, err := transform.Apply(x.X())
	if err != nil {
		return nil, err
	}
	m, err := ica.Separate(ctx, linear.Config{Seed: 1}, y)
	if err != nil {
		return nil, err
	}
	m.Map = mapping.Sequence{mapping.AsMap(transform), m.Map}
	m.Why = fmt.Sprintf("After %T the linear rule. %s", a.fitter, m.Why)
	m.Convergence.Warning = a.warning
	return m, nil
}

// A custom candidate is chosen if its code is shorter than that of the linear rule, and not
// otherwise.
func TestCustomCandidateWithShorterCodeIsChosen(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	s := mat.NewDense(2, 1500, nil)
	draw := rng(3)
	for i, memory := range []float64{.9, -.5} {
		last := 0.0
		for k := range 1500 {
			last = memory*last + draw.NormFloat64()
			s.Set(i, k, last)
		}
	}
	y, err := mapping.Standardised(s)
	if err != nil {
		t.Fatal(err)
	}
	var mixed, distorted mat.Dense
	mixed.Mul(mat.NewDense(2, 2, []float64{1.2, .8, -.7, 1}), y)
	distorted.Apply(func(_, _ int, v float64) float64 { return math.Sinh(v) }, &mixed)
	for name, method := range map[string]Mode{"linear": LinearOnly, "any": Auto} {
		cfg := Default()
		const warning = "The steps ended before the tolerance."
		cfg.Mode = method
		cfg.Candidates = []ica.Method{afterTransform{"arsinh", arsinh{}, warning}}
		r := fit(t, b, &distorted, cfg)
		if !strings.Contains(r.Why, warning) || strings.Contains(r.Why, linearOnlySentence) {
			t.Errorf("%s: %q; must have %q", name, r.Why, warning)
		}
		match, err := metric.MCC(r.Z, s)
		if err != nil || match.MCC < .99 {
			t.Errorf("%s: MCC %.4f (%v): %s", name, match.MCC, err, r.Why)
		}
		if len(r.Candidates) != 2 || r.Chosen.Name != "arsinh" || r.Linear == nil ||
			!strings.Contains(r.Why, "After sica.arsinh") ||
			!(r.Candidates[0].Excess.Mean > 2*r.Candidates[0].Excess.SE) {
			t.Errorf("%s: start %v of %+v: %s", name, r.Chosen.Transforms, r.Candidates, r.Why)
		}
		z, err := r.Transform(&distorted)
		if err != nil || !mat.EqualApprox(z, r.Z, 1e-9) {
			t.Errorf("%s: Transform differs (%v)", name, err)
		}
		x, err := r.InverseTransform(r.Z)
		if err != nil || !mat.EqualApprox(x, &distorted, 1e-8) {
			t.Errorf("%s: InverseTransform differs (%v)", name, err)
		}
		if err := r.CheckPointwise(); !errors.Is(err, ErrNotPointwise) {
			t.Errorf("%s: pointwise: %v", name, err)
		}
		if err := r.Save(filepath.Join(t.TempDir(), "r")); err == nil || !strings.Contains(err.Error(), "isn't registered") {
			t.Errorf("%s: saved: %v", name, err)
		}
		if got := r.Missing(); len(got) != 0 || !slices.Equal(r.Custom, []string{"Candidates"}) {
			t.Errorf("%s: own %v, missing %v", name, r.Custom, got)
		}
	}
	cfg := Default()
	cfg.Mode, cfg.Candidates = LinearOnly, []ica.Method{afterTransform{name: "arsinh", fitter: arsinh{}}}
	cfg.CompareOnly = true
	compared := fit(t, b, &distorted, cfg)
	cfg.Candidates = nil
	if without := fit(t, b, &distorted, cfg); !mat.Equal(compared.Z, without.Z) ||
		compared.Why != without.Why || !compared.Chosen.Compared || without.Chosen.Compared ||
		compared.Chosen.Name != "" || len(compared.Candidates) != 2 ||
		!(compared.Candidates[0].Excess.Mean > 2*compared.Candidates[0].Excess.SE) {
		t.Errorf("compared only: %+v: %s, want %s", compared.Candidates, compared.Why, without.Why)
	}
	cfg.Candidates = []ica.Method{afterTransform{name: "arsinh", fitter: arsinh{}}}
	cfg.CompareOnly = false
	r := fit(t, b, &mixed, cfg)
	if len(r.Candidates) != 2 || r.Chosen.Name != "" {
		t.Errorf("of a linear mixture: start %v: %s", r.Chosen.Transforms, r.Why)
	}

	// What of it isn't kept is known of a loaded result.
	loaded := reloaded(t, r)
	if got := loaded.Missing(); !slices.Equal(got, []string{"Candidates"}) {
		t.Errorf("a loaded result misses %v", got)
	}
	loaded.Config.Candidates = cfg.Candidates
	if got := loaded.Missing(); len(got) != 0 {
		t.Errorf("set again it misses %v", got)
	}

	for name, change := range map[string]func(*Config){
		"must be none for sica.NetworkOnly":    func(c *Config) { c.Mode = NetworkOnly },
		`one is named "Bad Name"; must be`:     func(c *Config) { c.Candidates = []ica.Method{afterTransform{name: "Bad Name", fitter: arsinh{}}} },
		`two are named "arsinh"`:               func(c *Config) { c.Candidates = append(c.Candidates, c.Candidates[0]) },
		"one is nil":                           func(c *Config) { c.Candidates = append(c.Candidates, nil) },
		"Checkpoint: is set beside Candidates": func(c *Config) { c.Checkpoint = t.TempDir() },
	} {
		c := cfg.Clone()
		change(&c)
		if _, err := Fit(t.Context(), &mixed, c.On(b)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error with %q, got %v", name, err)
		}
	}

	// A candidate that fails is recorded with its error.
	cfg.Candidates = []ica.Method{afterTransform{name: "without", fitter: applied{arsinh{}}}}
	r = fit(t, b, &distorted, cfg)
	if len(r.Candidates) != 2 || !strings.Contains(r.Candidates[1].Failed, "no method LogDet") || r.Chosen.Mode != LinearOnly {
		t.Errorf("candidates %+v", r.Candidates)
	}

	// So is one whose model isn't whole.
	for want, model := range map[string]*ica.Model{
		"made: ica: the model is nil; must":         nil,
		"made: ica: Model.Signals is nil; must":     {Map: arsinh{}},
		"made: ica: Model.Map is nil; must":         {Signals: &mixed},
		"made: made 2×9 signals of 2×1500; must be": {Signals: mat.NewDense(2, 9, nil), Map: arsinh{}},
	} {
		cfg.Candidates = []ica.Method{made{model}}
		r = fit(t, b, &distorted, cfg)
		if len(r.Candidates) != 2 || !strings.Contains(r.Candidates[1].Failed, want) {
			t.Errorf("candidates %+v, want one that failed with %q", r.Candidates, want)
		}
	}

	// So is one whose signals aren't what its map makes of the mixed ones.
	for name, change := range map[string]func(z *mat.Dense){
		"a NaN":         func(z *mat.Dense) { z.Set(1, 7, math.NaN()) },
		"a constant":    func(z *mat.Dense) { z.SetRow(0, make([]float64, 1500)) },
		"another scale": func(z *mat.Dense) { z.Scale(1.001, z) },
		"another order": func(z *mat.Dense) { z.SetRow(0, mat.Row(nil, 1, z)) },
	} {
		model, err := afterTransform{fitter: arsinh{}}.Fit(t.Context(), mixedSignals(t, &distorted))
		if err != nil {
			t.Fatal(err)
		}
		change(model.Signals)
		cfg.Candidates = []ica.Method{made{model}}
		r = fit(t, b, &distorted, cfg)
		const want = "made: Model.Signals: signal "
		if len(r.Candidates) != 2 || !strings.Contains(r.Candidates[1].Failed, want) ||
			r.Chosen.Mode != LinearOnly {
			t.Errorf("%s: candidates %+v, want one that failed with %q", name, r.Candidates, want)
		}
	}

	// A custom method is compared as it is.
	cfg.Candidates = []ica.Method{whitening{}}
	r = fit(t, b, &mixed, cfg)
	if len(r.Candidates) != 2 || r.Candidates[1].Failed != "" || r.Candidates[1].Excess.Mean <= 0 || r.Chosen.Mode != LinearOnly {
		t.Errorf("candidates %+v", r.Candidates)
	}
}

// mixedSignals returns the Signals of a sequence.
func mixedSignals(t *testing.T, x *mat.Dense) *ica.Signals {
	t.Helper()
	s, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whitening is a custom method.
type whitening struct{}

func (whitening) Name() string { return "whitening" }

func (whitening) Fit(_ context.Context, x *ica.Signals) (*ica.Model, error) {
	return ica.Demix(x, rotation.Identity(2), ica.Convergence{Converged: true})
}

// made is a custom method that returns this model.
type made struct{ model *ica.Model }

func (made) Name() string { return "made" }

func (m made) Fit(context.Context, *ica.Signals) (*ica.Model, error) { return m.model, nil }

// A fit stops soon after its context while it compares candidates, which takes longer than to fit
// them: wherever it ends, the result is the linear rule's, and nothing is identified.
func TestCancelledComparisonOfCandidates(t *testing.T) {
	s := noise(rng(3), 2, 300, datasets.Laplace)
	var x mat.Dense
	x.Mul(rotation.Random(rng(4), 2), s)
	ctx, calls := contexttest.Counted(t.Context())
	before := 0
	cfg := Default()
	cfg.Candidates = []ica.Method{counted{fastica.Default(), func() { before = calls() }}}
	if _, err := Fit(ctx, &x, cfg); err != nil {
		t.Fatal(err)
	}
	first, checks := before, calls()-before
	if checks < 500 { // 2 baselines, 2 folds, 2 signals, 3 models and 40 steps of each
		t.Errorf("the context was checked %d times after the candidate", checks)
	}
	// Their number varies a little with the workers.
	for after := first; after < first+checks/2; after += 97 {
		r, err := Fit(contexttest.EndsAfter(t.Context(), after), &x, cfg)
		if !errors.Is(err, context.Canceled) || r == nil || r.Stopped != klflow.StoppedCancelled {
			t.Fatalf("after %d checks: result %+v, error %v", after, r, err)
		}
		if r.Linear == nil || len(r.Linear.Groups) != 1 || !strings.HasPrefix(r.Why, stoppedSentence) {
			t.Errorf("after %d checks: %s", after, r.Why)
		}
	}
}

// counted is a method that tells when it is done.
type counted struct {
	ica.Method
	done func()
}

func (c counted) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	defer c.done()
	return c.Method.Fit(ctx, x)
}

// singular is a custom method with a demixing that has no inverse.
type singular struct{}

func (singular) Name() string { return "singular" }

func (singular) Fit(_ context.Context, x *ica.Signals) (*ica.Model, error) {
	return ica.Demix(x, mat.NewDense(2, 2, []float64{1, 1, 1, 1}), ica.Convergence{Converged: true})
}

// A candidate whose demixing is singular failed, and the result can be written.
func TestSingularCandidateFails(t *testing.T) {
	var x mat.Dense
	x.Mul(rotation.Random(rng(4), 2), noise(rng(3), 2, 300, datasets.Laplace))
	cfg := Default()
	cfg.Mode, cfg.Candidates = LinearOnly, []ica.Method{singular{}}
	r, err := Fit(t.Context(), &x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Candidates[1]; c.Compared || !strings.Contains(c.Failed, "must be invertible") {
		t.Errorf("%+v", c)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if err := r.Save(filepath.Join(t.TempDir(), "saved")); err != nil {
		t.Error(err)
	}
}

// overwriting is a custom method that writes into its signals.
type overwriting struct{ ica.Method }

func (o overwriting) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	x.X().Zero()
	return o.Method.Fit(ctx, x)
}

// A candidate that writes into its signals changes neither those of the caller nor the fit.
func TestCandidateGetsACopy(t *testing.T) {
	var x mat.Dense
	x.Mul(rotation.Random(rng(4), 2), noise(rng(3), 2, 300, datasets.Laplace))
	before := mat.DenseCopyOf(&x)
	cfg := Default()
	cfg.Mode, cfg.Candidates = LinearOnly, []ica.Method{overwriting{fastica.Default()}, whitening{}}
	r, err := Fit(t.Context(), &x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(&x, before) {
		t.Error("the candidate changed the mixed signals of the caller")
	}
	if r.Candidates[1].Failed == "" || r.Candidates[2].Failed != "" {
		t.Errorf("%+v", r.Candidates)
	}
}
