package experiment

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// A Table is problems that are separated with some methods, and what its columns show of the
// outcomes. Trials says what has to be made for it, Write writes it.
type Table struct {
	TableOptions
	name     string
	problems []Problem // without seeds
	// positions is the length of mixtures' sequences if no option gives it; 0 is 1024.
	positions int
	// contenders are the methods, with presets and measures but without problems.
	contenders []Trial
	columns    []column
	// layout writes the table; nil is a row for each problem.
	layout func(t *Table, w io.Writer, r *Results) error
	// picture draws the table; nil for none.
	picture func(t *Table, r *Results) (*plot.Picture, error)
}

// Picture draws the table, of the outcomes that there are; nil if it has no picture.
func (t *Table) Picture(r *Results) (*plot.Picture, error) {
	if t.picture == nil {
		return nil, nil
	}
	return t.picture(t, r)
}

// TableOptions choose what a table measures.
type TableOptions struct {
	Seed uint64 // of the first run; the others follow
	Runs int    // at least 1
	// Only keeps the problems whose names contain it.
	Only string
	// Mixtures are in place of the table's problems; see Problem.Mixture.
	Mixtures []string
	// Positions is the length of mixtures' sequences; 0 is 1024.
	Positions int
	// MinSignals and MaxSignals bound the number of signals of mixtures; 0 doesn't.
	MinSignals, MaxSignals int
	// Methods are compared with SICA; nil is those of the table.
	Methods []string
	// SICA is the method that stands for SICA in the table of nonlinear mixtures: sica, if
	// it is empty, sica-direct or sica-rule-linear.
	SICA string
	// Reports asks for a report on each fit of the table of nonlinear mixtures.
	Reports bool
}

// A tableKind is what there is to know of a table before its options.
type tableKind struct {
	name, about string
	methods     []string // that are compared with SICA, if the options name none
	build       func(o TableOptions) (*Table, error)
}

var tableKinds = []tableKind{
	{"quality", "sica.Default beside linear methods, on the paper's and other mixtures",
		[]string{"mixed", "zca", "fastica", "picard", "sobi", "jade"}, qualityTable},
	{"linear", "the linear rule beside its rivals, on kinds of sources",
		[]string{"zca", "fastica", "picard", "sobi", "jade"}, linearTable},
	{"null", "what the linear rule says of mixtures of which nothing is identified", nil, nullTable},
	{"noise", "sica.Default with noise in the channels and more sources than channels",
		[]string{"fastica", "picard", "sobi", "jade"}, noiseTable},
	{"filtered", "the same for recordings through filters and at a higher rate",
		[]string{"fastica", "picard", "sobi"}, filteredTable},
	{"coverage", "how often the truth lies within the error bars of the linear rule",
		nil, coverageTable},
	{"nonlinear", "sica.Default on nonlinear mixtures", []string{"fastica"}, nonlinearTable},
	{"many", "sica.Default on nonlinear mixtures of 10 and 20 signals", []string{"pcl"}, manyTable},
	{"benchmark", "the same from 2 to 20 signals against layers and positions, with a picture",
		[]string{"pcl", "ivae"}, benchmarkTable},
	{"verdicts", "how often report.New is right", nil, verdictTable},
	{"iterates", "the paper's SICA-WGF with one change each, by its iterates", nil, iterateTable},
}

// TableNames returns the names of all tables with what they are about.
func TableNames() (names, about []string) {
	for _, t := range tableKinds {
		names, about = append(names, t.name), append(about, t.about)
	}
	return names, about
}

