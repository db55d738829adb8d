package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A Verdict is whether a claim of the paper holds in our measurements.
type Agreement string

const (
	// Agree: it holds.
	Agree Agreement = "yes"
	// Disagree: it doesn't.
	Disagree Agreement = "no"
	// Unmeasured: the outcomes that it takes aren't there.
	Unmeasured Agreement = "not measured"
)

// A Claim is what the paper's section on experiments says of a figure, and what
// came of it here.
type Claim struct {
	Paper    string // in the paper's words, shortened
	Test     string // how it is put to the test
	Measured string
	Agree    Agreement
}

// The levels of MCC that stand for the paper's words.
const (
	demixed = 0.95 // "successfully de-mixes", "accurately traces"
	alike   = 0.99 // "visually indistinguishable": correlation of the mixed signals
	steady  = 0.02 // "remain steady": the most that the mean may change
)

// ours follows a claim for SICA.
const ours = "the same of SICA with this project's settings"

// The methods that the paper's claims are about.
var (
	paperSICA = []string{"sica-wgf", "sica-rf"}
	paperRest = []string{"fastica", "lica", "pcl", "ivae", "mixed"}
)

// Claims tests what the paper says of the figure on the outcomes of its first
// runs with the paper's settings, and on the kept signals. A claim for SICA is
// followed by the same of SICA with this project's settings. Where methods have
// different numbers of runs, they are compared on those that both have.
func (f Figure) Claims(r *Results, runs int) ([]Claim, error) {
	s := newScores(f, r.Outcomes(), runs)
	always := func(int) bool { return true }
	switch f.Name {
	case "1":
		return []Claim{
			s.allBelow("LICA and iVAE fail to de-mix the signals", demixed, "lica", "ivae"),
			s.allAbove("SICA successfully de-mixes the two signals", demixed, paperSICA...),
			s.allAbove(ours, demixed, "sica"),
		}, nil
	case "3a":
		mixed, err := f.mixedAlike("the observed signals are almost visually indistinguishable")
		return []Claim{
			mixed,
			s.allAbove("the signal recovered by SICA-RF accurately traces the true one", demixed, "sica-rf"),
			s.allAbove(ours, demixed, "sica"),
		}, err
	case "3b":
		return []Claim{
			s.fall("the MCC of the SICA methods reduces with the mixing steps", paperSICA...),
			s.steady("FastICA and LICA remain steady", "fastica", "lica"),
			s.ahead("at J = 5, 10, 15 SICA outperforms FastICA, LICA and the mixed signals", paperSICA,
				[]string{"fastica", "lica", "mixed"}, func(steps int) bool { return steps < 20 }),
			s.ahead(ours, []string{"sica"},
				[]string{"fastica", "lica", "mixed"}, func(steps int) bool { return steps < 20 }),
		}, nil
	case "3c":
		return []Claim{
			s.fall("the MCC of all methods reduces with the mixing steps", append(paperRest, paperSICA...)...),
			s.ahead("SICA keeps a significant lead over FastICA, PCL and the mixed signals", paperSICA,
				[]string{"fastica", "pcl", "mixed"}, always),
			s.ahead(ours, []string{"sica"},
				[]string{"fastica", "pcl", "mixed"}, always),
			s.allBelow("iVAE can't achieve an MCC above 0.4", 0.4, "ivae"),
		}, nil
	case "4a":
		mixed, err := f.mixedAlike("all observed channels are visually identical after mixing")
		if err != nil {
			return nil, err
		}
		upright, err := f.upright(r)
		return []Claim{
			mixed,
			s.allAbove("SICA-RF correctly disentangles the three images", demixed, "sica-rf"),
			s.allAbove(ours, demixed, "sica"),
			s.ahead("the separations given by FastICA are not as clear", []string{"sica-rf"}, []string{"fastica"}, always),
			upright,
		}, err
	case "4b":
		return []Claim{
			s.ahead("across all mixing steps SICA stays above the mixed signals", paperSICA, []string{"mixed"}, always),
			s.ahead(ours, []string{"sica"}, []string{"mixed"}, always),
			s.ahead("SICA is superior to all linear ICA methods", paperSICA, []string{"fastica", "lica"}, always),
			s.ahead(ours, []string{"sica"}, []string{"fastica", "lica"}, always),
		}, nil
	case "4c":
		return []Claim{
			s.allBelow("iVAE can't achieve an MCC above 0.55", 0.55, "ivae"),
			s.ahead("SICA keeps the lead among all methods across all mixing steps", paperSICA, paperRest, always),
			s.ahead(ours, []string{"sica"}, paperRest, always),
		}, nil
	}
	return nil, nil
}

func verdict(agree bool) Agreement {
	if agree {
		return Agree
	}
	return Disagree
}

// allBelow claims that the mean of every method is at most limit everywhere.
func (s *scores) allBelow(paper string, limit float64, methods ...string) Claim {
	c := Claim{Paper: paper, Test: fmt.Sprintf("every mean MCC at most %g", limit), Agree: Unmeasured}
	if _, high, ok := extremes(s.levels(methods...)); ok {
		c.Measured, c.Agree = "at most "+high.String(), verdict(high.mean <= limit)
	}
	return c
}

