package experiment

import (
	"cmp"
	"errors"
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
	// rivals are methods with the presets nearest to preset, by default methods.Default. Of ours
	// the measure is made, too.
	rivals, ours []string
	preset       methods.Preset
	measure      string
	contenders   []Trial // all of them, without problems
	columns      []column
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
}

// A tableKind is what there is to know of a table before its options.
type tableKind struct {
	name, about string
	methods     []string // that are compared with SICA, if the options name none
	build       func(o TableOptions) *Table
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
	table := kind.build(o)
	table.name, table.TableOptions = name, o
	preset := cmp.Or(table.preset, methods.Default)
	err = errors.Join(table.add(preset, "", table.rivals),
		table.add(methods.Default, table.measure, table.ours))
	if err != nil {
		return nil, err
	}
	table.choose()
	if len(table.problems) == 0 {
		return nil, fmt.Errorf("experiment: options: no row is left; must be one with %q in its name "+
			"and of MinSignals to MaxSignals signals", o.Only)
	}
	return table, nil
}

// add adds methods with the presets nearest to p, of which each trial measures the same. It is an
// error if a method is unknown or there twice: a row has the outcomes by method.
func (t *Table) add(p methods.Preset, measure string, names []string) error {
	for _, name := range names {
		if slices.ContainsFunc(t.contenders, func(c Trial) bool { return c.Method == name }) {
			return fmt.Errorf("experiment: methods: %s is there twice; must be once, and the "+
				"table %s may have it anyway", name, t.name)
		}
		m, err := methodNamed(name)
		if err != nil {
			return err
		}
		c := Trial{Method: name, Preset: m.Nearest(p), Measure: measure}
		t.contenders = append(t.contenders, c)
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

// runCount is a column of how many runs of a method there are.
func runCount(head, method string) column {
	return text(head, "%d", func(r row) int { return len(r.outcomes[method]) })
}

// meanMCC is a column of a method's mean MCC.
func meanMCC(head, method string) column {
	return column{head, func(r row) string { return fourDigits(r.mccs(method)) }}
}

// total is a column of the sum of a method's Numbers of a name.
func total(head, method, name string) column {
	return text(head, "%.0f", func(r row) float64 { return r.sum(method, name) })
}

// bestMean returns the highest mean MCC of the methods, 0 without any.
func (r row) bestMean(methods []string) float64 {
	best := 0.0
	for _, name := range methods {
		if values := r.mccs(name); len(values) > 0 {
			best = max(best, stat.Mean(values, nil))
		}
	}
	return best
}

// separated is the column and method of sica.Default.
const separated = "sica"

func qualityTable(o TableOptions) *Table {
	t := &Table{rivals: o.Methods, ours: []string{separated}, problems: qualityProblems()}
	for _, name := range append(slices.Clip(o.Methods), separated) {
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
	return t
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

// rule is the method of the tables of the linear rule.
const rule = "sica-linear"

func linearTable(o TableOptions) *Table {
	t := &Table{rivals: o.Methods, ours: []string{rule}, problems: listed(linearMixtures())}
	for _, name := range append(slices.Clip(o.Methods), rule) {
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
			return stat.Mean(r.mccs(rule), nil) - r.bestMean(o.Methods)
		}),
		text("groups", "%v", func(r row) []float64 { return r.numbers(rule, groupCount) }),
		text("least evidence", "%.1f", func(r row) float64 {
			return stats.Quantile(0, r.numbers(rule, minPairEvidence))
		}))
	return t
}

func nullTable(TableOptions) *Table {
	quantiles := func(head, name string) column {
		return column{head, func(r row) string {
			v := r.numbers(rule, name)
			return fmt.Sprintf("%.1f, %.1f, %.1f, %.1f",
				stats.Quantile(0.5, v), stats.Quantile(0.95, v), stats.Quantile(0.98, v),
				stats.Quantile(1, v))
		}}
	}
	columns := []column{
		runCount("n", rule),
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
	return &Table{ours: []string{rule}, problems: listed(nullMixtures()), columns: columns}
}

func coverageTable(TableOptions) *Table {
	perShare := func(r row, name string) float64 {
		return r.sum(rule, name) / max(r.sum(rule, shareCount), 1)
	}
	columns := []column{
		runCount("fits", rule),
		total("pairs", rule, pairCount),
		total("identified", rule, identifiedPairs),
		text("coverage", "%.3f", func(r row) float64 { return perShare(r, coveredShares) }),
		total("wrong", rule, wrongShares),
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
	return &Table{ours: []string{rule}, measure: measureCoverage, problems: listed(linearMixtures()),
		columns: columns}
}

// rightRank is the smallest MCC of ranks of signals that count as the sources. It is a
// choice: "MCC < 0.90" of the verdicts' table is its other side.
const rightRank = 0.9

func nonlinearTable(o TableOptions) *Table {
	t := &Table{
		rivals: append([]string{"zca"}, o.Methods...), preset: methods.Paper, ours: []string{separated},
		problems: mixtureProblems([]string{"laplace-2-leaky1", "laplace-2-leaky2", "laplace-2-leaky3"}),
	}
	t.columns = []column{
		text("T", "%d", func(r row) int { return cmp.Or(r.problem.Positions, mixturePositions) }),
		runCount("n", separated),
		meanMCC("whitened", "zca"),
	}
	for _, rival := range o.Methods {
		t.columns = append(t.columns, meanMCC(labelOf(rival), rival))
	}
	t.columns = append(t.columns,
		meanMCC(labelOf(separated), separated),
		text("least", "%.4f", func(r row) float64 { return stats.Quantile(0, r.mccs(separated)) }),
		text("ranks", "%s", func(r row) string {
			var ranks []float64
			for _, o := range r.outcomes[separated] {
				if o.RankMCC != nil {
					ranks = append(ranks, *o.RankMCC)
				}
			}
			return fourDigits(ranks)
		}),
		total("networks tried", separated, networkTried),
		total("chosen", separated, networkChosen),
		total("identified", separated, allIdentified),
		text("of ranks ≥ 0.9", "%d", func(r row) int {
			n := 0
			for _, o := range r.outcomes[separated] {
				if o.Numbers[allIdentified] == 1 && o.RankMCC != nil && *o.RankMCC >= rightRank {
					n++
				}
			}
			return n
		}),
		text("median seconds", "%.2f", func(r row) float64 {
			return stats.Quantile(0.5, r.seconds(separated))
		}))
	return t
}

// verdictFits are the separations that are judged, with their names in the table: whitening
// alone leaves most of these mixtures mixed.
var verdictFits = []struct{ method, name string }{
	{"sica", "Default"},
	{"sica-whitening", "whitening alone"},
}

// verdictTable has the mixtures of the quality table and the hard ones, without near copies of one
// another and without those that take minutes.
func verdictTable(TableOptions) *Table {
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
	return &Table{ours: names, measure: measureReport, problems: problems,
		layout: (*Table).writeVerdicts}
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
func iterateTable(TableOptions) *Table {
	var names []string
	for _, r := range iterateRows {
		names = append(names, r.method)
	}
	problems := []Problem{
		{Data: AR7, Mixing: LinearMixing, Steps: 5},
		{Data: AR7, Mixing: GELUMixing, Steps: 5},
		{Data: Heart, Mixing: MatrixMixing},
	}
	return &Table{ours: names, measure: measureIterates, problems: problems,
		layout: (*Table).writeIterates}
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
