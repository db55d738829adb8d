package experiment

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/baseline/lica"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// A reading is a way to read what the paper leaves open.
type reading struct {
	name string
	data string
	gelu string  // the nonlinear mixing
	size float64 // Problem.StepSize
	// instead says which method takes the place of one with the paper's settings.
	instead map[string]string
}

// A readingGroup is readings of one thing, and what can judge them.
type readingGroup struct {
	title, of string // a heading, and that of the column
	readings  []reading
	steps     []int    // of the mixing
	mixings   []string // "linear" or "GELU"
	methods   []string // with the paper's settings
	nonlinear []string // more of them, behind GELU steps only
	// claims are the paper's statements that can judge a reading.
	claims func(linear, nonlinear *scores) ([]claim, error)
}

// The readings are tried on three runs of their own, so that the figures' decide
// nothing.
const (
	firstReadingSeed = 62001
	readingRuns      = 3
)

// readingGroups are all readings that were tried. Those of the mixing's step come first:
// as printed, x ← x + h(W·x), other sizes, and a size inside h, which in the linear
// mixing is one outside. The others have the size that was taken.
func readingGroups() []readingGroup {
	taken := func(name, data string, instead map[string]string) reading {
		return reading{name, data, GELUMixing, PaperStepSize, instead}
	}
	wgf := func(name, method string) reading { return taken(name, AR7, map[string]string{"sica-wgf": method}) }
	rf := func(name, method string) reading { return taken(name, AR7, map[string]string{"sica-rf": method}) }
	ends := []int{5, 20} // the paper's fewest and most steps
	both := []string{"linear", "GELU"}
	ofAR7 := []string{"mixed", "sica-wgf", "fastica", "lica", "zca"}
	return []readingGroup{{
		"The mixing's step", "mixing step",
		[]reading{
			{"x + h(W·x)", AR7, GELUMixing, 0, nil},
			{"x + 0.2·h(W·x)", AR7, GELUMixing, 0.2, nil},
			taken("x + 0.1·h(W·x)", AR7, nil),
			{"x + 0.05·h(W·x)", AR7, GELUMixing, 0.05, nil},
			{"x + h(0.1·W·x)", AR7, innerMixing, 0.1, nil},
		},
		ends, both, ofAR7, nil, stepClaims,
	}, {
		"SICA-WGF, with steps of 0.1", "SICA-WGF",
		[]reading{
			taken("as `PaperWGF`", AR7, nil),
			wgf("the mixed signals as they are", rawWGF),
			wgf("d outputs, summed", summedWGF),
			wgf("standardised after each iteration", standardisedWGF),
			wgf("networks go on", warmWGF),
			wgf("new permutations each epoch", freshWGF),
			wgf("η = 0.1", slowWGF),
			wgf("η = 10", fastWGF),
		},
		ends, both, ofAR7, nil, flowClaims,
	}, {
		"SICA-RF, behind 20 GELU steps of 0.1", "SICA-RF",
		[]reading{
			taken("as `PaperRF`", AR7, nil),
			rf("the mixed signals as they are", rawRF),
			rf("standardised after each iteration", "sica-rf-standardised"),
			rf("networks go on", warmRF),
			rf("new pairs each epoch", freshRF),
			rf("the time as four waves, too", wavesRF),
		},
		[]int{paperDemoSteps}, []string{"GELU"}, []string{"mixed", "sica-rf", "fastica", "zca"}, nil, rectifiedClaims,
	}, {
		"Digits, with steps of 0.1", "digits",
		[]reading{
			taken("three, with a border", MNIST, nil),
			taken("three, resized", resizedDigits, nil),
			taken("two, with a border", twoDigits, nil),
		},
		ends, both, []string{"mixed", "sica-wgf", "fastica", "zca"}, []string{"ivae"}, digitClaims,
	}, {
		"The rivals, with steps of 0.1", "rivals",
		[]reading{
			taken("PCL: constant rate; iVAE: u = t/T, 2e4 steps; LICA: five starts", AR7, nil),
			taken("PCL: a rate that falls to 0; iVAE: u names one of 32 segments; LICA: one start", AR7,
				map[string]string{"pcl": fallingPCL, "ivae": segmentIVAE, "lica": oneLICA}),
			taken("iVAE: 7e4 steps", AR7, map[string]string{"ivae": longIVAE}),
		},
		ends, []string{"GELU"}, []string{"mixed", "lica", "pcl", "ivae"}, nil, rivalClaims,
	}}
}

