package main

import (
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// Where no grades were measured, words say why.
func TestUngraded(t *testing.T) {
	z := mat.NewDense(1, 1, nil)
	for want, summary := range map[string]sica.Summary{
		"not examined":   {},
		"identified":     {Network: &nonlinear.Findings{Identified: true}},
		"not identified": {Network: &nonlinear.Findings{}},
		"identified, error 0.0123": {Linear: &linear.Findings{
			Groups: [][]int{{0}}, ExpectedError: []float64{0.0123},
		}},
	} {
		if got := ungraded(&sica.Result{Z: z, Summary: summary}); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The columns of repeats are explained where there are some.
func TestRepeatNote(t *testing.T) {
	identified := report.Graded{Grade: report.Identified}
	measured := described{grades: []report.Graded{identified, {Repeat: 0.3}}}
	if note := measured.repeatNote(); note == "" {
		t.Error("a repeat isn't explained")
	}
	unmeasured := described{grades: []report.Graded{identified}}
	if note := unmeasured.repeatNote(); note != "" {
		t.Errorf("none was measured: %q", note)
	}
}

// A clipped channel is named, before and after a filter, with where it is clipped. --skip clipped learns
// from the rest, and keeps the stretches for other commands.
func TestClippedChannelIsNamed(t *testing.T) {
	const n = 4000
	dir := t.TempDir()
	_, x := laplaceMixture(2, n)
	slow, limit := x.RawRowView(1), 0.0 // so slow that several values in a row are clipped
	for k := range slow {
		slow[k] += 0.9 * slow[max(k-1, 0)]
		limit = max(limit, 0.5*math.Abs(slow[k]))
	}
	for k, v := range slow {
		slow[k] = min(max(v, -limit), limit)
	}
	recording := datasets.Recording{
		Signals: x, Names: []string{"Fp1", "Cz"}, Rate: 250, TimeColumn: "time",
	}
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := datasets.WriteRecording(in, &recording); err != nil {
		t.Fatal(err)
	}
	json, model := filepath.Join(dir, "fit.json"), filepath.Join(dir, "model")
	for flags, want := range map[string]string{
		"": "\nclipped: Cz, 0.65 s at 18 places from ", "--highpass 1": "note: clipped before the filter: Cz, 0.65 s at 18 places ",
	} {
		args := append([]string{"separate", "--in", in, "--out", out, "--method", "sica-linear", "--json", json},
			strings.Fields(flags)...)
		if said := must(t, args...); !strings.Contains(said, want) {
			t.Errorf("%q: no %q in %s", flags, want, said)
		}
		clipped := readReport(t, json).Clipped
		if len(clipped) != 18 {
			t.Errorf("%q: %d stretches", flags, len(clipped))
		}
		for _, s := range clipped {
			if math.Abs(slow[s[0]]) != limit || math.Abs(slow[s[1]-1]) != limit {
				t.Errorf("%q: a stretch %v", flags, s)
			}
		}
	}
	said := must(t, "separate", "--in", in, "--out", out, "--method", "sica-linear", "--skip", "clipped", "--save", model)
	again := must(t, "inspect", "--in", in, "--model", model)
	want := " were skipped, 167 of 4000"
	if !strings.Contains(said, want) || !strings.Contains(again, want) || strings.Contains(said, "clipped:") {
		t.Errorf("after --skip clipped: no %q in %s, or %s", want, said, again)
	}
	_, recording.Signals = laplaceMixture(2, n)
	if err := datasets.WriteRecording(in, &recording); err != nil {
		t.Fatal(err)
	}
	again = must(t, "inspect", "--in", in, "--model", model, "--skip", "clipped")
	if !strings.Contains(again, "note: --skip clipped: no channel is") {
		t.Errorf("nothing is clipped: %s", again)
	}
}

// Outliers behind a stretch that isn't learned from are mended where they are in the rest: the shares of
// the signals are those of a recording without the stretch.
func TestOutliersBehindSkippedStretch(t *testing.T) {
	const n, skipped = 1200, 700
	dir := t.TempDir()
	_, x := laplaceMixture(2, n)
	x.SetCol(n-100, []float64{1e3, 0})
	in, rest, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "rest.csv"), filepath.Join(dir, "out.csv")
	for path, x := range map[string]mat.Matrix{in: x, rest: x.Slice(0, 2, skipped, n)} {
		if err := datasets.WriteFile(path, mat.DenseCopyOf(x)); err != nil {
			t.Fatal(err)
		}
	}
	table := func(args ...string) string {
		said := must(t, append([]string{"separate", "--out", out, "--quick"}, args...)...)
		_, table, _ := strings.Cut(said, "\n#")
		table, _, _ = strings.Cut(table, "\n\n")
		return table
	}
	got, want := table("--in", in, "--skip", "1-700"), table("--in", rest)
	if got != want || !strings.Contains(want, "%") {
		t.Errorf("%s\nwant, as of the rest alone,\n%s", got, want)
	}
}

// If --skip leaves less than half to learn from, a note says so.
func TestSkipOfMost(t *testing.T) {
	for skip, want := range map[string]bool{"1-500": false, "1-501": true} {
		x := mixedLaplace(t, 2, 1000)
		dir := t.TempDir()
		in := filepath.Join(dir, "in.csv")
		if err := datasets.WriteFile(in, x); err != nil {
			t.Fatal(err)
		}
		said := must(t, "separate", "--in", in, "--out", filepath.Join(dir, "out.csv"), "--skip", skip)
		if got := strings.Contains(said, "less than half of the recording is left"); got != want {
			t.Errorf("--skip %s: a note is %v: %s", skip, got, said)
		}
	}
}

// A short stretch that decides what signals are is named, with its time.
func TestTransientIsNamed(t *testing.T) {
	const n, at = 4000, 1000
	dir := t.TempDir()
	_, x := laplaceMixture(2, n)
	for k := range 20 {
		x.Set(0, at+k, 200*math.Cos(float64(k)/2))
		x.Set(1, at+k, 200*math.Sin(float64(k)/3))
	}
	recording := datasets.Recording{
		Signals: x, Names: []string{"Fp1", "Cz"}, Rate: 250, Start: 10, TimeColumn: "time",
	}
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := datasets.WriteRecording(in, &recording); err != nil {
		t.Fatal(err)
	}
	args := []string{"separate", "--in", in, "--out", out, "--method", "sica-linear"}
	said := strings.Join(strings.Fields(must(t, args...)), " ")
	const want = "transient: signals 1 and 2 have more than half of their variance in one short stretch, from 1"
	if !strings.Contains(said, want) {
		t.Errorf("no %q in %s", want, said)
	}
	said = must(t, "report", "--in", in, "--method", "sica-linear", "--refits", "0")
	if !strings.Contains(said, "; without stretches: --skip 10s-12s,clipped\n") {
		t.Errorf("the report names no flag: %s", said)
	}
	if said := must(t, append(args, "--skip", "13.5s-15s")...); strings.Contains(said, "transient") {
		t.Errorf("without the stretch: %s", said)
	}
}

// With --details the summary says what the expected error contains, and always whether a nonlinear mixing
// was looked for.
func TestSummarySaysWhatWasAssumed(t *testing.T) {
	const note, linear = "\nexpected error: from sampling alone", "No nonlinear mixing was looked for"
	dir := t.TempDir()
	_, x := laplaceMixture(2, 1000)
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := datasets.WriteFile(in, x); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"sica", "sica-linear"} {
		said := must(t, "separate", "--in", in, "--out", out, "--details", "--method", method)
		times := strings.Count(strings.Join(strings.Fields(said), " "), linear)
		if !strings.Contains(said, note) || times != map[string]int{"sica-linear": 1}[method] {
			t.Errorf("%s: %s", method, said)
		}
	}
}

// Recovered signals that share parts are named, with what to do, of sequences.
func TestSummaryNamesCorrelatedSignals(t *testing.T) {
	z := mat.NewDense(2, 4, []float64{1, -1, 1, -1, 1, -1, 2, -3})
	for _, c := range []struct {
		shape   []int
		hasRate bool
		want    string
	}{
		{[]int{4}, false, "correlated: signals 1 and 2, by 0.91: they share parts"},
		{[]int{4}, true, "--highpass 1"}, {[]int{2, 2}, true, ""},
	} {
		var out strings.Builder
		res := sica.Result{Z: z}
		res.Shape = c.shape
		writeCorrelation(&out, &res, z, c.hasRate)
		if strings.Contains(out.String(), "filter") && !c.hasRate {
			t.Errorf("without a rate: %q", &out)
		}
		if said := out.String(); !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%v: %q, want %q", c.shape, said, c.want)
		}
	}
}

