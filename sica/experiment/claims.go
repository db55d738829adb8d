package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Whether a claim holds.
const (
	agree      = "yes"
	disagree   = "no"
	unmeasured = "not measured" // the outcomes that it takes aren't there
)

// A claim is what the paper's section on experiments says of a figure, and what
// came of it here.
type claim struct {
	paper    string // in the paper's words, shortened
	test     string // how it is put to the test
	measured string
	agree    string
}

// The levels of MCC that stand for the paper's words.
const (
	demixed = 0.95 // "successfully de-mixes", "accurately traces"
	alike   = 0.99 // "visually indistinguishable": correlation of the mixed signals
	steady  = 0.02 // "remain steady": the most that the mean may change
)

// significance is the level, to two sides, at which the mean of paired differences is above
// 0 by Student's t for a "significant lead": the usual one.
const significance = .05

// ours follows a claim for SICA.
const ours = "the same of SICA with this project's settings"

// The methods that the paper's claims are about.
var (
	paperSICA = []string{"sica-wgf", "sica-rf"}
	ourSICA   = []string{"sica"}
	paperRest = []string{"fastica", "lica", "pcl", "ivae", "mixed"}
)

// claims tests what the paper says of the figure on the outcomes of a preset's first
// runs, PaperPreset or PrintedPreset, and on the kept signals. A claim for SICA is
// followed by the same of SICA with this project's settings. Where methods have
// different numbers of runs, they are compared on those that both have. Of a figure whose
// points are means, a method's single run says nothing.
func (f Figure) claims(r *Results, p Preset, runs int) ([]claim, error) {
	fewest := 2 // one has no standard error
	if f.Example || runs == 1 {
		fewest = 1
	}
	s := newScores(f.at(p), FirstSeed, runs, fewest, r.Outcomes())
	switch f.Name {
	case "1":
		return []claim{
			s.allBelow("LICA and iVAE fail to de-mix the signals", demixed, "lica", "ivae"),
			s.allAbove("SICA successfully de-mixes the two signals", demixed, paperSICA...),
			s.allAbove(ours, demixed, ourSICA...),
		}, nil
	case "3a":
		mixed, err := mixedAlike("the observed signals are almost visually indistinguishable", f.at(p)[0], FirstSeed)
		return []claim{
			mixed,
			s.allAbove("the signal recovered by SICA-RF accurately traces the true one", demixed, "sica-rf"),
			s.allAbove(ours, demixed, ourSICA...),
		}, err
	case "3b":
		linear := []string{"fastica", "lica", "mixed"}
		return []claim{
			s.fall("the MCC of the SICA methods reduces with the mixing steps", paperSICA...),
			s.fall(ours, ourSICA...),
			s.steady("FastICA and LICA remain steady", "fastica", "lica"),
			s.ahead("in three of four cases, J = 5, 10, 15, SICA outperforms FastICA, LICA and the mixed signals", paperSICA, linear, 5, 10, 15),
			s.ahead(ours, ourSICA, linear, 5, 10, 15),
			s.notAhead("in the fourth, J = 20, it doesn't", paperSICA, linear, 20),
			s.notAhead(ours, ourSICA, linear, 20),
		}, nil
	case "3c":
		over := []string{"fastica", "pcl", "mixed"}
		return []claim{
			s.fall("the MCC of all methods reduces with the mixing steps", slices.Concat(paperRest, paperSICA)...),
			s.fall(ours, ourSICA...),
			s.significantlyAhead("SICA keeps a significant lead over FastICA, PCL and the mixed signals", paperSICA, over),
			s.significantlyAhead(ours, ourSICA, over),
			s.allBelow("iVAE can't achieve an MCC above 0.4", 0.4, "ivae"),
		}, nil
	case "4a":
		mixed, err := mixedAlike("all observed channels are visually identical after mixing", f.at(p)[0], FirstSeed)
		if err != nil {
			return nil, err
		}
		upright, err := f.upright(r, p, "FastICA turns images into negatives; the flows don't", "sica-rf")
		if err != nil {
			return nil, err
		}
		ourUpright, err := f.upright(r, p, ours, ourSICA[0])
		return []claim{
			mixed,
			s.allAbove("SICA-RF correctly disentangles the three images", demixed, "sica-rf"),
			s.allAbove(ours, demixed, ourSICA...),
			s.ahead("the separations given by FastICA are not as clear", []string{"sica-rf"}, []string{"fastica"}),
			s.ahead(ours, ourSICA, []string{"fastica"}),
			upright,
			ourUpright,
		}, err
	case "4b":
		return []claim{
			s.ahead("across all mixing steps SICA stays above the mixed signals", paperSICA, []string{"mixed"}),
			s.ahead(ours, ourSICA, []string{"mixed"}),
			s.ahead("SICA is superior to all linear ICA methods", paperSICA, []string{"fastica", "lica"}),
			s.ahead(ours, ourSICA, []string{"fastica", "lica"}),
		}, nil
	case "4c":
		return []claim{
			s.allBelow("iVAE can't achieve an MCC above 0.55", 0.55, "ivae"),
			s.ahead("SICA keeps the lead among all methods across all mixing steps", paperSICA, paperRest),
			s.ahead(ours, ourSICA, paperRest),
		}, nil
	}
	return nil, nil
}

func verdict(holds bool) string {
	if holds {
		return agree
	}
	return disagree
}

// allBelow claims that the mean of every method is at most limit everywhere.
func (s *scores) allBelow(paper string, limit float64, methods ...string) claim {
	c := claim{paper: paper, test: fmt.Sprintf("every mean MCC at most %g", limit), agree: unmeasured}
	if _, high, ok := extremes(s.levels(methods...)); ok {
		c.measured, c.agree = "at most "+high.String(), verdict(high.mean <= limit)
	}
	return c
}

