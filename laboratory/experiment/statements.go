package experiment

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// statementsFile has what the paper says of each figure of its experiments, how it is
// tested and, where it doesn't hold with methods.Paper, why.
//
//go:embed statements.json
var statementsFile []byte

// figureStatements are the statements on each figure, by its name.
var figureStatements = sync.OnceValue(func() map[string][]statement {
	var file struct {
		Figures []struct {
			Figure     string      `json:"figure"`
			Statements []statement `json:"statements"`
		} `json:"figures"`
	}
	decode(statementsFile, &file)
	statements := make(map[string][]statement)
	for _, f := range file.Figures {
		statements[f.Figure] = f.Statements
	}
	return statements
})

// decode reads an embedded file of this package. It panics if the file is wrong, which the
// tests would show.
func decode(data []byte, into any) {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		panic(fmt.Sprintf("experiment: an embedded file: %v", err))
	}
}

// ours names a claim that repeats the one before for sica.Default.
const ours = "the same of Default"

// claims tests what the paper says of the figure on the outcomes of a preset's first runs,
// methods.Paper or PrintedPreset, and on the kept signals. In a figure whose points are
// means, a method's single run decides nothing.
func (f Figure) claims(r *Results, p methods.Preset, runs int) ([]claim, error) {
	s := &scores{results: r, problems: f.at(p), first: FirstSeed, runs: runs, minRuns: 2}
	if f.Example || runs == 1 {
		s.minRuns = 1
	}
	var all []claim
	for _, st := range figureStatements()[f.Name] {
		claims, err := s.claims(st)
		if err != nil {
			return nil, err
		}
		all = append(all, claims...)
	}
	return all, nil
}

// text returns the first column of a table of claims.
func (c claim) text() string {
	if c.ours {
		return ours
	}
	return c.paper
}

// WriteClaims writes a Markdown table of what the paper says of the figure, how that was
// put to the test, what the first runs of a preset gave, methods.Paper or PrintedPreset, and
// whether they agree.
func (f Figure) WriteClaims(w io.Writer, r *Results, p methods.Preset, runs int) error {
	claims, err := f.claims(r, p, runs)
	if err != nil {
		return err
	}
	t := newTable("the paper says", "tested as", "measured", "agree?")
	for _, c := range claims {
		t.add(c.text(), c.test, c.measured, c.verdict())
	}
	return t.write(w)
}

// WriteStatements writes, as Markdown, how many of the paper's statements hold in the
// results with methods.Paper and with PrintedPreset, and how many of those on SICA. A table follows
// with each statement that the results measure: its test, what up to PaperRuns runs gave, whether
// they agree and how many runs would decide it where they don't. With reasons it says why a
// statement doesn't hold in the committed results, which that text is about.
func WriteStatements(w io.Writer, r *Results, reasons bool) error {
	presets := [...]methods.Preset{methods.Paper, PrintedPreset}
	var counts [len(presets)]tallies
	head := []string{"figure", "the paper says", "tested as",
		fmt.Sprintf("steps of %g", PaperStepSize), "agree?", "steps of 1, as printed", "agree?",
		fmt.Sprintf("with steps of %g, runs that would decide it", PaperStepSize)}
	if reasons {
		head = append(head, fmt.Sprintf("if not with steps of %g, why", PaperStepSize))
	}
	t := newTable(head...)
	for _, f := range Figures() {
		var tested [len(presets)][]claim
		for k, p := range presets {
			var err error
			if tested[k], err = f.claims(r, p, PaperRuns); err != nil {
				return err
			}
		}
		for i, c := range tested[0] {
			row := []string{f.Name, c.text(), c.test}
			for k := range presets {
				claim := tested[k][i]
				counts[k].count(claim)
				row = append(row, claim.measured, claim.verdict())
			}
			row = append(row, c.needed())
			if reasons {
				row = append(row, c.reason())
			}
			if c.agree != unmeasured || tested[1][i].agree != unmeasured {
				t.add(row...)
			}
		}
	}
	if _, err := fmt.Fprintf(w,
		`The paper's statements on its methods, their rivals and the mixed signals

- with steps of %[1]g: %[2]s
- with steps of 1, as it prints them: %[3]s

those of them on SICA-WGF and SICA-RF

- with steps of %[1]g: %[4]s
- with steps of 1: %[5]s

and the same of Default

- with steps of %[1]g: %[6]s
- with steps of 1: %[7]s

`, PaperStepSize, counts[0].theirs, counts[1].theirs, counts[0].onSICA, counts[1].onSICA,
		counts[0].ours, counts[1].ours); err != nil {
		return err
	}
	return t.write(w)
}

// reason says why the claim doesn't hold, and is "" if it does.
func (c claim) reason() string {
	if c.agree == disagree {
		return c.whyNot
	}
	return ""
}

// tallies are of the claims of the paper, those of them on SICA, and the same of Default.
type tallies struct{ theirs, onSICA, ours tally }

func (t *tallies) count(c claim) {
	if c.ours {
		t.ours.count(c)
		return
	}
	t.theirs.count(c)
	if c.onSICA {
		t.onSICA.count(c)
	}
}

// A tally counts claims: those that hold, that fail, and all, with those that aren't measured. More
// runs could change the undecided ones; see claim.needed.
type tally struct{ held, heldUndecided, failed, failedUndecided, all int }

func (t *tally) count(c claim) {
	t.all++
	undecided := 0
	if c.needed() != "" {
		undecided = 1
	}
	switch c.agree {
	case agree:
		t.held++
		t.heldUndecided += undecided
	case disagree:
		t.failed++
		t.failedUndecided += undecided
	}
}

func (t tally) String() string {
	tested := t.held + t.failed
	if tested == 0 {
		return "not measured"
	}
	text := fmt.Sprintf("%d of %d hold%s; %d don't%s",
		t.held, tested, ofThem(t.heldUndecided), t.failed, ofThem(t.failedUndecided))
	if tested < t.all {
		text += fmt.Sprintf("; %d not measured yet", t.all-tested)
	}
	return text
}

// ofThem says how many of the claims before are undecided, if any.
func ofThem(undecided int) string {
	if undecided == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them undecided", undecided)
}
