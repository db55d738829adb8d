package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// command runs the command line in this process.
func command(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

// progressOnly is a status with nothing but how far the command is.
var progressOnly = regexp.MustCompile(`^(.*(, \d+ %| …)\n)*$`)

// must runs a command line that must succeed, and returns what it printed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t.Context(), args...)
	if code != exitOK || !progressOnly.MatchString(stderr) {
		t.Fatalf("sica %s: exit %d, stderr %q", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// list returns the names of all that is in a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// write writes a file into a folder and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readReport reads what separate --json wrote.
func readReport(t *testing.T, path string) separation {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r separation
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// generate makes a short example in a new folder, which it returns.
func generate(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, "generate", "--signals", "ar7", "--length", "256", "--out", dir)
	return dir
}

func TestGenerate(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		d, t int
	}{
		{"heart", []string{"--signals", "heart"}, 2, 1000},
		{"heart iid",
			[]string{"--signals", "heart", "--order", "iid", "--noise", "0", "--length",
				"50"}, 2, 50},
		{"ar7", []string{"--signals", "ar7", "--mixing", "gelu", "--steps", "20", "--d", "3",
			"--length", "200"}, 3, 200},
		{"mnist", []string{"--signals", "mnist"}, 3, 1024},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "folder")
			must(t, append([]string{"generate", "--out", dir}, test.args...)...)
			if got, want := list(t, dir), []string{"mixed.csv", "mixed.png",
				"sources.csv"}; !slices.Equal(got, want) {
				t.Fatalf("files %q, want %q", got, want)
			}
			for _, name := range []string{"sources.csv", "mixed.csv"} {
				z, err := datasets.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if d, n := z.Dims(); d != test.d || n != test.t {
					t.Errorf("%s is %d×%d, want %d×%d", name, d, n, test.d, test.t)
				}
			}
		})
	}
}

