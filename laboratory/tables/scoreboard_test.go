package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

// The scoreboard writes a line for each case and a table, makes again what is missing only, and
// compares with another run by case.
func TestScoreboard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	args := []string{"scoreboard", "--sets", "linear", "--only", "uniform, d=2", "--backend", "go",
		"--out", dir}
	first, err := tables(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "scoreboard.jsonl")
	scores, err := jsonl.Read[experiment.Score](path, nil)
	if err != nil || len(scores) != 24 || scores[0].Mixture != "uniform, d=2" ||
		scores[0].Seed == scores[1].Seed {
		t.Fatalf("scores %+v, error %v", scores, err)
	}
	if n := strings.Count(first, " s  MCC "); n != 24 ||
		!strings.Contains(first, "\n| linear | 24 | ") {
		t.Errorf("%d cases in\n%s", n, first)
	}
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := lines[:len(lines)-10] // a crash while the last line was written
	if err := os.WriteFile(path, cut, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, made := range []int{1, 0} {
		out, err := tables(t, args...)
		if err != nil || strings.Count(out, " s  MCC ") != made ||
			!strings.Contains(out, "\n| linear | 24 | ") && made > 0 {
			t.Errorf("want %d cases made again; error %v\n%s", made, err, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "scoreboard.md"))
	if err != nil || !strings.HasPrefix(string(page), "| set | n | MCC |") {
		t.Errorf("error %v\n%s", err, page)
	}
	other := t.TempDir()
	out, err := tables(t, append(args, "--out", other, "--against", dir)...)
	if err != nil || !strings.Contains(out, "\n| linear | 24 | +0.0000 ± 0.0000 | 24 → 24 | ") {
		t.Errorf("error %v\n%s", err, out)
	}
	out, err = tables(t, append(args, "--seeds", "3")...) // of those that are made
	if err != nil || !strings.Contains(out, "\n| linear | 3 | ") {
		t.Errorf("error %v\n%s", err, out)
	}
}

func TestScoreboardsErrors(t *testing.T) {
	for _, args := range [][]string{
		{"--part", "C"}, {"--sets", "magic"}, {"--only", "magic"},
		{"--seeds", "-1"}, {"--change", "weather"},
		{"--against", "nowhere"}, {"more"},
	} {
		args = append([]string{"scoreboard", "--backend", "go", "--out", t.TempDir()}, args...)
		if out, err := tables(t, args...); err == nil {
			t.Errorf("%q: no error\n%s", args, out)
		}
	}
}

// Scores with and without a rule are paired.
func TestPairedScores(t *testing.T) {
	score := func(mixture string, mcc, lowest float64, identified int) experiment.Score {
		return experiment.Score{CaseID: experiment.CaseID{Set: "one", Mixture: mixture}, MCC: mcc,
			Lowest: lowest, Signals: 2, IdentifiedSignals: identified, Identified: identified == 2,
			Seconds: 2}
	}
	before := []experiment.Score{score("a", 0.9, 0.8, 2), score("b", 0.95, 0.92, 1)}
	after := []experiment.Score{score("b", 0.95, 0.92, 2), score("a", 0.94, 0.91, 1),
		score("c", 0.5, 0.5, 0)}
	after[0].Seconds = 4
	var page strings.Builder
	writePaired(&page, before, after)
	const want = "| one | 2 | +0.0200 ± 0.0200 | 1 → 2 | 1 → 1 | 1 → 0 | 1 → 1 | 0 → 0 | 2 | 1.50 |\n"
	if !strings.HasSuffix(page.String(), want) {
		t.Errorf("want %s in\n%s", want, page.String())
	}
}