// The names of the readings' methods.
const (
	rawWGF          = "sica-wgf-raw"
	summedWGF       = "sica-wgf-summed"
	standardisedWGF = "sica-wgf-standardised"
	warmWGF         = "sica-wgf-warm"
	freshWGF        = "sica-wgf-fresh"
	slowWGF         = "sica-wgf-slow"
	fastWGF         = "sica-wgf-fast"
	rawRF           = "sica-rf-raw"
	warmRF          = "sica-rf-warm"
	freshRF         = "sica-rf-fresh"
	wavesRF         = "sica-rf-waves"
	fallingPCL      = "pcl-falling"
	segmentIVAE     = "ivae-segments"
	longIVAE        = "ivae-long"
	oneLICA         = "lica-one"
)

// ivaeSegments is how many segments one of the readings tells iVAE apart: as many as make 32
// positions of 1024 a segment.
const ivaeSegments = 32

// readingMethods are methods with one change of the paper's settings each, as they are
// read here.
func readingMethods() []Method {
	paper := []Preset{PaperPreset}
	changed := func(name, label string, preset func() sica.Config, change func(*sica.Config)) Method {
		return Method{name, label, paper, nil, func() sica.Config {
			cfg := preset()
			change(&cfg)
			return cfg
		}}
	}
	wgf := func(name string, change func(*sica.Config)) Method {
		return changed(name, plot.SICAWGF, sica.PaperWGF, change)
	}
	rf := func(name string, change func(*sica.Config)) Method {
		return changed(name, plot.SICARF, sica.PaperRF, change)
	}
	return []Method{
		wgf(rawWGF, func(c *sica.Config) { c.Start = nil }),
		wgf(summedWGF, func(c *sica.Config) { c.SumOutputs = true }),
		wgf(standardisedWGF, func(c *sica.Config) { c.Standardise = true }),
		wgf(warmWGF, func(c *sica.Config) { c.WarmStart = true }),
		wgf(freshWGF, func(c *sica.Config) { c.FreshProduct = true }),
		wgf(slowWGF, func(c *sica.Config) { c.FirstStep, c.LastStep = 0.1, 0.1 }),
		wgf(fastWGF, func(c *sica.Config) { c.FirstStep, c.LastStep = 10, 10 }),
		rf(rawRF, func(c *sica.Config) { c.Start = nil }),
		rf(warmRF, func(c *sica.Config) { c.WarmStart = true }),
		rf(freshRF, func(c *sica.Config) { c.FreshProduct = true }),
		rf(wavesRF, func(c *sica.Config) { c.TimeWaves = 4 }), // a choice: the paper has no number
		{fallingPCL, plot.PCL, paper, fit(func(b compute.Backend, in Signals, p Preset, seed uint64) baseline.Method {
			cfg := pcl.Paper()
			cfg.Backend, cfg.Seed, cfg.Decay = b, seed, true
			return cfg
		}), nil},
		{segmentIVAE, plot.IVAE, paper, fit(func(b compute.Backend, in Signals, p Preset, seed uint64) baseline.Method {
			cfg := ivae.Paper()
			cfg.Backend, cfg.Seed, cfg.U = b, seed, segments(in.X.RawMatrix().Cols)
			return cfg
		}), nil},
		{longIVAE, plot.IVAE, paper, fit(func(b compute.Backend, in Signals, p Preset, seed uint64) baseline.Method {
			cfg := ivae.Paper()
			cfg.Backend, cfg.Seed, cfg.Iterations = b, seed, 70_000
			return cfg
		}), nil},
		{oneLICA, plot.LICA, paper, fit(func(_ compute.Backend, _ Signals, _ Preset, seed uint64) baseline.Method {
			cfg := lica.Paper()
			cfg.Seed, cfg.Starts = seed, 1
			return cfg
		}), nil},
	}
}