// allAbove claims that the mean of every method is at least limit everywhere.
func (s *scores) allAbove(paper string, limit float64, methods ...string) Claim {
	c := Claim{Paper: paper, Test: fmt.Sprintf("every mean MCC at least %g", limit), Agree: Unmeasured}
	if low, _, ok := extremes(s.levels(methods...)); ok {
		c.Measured, c.Agree = "at least "+low.String(), verdict(low.mean >= limit)
	}
	return c
}

// fall claims that every method's mean is lower at the most mixing steps than at
// the fewest.
func (s *scores) fall(paper string, methods ...string) Claim {
	c := Claim{Paper: paper, Test: "the mean at the most steps is below that at the fewest", Agree: Unmeasured}
	falls := s.falls(methods...)
	if len(falls) == 0 {
		return c
	}
	agree := true
	var texts []string
	for _, f := range falls {
		agree = agree && f.mean > 0
		texts = append(texts, f.String())
	}
	c.Measured, c.Agree = strings.Join(texts, ", "), verdict(agree)
	return c
}

// steady claims that no method's mean changes with the mixing steps.
func (s *scores) steady(paper string, methods ...string) Claim {
	c := Claim{Paper: paper, Test: fmt.Sprintf("the means differ by at most %g", steady), Agree: Unmeasured}
	most := math.Inf(-1)
	var texts []string
	for _, m := range methods {
		low, high, ok := extremes(s.levels(m))
		if !ok {
			continue
		}
		most = max(most, high.mean-low.mean)
		texts = append(texts, fmt.Sprintf("%s %.3f to %.3f (n=%d)", labelOf(m), low.mean, high.mean, low.runs))
	}
	if texts != nil {
		c.Measured, c.Agree = strings.Join(texts, ", "), verdict(most <= steady)
	}
	return c
}

// ahead claims that each method is above each of the others everywhere.
func (s *scores) ahead(paper string, methods, over []string, keep func(steps int) bool) Claim {
	c := Claim{Paper: paper, Test: "every mean difference on the same runs is above 0", Agree: Unmeasured}
	leads := s.leads(methods, over, keep)
	if len(leads) == 0 {
		return c
	}
	held, least := 0, leads[0]
	for _, l := range leads {
		if l.mean > 0 {
			held++
		}
		if l.mean < least.mean {
			least = l
		}
	}
	c.Measured = fmt.Sprintf("%d of %d comparisons; the least lead is %s", held, len(leads), least)
	c.Agree = verdict(held == len(leads))
	return c
}

// mixedAlike claims that every pair of the first run's mixed signals is nearly one
// signal.
func (f Figure) mixedAlike(paper string) (Claim, error) {
	p := f.problems[0]
	p.Seed = FirstSeed
	_, in, err := p.Draw()
	if err != nil {
		return Claim{}, err
	}
	d, _ := in.X.Dims()
	least := 1.0
	for i := range d {
		for j := range i {
			least = min(least, math.Abs(stat.Correlation(in.X.RawRowView(i), in.X.RawRowView(j), nil)))
		}
	}
	return Claim{
		Paper:    paper,
		Test:     fmt.Sprintf("every pair has a correlation of at least %g", alike),
		Measured: fmt.Sprintf("at least %.4f", least),
		Agree:    verdict(least >= alike),
	}, nil
}

// upright claims that the flow turns no image into its negative and FastICA does.
func (f Figure) upright(r *Results) (Claim, error) {
	c := Claim{
		Paper: "FastICA turns images into negatives; the flows don't",
		Test:  "signs of the correlations with the true images, first run",
		Agree: Unmeasured,
	}
	p := f.problems[0]
	p.Seed = FirstSeed
	sources, _, err := p.Draw()
	if err != nil {
		return c, err
	}
	negatives := func(method string) (int, error) {
		preset, _ := presetOf(method, PaperPreset)
		z, err := r.Signals(Cell{Problem: p, Method: method, Preset: preset})
		if err != nil {
			return 0, err
		}
		return countNegatives(z, sources)
	}
	flow, err := negatives("sica-rf")
	if err == nil {
		var fast int
		if fast, err = negatives("fastica"); err == nil {
			c.Measured = fmt.Sprintf("%s %d negatives, %s %d", labelOf("sica-rf"), flow, labelOf("fastica"), fast)
			c.Agree = verdict(flow == 0 && fast > 0)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	return c, err
}

func countNegatives(z, sources *mat.Dense) (int, error) {
	m, err := metric.MCC(z, sources)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range m.Correlation {
		if c < 0 {
			n++
		}
	}
	return n, nil
}

// WriteClaims writes the claims as a Markdown table.
func WriteClaims(w io.Writer, claims []Claim) error {
	var b strings.Builder
	b.WriteString("| the paper says | tested as | measured | agree? |\n| --- | --- | --- | --- |\n")
	for _, c := range claims {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Paper, c.Test, c.Measured, c.Agree)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
