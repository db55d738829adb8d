package experiment

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// The rival reading has the size inside the nonlinearity, x + GELU(δ·W·x), and its
// linear mixing is that of the size outside.
func TestInnerMixing(t *testing.T) {
	p := Problem{Data: AR7, Mixing: innerMixing, Steps: 1, StepSize: 0.3, Seed: 5}
	s, in, err := p.Draw()
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(datasets.PaperW(2), s)
	want.Apply(func(i, k int, v float64) float64 { return s.At(i, k) + datasets.GELU(0.3*v) }, &want)
	if !mat.EqualApprox(in.X, &want, 1e-14) {
		t.Error("a step isn't x + GELU(0.3·W·x)")
	}
	inner, outer := readings[len(readings)-1], readings[2]
	if inner.gelu != innerMixing || outer.gelu != GELUMixing {
		t.Fatalf("the readings are %+v and %+v", inner, outer)
	}
	for k, problem := range inner.linear() {
		if problem != outer.linear()[k] {
			t.Errorf("the linear mixing is %+v inside and %+v outside", problem, outer.linear()[k])
		}
	}
}

// No reading is tried on a figure's run.
func TestReadingCells(t *testing.T) {
	figures := make(map[Cell]bool)
	for _, f := range Figures() {
		for _, p := range []Preset{PaperPreset, PrintedPreset} {
			for _, c := range f.Cells(p, PaperRuns) {
				figures[c] = true
			}
		}
	}
	for _, c := range ReadingCells() {
		if figures[c] {
			t.Errorf("%s is a figure's, too", c)
		}
	}
}

// A reading that gives what the paper reports has "yes" in every column, but for the
// mixed signals, which are drawn; one in which SICA is ahead at J = 20 too hasn't.
func TestReadingTables(t *testing.T) {
	var outcomes []Outcome
	for _, c := range ReadingCells() {
		score := 0.85
		switch {
		case c.Mixing != LinearMixing:
			score -= float64(c.Steps) / 100
			if c.Method == "sica-wgf" {
				score += 0.1
			}
		case c.Method == "sica-wgf":
			score = 0.98
			if c.StepSize == 0.1 {
				score -= float64(c.Steps) / 100
			} else {
				score -= float64(c.Steps) / 1000
			}
		}
		outcomes = append(outcomes, Outcome{Cell: c, MCC: &score})
	}
	var out bytes.Buffer
	if err := WriteReadings(&out, newResults(t.TempDir(), outcomes)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"(n=1) | yes | yes | yes | yes | yes |\n| x + 0.05·h(W·x)", // the line of 0.1
		"(n=1) | yes | yes | no | yes | yes |\n| x + h(0.1·W·x)",   // that of 0.05
		"| GELU, x + 0.1·h(W·x) | 0.800 (0.000) | 0.900 (0.000) |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}
}
