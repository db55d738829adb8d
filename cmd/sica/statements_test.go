package main

import (
	"os"
	"testing"
)

// docs/evaluation/statements.md is the page of the committed outcomes.
func TestCommittedStatements(t *testing.T) {
	want := must(t, "statements", "--in", "../../sica/experiment/results")
	got, err := os.ReadFile("../../docs/evaluation/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/evaluation/statements.md isn't what its first lines say: run bin/sica " +
			"statements --in sica/experiment/results > docs/evaluation/statements.md")
	}
}
