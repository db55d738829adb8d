package main

import (
	"os"
	"testing"
)

// docs/evaluation has the pages of the committed outcomes.
func TestCommittedStatements(t *testing.T) {
	for page, flags := range map[string][]string{
		"statements.md": nil, "interpretations.md": {"--interpretations"},
	} {
		args := append([]string{"statements", "--in", "../../sica/experiment/results"}, flags...)
		want := must(t, args...)
		got, err := os.ReadFile("../../docs/evaluation/" + page)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/evaluation/%s isn't the output of the command that its first lines name",
				page)
		}
	}
}
