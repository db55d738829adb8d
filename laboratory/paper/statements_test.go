package main

import (
	"os"
	"testing"
)

// The committed outcomes have their pages beside them.
func TestCommittedStatements(t *testing.T) {
	for page, flags := range map[string][]string{
		"statements.md": nil, "interpretations.md": {"--interpretations"},
	} {
		args := append([]string{"statements", "--in", "../experiment/results"}, flags...)
		want := must(t, args...)
		got, err := os.ReadFile("../experiment/results/" + page)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("laboratory/experiment/results/%s isn't the output of the command that its first lines name",
				page)
		}
	}
}
