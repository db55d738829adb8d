package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A linear demixing of a nonlinear mixture isn't called separated, though its rotation is
// identified; one of a linear mixture of the same sources is. The measure of three seeds is made
// alone, the whole report for the first.
func TestLinearOnlyOfNonlinearMixtureIsNotSeparated(t *testing.T) {
	b := backendtest.Open(t, backend.Auto) // whose networks take half a minute in pure Go
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	for seed := range uint64(3) {
		sources, err := datasets.LaplaceAR(rng(seed), 2, 512, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		x := new(mat.Dense)
		x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, -0.4, 1}), sources)
		bent := mat.DenseCopyOf(x) // (x₁, x₂ + 0.3·x₁²), which has an inverse
		for k, v := range x.RawRowView(0) {
			bent.Set(1, k, bent.At(1, k)+0.3*v*v)
		}
		rx, rbent := fit(t, b, x, cfg), fit(t, b, bent, cfg)
		match, err := metric.MCC(rbent.Z, sources)
		if err != nil {
			t.Fatal(err)
		}
		if seen, want := [2]bool{looksNonlinear(t, rx, x), looksNonlinear(t, rbent, bent)},
			[2]bool{false, true}; seen != want {
			t.Errorf("seed %d, MCC of the nonlinear mixture %.2f: nonlinear %v, want %v", seed,
				match.MCC, seen, want)
		}
		if seed > 0 {
			continue
		}
		if got := reportOn(t, b, rx, x, Config{}); got.Nonlinear || got.Verdict != Separated {
			t.Errorf("linear: nonlinear %v, %s: %q", got.Nonlinear, got.Verdict, got.Reasons)
		}
		got := reportOn(t, b, rbent, bent, Config{})
		if !got.Nonlinear || got.Verdict != NoEvidence ||
			!slices.Contains(got.Next, compareNetworks) {
			t.Errorf("nonlinear mixture: nonlinear %v, %s, %q", got.Nonlinear, got.Verdict, got.Next)
		}
	}
}