// allAbove claims that the mean of every method is at least limit everywhere.
func (s *scores) allAbove(paper string, limit float64, methods ...string) claim {
	c := claim{paper: paper, test: fmt.Sprintf("every mean MCC at least %g", limit), agree: unmeasured}
	if low, _, ok := extremes(s.levels(methods...)); ok {
		c.measured, c.agree = "at least "+low.String(), verdict(low.mean >= limit)
	}
	return c
}

// fall claims that every method's mean is lower at the most mixing steps than at
// the fewest.
func (s *scores) fall(paper string, methods ...string) claim {
	c := claim{paper: paper, test: "the mean at the most steps is below that at the fewest", agree: unmeasured}
	falls := s.falls(methods...)
	if len(falls) == 0 {
		return c
	}
	all := true
	var texts []string
	for _, f := range falls {
		all = all && f.mean > 0
		texts = append(texts, f.String())
	}
	c.measured, c.agree = strings.Join(texts, ", "), verdict(all)
	return c
}

// steady claims that no method's mean changes with the mixing steps.
func (s *scores) steady(paper string, methods ...string) claim {
	c := claim{paper: paper, test: fmt.Sprintf("the means differ by at most %g", steady), agree: unmeasured}
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
		c.measured, c.agree = strings.Join(texts, ", "), verdict(most <= steady)
	}
	return c
}

// ahead claims that each method is above each of the others, at the given numbers
// of steps or, without any, at all.
func (s *scores) ahead(paper string, methods, over []string, steps ...int) claim {
	return compare(paper, "every mean difference on the same runs is above 0", s.leads(methods, over, steps),
		func(l lead) bool { return l.mean > 0 })
}

// significantlyAhead is ahead, with the uncertainty of the differences: by 2.1 standard
// errors in 20 runs, by 4.3 in 3.
func (s *scores) significantlyAhead(paper string, methods, over []string) claim {
	leads := s.leads(methods, over, nil)
	leads = slices.DeleteFunc(leads, func(l lead) bool { return math.IsNaN(l.se) })
	return compare(paper, fmt.Sprintf("every mean difference on the same runs is above 0 by Student's t, at a level of %g", significance), leads,
		func(l lead) bool { return l.mean > l.se*studentQuantile(1-significance/2, l.runs-1) })
}

// studentQuantile is that of Student's t of so many degrees of freedom.
func studentQuantile(p float64, freedom int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(p)
}

// compare claims that all leads hold.
func compare(paper, test string, leads []lead, holds func(lead) bool) claim {
	c := claim{paper: paper, test: test, agree: unmeasured}
	if len(leads) == 0 {
		return c
	}
	held := 0
	for _, l := range leads {
		if holds(l) {
			held++
		}
	}
	c.measured = fmt.Sprintf("%d of %d comparisons; the least lead is %s", held, len(leads), leastLead(leads))
	c.agree = verdict(held == len(leads))
	return c
}

// notAhead claims that each method is below one of the others at least.
func (s *scores) notAhead(paper string, methods, over []string, steps ...int) claim {
	c := claim{paper: paper, test: "the mean difference to one of them on the same runs is below 0", agree: unmeasured}
	all := true
	var texts []string
	for _, m := range methods {
		if leads := s.leads([]string{m}, over, steps); len(leads) > 0 {
			least := leastLead(leads)
			all = all && least.mean < 0
			texts = append(texts, least.String())
		}
	}
	if texts != nil {
		c.measured, c.agree = "the least lead is "+strings.Join(texts, ", "), verdict(all)
	}
	return c
}

func leastLead(leads []lead) lead {
	return slices.MinFunc(leads, func(a, b lead) int { return cmp.Compare(a.mean, b.mean) })
}

// mixedAlike claims that every pair of a problem's mixed signals is nearly one
// signal.
func mixedAlike(paper string, p Problem, seed uint64) (claim, error) {
	p.Seed = seed
	_, in, err := p.Draw()
	if err != nil {
		return claim{}, err
	}
	d, _ := in.X.Dims()
	least := 1.0
	for i := range d {
		for j := range i {
			least = min(least, math.Abs(stat.Correlation(in.X.RawRowView(i), in.X.RawRowView(j), nil)))
		}
	}
	return claim{
		paper:    paper,
		test:     fmt.Sprintf("every pair has a correlation of at least %g", alike),
		measured: fmt.Sprintf("at least %.4f (n=1)", least),
		agree:    verdict(least >= alike),
	}, nil
}

// upright claims that a method turns no image into its negative and FastICA does.
func (f Figure) upright(r *Results, preset Preset, paper, method string) (claim, error) {
	c := claim{
		paper: paper,
		test:  "signs of the correlations with the true images, first run",
		agree: unmeasured,
	}
	p := f.at(preset)[0]
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
	flow, err := negatives(method)
	if err == nil {
		var fast int
		if fast, err = negatives("fastica"); err == nil {
			c.measured = fmt.Sprintf("%s %d negatives, %s %d (n=1)", labelOf(method), flow, labelOf("fastica"), fast)
			c.agree = verdict(flow == 0 && fast > 0)
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

// WriteClaims writes a Markdown table of what the paper says of the figure, how that
// was put to the test, what the first runs of a preset gave, PaperPreset or
// PrintedPreset, and whether they agree.
func (f Figure) WriteClaims(w io.Writer, r *Results, p Preset, runs int) error {
	claims, err := f.claims(r, p, runs)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("| the paper says | tested as | measured | agree? |\n| --- | --- | --- | --- |\n")
	for _, c := range claims {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.paper, c.test, c.measured, c.agree)
	}
	_, err = io.WriteString(w, b.String())
	return err
}
