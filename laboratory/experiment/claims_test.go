package experiment

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// madeUp are results of figure name with hand-made scores: score says what a method
// has at a number of steps in a run, NaN for no outcome.
func madeUp(t *testing.T, name string, runs int,
	score func(method string, steps, run int) float64) (Figure, *Results) {
	t.Helper()
	f, err := FigureNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []Outcome
	trials := f.Trials(methods.Paper, runs)
	figure := len(trials)
	// Of the statements that the interpretations' runs decide.
	trials = append(trials, InterpretationTrials()...)
	for k, c := range trials {
		run := int(c.Seed - FirstSeed)
		if k >= figure {
			run = int(c.Seed - firstInterpretationSeed)
		}
		if run >= runs {
			continue
		}
		v := score(c.Method, c.Steps, run)
		if !math.IsNaN(v) {
			outcomes = append(outcomes, Outcome{Trial: c, MCC: &v})
		}
	}
	return f, newResults(fstest.MapFS{}, outcomes)
}

// theirs are the claims but for those of SICA with this project's settings.
func theirs(t *testing.T, f Figure, r *Results, runs int) []claim {
	t.Helper()
	claims, err := f.claims(r, methods.Paper, runs)
	if err != nil {
		t.Fatal(err)
	}
	var kept []claim
	for _, c := range claims {
		if !c.ours {
			kept = append(kept, c)
		}
	}
	return kept
}

func check(t *testing.T, claims []claim, want ...string) {
	t.Helper()
	if len(claims) != len(want) {
		t.Fatalf("%d claims, want %d", len(claims), len(want))
	}
	for i, c := range claims {
		if c.agree != want[i] {
			t.Errorf("%s: %q (%s), want %q", c.paper, c.agree, c.measured, want[i])
		}
	}
}

// Each claim of figure 3b follows from the scores that it is about.
func TestClaimsFollowFromScores(t *testing.T) {
	// What the paper's figure shows: SICA above the others but falling below them.
	asPaper := func(method string, steps, _ int) float64 {
		switch method {
		case "sica-wgf", "sica-rf":
			return 1 - float64(steps)/100
		case "mixed":
			return .6
		}
		return .84
	}
	for _, test := range []struct {
		name   string
		score  func(method string, steps, run int) float64
		agrees []string // fall, steady, ahead, not ahead
	}{
		{"as the paper", asPaper, []string{"yes", "yes", "yes", "yes"}},
		{"ahead at 20 too", func(method string, steps, run int) float64 {
			if steps == 20 && method == "sica-rf" {
				return .845
			}
			return asPaper(method, steps, run)
		}, []string{"yes", "yes", "yes", "no"}},
		{"behind at 15", func(method string, steps, run int) float64 {
			if steps == 15 && method == "sica-rf" {
				return .3
			}
			return asPaper(method, steps, run)
		}, []string{"yes", "yes", "no", "yes"}},
		{"rising", func(method string, steps, run int) float64 {
			return 1.7 - asPaper(method, steps, run)
		}, []string{"no", "yes", "no", "yes"}},
		{"LICA falls", func(method string, steps, run int) float64 {
			if method == "lica" {
				return .7 - float64(steps)/100
			}
			return asPaper(method, steps, run)
		}, []string{"yes", "no", "yes", "yes"}},
		{"nothing of SICA", func(method string, steps, run int) float64 {
			if strings.HasPrefix(method, "sica") {
				return math.NaN()
			}
			return asPaper(method, steps, run)
		}, []string{"not measured", "yes", "not measured", "not measured"}},
		// RF has two runs, in which the others are far worse: it is compared with
		// them there, and not with their mean.
		{"two runs of RF", func(method string, steps, run int) float64 {
			switch {
			case method == "sica-rf" && run == 2:
				return math.NaN()
			case run < 2:
				return asPaper(method, steps, run) - .5
			}
			return asPaper(method, steps, run)
		}, []string{"yes", "yes", "yes", "yes"}},
		// A single run, far below the others, says nothing beside their means.
		{"one run of RF", func(method string, steps, run int) float64 {
			switch {
			case method == "sica-rf" && run > 0:
				return math.NaN()
			case method == "sica-rf":
				return .3 + float64(steps)/100
			}
			return asPaper(method, steps, run)
		}, []string{"yes", "yes", "yes", "yes"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, r := madeUp(t, "3b", 3, test.score)
			check(t, theirs(t, f, r, 3), test.agrees...)
		})
	}
}

