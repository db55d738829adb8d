package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

// Recordings are measured once, and the tables have what was measured.
func TestGradesAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	args := []string{"grades", "--only", "Laplace AR(1), 0 surplus", "--runs", "2", "--out", dir}
	first, err := tables(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(first, " s\n"); n != 2 {
		t.Errorf("%d recordings were measured; want 2:\n%s", n, first)
	}
	again, err := tables(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "grades.md"))
	if err != nil || again != string(page) || !strings.Contains(again, "| all others | 12 |") {
		t.Errorf("wrote\n%s\nprinted\n%s\nerror %v", page, again, err)
	}
}

// What the grades promise holds in the committed outcomes, of either part: of the identified
// signals, with as many channels as sources, at most 2 % aren't right.
func TestCommittedGradesHold(t *testing.T) {
	outcomes, err := jsonl.Read[experiment.GradeOutcome](filepath.Join("results", "grades.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"A", "B"} {
		var exact gradeTally
		for _, k := range experiment.GradeSimulations() {
			for _, o := range outcomes {
				for i := range o.Signals {
					if o.Kind == k.Name && k.Part == part && !k.Surplus {
						exact.add(&o.Signals[i])
					}
				}
			}
		}
		if all, right := exact.identified[0], exact.identified[1]; all < 20 || 50*(all-right) > all {
			t.Errorf("part %s: %d of %d identified signals are right", part, right, all)
		}
	}
}

// The table of labels has the committed outcomes of both parts.
func TestLabelsOfCommittedOutcomes(t *testing.T) {
	out, err := tables(t, "labels", "--runs", "0", "--out", copied(t, "labels.jsonl"))
	if err != nil || strings.Count(out, "\n| heartbeat | 0 |") != 2 {
		t.Errorf("error %v\n%s", err, out)
	}
}

// What the labels promise holds in the committed outcomes of part B: at least 80 % of each are right.
func TestCommittedLabelsHold(t *testing.T) {
	outcomes, err := jsonl.Read[experiment.LabelOutcome](filepath.Join("results", "labels.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	all, right := map[string]int{}, map[string]int{}
	for _, k := range experiment.LabelSimulations() {
		for _, o := range outcomes {
			if o.Kind != k.Name || k.Part != "B" {
				continue
			}
			for _, c := range o.Components {
				all[c.Label]++
				if c.Truth == c.Label || c.Label == "" && c.Truth == experiment.Mixture {
					right[c.Label]++
				}
			}
		}
	}
	if len(all) != 9 { // with that of none
		t.Errorf("%d labels", len(all))
	}
	for label, n := range all {
		if 5*right[label] < 4*n {
			t.Errorf("%q: %d of %d are right", label, right[label], n)
		}
	}
}

// copied returns a folder with a copy of a file of committed outcomes.
func copied(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("results", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}
