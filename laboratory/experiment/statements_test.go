package experiment

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// A tally has the number of claims that hold, of those that don't, of the undecided ones among them,
// and of those that are not measured.
func TestTally(t *testing.T) {
	var c tally
	open := []quantity{{part: "SICA", estimate: estimate{mean: 0.1, se: 0.2, n: 3}}}
	closed := []quantity{{part: "SICA", estimate: estimate{mean: 1, se: 0.01, n: 3}}}
	for _, next := range []claim{{agree: agree, margins: open}, {agree: disagree}, {agree: agree},
		{agree: agree, margins: closed}, {agree: disagree, margins: open}} {
		c.count(next)
	}
	if got, want := c.String(), "3 of 5 hold, 1 of them undecided; 2 don't, 1 of them undecided"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.count(claim{agree: agree, rounded: true, margins: closed})
	c.count(claim{agree: unmeasured})
	if got, want := c.String(),
		"4 of 6 hold, 2 of them undecided; 2 don't, 1 of them undecided; 1 not measured yet"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The table has each claim of each figure, with both presets.
func TestStatements(t *testing.T) {
	var outcomes []Outcome
	for _, f := range Figures() {
		for p, score := range map[methods.Preset]float64{methods.Paper: 0.6, PrintedPreset: 0.99} {
			for _, c := range f.Trials(p, 2) {
				outcomes = append(outcomes, Outcome{Trial: c, MCC: &score})
			}
		}
	}
	var out bytes.Buffer
	r := newResults(fstest.MapFS{}, outcomes)
	if err := WriteStatements(&out, r, true); err != nil {
		t.Fatal(err)
	}
	rows, onSICA, ours := 0, 0, 0
	why := ""
	for _, f := range Figures() {
		claims, err := f.claims(r, methods.Paper, PaperRuns)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			if c.agree != unmeasured { // negatives, without signals
				rows++
			}
			if c.ours {
				ours++
			} else if c.onSICA {
				onSICA++
			}
			if strings.Contains(c.paper, "SICA-RF accurately traces") && !c.ours {
				why = c.whyNot
			}
		}
	}
	if n := strings.Count(out.String(), "\n| ") - 2; n != rows { // less the head and its rule
		t.Errorf("%d rows for %d claims:\n%s", n, rows, out.String())
	}
	if onSICA != ours { // each statement on SICA is repeated
		t.Errorf("%d statements on SICA, %d repeated with this project's settings", onSICA, ours)
	}
	want := "| 3a | the signal recovered by SICA-RF accurately traces the true one | every mean MCC at least 0.95 | " +
		"at least SICA-RF 0.600 (0.000) at J=20 (n=2) | no | at least SICA-RF 0.990 (0.000) at J=20 (n=2) | yes |  | " +
		why + " |\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("without %q:\n%s", want, out.String())
	}
}

// Results of a few trials have rows for what they measure only, and no text about the committed ones.
func TestStatementsOfFewResults(t *testing.T) {
	f, err := FigureNamed("3a")
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []Outcome
	score := 0.9
	for _, trial := range f.Trials(methods.Paper, 1) {
		if trial.Method == "mixed" || trial.Method == "sica" {
			outcomes = append(outcomes, Outcome{Trial: trial, MCC: &score})
		}
	}
	var out bytes.Buffer
	if err := WriteStatements(&out, newResults(fstest.MapFS{}, outcomes), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- with steps of 0.1: 0 of 1 hold; 1 don't; 19 not measured yet\n",
		"- with steps of 1, as it prints them: not measured\n",
		"| at least 0.9802 (n=1) | no |  | not measured |  |\n",
		"| at least Default 0.900 at J=20 (n=1) | no, undecided |  | not measured | of a single run nothing is known |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "\n| "); n != 2+2 {
		t.Errorf("%d rows, want 2, with a head:\n%s", n, out.String())
	}
	if strings.Contains(out.String(), "why") {
		t.Errorf("it has reasons:\n%s", out.String())
	}
}

// For the committed outcomes there is a reason exactly where a statement does not hold with
// methods.Paper.
func TestReasonsAreGivenWhereStatementsFail(t *testing.T) {
	r, err := Read("results", OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Figures() {
		claims, err := f.claims(r, methods.Paper, PaperRuns)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			if given := c.whyNot != ""; given != (c.agree == disagree) {
				t.Errorf("figure %s, %q, ours %v: %s, reason given: %v",
					f.Name, c.paper, c.ours, c.agree, given)
			}
		}
	}
}