// NewTable returns the table of a name. It is an error if there is none, if there is no
// run, if an option names no problem or method, or if it names a method twice or one that the table
// has anyway.
func NewTable(name string, o TableOptions) (*Table, error) {
	if o.Runs < 1 {
		return nil, fmt.Errorf("experiment: runs: %d are too few; must be at least 1", o.Runs)
	}
	for _, p := range mixtureProblems(o.Mixtures) {
		if p.Mixture == "" {
			continue
		}
		if _, err := mixtureNamed(p.Mixture); err != nil {
			return nil, err
		}
	}
	kind, err := byName("table", name, tableKinds, func(k tableKind) string { return k.name })
	if err != nil {
		return nil, err
	}
	if o.Methods == nil {
		o.Methods = kind.methods
	}
	table, err := kind.build(o)
	if err != nil {
		return nil, err
	}
	table.name, table.TableOptions = name, o
	if err := table.checkMethods(); err != nil {
		return nil, err
	}
	table.choose()
	if len(table.problems) == 0 {
		return nil, fmt.Errorf("experiment: options: no row is left; must be one with %q in its name "+
			"and of MinSignals to MaxSignals signals", o.Only)
	}
	return table, nil
}

// checkMethods returns an error if a method is there twice: a row has the outcomes by method.
func (t *Table) checkMethods() error {
	seen := make(map[string]bool)
	for _, c := range t.contenders {
		if seen[c.Method] {
			return fmt.Errorf("experiment: methods: %s is there twice; must be once, and the "+
				"table %s may have it anyway", c.Method, t.name)
		}
		seen[c.Method] = true
	}
	return nil
}

// choose keeps the problems that the options ask for.
func (t *Table) choose() {
	if len(t.Mixtures) > 0 {
		t.problems = mixtureProblems(t.Mixtures)
	}
	t.problems = slices.DeleteFunc(t.problems, func(p Problem) bool {
		d := p.signals()
		return !strings.Contains(p.label(), t.Only) ||
			d > 0 && (d < t.MinSignals || t.MaxSignals > 0 && d > t.MaxSignals)
	})
	for i, p := range t.problems {
		if p.Mixture != "" && !strings.Contains(p.Mixture, "digits") {
			t.problems[i].Positions = cmp.Or(t.Positions, p.Positions, t.positions)
		}
	}
}

func mixtureProblems(names []string) []Problem {
	var problems []Problem
	for _, name := range names {
		problems = append(problems, Problem{Mixture: name}.resolved())
	}
	return problems
}

// listed returns the problems of mixtures.
func listed(lists ...[]mixture) []Problem {
	var problems []Problem
	for _, m := range slices.Concat(lists...) {
		problems = append(problems, Problem{Mixture: m.name})
	}
	return problems
}

// contenders are methods with the presets nearest to p, of which each trial measures the same.
func contenders(p methods.Preset, measure string, names ...string) ([]Trial, error) {
	var trials []Trial
	for _, name := range names {
		m, err := methodNamed(name)
		if err != nil {
			return nil, err
		}
		trials = append(trials, Trial{Method: name, Preset: m.Nearest(p), Measure: measure})
	}
	return trials, nil
}

// maxJADE is the largest number of signals that JADE gets: it takes minutes beyond.
const maxJADE = 16

// Trials returns the trials of the table, problem by problem and in each run by run.
func (t *Table) Trials() []Trial {
	var trials []Trial
	for _, p := range t.problems {
		for run := range t.Runs {
			for _, c := range t.contenders {
				if c.Method == "jade" && t.name == "linear" && p.signals() > maxJADE {
					continue
				}
				trials = append(trials, t.trial(p, run, c))
			}
		}
	}
	return trials
}

// trial returns the trial of a contender at a problem in a run.
func (t *Table) trial(p Problem, run int, contender Trial) Trial {
	contender.Problem = p
	contender.Seed = t.Seed + uint64(run)
	return contender
}

// A row is a problem with the outcomes that there are, by method and in the order of runs.
type row struct {
	problem  Problem
	runs     int
	outcomes map[string][]Outcome
}

// A column shows something of a row.
type column struct {
	head string
	cell func(r row) string
}

