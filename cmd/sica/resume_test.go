package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/backend"
)

// An interrupted separation goes on where it was, to the same files as one that
// nobody interrupted, and its state is gone then.
func TestSeparateResumes(t *testing.T) {
	for _, name := range backend.Available() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != backend.Go {
				t.Skip("each separation compiles anew")
			}
			separateResumes(t, name)
		})
	}
}

func separateResumes(t *testing.T, backendName string) {
	dir := generate(t)
	args := func(name string, more ...string) []string {
		out := filepath.Join(dir, name)
		return append([]string{"separate", "--in", filepath.Join(dir, "mixed.csv"), "--out", out +
			".csv", "--json", out + ".json",
			"--preset", "smoke", "--iterations", "4", "--backend", backendName}, more...)
	}
	must(t, args("whole")...)
	for _, flags := range [][]string{{"--resume"}, {"--checkpoint", filepath.Join(dir, "state")}} {
		folder := filepath.Join(dir, "parts.csv.checkpoint")
		if len(flags) > 1 {
			folder = flags[1]
		}
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		if code := run(ctx, args("parts", flags...),
			&cancelling{cancel: cancel, at: "iteration 2/4"}, &stderr); code != exitInterrupted {
			t.Fatalf("exit %d, %q", code, stderr.String())
		}
		if said := stderr.String(); !strings.HasSuffix(said, "sica: interrupted after iteration 2; "+
			filepath.Join(dir, "parts.csv")+" holds iterate 2; run the same command to go on\n") {
			t.Errorf("said %q", said)
		}
		other := args("parts", flags...)
		other[slices.Index(other, "--iterations")+1] = "5"
		if code, _, said := command(t.Context(), other...); code != exitFailure ||
			!strings.Contains(said, folder+" was begun with --iterations 4, not 5; must be continued so") {
			t.Errorf("with more iterations: exit %d, %q", code, said)
		}
		if _, err := os.Stat(folder); err != nil {
			t.Fatal(err)
		}
		out := must(t, args("parts", flags...)...)
		if strings.Contains(out, "iteration 1/4") || !strings.Contains(out, "iteration 4/4") {
			t.Errorf("printed %q", out)
		}
		if read(t, filepath.Join(dir, "parts.csv")) != read(t, filepath.Join(dir, "whole.csv")) {
			t.Error("the resumed separation gave another result")
		}
		if r := readReport(t, filepath.Join(dir, "parts.json")); len(r.Iterations) != 4 ||
			r.Iterations[0].J != 1 || r.Iterations[0].Loss == nil {
			t.Errorf("the report's iterations are %+v", r.Iterations)
		}
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("the state is still there: %v", err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
