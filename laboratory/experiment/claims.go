package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A statement is a sentence of the paper and the test that it is put to, as the data files
// of this package have it.
type statement struct {
	Text string `json:"text"` // in the paper's words, shortened
	Test test   `json:"test"`
	// Methods are those that the sentence is about, Over those that they are compared with.
	Methods []string `json:"methods"`
	Over    []string `json:"over"`
	// Steps are the numbers of mixing steps that count; nil is all.
	Steps []int `json:"steps"`
	// Limit is the test's: a level of MCC, a largest difference, a correlation or a level of
	// significance.
	Limit float64 `json:"limit"`
	// WhyNot says why the statement doesn't hold, in lines of a text.
	WhyNot []string `json:"why_not"`
	// Ours repeats the statement for SICA with this project's settings; nil if it isn't about
	// SICA.
	Ours *struct {
		Methods []string `json:"methods"`
		WhyNot  []string `json:"why_not"`
	} `json:"ours"`
	// Of is which output of the methods is tested; empty is the signals of the figure.
	Of string `json:"of"`
	// OwnRuns is true where the runs of the interpretations decide, in place of the figure's.
	OwnRuns bool `json:"own_runs"`
	// Mixing is "linear" or "GELU" in a statement by which interpretations are compared.
	Mixing string `json:"mixing"`
}

// A test names a way to decide whether a statement holds.
type test string

const (
	atMost             test = "at most"             // every mean MCC is at most Limit
	atLeast            test = "at least"            // every mean MCC is at least Limit
	falls              test = "falls"               // lower at the most steps than at the fewest
	steady             test = "steady"              // a method's means differ by at most Limit
	ahead              test = "ahead"               // above each other method
	significantlyAhead test = "significantly ahead" // the same, by Student's t at level Limit
	notAhead           test = "not ahead"           // below one of the others
	unchanged          test = "unchanged"           // as the other to Limit
	mixedAlike         test = "mixed alike"         // mixed signals have correlations of Limit or more
	upright            test = "upright"             // no image is negative, and some of Over's are
)

// Whether a claim holds.
const (
	agree      = "yes"
	disagree   = "no"
	unmeasured = "not measured" // outcomes that it needs are missing
)

// A claim is a statement with the result of its test.
type claim struct {
	paper    string // the statement's text
	onSICA   bool   // it is of SICA, with the paper's settings or this project's
	ours     bool   // it is of SICA with this project's settings
	test     string // the test in words
	measured string
	agree    string
	whyNot   string
	// margins are by how much each part of the claim holds, below 0 if it doesn't. A test without
	// standard errors has none.
	margins []quantity
	rounded bool // a fall is below minFall
}

// minFall is the smallest fall of a mean MCC that decides a claim: half of the last digit shown.
const minFall = 0.0005

// claims tests a statement and, where there is one, its repetition for SICA with this
// project's settings.
func (s *scores) claims(st statement) ([]claim, error) {
	c, err := s.claim(st)
	c.onSICA, c.whyNot = st.Ours != nil, strings.Join(st.WhyNot, " ")
	if err != nil || st.Ours == nil {
		return []claim{c}, err
	}
	st.Methods = st.Ours.Methods
	ours, err := s.claim(st)
	ours.onSICA, ours.ours, ours.whyNot = true, true, strings.Join(st.Ours.WhyNot, " ")
	return []claim{c, ours}, err
}

