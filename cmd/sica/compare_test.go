package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The scores of compare are those of score on the files that it wrote, and SICA
// is there without being named.
func TestCompare(t *testing.T) {
	dir := generate(t)
	out := filepath.Join(dir, "out")
	args := []string{"compare", "--in", filepath.Join(dir, "mixed.csv"), "--truth",
		filepath.Join(dir, "sources.csv"),
		"--methods", "zca,fastica,mixed", "--out", out, "--backend", "go", "--json"}
	var rows []compared
	if err := json.Unmarshal([]byte(must(t, args...)), &rows); err != nil {
		t.Fatal(err)
	}
	var methods []string
	for _, r := range rows {
		methods = append(methods, r.Method)
		score := must(t, "score", "--truth", filepath.Join(dir, "sources.csv"), "--recovered",
			r.File, "--json")
		var want matchReport
		if err := json.Unmarshal([]byte(score), &want); err != nil {
			t.Fatal(err)
		}
		if r.MCC == nil || math.Abs(*r.MCC-want.MCC) > 1e-12 || r.Match.MCC != *r.MCC ||
			r.Error != "" {
			t.Errorf("%s: the row is %+v, its file scores %g", r.Method, r, want.MCC)
		}
	}
	if want := []string{"sica", "zca", "fastica", "mixed"}; !slices.Equal(methods, want) {
		t.Errorf("methods %q, want %q", methods, want)
	}
	if got, want := list(t, out), []string{"compare.png", "fastica.csv", "mixed.csv", "sica.csv",
		"zca.csv"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// Without a truth there is a table without scores. Methods may be named as it prints them, and the
// files that were written are listed.
func TestCompareWithoutTruth(t *testing.T) {
	dir := generate(t)
	out := filepath.Join(dir, "out")
	table := must(t, "compare", "--in", filepath.Join(dir, "mixed.csv"), "--methods", "ZCA",
		"--backend", "go", "--out", out)
	lines := strings.Split(table, "\n")
	if got, want := strings.Join(strings.Fields(lines[0]), " "),
		"method settings seconds converged iterations"; got != want {
		t.Errorf("the columns are %q, want %q", got, want)
	}
	for k, method := range []string{"Default ", "ZCA "} {
		if !strings.HasPrefix(lines[k+1], method) {
			t.Errorf("row %d isn't that of %s:\n%s", k+1, method, table)
		}
	}
	for _, file := range list(t, out) {
		if want := "wrote " + filepath.Join(out, file); !slices.Contains(lines, want) {
			t.Errorf("the output has no line %q:\n%s", want, table)
		}
	}
}

// Without a truth the output says how well other methods find each of SICA's signals: FastICA nearly
// equal ones, a method that separates nothing others.
func TestCompareSaysHowMethodsAgree(t *testing.T) {
	dir := t.TempDir()
	_, x := laplaceMixture(2, 2000)
	in := filepath.Join(dir, "in.csv")
	if err := datasets.WriteFile(in, x); err != nil {
		t.Fatal(err)
	}
	args := []string{"compare", "--in", in, "--methods", "fastica,mixed", "--backend", "go"}
	said := must(t, args...)
	fields := strings.Fields(said[strings.Index(said, "largest |correlation|"):])
	at := slices.Index(fields, "mixed")
	if at < 0 || len(fields) < at+7 || fields[at+1] != "1" ||
		fields[at+2] < "0.99" || fields[at+4] != "2" || fields[at+5] < "0.99" || fields[at+6] > "0.99" {
		t.Errorf("%q", said)
	}
	var rows []compared
	if err := json.Unmarshal([]byte(must(t, append(args, "--json")...)), &rows); err != nil {
		t.Fatal(err)
	}
	if rows[0].Best != nil || len(rows[1].Best) != 2 || rows[1].Best[0].Source == rows[1].Best[1].Source {
		t.Errorf("%+v", rows)
	}
}

// A method that fails is a row, the others are there, and the exit code is 1.
func TestCompareWithFailure(t *testing.T) {
	dir := t.TempDir()
	must(t, "generate", "--signals", "ar7", "--steps", "20", "--seed", "20001", "--out", dir)
	code, stdout, stderr := command(t.Context(), "compare", "--in", filepath.Join(dir, "mixed.csv"),
		"--methods", "gaussianise+zca,zca", "--backend", "go")
	if code != exitFailure || !strings.Contains(stderr, "1 of 3 methods failed") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	for _, says := range []string{"  failed  ", "linearly dependent",
		"\nZCA "} {
		if !strings.Contains(stdout, says) {
			t.Errorf("the table doesn't say %q:\n%s", says, stdout)
		}
	}
}

// Images are drawn as images and take their shape from the files.
func TestCompareImages(t *testing.T) {
	dir := t.TempDir()
	must(t, "generate", "--signals", "mnist", "--out", dir)
	x, err := datasets.ReadFile(filepath.Join(dir, "mixed.csv"))
	if err != nil {
		t.Fatal(err)
	}
	// An image's values are from 0 to 1.
	x, err = preprocess.Apply(x, preprocess.Standardise)
	if err != nil {
		t.Fatal(err)
	}
	x.Apply(func(_, _ int, v float64) float64 { return 1 / (1 + math.Exp(-v)) }, x)
	args := []string{"compare", "--methods", "zca", "--backend", "go", "--preset", "smoke",
		"--json", "--out", filepath.Join(dir, "out")}
	var files []string
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		files = append(files, filepath.Join(dir, name))
		args = append(args, "--in", files[len(files)-1])
	}
	if err := datasets.WriteImages(x, []int{datasets.MNISTSide, datasets.MNISTSide},
		files...); err != nil {
		t.Fatal(err)
	}
	var rows []compared
	if err := json.Unmarshal([]byte(must(t, args...)), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].MCC != nil || rows[1].Error != "" {
		t.Errorf("the rows are %+v", rows)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "compare.png")); err != nil {
		t.Error(err)
	}
}