// Figure 3c's lead has to be significant in the differences on the same runs: one of
// +.15, +.2 and +.25 has a mean of .2 and a standard error of .05/√3, of which that is 6.9;
// Student's t of two degrees of freedom is 4.30 in one of forty. One of +.1, +.2 and +.3 has
// 3.5 of them, which isn't enough. It doesn't matter how far the runs themselves
// are apart, and a single run has no standard error.
func TestSignificantLead(t *testing.T) {
	for name, test := range map[string]struct {
		leads []float64
		want  string
	}{
		"significant":   {[]float64{.15, .2, .25}, agree},
		"of three runs": {[]float64{.1, .2, .3}, disagree},
		"scattered":     {[]float64{-.1, .2, .5}, disagree},
		"behind":        {[]float64{-.1, -.2, -.3}, disagree},
		"one run":       {[]float64{.3}, unmeasured},
	} {
		t.Run(name, func(t *testing.T) {
			runs := len(test.leads)
			f, r := madeUp(t, "3c", runs, func(method string, _, run int) float64 {
				score := []float64{.1, .4, .2}[run]
				if strings.HasPrefix(method, "sica") {
					score += test.leads[run]
				}
				return score
			})
			if c := theirs(t, f, r, runs)[1]; c.agree != test.want {
				t.Errorf("%s: %s (%s), want %s", c.paper, c.agree, c.measured, test.want)
			}
		})
	}
}

// Each claim about the quality of SICA is followed by the same claim for this project's settings.
func TestClaimsOfOurSettings(t *testing.T) {
	for _, f := range Figures() {
		claims, err := f.claims(newResults(fstest.MapFS{}, nil), methods.Paper, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range claims {
			if c.ours {
				continue
			}
			about := strings.Contains(c.paper, "SICA") ||
				strings.Contains(c.paper, "all methods reduces") ||
				strings.Contains(c.paper, "not as clear") ||
				strings.Contains(c.paper, "negatives") || strings.Contains(c.paper, "it doesn't")
			if about != (i+1 < len(claims) && claims[i+1].ours) {
				t.Errorf("figure %s: %q is followed by the same of our settings: %v", f.Name,
					c.paper, !about)
			}
		}
	}
}

// Every figure has claims, and a table of them, with and without outcomes.
func TestClaimsOfAllFigures(t *testing.T) {
	for _, f := range Figures() {
		empty := newResults(fstest.MapFS{}, nil)
		claims, err := f.claims(empty, PrintedPreset, 1)
		if err != nil || len(claims) == 0 {
			t.Fatalf("figure %s: %d claims (%v)", f.Name, len(claims), err)
		}
		var table bytes.Buffer
		if err := f.WriteClaims(&table, empty, PrintedPreset, 1); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(table.String(), "\n"); n != len(claims)+2 {
			t.Errorf("figure %s: the table has %d lines for %d claims", f.Name, n, len(claims))
		}
		_, r := madeUp(t, f.Name, 2, func(string, int, int) float64 { return .5 })
		if claims, err = f.claims(r, methods.Paper, 2); err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			if c.agree == unmeasured && !strings.HasPrefix(c.test, "signs") {
				t.Errorf("figure %s: %q isn't measured", f.Name, c.paper)
			}
		}
	}
}

