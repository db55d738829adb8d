package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/sica"
)

// piped runs a command with what it reads from standard input, and returns what it writes to standard
// output.
func piped(t *testing.T, in io.Reader, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	root := newRoot(func() {})
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&out)
	root.SetErr(&said)
	err = root.ExecuteContext(t.Context())
	return out.String(), said.String(), err
}

// liveModel separates a recording of three channels at 250 Hz and returns its path and the model's.
func liveModel(t *testing.T) (rec, model string) {
	t.Helper()
	dir := t.TempDir()
	rec, model = filepath.Join(dir, "rec.csv"), filepath.Join(dir, "model")
	in := &datasets.Recording{
		Signals: mixedLaplace(t, 3, 800), Names: []string{"Fp1", "Cz", "Oz"}, Rate: 250, TimeColumn: "time",
	}
	if err := datasets.WriteRecording(rec, in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", rec, "--out", filepath.Join(dir, "z.csv"), "--save", model, "--backend", "go",
		"--method", "sica-linear")
	return rec, model
}

// What comes and goes through pipes, whole or row by row, is what files get.
func TestPipes(t *testing.T) {
	rec, model := liveModel(t)
	dir := t.TempDir()
	text := read(t, rec)
	npy := filepath.Join(dir, "rec.npy")
	signals, err := datasets.ReadFile(rec)
	if err == nil {
		err = datasets.WriteFile(npy, signals)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, said := command(t.Context(), "remove", "--model", model, "--in", rec, "--out",
		filepath.Join(dir, "c.csv"), "--components", "1", "--shape", "7x7"); code != exitUsage {
		t.Errorf("a shape that doesn't fit: exit %d, %q", code, said)
	}
	for _, command := range [][]string{{"transform"}, {"remove", "--components", "2"}} {
		args := append(command, "--model", model)
		want, wantNPY := filepath.Join(dir, command[0]+".csv"), filepath.Join(dir, command[0]+".npy")
		must(t, append(args, "--in", rec, "--out", want)...)
		must(t, append(args, "--in", npy, "--out", wantNPY)...)
		pipe := append(args, "--in", "-", "--out", "-")
		got, said, err := piped(t, strings.NewReader(text), pipe...)
		if err != nil || got != read(t, want) || !strings.Contains(said, "wrote standard output") {
			t.Errorf("%s: %v, wrote %d bytes, said %q", command, err, len(got), said)
		}
		if got, _, err = piped(t, strings.NewReader(read(t, npy)), pipe...); err != nil || got != read(t, wantNPY) {
			t.Errorf("%s of NPY: %v, wrote %d bytes", command, err, len(got))
		}
		got, said, err = piped(t, strings.NewReader(text), append(pipe, "--stream")...)
		if err != nil || got != read(t, want) || said != "" {
			t.Errorf("%s --stream: %v, wrote %d bytes, said %q", command, err, len(got), said)
		}
	}
	for _, flags := range [][]string{
		{"--out", filepath.Join(dir, "z.csv"), "--stream"}, {"--out", "-", "--stream", "--transpose"},
		{"--out", "-", "--stream", "--inverse"}, {"--out", "-", "--rate", "250"}, {"--out", "-", "--in", rec},
	} {
		args := append([]string{"transform", "--model", model, "--in", "-"}, flags...)
		if _, _, err := piped(t, strings.NewReader(text), args...); !errors.Is(err, usage.Err) {
			t.Errorf("%q: %v", flags, err)
		}
	}
}

// A row is written before the next one is there, channels are found by name, and a filter goes on from
// row to row; where a value lacks all results are NaN.
func TestStreamRows(t *testing.T) {
	_, model := liveModel(t)
	in, feed := io.Pipe()
	results, out := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		root := newRoot(func() {})
		root.SetArgs([]string{"transform", "--model", model, "--in", "-", "--out", "-", "--stream", "--highpass",
			"5", "--rate", "250"})
		root.SetIn(in)
		root.SetOut(out)
		root.SetErr(io.Discard)
		err := root.ExecuteContext(t.Context())
		failed <- errors.Join(err, out.Close())
	}()
	next := func(row string) string {
		t.Helper()
		if _, err := io.WriteString(feed, row+"\n"); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 200)
		n, err := results.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(line[:n]))
	}
	if got := next("Oz;note;Fp1;Cz"); got != "note;s1;s2;s3" {
		t.Errorf("header %q", got)
	}
	rng := rand.New(rand.NewPCG(3, 0))
	f := filter.Filter{Highpass: 5}
	var filters [3]*filter.Stream
	for i := range filters {
		filters[i] = f.Stream(250)
	}
	for k := range 50 {
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		got := next(fmt.Sprintf("%.17g;n%d;%.17g;%.17g", x[2], k, x[0], x[1]))
		for i := range x {
			piece := []float64{x[i]}
			filters[i].Apply(piece)
			x[i] = piece[0]
		}
		want := transformed(t, model, x)
		var z [3]float64
		var name string
		if _, err := fmt.Sscanf(strings.ReplaceAll(got, ";", " "), "%s %g %g %g", &name, &z[0], &z[1], &z[2]); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		for i := range z {
			if name != fmt.Sprintf("n%d", k) || math.Abs(z[i]-want[i]) > 1e-9 {
				t.Fatalf("row %d: %q, want %v", k, got, want)
			}
		}
	}
	if got := next("1;x;;2"); got != "x;NaN;NaN;NaN" {
		t.Errorf("without a value %q", got)
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// transformed returns the recovered signals of a position of three channels.
func transformed(t *testing.T, model string, x [3]float64) [3]float64 {
	t.Helper()
	result, err := sica.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	z, err := result.Transform(mat.NewDense(3, 1, x[:]))
	if err != nil {
		t.Fatal(err)
	}
	return [3]float64(mat.Col(nil, 0, z))
}
