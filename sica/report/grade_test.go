package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// Two signals that are rotated by an angle repeat by its cosine alone, and wholly together. The
// repeat of any group is the smallest of gonum's canonical correlations.
func TestRepeatIsSmallestCanonicalCorrelation(t *testing.T) {
	const d, n, angle = 5, 400, 0.7
	z := noise(rng(1), d, n, datasets.Laplace)
	again := mat.DenseCopyOf(z)
	again.Slice(1, 3, 0, n).(*mat.Dense).Copy(rotated2(mat.DenseCopyOf(z.Slice(1, 3, 0, n)), angle))
	all := grid.Range(d)
	p := newPairing(z, again, all, all)
	// The signals' own correlations, of about n^-½, are in that of a single one.
	if got := p.repeat([]int{1}); math.Abs(got-math.Cos(angle)) > 0.05 {
		t.Errorf("alone %.4f, want %.4f", got, math.Cos(angle))
	}
	for _, group := range [][]int{{0}, {1, 2}, {0, 1, 2, 4}, all} {
		if got := p.repeat(group); math.Abs(got-1) > 1e-9 {
			t.Errorf("%v: %.4f, want 1", group, got)
		}
	}
	other := noise(rng(2), d, n, datasets.Laplace)
	other.Add(other, z)
	rows := []int{3, 1, 4, 0, 2}
	p = newPairing(z, other, all, rows)
	for _, group := range [][]int{{0, 1}, {1, 3, 4}} {
		x, y := mat.NewDense(n, len(group), nil), mat.NewDense(n, len(group), nil)
		for k, i := range group {
			x.SetCol(k, z.RawRowView(i))
			y.SetCol(k, other.RawRowView(rows[i]))
		}
		var cc stat.CC
		if err := cc.CanonicalCorrelations(x, y, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := p.repeat(group), floats.Min(cc.CorrsTo(nil)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %.6f, gonum's %.6f", group, got, want)
		}
	}
	twice := mat.DenseCopyOf(z)
	twice.SetRow(1, z.RawRowView(0))
	if got := newPairing(twice, z, all, all).repeat([]int{0, 1}); got != 0 {
		t.Errorf("%.3f of linearly dependent signals, want 0", got)
	}
}

// halvesGraded returns the grades of the signals z by their halves.
func halvesGraded(t *testing.T, z *mat.Dense) []Graded {
	t.Helper()
	d, _ := z.Dims()
	opt := linear.Config{Seed: 1, Noiseless: true}
	h, err := separateHalves(t.Context(), wholeOf(z), opt)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Signals: d, Shares: slices.Repeat([]float64{1 / float64(d)}, d), Halves: h}
	return r.grade()
}

// If two signals are rotated in the second half, they repeat together and not alone, and the others
// alone. Noise of one spectrum isn't identified. Whether it repeats isn't known, as whitening, which
// is kept, does.
func TestRotatedPairRepeatsTogether(t *testing.T) {
	const d, n = 6, 4000
	z := noise(rng(3), d, n, datasets.Laplace)
	second := z.Slice(1, 3, n/2, n).(*mat.Dense)
	second.Copy(rotated2(mat.DenseCopyOf(second), math.Pi/5))
	for i, g := range halvesGraded(t, z) {
		want := []int{i}
		if i == 1 || i == 2 {
			want = []int{1, 2}
		}
		if g.Grade != Repeats || !slices.Equal(g.Group, want) || g.GroupRepeat < 0.99 ||
			g.Alone() != (len(want) == 1) || g.Alone() != (g.Repeat >= minRepeat) {
			t.Errorf("signal %d: %+v, want the group %v", i, g, want)
		}
	}
	for i, g := range halvesGraded(t, noise(rng(4), 3, 2000, datasets.Normal)) {
		if g.Grade != NotIdentified || g.Group != nil {
			t.Errorf("noise %d: %+v, want it not identified", i, g)
		}
	}
}