// row returns that of a problem.
func (t *Table) row(p Problem, r *Results) row {
	outcomes := make(map[string][]Outcome)
	for run := range t.Runs {
		for _, c := range t.contenders {
			if o, ok := r.find(t.trial(p, run, c)); ok {
				outcomes[c.Method] = append(outcomes[c.Method], o)
			}
		}
	}
	return row{p, t.Runs, outcomes}
}

// Write writes the table as Markdown, of the outcomes that there are.
func (t *Table) Write(w io.Writer, r *Results) error {
	if t.layout != nil {
		return t.layout(t, w, r)
	}
	head := []string{"mixture"}
	for _, c := range t.columns {
		head = append(head, c.head)
	}
	out := newTable(head...).numbersFrom(1)
	for _, p := range t.problems {
		row := t.row(p, r)
		if len(row.outcomes) == 0 {
			continue
		}
		cells := []string{p.label()}
		for _, c := range t.columns {
			cells = append(cells, c.cell(row))
		}
		out.add(cells...)
	}
	return out.write(w)
}

// mccs returns the MCCs of a method's runs that gave signals.
func (r row) mccs(method string) []float64 {
	var values []float64
	for _, o := range r.outcomes[method] {
		if o.MCC != nil {
			values = append(values, *o.MCC)
		}
	}
	return values
}

func (r row) seconds(method string) []float64 {
	var values []float64
	for _, o := range r.outcomes[method] {
		values = append(values, o.Seconds)
	}
	return values
}

// numbers returns a method's Numbers of a name, of the runs that have it.
func (r row) numbers(method, name string) []float64 {
	var values []float64
	for _, o := range r.outcomes[method] {
		if v, ok := o.Numbers[name]; ok {
			values = append(values, v)
		}
	}
	return values
}

// sum adds up a method's Numbers of a name.
func (r row) sum(method, name string) float64 {
	total := 0.0
	for _, v := range r.numbers(method, name) {
		total += v
	}
	return total
}