// looksNonlinear returns what Report.Nonlinear is for a fit to x.
func looksNonlinear(t *testing.T, r *sica.Result, x *mat.Dense) bool {
	t.Helper()
	s, err := prepare(t.Context(), r, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	nonlinear, err := s.looksNonlinear(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return nonlinear
}

// remarked returns the remarks of a report as one text.
func remarked(r *Report) (text string) {
	for _, m := range r.remarks() {
		text += m.text + " "
	}
	return text
}

// Two signals that share a third source are correlated, and a report warns.
func TestCorrelationOfRecoveredSignals(t *testing.T) {
	s := noise(rng(1), 3, 4000, datasets.Normal)
	z := mat.NewDense(2, 4000, nil)
	z.Mul(mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), s)
	got := correlations(z)[0]
	if math.Abs(got.Value-0.5) > 0.04 || got.Pair != [2]int{0, 1} {
		t.Errorf("%+v, want 0.5 of 0 and 1", got)
	}
	if got := Correlated(z); len(got) != 1 || got[0] != correlations(z)[0] {
		t.Errorf("correlated: %+v", got)
	}
	r := good()
	r.Correlation = got
	for k := range 8 {
		r.Correlated = append(r.Correlated, Correlation{Value: 0.5, Pair: [2]int{k, k + 1}})
	}
	if text := remarked(r); !strings.Contains(text,
		"(1 and 2); 2 and 3 by 0.50; 3 and 4 by 0.50; 4 and 5 by 0.50; 5 and 6 by 0.50; "+
			"6 and 7 by 0.50; and 2 more pairs. Above 0.3: they share parts") {
		t.Error(text)
	}
	if text := remarked(r); !strings.Contains(text, "they share parts") {
		t.Error(text)
	}
	if raw := "separate the raw one"; strings.Contains(notes.Correlation(false), raw) ||
		!strings.Contains(notes.Correlation(true), raw) {
		t.Errorf("%q for images, %q for sequences", notes.Correlation(false),
			notes.Correlation(true))
	}
	r.cfg.Highpassed = true
	if text := remarked(r); strings.Contains(text, "separate the raw one") {
		t.Errorf("after a high-pass filter: %s", text)
	}
	r.Correlation.Value, r.Correlated = 0.29, nil
	if text := remarked(r); strings.Contains(text, "they share parts") {
		t.Error(text)
	}
}

// What the findings say of noise, clipping and sources is among the remarks, from 0.1 % of noise on.
func TestRemarks(t *testing.T) {
	keys := func(r *Report) (keys []string) {
		for _, m := range r.remarks() {
			keys = append(keys, m.key)
		}
		return keys[:len(keys)-1] // the last is the correlation
	}
	r := good()
	r.Linear.Noise, r.Linear.Reason = []float64{0.012, 0.006, 0.009}, linear.MoreSources
	r.Linear.NoiseLike, r.Clipped = []int{1}, []int{0}
	want := []string{"noise of the channels", "like noise", "clipped", "sources"}
	if got := keys(r); !slices.Equal(got, want) || len(r.remarks()) != 5 {
		t.Errorf("%q, want %q", got, want)
	}
	r = good()
	r.Linear.Noise, r.Linear.Reason = []float64{0.0005, 0, 0}, linear.Dependence
	if got := keys(r); !slices.Equal(got, []string{"dependence of innovations"}) {
		t.Errorf("of dependent signals: %q", got)
	}
}

// Of a fit that compared networks, linear demixings of significantly longer codes are suspect. If
// another linear one has the shortest code, a nonlinear one hasn't.
func TestRefusedNonlinearDemixing(t *testing.T) {
	r, x := reported(t, sica.Default())
	s, err := prepare(t.Context(), r, x, Config{Shape: []int{120}})
	if err != nil {
		t.Fatal(err)
	}
	s.fit.networks = compared
	long := nonlinear.Difference{Mean: 0.2, SE: 0.06}
	for _, test := range []struct {
		whitened, rotated nonlinear.Difference
		want              bool
	}{
		{long, nonlinear.Difference{}, false}, {long, nonlinear.Difference{Mean: 0.17, SE: 0.06}, false},
		{long, long, true}, {nonlinear.Difference{}, long, false},
	} {
		r.Chosen.Excess = test.rotated
		r.Candidates = []sica.Candidate{
			{Score: nonlinear.Score{Excess: test.whitened}},
			{Mode: sica.LinearOnly, Score: nonlinear.Score{Excess: test.rotated}},
			{Mode: sica.NetworkOnly}, {Transforms: []preprocess.Transform{preprocess.Conditional}},
		}
		if got, err := s.looksNonlinear(t.Context(), r); err != nil || got != test.want {
			t.Errorf("%+v: %v, %v; want %v", test, got, err, test.want)
		}
	}
}

// A demixing that changes with time leaves dependence, as a nonlinear mixing does.
func TestNonlinearOrDrifting(t *testing.T) {
	r := good()
	r.Nonlinear = true
	still := r.nonlinearMixing()
	r.Linear.Drift = []float64{0.06, 0, 0}
	drifting := r.nonlinearMixing()
	if len(drifting) != 1 || drifting[0].reason == still[0].reason {
		t.Errorf("%+v, without a drift %+v", drifting, still)
	}
	if next := r.nextForDependence(); len(next) != 1 {
		t.Errorf("next %q", next)
	}
}

// A report says what the expected errors contain, where a signal has one.
func TestErrorNote(t *testing.T) {
	for want, change := range map[string]func(*Report){
		"from sampling alone":        func(*Report) {},
		"the estimated noise":        func(r *Report) { r.Linear.Noise = []float64{0, 0.02, 0} },
		"after a nonlinear demixing": func(r *Report) { r.Linear.ExpectedError = nil },
		"1 − stability is its order": func(r *Report) {
			r.Linear.ExpectedError, r.Network = nil, networkOf(1, 1, 1)
		},
		"this one seems nonlin": func(r *Report) { r.Nonlinear = true },
	} {
		r := good()
		change(r)
		if got := r.String(); !strings.Contains(got, "\nerror: ") || !strings.Contains(r.errorNote(), want) {
			t.Errorf("no %q in %q", want, r.errorNote())
		}
		if r.Linear.ExpectedError == nil && r.Row(0).Error != "–" {
			t.Errorf("error %q after a nonlinear demixing", r.Row(0).Error)
		}
		r.Linear.Groups = [][]int{{0, 1, 2}}
		if r.Linear.ExpectedError != nil && r.errorNote() != "" {
			t.Errorf("%q of signals that aren't identified", r.errorNote())
		}
	}
}

// White signals that depend on each other, and images, can't be separated by a network.
func TestNetworkIsAdvisedWhereItMayHelp(t *testing.T) {
	steps := func(own float64, shape ...int) int {
		r := good()
		r.Shape = shape
		for i := range r.Predictability {
			r.Predictability[i] = Predictability{Own: own, All: own}
		}
		return len(r.nextForDependence())
	}
	advised := steps(0.3, 1024)
	for name, got := range map[string]int{"white": steps(0.004, 1024), "images": steps(0.3, 32, 32)} {
		if got != advised-1 {
			t.Errorf("%s: %d steps, others have %d", name, got, advised)
		}
	}
}