// The paper's remark on figure 4a holds if images of FastICA, and only of FastICA, are negatives.
func TestClaimOfNegatives(t *testing.T) {
	f, err := FigureNamed("4a")
	if err != nil {
		t.Fatal(err)
	}
	trials := f.Trials(methods.Paper, 1)
	sources, _, err := trials[0].Draw()
	if err != nil {
		t.Fatal(err)
	}
	var flipped mat.Dense
	flipped.Scale(-1, sources)
	for _, test := range []struct {
		flow, fast *mat.Dense
		want       string
	}{
		{sources, &flipped, agree},
		{&flipped, &flipped, disagree},
		{sources, sources, disagree},
		{nil, sources, unmeasured},
	} {
		s, err := Open(t.TempDir(), OutcomesFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range trials {
			if z := map[string]*mat.Dense{"sica": test.flow, "sica-rf": test.flow,
				"fastica": test.fast}[c.Method]; z != nil {
				if err := s.Add(&Outcome{Trial: c}, z); err != nil {
					t.Fatal(err)
				}
			}
		}
		claims, err := f.claims(s.Results, methods.Paper, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims[len(claims)-2:] { // the paper's flow, and ours
			if c.agree != test.want {
				t.Errorf("%q: %s (%s), want %s", c.paper, c.agree, c.measured, test.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The number of runs that would decide a margin is the smallest at which Student's t is
// significant.
func TestRunsToDecide(t *testing.T) {
	for _, e := range []estimate{{0.02, 0.018, 20}, {-0.01, 0.03, 3}, {0.5, 0.01, 4}} {
		n := runsToDecide(e)
		sd := e.se * math.Sqrt(float64(e.n))
		differs := func(n int) bool {
			return math.Abs(e.mean) >= studentQuantile(0.975, n-1)*sd/math.Sqrt(float64(n))
		}
		if !differs(n) || n > 2 && differs(n-1) {
			t.Errorf("%v: %d runs, which isn't the least number that decides", e, n)
		}
	}
	if n := runsToDecide(estimate{0.1, math.NaN(), 1}); n != 0 {
		t.Errorf("%d runs decide what was measured once", n)
	}
	if n := runsToDecide(estimate{1e-9, 0.1, 20}); n != manyRuns {
		t.Errorf("%d runs find nearly nothing", n)
	}
}

// A claim that holds is decided if all of its margins are; one that does not, if a negative margin
// is.
func TestNeededRunsDecideAllMargins(t *testing.T) {
	sure, unsure := estimate{0.5, 0.01, 20}, estimate{0.02, 0.018, 20}
	against, unsureAgainst := estimate{-0.5, 0.01, 20}, estimate{-0.02, 0.018, 20}
	once := estimate{0.5, math.NaN(), 1}
	for name, test := range map[string]struct {
		margins []estimate
		want    string
	}{
		"nothing measured": {nil, ""},
		"holds":            {[]estimate{sure, sure}, ""},
		"may hold":         {[]estimate{sure, unsure}, "65 (1)"},
		"doesn't hold":     {[]estimate{unsureAgainst, against, unsure}, ""},
		"may not hold":     {[]estimate{sure, unsureAgainst}, "65 (1)"},
		"a single run":     {[]estimate{once, sure}, "of a single run nothing is known"},
	} {
		var c claim
		for i, e := range test.margins {
			c.margin(quantity{part: fmt.Sprint(i), estimate: e}, e.mean)
		}
		if got := c.needed(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The performance of a method is unchanged if its means are those of another on the same runs.
func TestUnchangedIsByEqualRuns(t *testing.T) {
	var outcomes []Outcome
	problem := Problem{Data: AR7, Mixing: GELUMixing, Steps: 5, StepSize: PaperStepSize}
	for run := range interpretationRuns {
		problem.Seed = firstInterpretationSeed + uint64(run)
		score, other := 0.7+0.01*float64(run), 0.715+0.01*float64(run)
		outcomes = append(outcomes,
			Outcome{Trial: Trial{Problem: problem, Method: "ivae-mean", Preset: methods.Paper}, MCC: &score},
			Outcome{Trial: Trial{Problem: problem, Method: "ivae-mean-long", Preset: methods.Paper}, MCC: &other})
	}
	problem.Seed = 0
	s := &scores{results: newResults(fstest.MapFS{}, outcomes), problems: []Problem{problem},
		first: FirstSeed, runs: PaperRuns, minRuns: 2}
	for limit, want := range map[float64]string{0.02: agree, 0.01: disagree} {
		c, err := s.claim(statement{Test: unchanged, Methods: []string{"ivae-mean"},
			Over: []string{"ivae-mean-long"}, Limit: limit, Of: "the mean", OwnRuns: true})
		if !strings.HasSuffix(c.test, "(of the mean)") {
			t.Errorf("the test is %q", c.test)
		}
		if err != nil || c.agree != want || c.measured != "the largest difference is -0.015 (0.000) at J=5 (n=3)" {
			t.Errorf("limit %g: %v, %q, %s", limit, err, c.measured, c.agree)
		}
	}
}
