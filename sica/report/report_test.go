package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// reported is a mixture of a Laplace and a uniform signal at the positions of an
// image too narrow for networks to judge it, and its separation.
func reported(t *testing.T, cfg sica.Config) (*sica.Result, *mat.Dense) {
	t.Helper()
	s := noise(rng(1), 2, 120, datasets.Laplace)
	s.SetRow(1, noise(rng(2), 1, 120, datasets.Uniform).RawRowView(0))
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, 0.3, 1}), s)
	cfg.Shape = []int{30, 4}
	if cfg.Flow != nil && cfg.Flow.Windows != nil {
		cfg.Flow.Windows = []int{1}
	}
	return fit(t, backendtest.Open(t, backend.Go), &x, cfg), &x
}

// report returns the report on r, on XLA if it is there.
func report(t *testing.T, r *sica.Result, x *mat.Dense, opts Config) *Report {
	t.Helper()
	return reportOn(t, backendtest.Open(t, backend.Auto), r, x, opts)
}

func reportOn(
	t *testing.T, b compute.Backend, r *sica.Result, x *mat.Dense, opts Config,
) *Report {
	t.Helper()
	rep, err := New(t.Context(), r, x, opts.On(b))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// A nil backend is pure Go, as for Fit.
func TestReportWithoutBackend(t *testing.T) {
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	r, x := reported(t, cfg)
	got, err := New(t.Context(), r, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := report(t, r, x, Config{})
	if got.Verdict != want.Verdict {
		t.Errorf("verdict %s, want %s", got.Verdict, want.Verdict)
	}
	grades, err := Grades(t.Context(), r, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range want.Grades { // without refits they are those of Grades
		if h := want.Halves.Signals[i]; math.Abs(g.Repeat-h) > 1e-9 || g.Share != want.Shares[i] ||
			g.Grade == Identified && len(want.Doubts[i]) > 0 || g.Repeat != grades[i].Repeat {
			t.Errorf("signal %d: %+v, and %+v by Grades; halves %.4f", i, g, grades[i], h)
		}
	}
}

// The report is of the signals of Transform, deterministic, and changes neither x nor the
// checkpoint of the fit.
func TestReportIsOfTransformedSignals(t *testing.T) {
	cfg := sica.FastWGF()
	cfg.Flow.Iterations = 2
	cfg.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	called := 0
	cfg.Flow.OnIteration = func(int, klflow.Iteration) { called++ }
	r, x := reported(t, cfg)
	if err := os.RemoveAll(cfg.Checkpoint); err != nil {
		t.Fatal(err)
	}
	before, seen := mat.DenseCopyOf(x), called
	var parts []string
	var fractions []float64
	opts := Config{Refits: 2, OnProgress: func(doing string, fraction float64) {
		if len(parts) == 0 || parts[len(parts)-1] != doing {
			parts = append(parts, doing)
		}
		fractions = append(fractions, fraction)
	}}
	rep := report(t, r, x, opts)

	if !mat.Equal(x, before) {
		t.Error("x was changed")
	}
	if _, err := os.Stat(cfg.Checkpoint); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint's folder: %v", err)
	}
	if called != seen {
		t.Errorf("OnIteration was called %d times", called-seen)
	}
	if len(parts) != 6 || !slices.IsSorted(fractions) || fractions[0] != 0 ||
		fractions[len(fractions)-1] != 1 {
		t.Errorf("progress %q, %v", parts, fractions)
	}
	if rep.Signals != 2 || rep.Positions != 120 || !slices.Equal(rep.Shape, []int{30, 4}) ||
		rep.Iterations != 2 || len(rep.Divergence) != 2 {
		t.Errorf("report %+v", rep)
	}
	if rep.Halves == nil || len(rep.Halves.Signals) != 2 ||
		!strings.Contains(strings.Join(strings.Fields(rep.String()), " "), rep.Halves.String()) {
		t.Errorf("halves %v", rep.Halves)
	}
	if rep.Recovered.Classifier != nil {
		t.Error("networks judged images of 4 columns")
	}
	if got := len(rep.Stability.Recoveries); got != 3 || rep.Stability.LeftOut != 24 {
		t.Errorf("%d recoveries without %d positions, want 3 without 24", got,
			rep.Stability.LeftOut)
	}
	dependence, err := dependence.Measure(r.Z, 30, 4)
	if err != nil {
		t.Fatal(err)
	}
	if got := rep.Recovered.Dependence.Estimate; math.Abs(got-dependence.Total()) > 1e-6 {
		t.Errorf("dependence %g, dependence.Measure says %g", got, dependence.Total())
	}
	again := report(t, r, x, opts)
	again.Elapsed = rep.Elapsed
	if got, want := again.String(), rep.String(); got != want {
		t.Errorf("again:\n%s\nwas\n%s", got, want)
	}
	if without := report(t, r, x, Config{}); without.Stability != nil {
		t.Error("stability without refits")
	}
}

// After a nonlinear demixing, as of a network, no error is expected of the signals: the linear rule
// knows only that of a rotation of them. JSON has null, and the text a dash.
func TestNoErrorAfterNonlinearDemixing(t *testing.T) {
	cfg := sica.Default()
	cfg.Mode, cfg.Transforms = sica.TransformsOnly, []preprocess.Transform{preprocess.Gaussianise}
	r, x := reported(t, cfg)
	rep := report(t, r, x, Config{})
	if l := rep.Linear; l.ExpectedError != nil || l.Why != "" || len(l.Pairs) != 1 {
		t.Errorf("errors %g; %s", l.ExpectedError, l.Why)
	}
	if rep.Row(0).Error != "–" || !strings.Contains(rep.String(), "\nerror: "+rep.errorNote()) {
		t.Errorf("no error, but the text is\n%s", rep)
	}
	if data, err := json.Marshal(rep); err != nil ||
		!bytes.Contains(data, []byte(`"expected_error":null`)) {
		t.Errorf("JSON %s, %v", data, err)
	}
}

// What the fit knows of a network's signals isn't in a report on those that a flow made of them.
func TestNoNetworkAfterAFlow(t *testing.T) {
	cfg := sica.Config{Seed: 1, Mode: sica.NetworkOnly, NetworkSteps: 5}
	x := noise(rng(1), 2, 120, datasets.Laplace)
	for _, flow := range []*klflow.Config{nil, sica.FastWGF().Smoke().Flow} {
		cfg.Flow = flow
		r := fit(t, nil, x, cfg)
		rep, moved := report(t, r, x, Config{}), flow != nil
		if r.Network == nil || (r.Best > 0) != moved || (rep.Network == nil) != moved ||
			strings.Contains(strings.Join(rep.Reasons, " "), "A network undid") == moved {
			t.Errorf("moved %t: network %+v, best %d\n%s", moved, rep.Network, r.Best, rep)
		}
	}
}

// Where symmetric whitening is kept, the text says that stability and halves say nothing.
func TestWhiteningNote(t *testing.T) {
	const note = "Symmetric whitening was kept, so stability and halves are near 1 whatever the truth is."
	mixing := mat.NewDense(2, 2, []float64{1, 0.3, -2, 1})
	for name, test := range map[string]struct {
		value func(*rand.Rand) float64
		kept  bool
	}{"Gaussian": {datasets.Normal, true}, "Laplace": {datasets.Laplace, false}} {
		var x mat.Dense
		x.Mul(mixing, noise(rng(3), 2, 1000, test.value))
		r := fit(t, nil, &x, sica.Config{Mode: sica.LinearOnly})
		rep := report(t, r, &x, Config{})
		said := strings.Join(strings.Fields(rep.String()), " ") // without its line breaks
		if got := strings.Contains(said, note); got != test.kept || rep.Halves == nil {
			t.Errorf("%s: note %t, want %t; %s\n%s", name, got, test.kept, r.Why, rep)
		}
		if test.kept && slices.Min(rep.Halves.Signals) < 0.99 {
			t.Errorf("%s: halves %g", name, rep.Halves.Signals)
		}
	}
}

// The classifier's divergence is that of sica.EstimateDivergence, within its interval.
func TestClassifierIsEstimateDivergence(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	s := noise(rng(1), 2, 512, datasets.Uniform)
	white, err := mapping.Whitened(s)
	if err != nil {
		t.Fatal(err)
	}
	b := backendtest.Open(t, backend.Auto)
	mixed := rotated2(white, math.Pi/4)
	found, err := measure(t.Context(), b, []*mat.Dense{mixed, white}, index(t, 512), 3)
	if err != nil {
		t.Fatal(err)
	}
	judgement, err := sica.EstimateDivergence(t.Context(), mixed, sica.DivergenceOptions{Backend: b, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	before, after := *found[0].Classifier, *found[1].Classifier
	if math.Abs(before.Estimate-judgement.Conditional) > 0.01 {
		t.Errorf("judged %g, Judge says %g", before.Estimate, judgement.Conditional)
	}
	if !(before.Low > 0.02 && before.Low < before.Estimate && before.Estimate < before.High) ||
		after.Low > 0.005 {
		t.Errorf("judged %+v mixed and %+v not", before, after)
	}
}

func TestReportErrors(t *testing.T) {
	r, x := reported(t, sica.Default())
	wide := noise(rng(5), 3, 120, datasets.Normal)
	short := noise(rng(5), 2, 63, datasets.Normal)
	bad := mat.DenseCopyOf(x)
	bad.Set(1, 7, math.NaN())
	constant := mat.DenseCopyOf(x)
	for k := range 120 {
		constant.Set(0, k, 3)
	}
	falling, negative, named := make([]int, 120), make([]int, 120), *r
	named.Channels = []string{"Fp1"}
	for k := range falling {
		falling[k], negative[k] = 120-k, k-1
	}
	for _, test := range []struct {
		name   string
		result *sica.Result
		x      *mat.Dense
		opts   Config
		want   string
	}{
		{"names", &named, x, Config{}, "result: Channels: has 1 names; must have 2"},
		{"falling", r, x, Config{Positions: falling}, "Positions: has 119 at place 1; must be 0 or more, and rise"},
		{"negative", r, x, Config{Positions: negative}, "Positions: has -1 at place 0; must be 0 or more"},
		{"no x", r, nil, Config{}, "x: is empty"},
		{"signals", r, wide, Config{}, "x: has 3 signals; must have 2"},
		{"positions", r, short, Config{}, "x: has 63 positions; must have at least 64"},
		{"NaN", r, bad, Config{}, "position 8"},
		{"constant", r, constant, Config{}, "same value"},
		{"shape", r, x, Config{Shape: []int{7, 17}}, "report: Shape: is [7 17]"},
		{"refits", r, x, Config{Refits: -1}, "Refits: is -1"},
		{"no result", nil, x, Config{}, "result: must not be nil"},
		{"no fit", &sica.Result{Z: x}, x, Config{}, "wasn't made by Fit or Load"},
	} {
		opts := test.opts.On(backendtest.Open(t, backend.Go))
		_, err := New(t.Context(), test.result, test.x, opts)
		if err == nil || !strings.HasPrefix(err.Error(), "report: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	for _, opts := range []Config{{}, Default()} {
		ctx, cancel := context.WithCancel(t.Context())
		opts.OnProgress = func(doing string, _ float64) {
			if strings.Contains(doing, "rotation") {
				cancel()
			}
		}
		if _, err := New(ctx, r, x, opts.On(backendtest.Open(t, backend.Go))); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// JSON has no number that is not finite, and gives the same report when it is read.
func TestReportJSON(t *testing.T) {
	r, x := reported(t, sica.PaperWGF().Smoke()) // measures no divergence
	rep := report(t, r, x, Config{Refits: 1})
	if !math.IsNaN(rep.Divergence[0]) || rep.Stability.LeftOut != 0 {
		t.Fatalf("divergence %v, refits without %d positions", rep.Divergence,
			rep.Stability.LeftOut)
	}
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(`"divergence":[null`)) ||
		!bytes.Contains(data, []byte(`"classifier":null`)) {
		t.Errorf("JSON %s", data)
	}
	var read Report
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&read); err != nil || !bytes.Equal(again, data) {
		t.Errorf("again %s, %v", again, err)
	}
	if read.String() != rep.String() || !math.IsNaN(read.Divergence[0]) {
		t.Error("the report that was read is another")
	}
	byValue, err := json.Marshal(*rep)
	if err != nil || !bytes.Equal(byValue, data) {
		t.Errorf("a copy is written as %s, %v", byValue, err)
	}
}

// The report on signals with a click is that of the signals without it.
func TestClicksAreExcludedFromReport(t *testing.T) {
	b := backendtest.Open(t, backend.Auto) // whose networks take a quarter minute in pure Go
	const n = 512                          // as in other tests: XLA compiles a program for each number
	x := rotated2(noise(rng(5), 2, n, datasets.Laplace), .5)
	opts := Default()
	opts.Refits = 0
	want := reportOn(t, b, fit(t, b, x, sica.Default()), x, opts)
	x.Set(1, 150, x.At(1, 150)+400)
	clicked := fit(t, b, x, sica.Default())
	subject, err := prepare(t.Context(), clicked, x, opts)
	if err != nil {
		t.Fatal(err)
	}
	if want.Outliers != nil || !slices.Equal(subject.outliers, []int{150}) {
		t.Errorf("outliers %v without a click, %v with it", want.Outliers, subject.outliers)
	}
	opts.Positions = make([]int, n) // of a recording of which the first 1000 were skipped
	for k := range opts.Positions {
		opts.Positions[k] = 1000 + k
	}
	got := reportOn(t, b, clicked, x, opts)
	if !slices.Equal(got.Outliers, []int{1150}) {
		t.Errorf("outliers %v of a part, want 1150", got.Outliers)
	}
	if got.Verdict != want.Verdict ||
		math.Abs(slices.Max(got.Shares)-slices.Max(want.Shares)) > .05 {
		t.Errorf("%v with shares %.2f, want %v with %.2f", got.Verdict, got.Shares, want.Verdict,
			want.Shares)
	}
	var text strings.Builder
	if err := got.WriteDetails(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "512 positions (1 outlier excluded)") {
		t.Errorf("the text doesn't say it:\n%s", &text)
	}
}

// A report on a fit that was stopped says so, and neither calls anything identified nor looks for
// another reason.
func TestStoppedFitIsNotSeparated(t *testing.T) {
	s, err := datasets.LaplaceAR(rng(1), 2, 120, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, -0.4, 1}), s)
	b := backendtest.Open(t, backend.Go)
	for _, test := range []struct {
		name, why string
		isCut     bool
		change    func(cfg *sica.Config, stop func())
	}{
		{"whitened", "Stopped before the linear rule had ended", true, func(cfg *sica.Config, stop func()) {
			cfg.OnProgress = func(int, string, float64) { stop() }
		}},
		{"separated", "Stopped before all nonlinear mixings", true, func(cfg *sica.Config, stop func()) {
			cfg.Candidates = []ica.Method{stopping{stop}}
		}},
		{"all that LinearOnly does", "No signal is identified", false,
			func(cfg *sica.Config, stop func()) {
				cfg.Mode, cfg.Candidates = sica.LinearOnly, []ica.Method{stopping{stop}}
			}},
	} {
		ctx, stop := context.WithCancel(t.Context())
		cfg := sica.Default()
		test.change(&cfg, stop)
		r, err := sica.Fit(ctx, &x, cfg.On(b))
		if r == nil || !errors.Is(err, context.Canceled) || !strings.Contains(r.Why, test.why) {
			t.Fatalf("%s: %v, %v", test.name, r, err)
		}
		got := report(t, r, &x, Config{})
		if !test.isCut {
			if slices.Contains(got.Reasons, r.Why) || slices.Contains(got.Next, "Fit again for longer.") {
				t.Errorf("%s: %s", test.name, got)
			}
			continue
		}
		text := got.String()
		if got.Verdict != NoEvidence || got.Nonlinear || !slices.Equal(got.Reasons, []string{r.Why}) ||
			!slices.Equal(got.Next, []string{"Fit again for longer."}) || got.FailedTests != nil ||
			strings.Contains(text, "seems nonlinear") ||
			!strings.HasPrefix(text, "As sources: none identified") {
			t.Errorf("%s: %s", test.name, text)
		}
		for i := range got.Signals {
			if got.Linear.Identified(i) || got.Linear.ExpectedError[i] != 1 ||
				!slices.Contains(got.Doubts[i], notIdentified) {
				t.Errorf("%s: signal %d is identified", test.name, i)
			}
		}
	}
}

// stopping is a method that ends the context of the fit.
type stopping struct{ stop func() }

func (stopping) Name() string { return "stopping" }

func (s stopping) Fit(ctx context.Context, _ *ica.Signals) (*ica.Model, error) {
	s.stop()
	return nil, ctx.Err()
}

// What is empty says so, and doesn't panic.
func TestZeroReport(t *testing.T) {
	for _, r := range []*Report{nil, {}} {
		if got := r.String(); got != "no report" {
			t.Errorf("report %q", got)
		}
		for _, write := range []func(io.Writer) error{r.WriteText, r.WriteDetails} {
			var b strings.Builder
			if err := write(&b); err == nil || b.Len() > 0 {
				t.Errorf("wrote %q, error %v", &b, err)
			}
		}
	}
	for _, h := range []*Halves{nil, {}} {
		if got := h.String(); got != "no halves" {
			t.Errorf("halves %q", got)
		}
	}
}
