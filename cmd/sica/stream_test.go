package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A long recording is learned from in part, by default or as asked, and recovered,
// mapped and cleaned in blocks: as the same model does it at once, whatever the format.
func TestLongRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("separates 70,000 positions four times")
	}
	const n, rate = 70000, 1000
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 0))
	s, x := mat.NewDense(2, n, nil), new(mat.Dense)
	for i, memory := range []float64{.9, -.5} {
		last := 0.0
		for k := range n {
			last = memory*last + rng.ExpFloat64()*float64(1-2*rng.IntN(2))
			s.Set(i, k, last)
		}
	}
	x.Mul(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), s)
	recording := datasets.Recording{Signals: x, Names: []string{"Fp1", "Cz"}, Rate: rate, Start: 3}
	for _, c := range []struct {
		name, learnOn, says string
		want                int
	}{
		{"timed.csv", "", "70000 positions", n},
		{"rec.npy", "2s", "Learned from 2000 of 70000 positions, as asked", 2000},
		{"rec.wav", "1/10", "Learned from 7000 of 70000 positions, as asked", 7000},
		{"rec.csv", "all", "70000 positions", n},
	} {
		in, out, model := filepath.Join(dir, c.name), filepath.Join(dir,
			"z-"+c.name), filepath.Join(dir, c.name+".model")
		if recording.TimeColumn = ""; c.name == "timed.csv" {
			recording.TimeColumn = "time"
		}
		if err := datasets.WriteRecording(in, &recording); err != nil {
			t.Fatal(err)
		}
		report := filepath.Join(dir, c.name+".report.json")
		args := []string{"separate", "--in", in, "--out", out, "--save", model, "--backend", "go",
			"--json", report}
		if c.learnOn != "" {
			args = append(args, "--learn-on", c.learnOn)
		}
		if said := must(t, args...); !strings.Contains(said, c.says) {
			t.Errorf("%s: printed %q, want %q", c.name, said, c.says)
		}
		if r := readReport(t, report); r.LearnedOn != c.want || r.Positions != n {
			t.Errorf("%s: learned on %d of %d, want %d", c.name, r.LearnedOn, r.Positions, c.want)
		}
		z, err := datasets.ReadRecording(out)
		if err != nil {
			t.Fatal(err)
		}
		if match, err := metric.MCC(z.Signals, s); err != nil || match.MCC < .999 {
			t.Errorf("%s: MCC %.4f (%v)", c.name, match.MCC, err)
		}
		if c.name == "timed.csv" && (z.Rate != rate || z.Start != 3 || z.TimeColumn != "time") {
			t.Errorf("rate %g from %g on, times %q", z.Rate, z.Start, z.TimeColumn)
		}
		result, err := sica.Load(model)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := datasets.ReadRecording(in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := result.Transform(rec.Signals)
		if err != nil {
			t.Fatal(err)
		}
		clean, err := result.Remove(rec.Signals, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		again, cleaned := filepath.Join(dir, "again.npy"), filepath.Join(dir, "clean.npy")
		must(t, "transform", "--model", model, "--in", in, "--out", again, "--backend", "go")
		must(t, "remove", "--model", model, "--in", in, "--out", cleaned, "--components", "2")
		for path, want := range map[string]*mat.Dense{out: want, again: want, cleaned: clean} {
			if got, err := datasets.ReadRecording(path); err != nil || !mat.EqualApprox(got.Signals, want, 1e-5) { // WAV has 24 bits
				t.Errorf("%s: %s isn't what the model makes at once (%v)", c.name,
					filepath.Base(path), err)
			}
		}
		if left, err := datasets.ReadRecording(cleaned); err != nil ||
			!slices.Equal(left.Names, recording.Names) {
			t.Errorf("%s: names %q (%v)", c.name, left.Names, err)
		}
	}

	// Reports and comparisons are about a part, which is the same of the truth.
	truth := filepath.Join(dir, "truth.npy")
	if err := datasets.WriteFile(truth, s); err != nil {
		t.Fatal(err)
	}
	said := must(t, "compare", "--in", filepath.Join(dir, "rec.csv"), "--truth", truth,
		"--methods", "fastica", "--learn-on", "1/7", "--backend", "go")
	if !strings.Contains(said, "about 10000 of 70000 positions") {
		t.Errorf("compare printed %q", said)
	}
	if said := must(t, "report", "--in", filepath.Join(dir, "rec.csv"), "--shape", "70000",
		"--learn-on", "100", "--refits", "0"); !strings.Contains(said, "about 100 of 70000 positions") {
		t.Errorf("report printed %q", said)
	}
	for _, line := range strings.Split(said, "\n")[1:3] {
		if cells := strings.Fields(line); len(cells) < 3 || cells[2] < ".99" {
			t.Errorf("compare printed %q, want an MCC above .99", line)
		}
	}
	kept := filepath.Join(dir, "report.json")
	said = must(t, "report", "--in", filepath.Join(dir, "rec.wav"), "--model",
		filepath.Join(dir,
			"rec.wav.model"), "--learn-on", "100", "--refits", "0", "--json", kept, "--backend",
		"go")
	if d := readDiagnosis(t, kept); !strings.Contains(said, "about 100 of 70000 positions") ||
		d.InputPositions != n || d.Report.Positions != 100 {
		t.Errorf("report printed %q, and kept %d of %d positions", said, d.Report.Positions,
			d.InputPositions)
	}

	in, out := filepath.Join(dir, "rec.csv"), filepath.Join(dir, "none.csv")
	for _, c := range []struct{ learnOn, want string }{
		{"2s", "has no sampling rate"},
		{"x", "use a time such as 60s"}, {"1/0", "use a time"}, {"-5", "must be at least 2"},
		{"1/70000", "is 1 position; must be at least 2"},
	} {
		code, _, stderr := command(t.Context(), "separate", "--in", in, "--out", out, "--learn-on",
			c.learnOn)
		if code != exitUsage || !strings.Contains(stderr, c.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("--learn-on %s: exit %d, %q, want %q", c.learnOn, code, stderr, c.want)
		}
	}
	if code, _, stderr := command(t.Context(), "separate", "--in", in, "--out", out, "--learn-on",
		"1/2", "--method", "sica-wgf", "--preset", "smoke"); code != exitUsage ||
		!strings.Contains(stderr, "--method sica-wgf learns from all positions") {
		t.Errorf("a network that sees all: exit %d, %q", code, stderr)
	}

	// Interrupted while it reads, it leaves nothing behind.
	ctx, cancel := context.WithCancel(t.Context())
	code := run(ctx, []string{"separate", "--in", in, "--out", out, "--backend", "go"},
		&cancelling{cancel: cancel, at: "backend go"}, new(strings.Builder))
	if _, err := os.Stat(out); code != exitInterrupted || err == nil {
		t.Errorf("interrupted: exit %d, %v", code, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}