// segments says of each of n positions, by a one, in which of ivaeSegments it lies.
func segments(n int) *mat.Dense {
	u := mat.NewDense(ivaeSegments, n, nil)
	for t := range n {
		u.Set(t*ivaeSegments/n, t, 1)
	}
	return u
}

// problems are a reading's behind one of the group's mixings, without seeds.
func (g readingGroup) problems(r reading, mixing string) []Problem {
	if mixing == "linear" {
		mixing = LinearMixing
	} else {
		mixing = r.gelu
	}
	var problems []Problem
	for _, steps := range g.steps {
		problems = append(problems, Problem{Data: r.data, Mixing: mixing, Steps: steps, StepSize: r.size})
	}
	return problems
}

// method is what stands for a method in this reading.
func (r reading) method(name string) string {
	if other, ok := r.instead[name]; ok {
		return other
	}
	return name
}

// scores are the reading's, under the names of the methods that it has others for.
func (g readingGroup) scores(r reading, mixing string, results *Results) *scores {
	outcomes := slices.Clone(results.Outcomes())
	for from, to := range r.instead {
		outcomes = slices.DeleteFunc(outcomes, func(o Outcome) bool { return o.Method == from })
		for i := range outcomes {
			if outcomes[i].Method == to {
				outcomes[i].Method = from
			}
		}
	}
	return newScores(g.problems(r, mixing), firstReadingSeed, readingRuns, 1, outcomes)
}

// methodsOf are the methods that a mixing is separated with.
func (g readingGroup) methodsOf(mixing string) []string {
	if mixing == "linear" {
		return g.methods
	}
	return slices.Concat(g.methods, g.nonlinear)
}

// ReadingCells returns the cells by which the readings are compared, group by group and in
// each run by run.
func ReadingCells() []Cell {
	var cells []Cell
	for _, g := range readingGroups() {
		var ofGroup []Cell
		for _, r := range g.readings {
			ofGroup = append(ofGroup, g.cells(r)...)
		}
		slices.SortStableFunc(ofGroup, func(a, b Cell) int { return cmp.Compare(a.Seed, b.Seed) })
		cells = append(cells, ofGroup...)
	}
	return cells
}

// cells are those that judge one of the group's readings.
func (g readingGroup) cells(r reading) []Cell {
	var cells []Cell
	for _, mixing := range g.mixings {
		for _, problem := range g.problems(r, mixing) {
			for run := range readingRuns {
				problem.Seed = firstReadingSeed + uint64(run)
				for _, name := range g.methodsOf(mixing) {
					name = r.method(name)
					preset, _ := presetOf(name, PaperPreset)
					cells = append(cells, Cell{Problem: problem, Method: name, Preset: preset})
				}
			}
		}
	}
	return cells
}

// measured says whether all cells of a reading have been made.
func (g readingGroup) measured(r reading, results *Results) bool {
	return !slices.ContainsFunc(g.cells(r), func(c Cell) bool {
		_, ok := results.find(c)
		return !ok
	})
}

// stepClaims are flowClaims, and what the paper says of the mixed signals, which are drawn.
func stepClaims(linear, nonlinear *scores) ([]claim, error) {
	problems := nonlinear.problems
	mixed, err := mixedAlike("3a: the observed signals are almost visually indistinguishable", problems[len(problems)-1], firstReadingSeed)
	if err != nil {
		return nil, err
	}
	mixed.agree += ": " + mixed.measured // which the MCCs don't say
	flows, err := flowClaims(linear, nonlinear)
	return append([]claim{mixed}, flows...), err
}

