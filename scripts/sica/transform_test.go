package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// A saved separation maps its signals to what it wrote, and back.
func TestTransform(t *testing.T) {
	dir := generate(t)
	in, z := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "z.csv")
	model, again, back := filepath.Join(dir, "model"), filepath.Join(dir, "again.csv"), filepath.Join(dir, "back.csv")
	must(t, "separate", "--in", in, "--out", z, "--preset", "smoke", "--backend", "go", "--save", model)
	must(t, "transform", "--model", model, "--in", in, "--out", again, "--backend", "go")
	out := must(t, "transform", "--model", model, "--in", z, "--out", back, "--backend", "go", "--inverse")
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
	code, _, stderr := command(t.Context(), "separate", "--in", in, "--out", z, "--preset", "smoke", "--backend", "go", "--save", model)
	if code != exitFailure || !strings.Contains(stderr, "there already") {
		t.Errorf("saved over a folder: exit %d, %q", code, stderr)
	}
	if err := os.WriteFile(filepath.Join(model, "z.npy"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = command(t.Context(), "transform", "--model", model, "--in", in, "--out", again)
	if code != exitFailure || !strings.Contains(stderr, "z.npy was changed") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("a damaged model: exit %d, %q", code, stderr)
	}
}