func TestGenerateIsSeeded(t *testing.T) {
	read := func(seed string) []byte {
		dir := t.TempDir()
		must(t, "generate", "--signals", "ar7", "--length", "20", "--seed", seed, "--out", dir)
		b, err := os.ReadFile(filepath.Join(dir, "mixed.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(read("7"), read("7")) {
		t.Error("one seed gave two files")
	}
	if bytes.Equal(read("7"), read("8")) {
		t.Error("two seeds gave one file")
	}
}

// One linear step of the heart's mixing is the paper's [[1, .5], [.5, 1]].
func TestGenerateHeartMixing(t *testing.T) {
	dir := t.TempDir()
	must(t, "generate", "--signals", "heart", "--length", "9", "--out", dir)
	s, err := datasets.ReadFile(filepath.Join(dir, "sources.csv"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.ReadFile(filepath.Join(dir, "mixed.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		want := s.At(0, i) + 0.5*s.At(1, i)
		if got := x.At(0, i); got-want > 1e-15 || want-got > 1e-15 {
			t.Fatalf("x₁ at %d = %g, want %g", i, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	dir := t.TempDir()
	truth := write(t, dir, "truth.csv", "0,1\n1,0\n2,5\n3,2\n")
	recovered := write(t, dir, "recovered.csv", "-2,0\n0,-3\n-10,-6\n-4,-9\n") // −2·s₂, −3·s₁

	got := must(t, "score", "--truth", truth, "--recovered", recovered)
	want := "MCC 1.0000\nsource 1 is recovered signal 2, correlation -1.0000\nsource 2 is " +
		"recovered signal 1, correlation -1.0000\n"
	if got != want {
		t.Errorf("score printed %q, want %q", got, want)
	}

	var r struct {
		MCC         float64
		Assignment  []int
		Correlation []float64
		Signs       []int
	}
	if err := json.Unmarshal([]byte(must(t, "score", "--json", "--truth", truth, "--recovered",
		recovered)), &r); err != nil {
		t.Fatal(err)
	}
	if r.MCC < 1-1e-12 || !slices.Equal(r.Assignment, []int{1, 0}) ||
		!slices.Equal(r.Signs, []int{-1, -1}) || len(r.Correlation) != 2 {
		t.Errorf("score --json printed %+v", r)
	}
}

func TestSeparateOnEveryBackend(t *testing.T) {
	dir := generate(t)
	in, truth := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "sources.csv")
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out, log := filepath.Join(dir, "recovered.npy"), filepath.Join(dir, "report.json")
			stdout := must(t, "separate", "--in", in, "--out", out, "--truth", truth, "--json", log,
				"--preset", "smoke", "--iterations", "3", "--seed", "5", "--backend", name)
			for _, want := range []string{"seed 5, backend " + name + "\n",
				"\niteration 3/3  loss ", "  divergence ", "  MCC ", "\nstopped after 3 " +
					"iterations"} {
				if !strings.Contains(stdout, want) {
					t.Errorf("stdout %q has no %q", stdout, want)
				}
			}

			scored := must(t, "score", "--truth", truth, "--recovered", out)
			mcc, _, _ := strings.Cut(scored, "\n")
			if want := "recovered: " + mcc; !strings.Contains(stdout, want) {
				t.Errorf("stdout %q has no %q, which score found", stdout, want)
			}

			r := readReport(t, log)
			res := r.Result
			if r.Backend != name || res.Config.Seed != 5 ||
				res.Stopped != klflow.StoppedIterations || res.Elapsed <= 0 {
				t.Errorf("report %+v", r)
			}
			if len(r.Iterations) != 3 || r.Iterations[2].J != 3 || r.Iterations[2].Loss == nil ||
				r.Iterations[2].MCC == nil {
				t.Errorf("report's iterations %+v", r.Iterations)
			}
			if len(res.Chosen.Transforms) == 0 || len(res.Candidates) == 0 ||
				res.Chosen.Mode == sica.LinearOnly && len(res.Linear.Pairs) == 0 {
				t.Errorf("report: start %q, candidates %+v, rule %q", res.Chosen.Transforms,
					res.Candidates, res.Chosen.Mode)
			}
			if r.Match == nil || r.MixedMCC == nil || res.Versions["go"] == "" {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// Without the truth, and for a method that measures no divergence, the report
// has nulls.
func TestSeparateReportHasNulls(t *testing.T) {
	dir := generate(t)
	log := filepath.Join(dir, "report.json")
	stdout := must(t, "separate", "--in", filepath.Join(dir, "mixed.csv"), "--out",
		filepath.Join(dir, "z.csv"), "--json", log,
		"--method", "sica-wgf", "--preset", "smoke", "--iterations", "1", "--backend", "go")
	for _, word := range []string{"divergence", "MCC"} {
		if strings.Contains(stdout, word) {
			t.Errorf("stdout %q has %q", stdout, word)
		}
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"divergence": null`, `"mcc": null`, `"mixed_mcc": null`,
		`"match": null`, `"candidates": null`} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("report has no %s", want)
		}
	}
}

func TestSeparateImages(t *testing.T) {
	dir := t.TempDir()
	must(t, "generate", "--signals", "mnist", "--d", "2", "--out", dir)
	x, err := datasets.ReadFile(filepath.Join(dir, "mixed.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.DenseCopyOf(x.Slice(0, 2, 12*32, 20*32)) // of the images' middle
	a, b := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png")
	if err := datasets.WriteImages(rows, []int{8, 32}, a, b); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "report.json")
	must(t, "separate", "--in", a, "--in", b, "--out", filepath.Join(dir, "z.csv"), "--json", log,
		"--method", "sica-wgf", "--preset", "smoke", "--iterations", "1", "--backend", "go")
	r := readReport(t, log)
	if !slices.Equal(r.Result.Config.Shape, []int{8, 32}) {
		t.Errorf("shape %v, want that of the images", r.Result.Config.Shape)
	}
}

// An interrupt before the first iteration leaves no file.
func TestSeparateInterrupted(t *testing.T) {
	in := filepath.Join(generate(t), "mixed.csv")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	code, _, stderr := command(ctx, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"),
		"--preset", "smoke")
	if code != exitInterrupted || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, stderr %q; want %d and a line", code, stderr, exitInterrupted)
	}
	if got := list(t, dir); len(got) > 0 {
		t.Errorf("left the files %q", got)
	}
}

// An interrupt after an iteration keeps what it gave.
func TestSeparateInterruptedKeepsResult(t *testing.T) {
	in := filepath.Join(generate(t), "mixed.csv")
	dir := t.TempDir()
	out, log := filepath.Join(dir, "z.csv"), filepath.Join(dir, "report.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr bytes.Buffer
	code := run(ctx,
		[]string{"separate", "--in", in, "--out", out, "--json", log, "--preset", "smoke",
			"--iterations", "1000", "--backend", "go"},
		&cancelling{cancel: cancel, at: "iteration 2/"}, &stderr)
	if code != exitInterrupted || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit %d, stderr %q; want %d and a line", code, stderr.String(), exitInterrupted)
	}
	if _, err := datasets.ReadFile(out); err != nil {
		t.Error(err)
	}
	r := readReport(t, log)
	if res := r.Result; res.Stopped != klflow.StoppedCancelled || res.Best != len(r.Iterations) ||
		res.Best < 2 {
		t.Errorf("report: stopped %q, best %d of %d", res.Stopped, res.Best, len(r.Iterations))
	}
}

// With the default settings, a nonlinear mixture takes a nonlinear start, and
// the report says what was compared.
func TestSeparateFromAnotherStart(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	dir := t.TempDir()
	must(t, "generate", "--signals", "ar7", "--mixing", "gelu", "--steps", "20", "--length", "512",
		"--out", dir)
	log := filepath.Join(dir, "report.json")
	must(t, "separate", "--in", filepath.Join(dir, "mixed.csv"), "--out",
		filepath.Join(dir, "z.csv"), "--json", log)
	r := readReport(t, log).Result
	if !slices.Equal(r.Chosen.Transforms, []preprocess.Transform{preprocess.Conditional}) ||
		r.Chosen.Mode == sica.LinearOnly || r.Linear != nil {
		t.Errorf("report: start %q, rule %q, of linear demixing %v", r.Chosen.Transforms,
			r.Chosen.Mode, r.Linear)
	}
	if len(r.Candidates) != 5 || r.Candidates[1].Mode != sica.LinearOnly ||
		r.Candidates[2].CodeLength >= r.Candidates[1].CodeLength {
		t.Errorf("report's candidates %+v", r.Candidates)
	}
}

// What separate prints of curves has shares, and inspect says what the components are.
func TestNonlinearIsInspected(t *testing.T) {
	if testing.Short() {
		t.Skip("separates voices")
	}
	voices, err := datasets.Voices()
	if err != nil {
		t.Fatal(err)
	}
	s := mat.DenseCopyOf(voices.Signals.Slice(0, 3, 0, 8000))
	x, err := datasets.PostNonlinearMix(rand.New(rand.NewPCG(5, 6)), s, math.Tanh)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, model := filepath.Join(dir, "x.csv"), filepath.Join(dir, "model")
	if err := datasets.WriteFile(in, x); err != nil {
		t.Fatal(err)
	}
	said := must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--save", model)
	if !strings.Contains(said, "after straightening") || !strings.Contains(said, "strongest in") ||
		strings.Contains(said, "0.0 %") || !strings.Contains(said, "next: sica inspect") {
		t.Errorf("separate printed %q", said)
	}
	page := filepath.Join(dir, "page.html")
	said = must(t, "inspect", "--in", in, "--model", model, "--reference", "1", "--html", page)
	if !strings.Contains(said, "proposed: ") {
		t.Errorf("inspect printed %q", said)
	}
}

// cancelling is a writer that cancels a context when it is given a text.
type cancelling struct {
	cancel context.CancelFunc
	at     string
}

func (c *cancelling) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.at)) {
		c.cancel()
	}
	return len(p), nil
}

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	var out bytes.Buffer
	b := backendtest.Open(t, backend.Go)
	cfg := sica.Default().Smoke()
	if err := demo(t.Context(), &out, b, cfg, dir); err != nil {
		t.Fatal(err)
	}
	want := []string{"ar7.png", "mnist.png"}
	if got := list(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	for _, want := range []string{"ZCA", "\ntwo AR(7) sequences:\n",
		"\nthree MNIST digits:\n  Only signal 3 is identified: signals depend on each other"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed %q without %q", out.String(), want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"help", "score"}, {"separate", "--help"}} {
		if out := must(t, args...); !strings.Contains(out, "Usage:") {
			t.Errorf("sica %q printed %q", args, out)
		}
	}
}

// A truth that is transposed, as of NumPy, is scored as if it weren't.
func TestScoreOfTransposedTruth(t *testing.T) {
	dir := t.TempDir()
	truth := write(t, dir, "truth.csv", "0,1,2,3,0\n1,0,5,2,7\n")
	recovered := write(t, dir, "recovered.csv", "-2,0\n0,-3\n-10,-6\n-4,-9\n-14,0\n")
	for _, files := range [][2]string{{truth, recovered}, {recovered, truth}} {
		said := must(t, "score", "--truth", files[0], "--recovered", files[1])
		if !strings.Contains(said, "truth.csv is transposed, and was read so\nMCC 1.0000\n") {
			t.Errorf("printed %q", said)
		}
	}
}

// Of more sources than signals each signal's best match is printed.
func TestScoreOfMoreSourcesThanSignals(t *testing.T) {
	dir := t.TempDir()
	truth := write(t, dir, "truth.csv", "1,0,5\n2,1,3\n3,5,1\n4,2,8\n")
	recovered := write(t, dir, "recovered.csv", "0,-1\n1,-2\n5,-3\n2,-4\n")
	said := must(t, "score", "--truth", truth, "--recovered", recovered)
	for _, want := range []string{
		"no MCC", "recovered signal 1 is most like source 2, correlation +1.0000",
		"recovered signal 2 is most like source 1, correlation -1.0000",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if said = must(t, "score", "--json", "--truth", truth, "--recovered", recovered); !strings.Contains(
		strings.Join(strings.Fields(said), ""), `"best":[{"source":1,"correlation":1},`) {
		t.Error(said)
	}
}

// Sources have their names, unless these are numbers. A signal that is like none is said to be.
func TestScoreNamesSources(t *testing.T) {
	dir := t.TempDir()
	truth := write(t, dir, "truth.csv", "blink,s2,heart\n1,0,5\n2,1,3\n3,5,1\n4,2,8\n")
	for recovered, want := range map[string]string{
		"a,b\n0,-1\n1,-2\n5,-3\n2,-4\n":           "signal 2 is most like source 1 (blink), correlation -1.0000",
		"a,b\n0,1\n1,-1\n5,-1\n2,1.1\n":           "signal 1 is most like source 2, correlation +1.0000",
		"a,b,c\n0,-1,4\n1,-2,5\n5,-3,1\n2,-4,9\n": "source 1 (blink) is recovered signal 2 (b), correlation -1.0000",
	} {
		file := write(t, dir, "recovered.csv", recovered)
		if said := must(t, "score", "--truth", truth, "--recovered", file); !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	var out strings.Builder
	if err := printBest(&out, []best{{2, 0.02}}, []string{"a", "b", "c"}, false); err != nil ||
		!strings.Contains(out.String(), "is like none, least unlike source 3 (c), correlation +0.0200") {
		t.Errorf("%s (%v)", &out, err)
	}
}

// A truth of another number of sources is an error before any method is fitted, which says what to do.
func TestCompareWithMoreSourcesThanSignals(t *testing.T) {
	dir := t.TempDir()
	row := func(k, d int) string {
		cells := make([]string, d)
		for i := range cells {
			cells[i] = strconv.Itoa((k*(i+2) + i*k*k) % 7)
		}
		return strings.Join(cells, ",") + "\n"
	}
	mixed, truth := "", ""
	for k := range 60 {
		mixed, truth = mixed+row(k, 2), truth+row(k, 3)
	}
	code, _, said := command(t.Context(), "compare", "--in", write(t, dir, "mixed.csv", mixed), "--truth",
		write(t, dir, "truth.csv", truth))
	if code != exitUsage || !strings.Contains(said, "(3 and 2): leave it out, and use sica score") {
		t.Errorf("exit %d, %q", code, said)
	}
}

// A header above a row for each signal is an error that says how to read it.
func TestHeaderAboveRowsOfSignals(t *testing.T) {
	row := strings.Repeat("1,2,", 20) + "3\n"
	in := write(t, t.TempDir(), "in.csv", "a,b\n"+row+row)
	if _, _, said := command(t.Context(), "separate", "--in", in, "--out",
		filepath.Join(t.TempDir(), "z.csv")); !strings.Contains(said, "(--transpose without the header") {
		t.Errorf("%q", said)
	}
}

// Signals of --like are in the order, and have the signs, of the earlier separation: the saved one
// recovers the same of another part. Other channels are an error, before anything is separated.
func TestSeparateLike(t *testing.T) {
	_, x := laplaceMixture(3, 3000)
	dir := t.TempDir()
	file := func(name string, begin, end int, channels ...string) string {
		part := datasets.Recording{
			Signals: mat.DenseCopyOf(x.Slice(0, len(channels), begin, end)), Names: channels,
		}
		path := filepath.Join(dir, name)
		if err := datasets.WriteRecording(path, &part); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first, second := file("1.csv", 0, 1500, "a", "b", "c"), file("2.csv", 1500, 3000, "a", "b", "c")
	model, out := filepath.Join(dir, "m"), filepath.Join(dir, "z.csv")
	expected, json := filepath.Join(dir, "e.csv"), filepath.Join(dir, "s.json")
	must(t, "separate", "--in", first, "--out", out, "--save", model, "--method", "sica-linear")
	said := must(t, "separate", "--in", second, "--out", out, "--method", "sica-linear",
		"--like", model, "--json", json)
	match := "ordered like " + model + ": 3 of 3 signals match at 0.95 or more\n"
	if !strings.Contains(said, match) {
		t.Errorf("no %q in %s", match, said)
	}
	must(t, "transform", "--in", second, "--out", expected, "--model", model)
	got, err := datasets.ReadFile(out)
	want, err2 := datasets.ReadFile(expected)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for i, c := range readReport(t, json).Like {
		r := stat.Correlation(got.RawRowView(i), want.RawRowView(i), nil)
		if r < 0.95 || math.Abs(r-c) > 1e-3 {
			t.Errorf("signal %d correlates by %.3f, reported as %.3f", i+1, r, c)
		}
	}
	for in, want := range map[string]string{
		file("other.csv", 0, 1500, "a", "b", "d"): `channels: 3 is "d"; must be "c", as in the fit`,
		file("fewer.csv", 0, 1500, "a", "b"):      "channels: are 2; must be 3, as in the fit",
	} {
		code, stdout, stderr := command(t.Context(), "separate", "--in", in, "--out", out,
			"--like", model)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %q, %q; want %q", code, stdout, stderr, want)
		}
	}
}