// A rhythm below 1 Hz is said by its period.
func TestRhythm(t *testing.T) {
	for _, c := range []struct {
		period, rate float64
		want         string
	}{
		{25, 250, "10 Hz (0.40)"}, {250, 250, "1 Hz (0.40)"}, {4472, 250, "every 17.9 s (0.40)"},
		{4472, 0, "every 4472.0 positions (0.40)"},
	} {
		if got := rhythm(inspect.Component{Period: c.period, Rhythm: 0.4}, c.rate); got != c.want {
			t.Errorf("period %g at %g Hz: %q, want %q", c.period, c.rate, got, c.want)
		}
	}
}

// Signals of few positions have neither components nor grades, and any other error is returned.
func TestDescribeErrors(t *testing.T) {
	_, x := laplaceMixture(2, 200)
	fit := func(x *mat.Dense, cfg sica.Config) *sica.Result {
		r, err := sica.Fit(t.Context(), x, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	of := func(r *sica.Result, learned *mat.Dense) (described, error) {
		in := &mixture{
			Stream: new(files.Stream), learned: learned,
			fitted: &files.Fitted{Source: blockwise.InMemory{Dense: learned}},
		}
		all, err := describe(r, in)
		all.grade(t.Context(), progress.NewQuiet(io.Discard), false)
		return all, err
	}
	short := mat.DenseCopyOf(x.Slice(0, 2, 0, 40))
	r := fit(short, sica.Config{Mode: sica.LinearOnly})
	r.Linear.Groups = [][]int{{0, 1}}
	if all, err := of(r, short); err != nil || all.grades != nil || len(all.components) != 2 {
		t.Errorf("40 positions: %+v, error %v", all, err)
	}
	r = fit(x, sica.Config{Mode: sica.LinearOnly})
	_, other := laplaceMixture(3, 200)
	if _, err := of(r, other); err == nil {
		t.Error("no error of 3 channels in the place of 2")
	}
}
