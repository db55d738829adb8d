package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// writeUnidentified writes a recording of a source and of two signals of white Gaussian noise, whose
// rotation isn't identified. The source is constant at the first positions.
func writeUnidentified(t *testing.T, constant int) (path string) {
	t.Helper()
	const n = 2000
	s, _ := laplaceMixture(3, n)
	rng := rand.New(rand.NewPCG(3, 0))
	for i := range 2 {
		for k := range n {
			s.Set(i, k, rng.NormFloat64())
		}
	}
	for k := range constant {
		s.Set(2, k, 1)
	}
	path = filepath.Join(t.TempDir(), "in.csv")
	if err := datasets.WriteFile(path, s); err != nil {
		t.Fatal(err)
	}
	return path
}

// endedBy is a context that has ended once a file is there.
type endedBy struct {
	context.Context
	path string
}

func (c endedBy) Err() error {
	if _, err := os.Stat(c.path); err == nil {
		return context.Canceled
	}
	return c.Context.Err()
}

// An interrupt while the halves are separated loses nothing of the finished result.
func TestInterruptedHalves(t *testing.T) {
	in, dir := writeUnidentified(t, 0), t.TempDir()
	out, json, model := filepath.Join(dir, "z.csv"), filepath.Join(dir, "fit.json"), filepath.Join(dir, "model")
	code, stdout, stderr := command(endedBy{t.Context(), out}, "separate", "--in", in, "--out", out,
		"--json", json, "--save", model)
	if want := "sica: interrupted while each half was separated; " + out + " holds the result\n"; code !=
		exitInterrupted || stderr != want {
		t.Errorf("exit %d, stderr %q; want %d and %q", code, stderr, exitInterrupted, want)
	}
	const note = "What repeats wasn't measured: interrupted."
	if said := strings.Join(strings.Fields(stdout), " "); !strings.Contains(said, note) ||
		!strings.Contains(said, "Only signal 2 is identified") || !strings.Contains(said, "wrote "+model) {
		t.Errorf("printed %s", said)
	}
	if r := readReport(t, json); r.Result == nil || r.Result.Linear == nil || r.Grades != nil {
		t.Errorf("report %+v", r)
	}
	must(t, "transform", "--model", model, "--in", in, "--out", filepath.Join(dir, "again.csv"))
}

// Where the halves can't be separated, the summary says why.
func TestHalvesThatCantBeSeparated(t *testing.T) {
	short := write(t, t.TempDir(), "short.csv", "")
	x := new(mat.Dense)
	x.CloneFrom(mixedLaplace(t, 3, 130))
	if err := datasets.WriteFile(short, x); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		writeUnidentified(t, 1000): "the first half: the 3 signals are linearly dependent",
		short:                      "a half has 65 positions of 3 signals; must have at least 72.",
	} {
		said := must(t, "separate", "--in", in, "--out", filepath.Join(t.TempDir(), "z.csv"),
			"--method", "sica-linear")
		said = strings.Join(strings.Fields(said), " ")
		if !strings.Contains(said, "What repeats wasn't measured: the halves can't be compared: "+want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
}
