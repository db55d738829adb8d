//go:build ablation

package main

import (
	"strings"
	"testing"
)

// Rules that are off make scores of their own, which are compared with those of all rules.
func TestScoreboardWithoutRules(t *testing.T) {
	args := []string{"scoreboard", "--sets", "linear", "--only", "uniform, d=2", "--backend", "go",
		"--out", t.TempDir(), "--without", "nearlyasgood,drift"}
	for _, made := range []int{48, 0} {
		out, err := tables(t, args...)
		if err != nil || strings.Count(out, " s  MCC ") != made ||
			!strings.Contains(out, "After: without nearlyasgood,drift.") ||
			strings.Count(out, "\n| linear | 24 | ") < 1 {
			t.Errorf("want %d cases made; error %v\n%s", made, err, out)
		}
	}
	if out, err := tables(t, append(args, "--without", "magic")...); err == nil {
		t.Errorf("no error of an unknown rule\n%s", out)
	}
}
