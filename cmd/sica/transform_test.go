package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A saved separation maps its signals to what it wrote, and back.
func TestTransform(t *testing.T) {
	dir := generate(t)
	in, z := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "z.csv")
	model, again, back := filepath.Join(dir, "model"), filepath.Join(dir,
		"again.csv"), filepath.Join(dir, "back.csv")
	must(t, "separate", "--in", in, "--out", z, "--preset", "smoke", "--backend", "go", "--save",
		model)
	must(t, "transform", "--model", model, "--in", in, "--out", again, "--backend", "go")
	out := must(t, "transform", "--model", model, "--in", z, "--out", back, "--backend", "go",
		"--inverse")
	if !strings.Contains(out, "the largest difference is") {
		t.Errorf("printed %q", out)
	}
	for _, pair := range [][2]string{{again, z}, {back, in}} {
		got, err := datasets.ReadFile(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := datasets.ReadFile(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s isn't %s", pair[0], pair[1])
		}
	}
	code, _, stderr := command(t.Context(), "transform", "--model", model, "--in", in, "--out",
		filepath.Join(dir, "no.csv"), "--shape", "7", "--backend", "go")
	if code != exitUsage || !strings.Contains(stderr, "--shape 7") {
		t.Errorf("a row of another length: exit %d, %q", code, stderr)
	}
	code, _, stderr = command(t.Context(), "separate", "--in", in, "--out", z, "--preset", "smoke",
		"--backend", "go", "--save", model)
	if code != exitFailure || !strings.Contains(stderr, "there already") {
		t.Errorf("saved over a folder: exit %d, %q", code, stderr)
	}
	if err := os.WriteFile(filepath.Join(model, "z.npy"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = command(t.Context(), "transform", "--model", model, "--in", in, "--out",
		again)
	if code != exitFailure || !strings.Contains(stderr, "z.npy was changed") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("a damaged model: exit %d, %q", code, stderr)
	}
}

// A separation knows its channels by their names: those of another order are put into its own,
// others are refused, and its inverse names what it makes.
func TestChannelNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	source, err := datasets.AR(rand.New(rand.NewPCG(4, 0)), 400,
		datasets.ARProcess{Coefficients: []float64{.9}, Scale: 1, Innovation: datasets.Laplace},
		datasets.ARProcess{Coefficients: []float64{-.5}, Scale: 1, Innovation: datasets.Laplace})
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, .6, -.3, 1}), source)
	if err != nil {
		t.Fatal(err)
	}
	swapped := mat.NewDense(2, 400, nil)
	swapped.SetRow(0, x.RawRowView(1))
	swapped.SetRow(1, x.RawRowView(0))
	for file, r := range map[string]*datasets.Recording{
		"in.csv":      {Signals: x, Names: []string{"left", "right"}},
		"swapped.csv": {Signals: swapped, Names: []string{"right", "left"}},
		"other.csv":   {Signals: x, Names: []string{"left", "b"}},
	} {
		if err := datasets.WriteRecording(at(file), r); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args ...string) string {
		t.Helper()
		code, _, stderr := command(t.Context(), args...)
		if code != want {
			t.Fatalf("%q: exit %d, %s", args, code, stderr)
		}
		return stderr
	}
	run(exitOK, "separate", "--in", at("in.csv"), "--out", at("z.csv"), "--save", at("model"),
		"--backend", "go")
	for _, args := range [][]string{
		{"transform", "--model", at("model"), "--in", at("other.csv"), "--out", at("no.csv")},
		{"remove", "--model", at("model"), "--in", at("other.csv"), "--out", at("no.csv"),
			"--components", "1"},
		{"inspect", "--model", at("model"), "--in", at("other.csv")},
	} {
		if stderr := run(exitFailure, args...); !strings.Contains(stderr,
			`lacks the separation's channel "right", and it has the channel "b" besides`) {
			t.Errorf("%q: %s", args[0], stderr)
		}
	}
	write(t, dir, "single.csv", "z\n"+strings.Repeat("1\n2\n", 100))
	text, err := os.ReadFile(at("in.csv"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "\n")
	write(t, dir, "unnamed.csv", rows)
	run(exitOK, "separate", "--in", at("unnamed.csv"), "--out", at("u.csv"), "--save",
		at("unnamed"), "--backend", "go")
	if stderr := run(exitFailure, "transform", "--model", at("unnamed"), "--in", at("single.csv"),
		"--out", at("no.csv")); stderr != "sica: "+at("single.csv")+
		": channels: are 1; must be 2, as in the fit\n" {
		t.Error(stderr)
	}
	if _, err := os.Stat(at("no.csv")); err == nil {
		t.Error("a file was written")
	}
	run(exitOK, "transform", "--model", at("model"), "--in", at("swapped.csv"), "--out",
		at("swapped.z.csv"))
	z, err1 := datasets.ReadFile(at("z.csv"))
	again, err2 := datasets.ReadFile(at("swapped.z.csv"))
	if err1 != nil || err2 != nil || !mat.EqualApprox(z, again, 1e-12) {
		t.Errorf("channels of another order aren't put into that of the separation: %v, %v", err1, err2)
	}
	run(exitOK, "transform", "--model", at("model"), "--in", at("z.csv"), "--out", at("back.csv"),
		"--inverse")
	back, err := datasets.ReadRecording(at("back.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Names, []string{"left", "right"}) ||
		!mat.EqualApprox(back.Signals, x, 1e-9) {
		t.Errorf("the inverse made %q", back.Names)
	}
}

// The matrices of separate --json, and the patterns of inspect --json, belong to the recovered
// signals in the files, with their signs: z = W·(x − mean), and x = mean + A·z.
func TestMatricesBelongToFiles(t *testing.T) {
	const n = 600
	dir := t.TempDir()
	in, out, model := filepath.Join(dir, "x.csv"), filepath.Join(dir, "z.npy"), filepath.Join(dir, "model")
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(3, 0)), 3, n, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(3, 3, []float64{-40, -7, 3, -20, 9, 4, 5, -6, -8}), s)
	if err != nil {
		t.Fatal(err)
	}
	x.Apply(func(i, _ int, v float64) float64 { return v + 10*float64(i) }, x)
	if err := datasets.WriteFile(in, x); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", in, "--out", out, "--save", model, "--json", filepath.Join(dir, "s.json"))
	if said := must(t, "inspect", "--model", model, "--in", in, "--json",
		filepath.Join(dir, "i.json")); !strings.Contains(said, "wrote "+filepath.Join(dir, "i.json")) {
		t.Errorf("inspect doesn't say what it wrote: %s", said)
	}
	z, err := datasets.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Demixing ica.Demixing // which leaves out what it doesn't know
	}
	if err := files.ReadJSON(filepath.Join(dir, "s.json"), &of); err != nil {
		t.Fatal(err)
	}
	var with struct {
		Demixing struct{ Patterns [][]float64 }
	}
	if err := files.ReadJSON(filepath.Join(dir, "s.json"), &with); err != nil {
		t.Fatal(err)
	}
	found := of.Demixing
	var components []inspect.Component
	if err := files.ReadJSON(filepath.Join(dir, "i.json"), &components); err != nil {
		t.Fatal(err)
	}
	patterns := mat.NewDense(3, 3, nil)
	for _, c := range components {
		patterns.SetCol(c.Signal, c.Pattern)
	}
	centred, demixed := mat.NewDense(3, n, nil), mat.NewDense(3, n, nil)
	centred.Apply(func(i, k int, _ float64) float64 { return x.At(i, k) - found.Mean[i] }, centred)
	demixed.Mul(found.Unmixing, centred)
	if !mat.EqualApprox(demixed, z, 1e-9) {
		t.Error("W·(x − mean) isn't z")
	}
	for name, a := range map[string]*mat.Dense{
		"A": found.Mixing, "patterns of inspect": patterns, "patterns": dense(with.Demixing.Patterns),
	} {
		var mixed mat.Dense
		mixed.Mul(a, z)
		if !mat.EqualApprox(&mixed, centred, 1e-9) {
			t.Errorf("mean + %s·z isn't x", name)
		}
	}
}

// dense returns a matrix from its rows.
func dense(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// Of fewer recovered signals than sources the best matches are printed, and the signals are written.
func TestSeparateFewerThanTheTruth(t *testing.T) {
	dir := t.TempDir()
	must(t, "generate", "--signals", "ar7", "--d", "3", "--out", dir)
	out := filepath.Join(dir, "z.csv")
	said := must(t, "separate", "--in", filepath.Join(dir, "mixed.csv"), "--truth",
		filepath.Join(dir, "sources.csv"), "--components", "2", "--out", out, "--backend", "go")
	if !strings.Contains(said, "recovered: no MCC") || strings.Count(said, "is most like source") != 2 {
		t.Errorf("separate said %s", said)
	}
	if n := len(strings.Split(lines(read(t, out))[0], ",")); n != 2 {
		t.Errorf("%d signals are written, want 2", n)
	}
}
