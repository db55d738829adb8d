package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// tables runs the command and returns what it printed.
func tables(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := newCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// The file of a table is what is printed, and its trials are made once.
func TestTableIsWrittenAndMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	args := []string{"linear", "--only", "uniform, d=2", "--methods", "zca", "--runs", "2",
		"--backend", "go", "--out", dir}
	first, err := tables(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(first, ": MCC "); n != 6 { // 2 runs of 2 methods, and 2 columns
		t.Errorf("%d MCCs in\n%s", n, first)
	}
	again, err := tables(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "linear.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(again, string(file)+"wrote ") || !strings.HasSuffix(first, again) {
		t.Errorf("printed first\n%s\nthen\n%s\nand wrote\n%s", first, again, file)
	}
	if !strings.Contains(again, "| uniform, d=2 | 0.") {
		t.Errorf("no row in\n%s", again)
	}
}

// An outcome that was made with other settings of its method is made again.
func TestOtherSettingsAreMadeAgain(t *testing.T) {
	dir := t.TempDir()
	args := []string{"linear", "--only", "uniform, d=2", "--methods", "fastica", "--runs", "2",
		"--backend", "go", "--out", dir}
	if _, err := tables(t, args...); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "linear.jsonl")
	outcomes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const setting = `"MaxIterations":`
	if n := strings.Count(string(outcomes), setting); n != 2 {
		t.Fatalf("%d outcomes have %s", n, setting)
	}
	outcomes = bytes.Replace(outcomes, []byte(setting), []byte(setting+"9"), 1)
	if err := os.WriteFile(path, outcomes, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, made := range []int{1, 0} {
		out, err := tables(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out, ": MCC 0."); n != made || strings.Contains(out, "other settings") != (made > 0) {
			t.Errorf("%d outcomes were made again; want %d:\n%s", n, made, out)
		}
	}
}

// Sources can be read from files. The linear rule is timed on a file of mixed signals.
func TestSourcesFromFiles(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	s, err := datasets.LaplaceAR(rng, 2, 300, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i, name := range []string{"a.csv", "b.csv"} {
		path := filepath.Join(dir, name)
		if err := datasets.WriteFile(path, mat.DenseCopyOf(s.Slice(i, i+1, 0, 300-i))); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	out, err := tables(t, "linear", "--files", strings.Join(paths, ","), "--methods", "zca",
		"--runs", "2", "--backend", "go", "--out", dir)
	if err != nil || !strings.Contains(out, "a.csv,"+paths[1]+" | 0.") {
		t.Errorf("sources in files: %v\n%s", err, out)
	}
	both := filepath.Join(dir, "both.npy")
	if err := datasets.WriteFile(both, s); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--rule"}} {
		out, err := tables(t, append([]string{"seconds", both, "--runs", "3"}, args...)...)
		if err != nil || strings.Count(out, "\n") != 3 {
			t.Errorf("seconds %v: %v\n%s", args, err, out)
		}
	}
}

func TestUnknownTable(t *testing.T) {
	for _, args := range [][]string{{"magic"}, {"quality", "magic"}, {"null", "--runs", "0"}, {}} {
		if out, err := tables(t, args...); err == nil {
			t.Errorf("%q: no error\n%s", args, out)
		}
	}
}