// The best of all groups of a random rotation reaches the limit with a probability of at most 5 %.
// Of one of two signals, whose angle is uniform, the bound is within a factor of π/2.
func TestChanceLimit(t *testing.T) {
	limit := chanceLimit(1, 2)
	chance := 2 * math.Acos(limit) / (math.Pi / 2)
	if chance > maxChance || chance < maxChance/(math.Pi/2)*0.99 {
		t.Errorf("two signals: %.4f above %.5f", chance, limit)
	}
	r := rng(5)
	const draws = 1000
	for _, c := range []struct{ k, d int }{{1, 3}, {1, 5}, {2, 5}, {2, 6}, {3, 6}} {
		limit, above := chanceLimit(c.k, c.d), 0
		for range draws {
			q := rotation.Random(r, c.d)
			best := 0.0
			for _, columns := range combin.Combinations(c.d, c.k) {
				sub := mat.NewDense(c.k, c.k, nil)
				sub.Apply(func(i, j int, _ float64) float64 { return q.At(i, columns[j]) }, sub)
				var svd mat.SVD
				svd.Factorize(sub, mat.SVDNone)
				best = max(best, floats.Min(svd.Values(nil)))
			}
			if best >= limit {
				above++
			}
		}
		if above > draws*maxChance*3/2 { // four standard errors
			t.Errorf("%d of %d signals: %d of %d above %.3f", c.k, c.d, above, draws, limit)
		}
	}
	if !math.IsInf(chanceLimit(3, 3), 1) {
		t.Error("all signals span the same space by chance")
	}
}