// fourDigits returns the mean of values with its standard error.
func fourDigits(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	e := estimateOf(values)
	if e.n == 1 {
		return fmt.Sprintf("%.4f", e.mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", e.mean, e.se)
}

// text returns a column of the printed value.
func text[V any](head, format string, value func(r row) V) column {
	return column{head, func(r row) string { return fmt.Sprintf(format, value(r)) }}
}

// separated is the column and method of sica.Default.
const separated = "sica"

func qualityTable(o TableOptions) (*Table, error) {
	names := append(slices.Clip(o.Methods), separated)
	all, err := contenders(methods.Default, "", names...)
	t := &Table{contenders: all, problems: qualityProblems()}
	for _, name := range names {
		t.columns = append(t.columns, column{labelOf(name), func(r row) string {
			values := r.mccs(name)
			if len(values) < r.runs {
				return "fails"
			}
			return estimateOf(values).String()
		}})
	}
	t.columns = append(t.columns,
		column{"lead over the best other", func(r row) string { return r.lead(o.Methods) }},
		text("seconds of Default", "%.2f", func(r row) float64 {
			return stat.Mean(r.seconds(separated), nil)
		}))
	return t, err
}

// lead returns the mean difference of sica.Default to the rival of the highest mean MCC, on the same
// runs, with its standard error. Rivals with failed runs don't count.
func (r row) lead(rivals []string) string {
	ours := r.mccs(separated)
	var best []float64
	for _, name := range rivals {
		if v := r.mccs(name); len(v) == len(ours) && (best == nil || stat.Mean(v, nil) > stat.Mean(best, nil)) {
			best = v
		}
	}
	if best == nil || len(ours) < r.runs {
		return "–"
	}
	lead := difference(ours, best)
	return fmt.Sprintf("%+.3f%s", lead.mean, inBrackets(lead.se))
}

// qualityProblems returns the paper's problems, with steps as it prints them, and other mixtures.
func qualityProblems() []Problem {
	var problems []Problem
	add := func(data, mixing string, steps ...int) {
		for _, n := range steps {
			problems = append(problems, Problem{Data: data, Mixing: mixing, Steps: n})
		}
	}
	add(AR7, LinearMixing, 5, 10, 20)
	add(AR7, GELUMixing, 5, 10, 20)
	add(MNIST, LinearMixing, 5, 20)
	add(MNIST, GELUMixing, 5, 20)
	add(Heart, MatrixMixing, 0)
	return append(problems, listed(qualityMixtures())...)
}

// WriteComparison writes sica.Default's mean MCC of each row of the table next to that of other
// results, and says where they differ by more than two standard errors, with a
// legend. It writes nothing if there is no row to compare.
func (t *Table) WriteComparison(w io.Writer, here, other *Results) error {
	out, rows := newTable("mixture", "committed", "here", "").numbersFrom(1), 0
	for _, p := range t.problems {
		now := estimateOf(t.row(p, here).mccs(separated))
		var values []float64
		for _, o := range other.Outcomes() {
			seed := o.Seed
			o.Seed = 0
			if o.Problem == p && o.Method == separated && o.MCC != nil && seed > 0 {
				values = append(values, *o.MCC)
			}
		}
		before := estimateOf(values)
		if now.n < 2 || before.n < 2 {
			continue
		}
		difference, se := now.mean-before.mean, math.Hypot(before.se, now.se)
		says := "the same"
		switch {
		case difference > 2*se:
			says = "better"
		case difference < -2*se:
			says = "worse"
		}
		out.add(p.label(), before.String(), now.String(), says)
		rows++
	}
	if rows == 0 {
		return nil
	}
	if err := out.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\nMean MCC (standard error) of Default: the committed outcomes, and those "+
		"of this run. The\nsame: no significant difference, less than two standard errors if the "+
		"seeds differ.\n")
	return err
}

// rule is the method of the tables of the linear rule.
const rule = "sica-linear"

func linearTable(o TableOptions) (*Table, error) {
	names := append(slices.Clip(o.Methods), rule)
	all, err := contenders(methods.Default, "", names...)
	t := &Table{contenders: all, problems: listed(linearMixtures())}
	for _, name := range names {
		head := name + ": MCC (worst), median seconds"
		t.columns = append(t.columns, column{head, func(r row) string {
			values := r.mccs(name)
			if len(values) == 0 {
				return "–"
			}
			return fmt.Sprintf("%s (%.3f) %.2f s", fourDigits(values), slices.Min(values),
				stats.Quantile(0.5, r.seconds(name)))
		}})
	}
	t.columns = append(t.columns,
		text("rule − best", "%+.4f", func(r row) float64 {
			best := 0.0
			for _, name := range o.Methods {
				if values := r.mccs(name); len(values) > 0 {
					best = max(best, stat.Mean(values, nil))
				}
			}
			return stat.Mean(r.mccs(rule), nil) - best
		}),
		text("groups", "%v", func(r row) []float64 { return r.numbers(rule, groupCount) }),
		text("least evidence", "%.1f", func(r row) float64 {
			return stats.Quantile(0, r.numbers(rule, minPairEvidence))
		}))
	return t, err
}

func nullTable(TableOptions) (*Table, error) {
	all, err := contenders(methods.Default, "", rule)
	t := &Table{contenders: all, problems: listed(nullMixtures())}
	quantiles := func(head, name string) column {
		return column{head, func(r row) string {
			v := r.numbers(rule, name)
			return fmt.Sprintf("%.1f, %.1f, %.1f, %.1f",
				stats.Quantile(0.5, v), stats.Quantile(0.95, v), stats.Quantile(0.98, v),
				stats.Quantile(1, v))
		}}
	}
	t.columns = []column{
		text("n", "%d", func(r row) int { return len(r.outcomes[rule]) }),
		text("identified", "%d", func(r row) int {
			n := 0
			for _, groups := range r.numbers(rule, groupCount) {
				if groups > 1 {
					n++
				}
			}
			return n
		}),
		text("whitening left", "%.0f", func(r row) float64 {
			return float64(len(r.outcomes[rule])) - r.sum(rule, whiteningKept)
		}),
		quantiles("evidence of the rotation: 50, 95, 98, 100 %", rotationEvidence),
		quantiles("of the best pair", maxPairEvidence),
	}
	return t, err
}

func coverageTable(TableOptions) (*Table, error) {
	all, err := contenders(methods.Default, measureCoverage, rule)
	t := &Table{contenders: all, problems: listed(linearMixtures())}
	perShare := func(r row, name string) float64 {
		return r.sum(rule, name) / max(r.sum(rule, shareCount), 1)
	}
	t.columns = []column{
		text("fits", "%d", func(r row) int { return len(r.outcomes[rule]) }),
		text("pairs", "%.0f", func(r row) float64 { return r.sum(rule, pairCount) }),
		text("identified", "%.0f", func(r row) float64 { return r.sum(rule, identifiedPairs) }),
		text("coverage", "%.3f", func(r row) float64 { return perShare(r, coveredShares) }),
		text("wrong", "%.0f", func(r row) float64 { return r.sum(rule, wrongShares) }),
		text("share", "%.4f", func(r row) float64 { return math.Sqrt(perShare(r, squaredShares)) }),
		text("its SE", "%.4f", func(r row) float64 { return math.Sqrt(perShare(r, squaredErrors)) }),
		text("1 − MCC", "%.5f", func(r row) float64 {
			sum := 0.0
			for _, o := range r.outcomes[rule] {
				if _, ok := o.Numbers[expectedError]; ok && o.MCC != nil {
					sum += 1 - *o.MCC
				}
			}
			return sum / float64(r.runs)
		}),
		text("expected", "%.5f", func(r row) float64 {
			return r.sum(rule, expectedError) / float64(r.runs)
		}),
	}
	return t, err
}

// rightRank is the smallest MCC of ranks of signals that count as the sources. It is a
// choice: "MCC < 0.90" of the verdicts' table is its other side.
const rightRank = 0.9

func nonlinearTable(o TableOptions) (*Table, error) {
	name, measure := cmp.Or(o.SICA, separated), ""
	if o.Reports {
		measure = measureBriefReport
	}
	all, err := contenders(methods.Paper, "", append([]string{"zca"}, o.Methods...)...)
	if err != nil {
		return nil, err
	}
	ours, err := contenders(methods.Default, measure, name)
	if err != nil {
		return nil, err
	}
	t := &Table{contenders: append(all, ours...), problems: mixtureProblems([]string{
		"laplace-2-leaky1", "laplace-2-leaky2", "laplace-2-leaky3",
	})}
	mean := func(head, method string) column {
		return text(head, "%s", func(r row) string { return fourDigits(r.mccs(method)) })
	}
	count := func(r row, holds func(o Outcome) bool) int {
		n := 0
		for _, o := range r.outcomes[name] {
			if holds(o) {
				n++
			}
		}
		return n
	}
	// pair returns two columns: the runs that are said to be separated, and those of them that are.
	pair := func(head string, says func(o Outcome) bool) []column {
		isRight := func(o Outcome) bool {
			return says(o) && o.RankMCC != nil && *o.RankMCC >= rightRank
		}
		return []column{
			text(head, "%d", func(r row) int { return count(r, says) }),
			text("of ranks ≥ 0.9", "%d", func(r row) int { return count(r, isRight) }),
		}
	}
	t.columns = []column{
		text("T", "%d", func(r row) int { return cmp.Or(r.problem.Positions, mixturePositions) }),
		text("n", "%d", func(r row) int { return len(r.outcomes[name]) }),
		mean("whitened", "zca"),
	}
	for _, rival := range o.Methods {
		t.columns = append(t.columns, mean(labelOf(rival), rival))
	}
	t.columns = append(t.columns,
		mean(labelOf(name), name),
		text("least", "%.4f", func(r row) float64 { return stats.Quantile(0, r.mccs(name)) }),
		text("ranks", "%s", func(r row) string {
			var ranks []float64
			for _, o := range r.outcomes[name] {
				if o.RankMCC != nil {
					ranks = append(ranks, *o.RankMCC)
				}
			}
			return fourDigits(ranks)
		}),
		text("networks tried", "%.0f", func(r row) float64 { return r.sum(name, networkTried) }),
		text("chosen", "%.0f", func(r row) float64 { return r.sum(name, networkChosen) }),
	)
	t.columns = append(t.columns, pair("identified", func(o Outcome) bool {
		return o.Numbers[networkIdentified] == 1
	})...)
	if o.Reports {
		t.columns = append(t.columns, pair("reported separated", func(o Outcome) bool {
			return o.Report != nil && o.Report.Verdict == report.Separated
		})...)
	}
	t.columns = append(t.columns, text("median seconds", "%.2f", func(r row) float64 {
		return stats.Quantile(0.5, r.seconds(name))
	}))
	return t, nil
}

// verdictFits are the separations that are judged, with their names in the table: whitening
// alone leaves most of these mixtures mixed.
var verdictFits = []struct{ method, name string }{
	{"sica", "Default"},
	{"sica-whitening", "whitening alone"},
}

// verdictTable has the mixtures of the quality table and the hard ones, without near copies of one
// another and without those that take minutes.
func verdictTable(TableOptions) (*Table, error) {
	excluded := []string{
		"AR(7), linear, J=10", "AR(7), linear, J=20", "AR(7), GELU, J=10",
		"MNIST d=3, linear, J=20", "MNIST d=3, GELU, J=5", "AR(7) d=4, linear, J=5",
		"Laplace AR(1) d=8, random A", "Gaussian AR, eight spectra, random A",
		"MNIST d=8, random A", "Laplace d=32, random A",
	}
	problems := append(qualityProblems(), listed(hardMixtures())...)
	problems = slices.DeleteFunc(problems, func(p Problem) bool {
		return slices.Contains(excluded, p.label())
	})
	var names []string
	for _, fit := range verdictFits {
		names = append(names, fit.method)
	}
	all, err := contenders(methods.Default, measureReport, names...)
	return &Table{contenders: all, problems: problems, layout: (*Table).writeVerdicts}, err
}

// verdictColumns are the verdicts with their names in the tables.
var verdictColumns = []struct {
	verdict report.Verdict
	short   string
}{
	{report.Separated, "separated"},
	{report.NotIdentifiable, "not identifiable"},
	{report.NoEvidence, "no evidence"},
}

// verdictBands are the kinds of separation by which verdicts are counted.
var verdictBands = []struct {
	name string
	has  func(mcc, ranks float64) bool
}{
	{"MCC ≥ 0.95", func(mcc, _ float64) bool { return mcc >= 0.95 }},
	{"0.90 ≤ MCC < 0.95", func(mcc, _ float64) bool { return mcc >= 0.9 && mcc < 0.95 }},
	{"MCC < 0.90", func(mcc, _ float64) bool { return mcc < 0.9 }},
	// Signals that are each distorted by themselves keep their ranks.
	{"of these, by ranks too", func(mcc, ranks float64) bool { return mcc < 0.9 && ranks < 0.9 }},
}

// writeVerdicts writes how often each verdict was given in each band, and the MCCs by
// problem and fit.
func (t *Table) writeVerdicts(w io.Writer, r *Results) error {
	counts := make(map[report.Verdict][]int)
	head := []string{"mixture", "fit"}
	for _, c := range verdictColumns {
		counts[c.verdict] = make([]int, len(verdictBands))
		head = append(head, c.short)
	}
	byProblem := newTable(head...)
	for _, p := range t.problems {
		row := t.row(p, r)
		for _, fit := range verdictFits {
			mccs := countVerdicts(row.outcomes[fit.method], counts)
			if len(mccs) == 0 {
				continue
			}
			cells := []string{p.label(), fit.name}
			for _, c := range verdictColumns {
				cells = append(cells, countAndRange(mccs[c.verdict]))
			}
			byProblem.add(cells...)
		}
	}
	head = []string{"verdict"}
	for _, band := range verdictBands {
		head = append(head, band.name)
	}
	byBand := newTable(head...).numbersFrom(1)
	for _, c := range verdictColumns {
		cells := []string{c.short}
		for _, n := range counts[c.verdict] {
			cells = append(cells, fmt.Sprint(n))
		}
		byBand.add(cells...)
	}
	if err := byBand.write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return byProblem.write(w)
}

// countVerdicts returns the MCCs with each verdict, and adds them to the counts in each band.
func countVerdicts(
	outcomes []Outcome, counts map[report.Verdict][]int,
) map[report.Verdict][]float64 {
	mccs := make(map[report.Verdict][]float64)
	for _, o := range outcomes {
		if o.MCC == nil || o.RankMCC == nil || o.Report == nil {
			continue
		}
		v := o.Report.Verdict
		mccs[v] = append(mccs[v], *o.MCC)
		for k, band := range verdictBands {
			if band.has(*o.MCC, *o.RankMCC) && counts[v] != nil {
				counts[v][k]++
			}
		}
	}
	return mccs
}

// countAndRange says how many values there are, with the smallest and the largest.
func countAndRange(values []float64) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 (%.3f)", values[0])
	}
	return fmt.Sprintf("%d (%.3f–%.3f)", len(values), slices.Min(values), slices.Max(values))
}