// claim tests a statement. Methods with different numbers of runs are compared on those
// that both have.
func (s *scores) claim(st statement) (claim, error) {
	if st.OwnRuns {
		own := *s
		own.first, own.runs = firstInterpretationSeed, interpretationRuns
		s = &own
	}
	c := claim{paper: st.Text, agree: unmeasured}
	var err error
	switch st.Test {
	case atMost:
		c.test = fmt.Sprintf("every mean MCC at most %g", st.Limit)
		levels := s.levels(st.Methods...)
		for _, l := range levels {
			c.margin(l, st.Limit-l.mean)
		}
		if _, high, ok := extremes(levels); ok {
			c.decide(high.mean <= st.Limit, "at most "+high.text)
		}
	case atLeast:
		c.test = fmt.Sprintf("every mean MCC at least %g", st.Limit)
		levels := s.levels(st.Methods...)
		for _, l := range levels {
			c.margin(l, l.mean-st.Limit)
		}
		if low, _, ok := extremes(levels); ok {
			c.decide(low.mean >= st.Limit, "at least "+low.text)
		}
	case falls:
		c.test = "the mean at the most steps is below that at the fewest"
		s.decideFalls(&c, st)
	case steady:
		c.test = fmt.Sprintf("the means differ by at most %g", st.Limit)
		s.decideSteady(&c, st)
	case ahead:
		c.test = "every mean difference on the same runs is above 0"
		c.decideLeads(s.leads(st.Methods, st.Over, st.Steps),
			func(l quantity) bool { return l.mean > 0 })
	case significantlyAhead:
		c.test = fmt.Sprintf("every mean difference on the same runs is above 0 by Student's t, "+
			"at a level of %g", st.Limit)
		leads := s.leads(st.Methods, st.Over, st.Steps)
		leads = slices.DeleteFunc(leads, func(l quantity) bool { return math.IsNaN(l.se) })
		c.decideLeads(leads, func(l quantity) bool {
			return l.mean > l.se*studentQuantile(1-st.Limit/2, l.n-1)
		})
	case notAhead:
		c.test = "the mean difference to one of them on the same runs is below 0"
		s.decideNotAhead(&c, st)
	case unchanged:
		c.test = fmt.Sprintf("every mean difference on the same runs is at most %g", st.Limit)
		s.decideUnchanged(&c, st)
	case mixedAlike:
		c.test = fmt.Sprintf("every pair has a correlation of at least %g", st.Limit)
		err = s.decideMixedAlike(&c, st)
	case upright:
		c.test = "signs of the correlations with the true images, first run"
		err = s.decideUpright(&c, st)
	default:
		err = fmt.Errorf("experiment: statement %q: there is no test %q", st.Text, st.Test)
	}
	if st.Of != "" {
		c.test += " (of " + st.Of + ")"
	}
	return c, err
}

// decide sets what was measured and whether the claim holds.
func (c *claim) decide(holds bool, measured string) {
	c.measured, c.agree = measured, disagree
	if holds {
		c.agree = agree
	}
}

func (s *scores) decideFalls(c *claim, st statement) {
	all := true
	var texts []string
	for _, f := range s.falls(st.Methods...) {
		all = all && f.mean > 0
		c.rounded = c.rounded || math.Abs(f.mean) < minFall
		c.margin(f, f.mean)
		texts = append(texts, f.text)
	}
	if texts != nil {
		c.decide(all, strings.Join(texts, ", "))
	}
}

func (s *scores) decideSteady(c *claim, st statement) {
	maxChange := math.Inf(-1)
	var texts []string
	for _, m := range st.Methods {
		low, high, ok := extremes(s.levels(m))
		if !ok {
			continue
		}
		maxChange = max(maxChange, high.mean-low.mean)
		change := difference(s.runsAt(m, high.steps), s.runsAt(m, low.steps))
		c.margin(quantity{part: labelOf(m), estimate: change}, st.Limit-change.mean)
		texts = append(texts, fmt.Sprintf("%s %.3f to %.3f (n=%d)",
			labelOf(m), low.mean, high.mean, low.n))
	}
	if texts != nil {
		c.decide(maxChange <= st.Limit, strings.Join(texts, ", "))
	}
}

// studentQuantile returns the p-quantile of Student's t with the given degrees of freedom.
func studentQuantile(p float64, freedom int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(p)
}

// decideLeads decides whether all leads hold.
func (c *claim) decideLeads(leads []quantity, holds func(quantity) bool) {
	if len(leads) == 0 {
		return
	}
	held := 0
	for _, l := range leads {
		c.margin(l, l.mean)
		if holds(l) {
			held++
		}
	}
	lowest, _, _ := extremes(leads)
	c.decide(held == len(leads), fmt.Sprintf("%d of %d comparisons; the least lead is %s",
		held, len(leads), lowest.text))
}

func (s *scores) decideNotAhead(c *claim, st statement) {
	all := true
	var texts []string
	for _, m := range st.Methods {
		if lowest, _, ok := extremes(s.leads([]string{m}, st.Over, st.Steps)); ok {
			all = all && lowest.mean < 0
			c.margin(lowest, -lowest.mean)
			texts = append(texts, lowest.text)
		}
	}
	if texts != nil {
		c.decide(all, "the least lead is "+strings.Join(texts, ", "))
	}
}

func (s *scores) decideUnchanged(c *claim, st statement) {
	leads := s.leads(st.Methods, st.Over, st.Steps)
	if len(leads) == 0 {
		return
	}
	largest := slices.MaxFunc(leads, func(a, b quantity) int {
		return cmp.Compare(math.Abs(a.mean), math.Abs(b.mean))
	})
	for _, l := range leads {
		c.margin(l, st.Limit-math.Abs(l.mean))
	}
	c.decide(math.Abs(largest.mean) <= st.Limit,
		fmt.Sprintf("the largest difference is %+.3f%s%s (n=%d)", largest.mean,
			inBrackets(largest.se), stepsText(largest.steps), largest.n))
}

