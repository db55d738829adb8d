package experiment_test

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A picture can be drawn from one outcome, and from none it is an error.
func TestPictureNeedsOneOutcome(t *testing.T) {
	for _, f := range experiment.Figures() {
		s := open(t, t.TempDir(), "outcomes")
		if f.Example {
			c := f.Trials(methods.Paper, 1)[0]
			sources, mixed, err := c.Draw()
			if err != nil {
				t.Fatal(err)
			}
			var z mat.Dense
			z.Add(sources, mixed.X())
			add(t, s, &experiment.Outcome{Trial: c}, &z)
		} else {
			if p, err := f.Picture(s.Results, methods.Paper, 1); err == nil {
				t.Errorf("figure %s of no outcome: %v", f.Name, p)
			}
			half := .5
			for _, c := range f.Trials(methods.Paper, 1) {
				if c.Method == "zca" && c.Steps == 10 {
					add(t, s, &experiment.Outcome{Trial: c, MCC: &half}, nil)
				}
			}
		}
		p, err := f.Picture(s.Results, methods.Paper, 1)
		if err != nil {
			t.Fatalf("figure %s: %v", f.Name, err)
		}
		var svg bytes.Buffer
		if err := p.Write(&svg, plot.SVG); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: "truth",
			false: "ZCA (n=1)"}[f.Example]; !strings.Contains(svg.String(), want) &&
			f.Name != "4a" {
			t.Errorf("figure %s doesn't say %q", f.Name, want)
		}
	}
}