// iterateRows are sica.PaperWGF and one change of it each. The last two are no
// interpretations of the paper: they show what is missing.
var iterateRows = []struct{ method, name string }{
	{"sica-wgf", "as `PaperWGF`"},
	{"sica-wgf-slow", "η = 0.1"},
	{"sica-wgf-fast", "η = 10"},
	{"sica-wgf-raw", "as they are mixed, η = 1"},
	{"sica-wgf-raw-200", "as they are mixed, η = 200"},
	{"sica-wgf-standardised", "standardised after each iteration"},
	{"sica-wgf-warm", "networks go on"},
	{"sica-wgf-fresh", "new permutations each epoch"},
	{"sica-wgf-rate", "learning rate 1e-3"},
	{"sica-wgf-zca", "from ZCA"},
}

// iterateTable has the problems of the paper on which SICA-WGF takes seconds.
func iterateTable(TableOptions) (*Table, error) {
	var names []string
	for _, r := range iterateRows {
		names = append(names, r.method)
	}
	all, err := contenders(methods.Paper, measureIterates, names...)
	return &Table{contenders: all, layout: (*Table).writeIterates, problems: []Problem{
		{Data: AR7, Mixing: LinearMixing, Steps: 5},
		{Data: AR7, Mixing: GELUMixing, Steps: 5},
		{Data: Heart, Mixing: MatrixMixing},
	}}, err
}

// writeIterates writes a row for each change: the mean MCC of the results and, as oracle, of
// the iterates that the truth says are best.
func (t *Table) writeIterates(w io.Writer, r *Results) error {
	head := []string{plot.SICAWGF}
	rows := make([]row, len(t.problems))
	for i, p := range t.problems {
		head = append(head, p.label(), "oracle")
		rows[i] = t.row(p, r)
	}
	out := newTable(head...).numbersFrom(1)
	for _, change := range iterateRows {
		cells := []string{change.name}
		for _, row := range rows {
			var last, best []float64
			for _, o := range row.outcomes[change.method] {
				if o.Best < len(o.Iterates) {
					last = append(last, o.Iterates[o.Best])
					best = append(best, slices.Max(o.Iterates))
				}
			}
			if len(last) < 2 {
				cells = append(cells, "–", "–")
				continue
			}
			cells = append(cells, estimateOf(last).String(), estimateOf(best).String())
		}
		out.add(cells...)
	}
	return out.write(w)
}
