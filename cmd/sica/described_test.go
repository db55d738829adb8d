package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
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

// endedBy is a context that has ended once there is a file whose path matches a pattern.
type endedBy struct {
	context.Context
	pattern string
	ended   bool
}

func (c *endedBy) Err() error {
	if found, err := filepath.Glob(c.pattern); err == nil && found != nil {
		c.ended = true
	}
	if c.ended {
		return context.Canceled
	}
	return c.Context.Err()
}

// An interrupt while the halves are separated loses nothing of the finished result.
func TestInterruptedHalves(t *testing.T) {
	in, dir := writeUnidentified(t, 0), t.TempDir()
	out, json, model := filepath.Join(dir, "z.csv"), filepath.Join(dir, "fit.json"), filepath.Join(dir, "model")
	ctx := &endedBy{Context: t.Context(), pattern: out}
	code, stdout, stderr := command(ctx, "separate", "--in", in, "--out", out, "--json", json,
		"--save", model)
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

// An interrupt while all of a long recording is recovered keeps the fit of its part: in the folder
// of --save or, without one, beside the file of the signals. The message says how to go on.
func TestInterruptedRecovery(t *testing.T) {
	in := writeUnidentified(t, 0)
	for _, isSaved := range []bool{true, false} {
		dir := t.TempDir()
		out := filepath.Join(dir, "z.csv")
		model := out + ".fit"
		args := []string{"separate", "--in", in, "--out", out, "--learn-on", "1/2", "--highpass", "0.1",
			"--rate", "10"}
		if isSaved {
			model = filepath.Join(dir, "model")
			args = append(args, "--save", model)
		}
		// The signals are written to a hidden file first.
		ctx := &endedBy{Context: t.Context(), pattern: filepath.Join(dir, ".z.csv.*")}
		code, _, stderr := command(ctx, args...)
		next := "sica transform --model " + model + " --in " + in + " --out " + out
		if code != exitInterrupted || !strings.HasSuffix(stderr, "interrupted; the fit is kept: "+next+
			" recovers the signals by it\n") {
			t.Errorf("exit %d, stderr %q", code, stderr)
		}
		if found := list(t, dir); !slices.Equal(found, []string{filepath.Base(model)}) {
			t.Errorf("left are %q", found)
		}
		if labels := read(t, filepath.Join(model, labelsFile)); !strings.Contains(labels, "evidence") {
			t.Errorf("the kept fit has the labels %s", labels)
		}
		must(t, strings.Fields(next)[1:]...)
		said := must(t, "inspect", "--model", model, "--in", in)
		if !strings.Contains(said, "using --highpass 0.1 --rate 10 as in the fit") {
			t.Errorf("the kept fit lacks how the recording was read: %s", said)
		}
	}
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