// flowClaims are the paper's statements on AR(7) that SICA-WGF and its linear rivals judge.
func flowClaims(linear, nonlinear *scores) ([]claim, error) {
	wgf := []string{"sica-wgf"}
	return []claim{
		linear.fall("3b: SICA falls with J", wgf...),
		linear.ahead("3b: at J = 5 it is above FastICA, LICA and the mixed signals", wgf, []string{"fastica", "lica", "mixed"}, 5),
		linear.notAhead("3b: at J = 20 it isn't", wgf, []string{"fastica", "lica", "mixed"}, 20),
		nonlinear.fall("3c: all methods fall with J", "mixed", "sica-wgf", "fastica", "lica"),
		nonlinear.ahead("3c: SICA is above FastICA and the mixed signals", wgf, []string{"fastica", "mixed"}),
	}, nil
}

// rectifiedClaims are the paper's statements on AR(7) behind GELU steps that SICA-RF judges.
func rectifiedClaims(_, nonlinear *scores) ([]claim, error) {
	rf := []string{"sica-rf"}
	return []claim{
		nonlinear.allAbove("3a: SICA-RF traces the true signal", demixed, rf...),
		nonlinear.ahead("3c: SICA is above FastICA and the mixed signals", rf, []string{"fastica", "mixed"}),
	}, nil
}

// digitClaims are the paper's statements on digits that SICA-WGF, FastICA and iVAE judge.
func digitClaims(linear, nonlinear *scores) ([]claim, error) {
	wgf := []string{"sica-wgf"}
	return []claim{
		linear.ahead("4b: SICA is above the mixed signals", wgf, []string{"mixed"}),
		linear.ahead("4b: it is above FastICA", wgf, []string{"fastica"}),
		nonlinear.ahead("4c: it is above FastICA and the mixed signals", wgf, []string{"fastica", "mixed"}),
		nonlinear.allBelow("4c: iVAE stays below 0.55", 0.55, "ivae"),
	}, nil
}

// rivalClaims are what the paper says of the rivals on AR(7) behind GELU steps.
func rivalClaims(_, nonlinear *scores) ([]claim, error) {
	return []claim{
		nonlinear.fall("3c: PCL falls with J", "pcl"),
		nonlinear.fall("3c: LICA falls with J", "lica"),
		nonlinear.fall("3c: iVAE falls with J", "ivae"),
		nonlinear.allBelow("3c: iVAE stays below 0.4", 0.4, "ivae"),
	}, nil
}

// WriteReadings writes two Markdown tables for each thing that was read in several ways:
// which of the paper's statements hold with each reading whose cells are all made, and the
// MCCs behind that.
func WriteReadings(w io.Writer, results *Results) error {
	var b strings.Builder
	for k, g := range readingGroups() {
		if k > 0 {
			b.WriteString("\n")
		}
		if err := g.write(&b, results); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g readingGroup) write(b *strings.Builder, results *Results) error {
	fmt.Fprintf(b, "### %s\n\n| %s |", g.title, g.of)
	for k, r := range g.readings {
		claims, err := g.claims(g.scores(r, "linear", results), g.scores(r, "GELU", results))
		if err != nil {
			return err
		}
		if k == 0 {
			for _, c := range claims {
				fmt.Fprintf(b, " %s |", c.paper)
			}
			b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(claims)) + "\n")
		}
		fmt.Fprintf(b, "| %s |", r.name)
		measured := g.measured(r, results)
		for _, c := range claims {
			if !measured { // some of it could be of others than the reading's
				c.agree = unmeasured
			}
			fmt.Fprintf(b, " %s |", c.agree)
		}
		b.WriteString("\n")
	}

	methods := slices.Concat(g.methods, g.nonlinear)
	fmt.Fprintf(b, "\n| mixing, %s |", g.of)
	for _, steps := range g.steps {
		for _, m := range methods {
			fmt.Fprintf(b, " J=%d: %s |", steps, labelOf(m))
		}
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(g.steps)*len(methods)) + "\n")
	for _, r := range g.readings {
		for _, mixing := range g.mixings {
			s := g.scores(r, mixing, results)
			fmt.Fprintf(b, "| %s, %s |", mixing, r.name)
			for _, problem := range s.problems {
				for _, m := range methods {
					fmt.Fprintf(b, " %s |", s.point(m, problem))
				}
			}
			b.WriteString("\n")
		}
	}
	return nil
}