// margin adds a margin of that mean, which varies as the quantity does.
func (c *claim) margin(q quantity, mean float64) {
	q.mean = mean
	c.margins = append(c.margins, q)
}

// needed says how many runs would decide the claim, if means and spreads stayed as they are:
// by Student's t at a level of 0.05, all margins are above 0 then, or one is below. It is ""
// for a claim that is decided or has no margins. A fall below minFall leaves it undecided.
func (c claim) needed() string {
	if c.rounded {
		return "none: the fall rounds to 0"
	}
	var open []string
	var worst quantity // that takes the most runs or, below 0, the fewest
	worstRuns, single := 0, false
	below := slices.ContainsFunc(c.margins, func(m quantity) bool { return m.mean < 0 })
	for _, m := range c.margins {
		if (m.mean < 0) != below {
			continue
		}
		runs := runsToDecide(m.estimate)
		switch {
		case below && runs > 0 && runs <= m.n:
			return "" // it doesn't hold
		case runs == 0:
			single = true
		case runs <= m.n:
		case worstRuns == 0, below && runs < worstRuns, !below && runs > worstRuns:
			worst, worstRuns = m, runs
		}
	}
	if worstRuns > 0 {
		runs := fmt.Sprint(worstRuns)
		if worstRuns >= manyRuns {
			runs = fmt.Sprintf("over %d", manyRuns)
		}
		open = append(open, fmt.Sprintf("%s (%s)", runs, worst.part))
	}
	if single {
		open = append(open, "of a single run nothing is known")
	}
	return strings.Join(open, "; ")
}

// verdict says whether the claim holds, and whether that is undecided.
func (c claim) verdict() string {
	if c.agree != unmeasured && c.needed() != "" {
		return c.agree + ", undecided"
	}
	return c.agree
}

// manyRuns is the largest number of runs that is shown, more than anybody would make. It is a
// choice.
const manyRuns = 10_000

// runsToDecide returns the fewest runs, at least 2, of which the mean differs from 0 by
// Student's t at a level of 0.05, or manyRuns, if mean and spread are as estimated. It returns
// 0 if the spread is unknown.
func runsToDecide(e estimate) int {
	if math.IsNaN(e.se) {
		return 0
	}
	sd := e.se * math.Sqrt(float64(e.n))
	const normal = 1.96
	first := math.Pow(normal*sd/e.mean, 2)
	if !(first < manyRuns) {
		return manyRuns
	}
	n := max(2, int(first))
	for math.Abs(e.mean)*math.Sqrt(float64(n)) < sd*studentQuantile(1-0.05/2, n-1) {
		n++
	}
	return n
}

// decideMixedAlike measures the correlations of the mixed signals after the most steps, in
// the first run, if there are results of it.
func (s *scores) decideMixedAlike(c *claim, st statement) error {
	p := s.problems[len(s.problems)-1]
	p.Seed = s.first
	ofRun := func(o Outcome) bool { return o.Problem == p }
	if !slices.ContainsFunc(s.results.Outcomes(), ofRun) {
		return nil
	}
	_, x, err := p.Draw()
	if err != nil {
		return err
	}
	d, _ := x.Dims()
	lowest := 1.0
	for i := range d {
		for j := range i {
			r := stat.Correlation(x.X().RawRowView(i), x.X().RawRowView(j), nil)
			lowest = min(lowest, math.Abs(r))
		}
	}
	c.decide(lowest >= st.Limit, fmt.Sprintf("at least %.4f (n=1)", lowest))
	return nil
}

// decideUpright counts the negatives among the images of a method and of the one that it is
// compared with, in the signals that were kept of the first run.
func (s *scores) decideUpright(c *claim, st statement) error {
	p := s.problems[0]
	p.Seed = s.first
	sources, _, err := p.Draw()
	if err != nil {
		return err
	}
	var negatives [2]int
	for k, method := range []string{st.Methods[0], st.Over[0]} {
		preset, _ := presetOf(method, methods.Paper)
		z, err := s.results.Signals(Trial{Problem: p, Method: method, Preset: preset})
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if negatives[k], err = countNegatives(z, sources); err != nil {
			return err
		}
	}
	c.decide(negatives[0] == 0 && negatives[1] > 0, fmt.Sprintf("%s %d negatives, %s %d (n=1)",
		labelOf(st.Methods[0]), negatives[0], labelOf(st.Over[0]), negatives[1]))
	return nil
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