// Three sources that are identified are graded so, with their expected errors. In JSON grades are
// words.
func TestGradesOfIdentifiedSignals(t *testing.T) {
	s, err := datasets.LaplaceAR(rng(6), 3, 1500, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(3, 3, []float64{2, 1, 0, -1, 2, 1, 1, 0, 3}), s)
	if err != nil {
		t.Fatal(err)
	}
	result := fit(t, nil, x, sica.Config{Mode: sica.LinearOnly, Seed: 1})
	grades, err := Grades(t.Context(), result, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range FitGrades(result, []float64{0.2, 0.3, 0.5}) {
		if g.Grade != Identified || g.ExpectedError != grades[i].ExpectedError || g.Share < 0.2 {
			t.Errorf("by the fit alone, signal %d: %+v", i, g)
		}
	}
	for i, g := range grades {
		if g.Grade != Identified || g.ExpectedError != result.Linear.ExpectedError[i] ||
			!g.Alone() || math.Abs(g.Share-1./3) > 0.1 {
			t.Errorf("signal %d: %+v", i, g)
		}
	}
	text, err := json.Marshal(grades)
	if err != nil || strings.Count(string(text), `"grade":"identified"`) != 3 {
		t.Errorf("%s, error %v", text, err)
	}
	// Without the halves there are no repeats.
	bare, err := json.Marshal([]Graded{{Grade: Identified, Share: 0.5, ExpectedError: 0.001}, {}})
	want := `[{"grade":"identified","share":0.5,"expected_error":0.001},{"grade":"not identified"}]`
	if err != nil || string(bare) != want {
		t.Errorf("%s, error %v, want %s", bare, err, want)
	}
	var again []Graded
	if err := json.Unmarshal(text, &again); err != nil || again[0].Grade != Identified {
		t.Errorf("read %+v, error %v", again, err)
	}
	if err := json.Unmarshal([]byte(`[{"grade":"fair"}]`), &again); err == nil ||
		!strings.Contains(err.Error(), "must be not identified, doubtful, repeats or identified") {
		t.Errorf("error %v of an unknown grade", err)
	}
	_, err = Grades(t.Context(), nil, x, Config{})
	if err == nil || !strings.HasPrefix(err.Error(), "report: result: ") {
		t.Errorf("error %v of no result", err)
	}
}

// Slow signals jump where a part of the recording was left out, all at once. The halves are
// separated as the fit was, without the jumps.
func TestGradesKnowJoints(t *testing.T) {
	const kept, skipped, stretches = 200, 80, 12
	s, positions := mat.NewDense(2, kept*stretches, nil), make([]int, 0, kept*stretches)
	random, last := rng(6), [2]float64{}
	for t := range (kept + skipped) * stretches {
		for i, memory := range []float64{0.99, 0.9} {
			last[i] = memory*last[i] + random.NormFloat64()
		}
		if t%(kept+skipped) < kept {
			s.SetCol(len(positions), last[:])
			positions = append(positions, t)
		}
	}
	run := sica.Run{X: s, Seed: 1, Joints: signal.Joints(positions)}
	cfg := sica.Config{Mode: sica.LinearOnly, Seed: 1}
	results, err := sica.FitRuns(t.Context(), []sica.Run{run}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range [][]int{positions, nil} {
		grades, err := Grades(t.Context(), results[0], s, Config{Positions: known})
		if err != nil {
			t.Fatal(err)
		}
		repeat := min(grades[0].Repeat, grades[1].Repeat)
		if isGood := repeat >= minRepeat; isGood != (known != nil) {
			t.Errorf("%d known positions: repeat %.3f", len(known), repeat)
		}
	}
}

// A half whose signals may as well be Gaussian gives no demixing to compare, and is named.
func TestGradesNameTheGaussianHalf(t *testing.T) {
	s := noise(rng(9), 2, 4000, datasets.Laplace)
	second, random := s.Slice(0, 2, 2000, 4000).(*mat.Dense), rng(10)
	second.Apply(func(_, _ int, _ float64) float64 { return random.NormFloat64() }, second)
	result := fit(t, nil, s, sica.Config{Mode: sica.LinearOnly, Seed: 1})
	_, err := Grades(t.Context(), result, s, Config{})
	const want = "report: the halves can't be compared: the second can't be separated alone, as its " +
		"signals may as well be Gaussian of one spectrum"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// What the linear rule found of the signals before a flow isn't taken for what the flow made of
// them.
func TestSignalsOfAFlowAreNotIdentified(t *testing.T) {
	s, err := datasets.LaplaceAR(rng(6), 2, 1500, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 2}), s)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sica.Config{Mode: sica.LinearOnly, Seed: 1, Flow: sica.FastWGF().Flow}
	cfg.Flow.KeepBest, cfg.Flow.Iterations = false, 3
	cfg.Flow.FirstStep, cfg.Flow.LastStep = 0.1, 0.1
	result := fit(t, nil, x, cfg)
	if result.Best != 3 || !result.Linear.Identified(0) {
		t.Fatalf("iterate %d, findings %+v: shows nothing", result.Best, result.Linear)
	}
	grades, err := Grades(t.Context(), result, x, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range grades {
		if g.Grade == Identified || g.ExpectedError != 0 {
			t.Errorf("signal %d: %+v, want it not identified", i, g)
		}
	}
	of, err := prepare(t.Context(), result, x, Config{})
	if err != nil || of.linear != nil || of.fit.origin != anotherMethod {
		t.Errorf("findings %+v, origin %v, error %v", of.linear, of.fit.origin, err)
	}
}

// The words of a grade say with which others a signal repeats, or their number, and the expected
// error.
func TestGradeInWords(t *testing.T) {
	for want, g := range map[string]Graded{
		"not identified":             {},
		"doubtful":                   {Grade: Doubtful},
		"repeats":                    {Grade: Repeats, Group: []int{0}},
		"repeats with 2, 4, 6":       {Grade: Repeats, Group: []int{0, 1, 3, 5}},
		"repeats with 4 others":      {Grade: Repeats, Group: []int{0, 1, 2, 3, 4}},
		"identified, error 0.0123":   {Grade: Identified, ExpectedError: 0.0123},
		"identified, error < 0.0001": {Grade: Identified, ExpectedError: 1e-5},
		"identified":                 {Grade: Identified},
	} {
		if got := g.Words(0); got != want {
			t.Errorf("%+v: %q, want %q", g, got, want)
		}
	}
}

// The text begins with what can be taken out of a recording, and with what is a source.
func TestTextBeginsWithUse(t *testing.T) {
	alone := Graded{Grade: Repeats, Repeat: 0.999, Group: []int{1}}
	r := &Report{Verdict: NotIdentifiable, Halves: &Halves{}, Grades: []Graded{
		{Grade: Identified}, alone, {Grade: Repeats, Group: []int{0, 2}}, {Grade: Doubtful},
	}}
	r.cfg.Rate = 250
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = "Come back from both halves, so can be taken out whole: without a label 1 and 2; only " +
		"with others: 3 (with 1). As sources: identified 1; others can be mixtures. " +
		"Verdict: "
	if !strings.HasPrefix(strings.Join(strings.Fields(b.String()), " "), want) {
		t.Errorf("%s", &b)
	}
	for want, grades := range map[string][]Graded{
		"all are identified.": {{Grade: Identified}, {Grade: Identified}},
		"none identified; all can be mixtures.": {
			{Grade: Repeats, Repeat: 0.999, Group: []int{0}}, {Grade: Doubtful},
		},
	} {
		if r.Grades = grades; !strings.HasPrefix(r.sources(), want) {
			t.Errorf("%q, want %q", r.sources(), want)
		}
	}
}

// What comes back is named by its label, each heart by its rate. Alpha isn't among the artefacts, and
// nothing doubtful is named.
func TestArtefactsAreNamedByLabel(t *testing.T) {
	r := &Report{Halves: &Halves{}}
	r.cfg.Rate = 250
	for i, label := range []inspect.Label{
		{Name: "alpha"}, {Name: "heartbeat", Beats: 131}, {}, {Name: "heartbeat", Beats: 76},
		{Name: "blink"}, {Name: "heartbeat", Beats: 77}, {Name: "muscle"}, {Name: "line"},
	} {
		g := Graded{Grade: Repeats, Group: []int{i}}
		switch label.Name {
		case "muscle":
			g = Graded{Grade: Doubtful}
		case "line":
			g.Group = []int{2, i}
		}
		r.Grades = append(r.Grades, g)
		r.Components = append(r.Components, inspect.Component{Label: label})
	}
	const want = "Come back from both halves, so can be taken out whole: heartbeat 2 (131 a minute), " +
		"heartbeats 4 and 6 (76 a minute, together), blink 5, alpha 1 (no artefact), without a label 3; " +
		"only with others: line 8 (with 3)."
	if got := r.artefacts(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Of many signals the doubtful ones without a label are counted, and have their rows in the details or
// with All. If none repeats, all have rows.
func TestDoubtfulRowsAreCounted(t *testing.T) {
	const d = maxAllRows + 1
	table := Table{
		Components: make([]inspect.Component, d),
		Grades:     slices.Repeat([]Graded{{Grade: Doubtful}}, d),
	}
	table.Components[2].Label.Name = "blink"
	rows := func() (rows []string) {
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
	}
	if got := rows(); len(got) != d {
		t.Errorf("none repeats: %q", got)
	}
	table.Grades[7] = Graded{Grade: Repeats, Repeat: 0.97, Group: []int{7}}
	got := rows()
	if len(got) != 3 || got[0][0] != '3' || got[1][0] != '8' || !strings.HasPrefix(got[2], "and 11 more") {
		t.Errorf("%q", got)
	}
	r := &Report{Components: table.Components, Grades: table.Grades}
	var details strings.Builder
	if err := r.WriteDetails(&details); err != nil || !strings.Contains(details.String(), "\n13 ") {
		t.Errorf("%s, error %v", &details, err)
	}
	if table.All = true; len(rows()) != d {
		t.Errorf("with All: %q", rows())
	}
}

// A Table has a row for each signal in order, at most 32, without the columns that are empty.
func TestTable(t *testing.T) {
	components := make([]inspect.Component, 40)
	for i := range components {
		components[i].Channel, components[i].Share = 39-i, 0.02
	}
	grades := make([]Graded, 40)
	for _, c := range []struct {
		table  Table
		header string
		first  string
	}{
		{Table{Words: slices.Repeat([]string{"not examined"}, 40)}, "# grade", "1 not examined"},
		{Table{Grades: grades}, "# share grade", "1 0.0 % not identified"},
		{Table{Components: components, Grades: grades}, "# share strongest in grade",
			"1 2.0 % 40 not identified"},
	} {
		var b strings.Builder
		if err := c.table.Write(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		words := func(k int) string { return strings.Join(strings.Fields(lines[k]), " ") }
		if words(0) != c.header || words(1) != c.first || len(lines) != notes.MaxRows+3 ||
			words(notes.MaxRows+1) != "and 8 more in JSON" {
			t.Errorf("%s", &b)
		}
	}
}

// Doubtful signals of more than the mean share have rows: the largest signal of a recording isn't hidden.
func TestLargeDoubtfulSignalsHaveRows(t *testing.T) {
	grades := make([]Graded, maxAllRows+1)
	for i := range grades {
		grades[i] = Graded{Grade: Doubtful, Share: 0.01, Repeat: 0.5}
	}
	grades[0].Share, grades[2].Grade = 0.4, Repeats
	rows, rest := Table{Grades: grades}.split()
	if !slices.Equal(rows, []int{0, 2}) || len(rest) != len(grades)-2 {
		t.Errorf("rows %v, %d more", rows, len(rest))
	}
}
