package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/scripts/quality/mixtures"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// judgedRun is what report.New says of one separation, and the truth.
type judgedRun struct {
	Problem string         `json:"problem"`
	Fit     string         `json:"fit"`
	Seed    uint64         `json:"seed"`
	Backend string         `json:"backend"`
	MCC     float64        `json:"mcc"`
	RankMCC float64        `json:"rank_mcc"` // of Spearman's correlations
	Verdict report.Verdict `json:"verdict"`
	Reasons []string       `json:"reasons"`
	Seconds float64        `json:"report_seconds"`

	// What the rules look at; see report.Verdict.
	Dependence dependence.Interval  `json:"dependence"`
	Judged     *dependence.Interval `json:"judged"`
	Evidence   float64              `json:"evidence"`  // of the least evident pair, nats
	Agreement  float64              `json:"agreement"` // least, with the linear rule's
	Doubtful   bool                 `json:"doubtful"`
	Gain       float64              `json:"gain"` // largest All − Own
	Stability  float64              `json:"stability"`

	// Machine is nil in runs of before it was recorded.
	Machine *provenance.Machine `json:"machine,omitempty"`
}

// A fitting is a way to separate.
type fitting struct {
	name   string
	config func() sica.Config
}

// fittings are what is judged: Default, and whitening alone,
// which leaves most of these mixtures mixed.
var fittings = []fitting{
	{"Default", sica.Default},
	{"whitening alone", func() sica.Config {
		cfg := sica.FastWGF()
		cfg.Flow = nil
		return cfg
	}},
}

// judgedMixtures are all without near copies of one another and without those that
// take long.
func judgedMixtures() []mixtures.Mixture {
	alike := []string{
		"AR(7), linear, J=10", "AR(7), linear, J=20", "AR(7), GELU, J=10", "MNIST d=3, linear, J=20", "MNIST d=3, GELU, J=5",
		"AR(7) d=4, linear, J=5", "Laplace AR(1) d=8, random A", "Gaussian AR, eight spectra, random A", "MNIST d=8, random A", "Laplace d=32, random A",
	}
	return slices.DeleteFunc(mixtures.All(), func(m mixtures.Mixture) bool { return slices.Contains(alike, m.Name) })
}

// measureVerdicts judges every run of every mixture that isn't in
// OUT/verdicts.jsonl yet, and writes OUT/verdicts.md.
func measureVerdicts(ctx context.Context, log io.Writer, b compute.Backend, seed uint64, runs int, out string) (err error) {
	file, judged, err := begin[judgedRun](out, "verdicts")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, mixture := range judgedMixtures() {
		for at := seed; at < seed+uint64(runs); at++ {
			for _, f := range fittings {
				if slices.ContainsFunc(judged, func(j judgedRun) bool { return j.Problem == mixture.Name && j.Fit == f.name && j.Seed == at }) {
					continue
				}
				j, err := judge(ctx, b, mixture, f, at)
				if err != nil {
					return fmt.Errorf("%s, %s, seed %d: %w", mixture.Name, f.name, at, err)
				}
				fmt.Fprintf(log, "%s, %s, seed %d: MCC %.3f: %s\n", mixture.Name, f.name, at, j.MCC, j.Verdict)
				judged = append(judged, j)
				if err := file.Add(j); err != nil {
					return err
				}
			}
		}
	}
	return atomicfile.Write(filepath.Join(out, "verdicts.md"), func(w io.Writer) error {
		return writeVerdicts(io.MultiWriter(w, log), judged)
	})
}

// judge separates one mixture and reports on it.
func judge(ctx context.Context, b compute.Backend, mixture mixtures.Mixture, f fitting, seed uint64) (judgedRun, error) {
	s, mixed, err := mixture.Draw(seed)
	if err != nil {
		return judgedRun{}, err
	}
	cfg := f.config()
	cfg.Shape, cfg.Seed = mixed.Shape(), seed
	result, err := sica.Fit(ctx, b, mixed.X(), cfg)
	if err != nil {
		return judgedRun{}, err
	}
	m, err := metric.MCC(result.Z, s)
	if err != nil {
		return judgedRun{}, err
	}
	ranks, err := metric.SpearmanMCC(result.Z, s)
	if err != nil {
		return judgedRun{}, err
	}
	found, err := report.New(ctx, b, result, mixed.X(), report.Default())
	if err != nil {
		return judgedRun{}, err
	}
	j := judgedRun{
		Problem: mixture.Name, Fit: f.name, Seed: seed, Backend: backend.NameOf(b), MCC: m.MCC, RankMCC: ranks.MCC,
		Verdict: found.Verdict, Reasons: found.Reasons, Seconds: found.Elapsed.Seconds(),
		Dependence: found.Recovered.Dependence, Judged: found.Recovered.Classifier, Stability: found.Stability.MCC,
		Machine: machineOf(b),
	}
	j.Evidence, j.Agreement, j.Doubtful = math.Inf(1), slices.Min(found.Linear.Agreement), found.Linear.Doubtful
	for _, p := range found.Linear.Pairs {
		j.Evidence = min(j.Evidence, p.Evidence)
	}
	for _, q := range found.Predictability {
		j.Gain = max(j.Gain, q.All-q.Own)
	}
	return j, nil
}

// verdictColumns are the verdicts with what the tables call them.
var verdictColumns = []struct {
	verdict report.Verdict
	short   string
}{
	{report.Separated, "separated"},
	{report.NotIdentifiable, "not identifiable"},
	{report.NoEvidence, "no evidence"},
}

// bands are the kinds of separation that the first table tells apart.
var bands = []struct {
	name string
	has  func(j judgedRun) bool
}{
	{"MCC ≥ .95", func(j judgedRun) bool { return j.MCC >= 0.95 }},
	{".90 ≤ MCC < .95", func(j judgedRun) bool { return j.MCC >= 0.9 && j.MCC < 0.95 }},
	{"MCC < .90", func(j judgedRun) bool { return j.MCC < 0.9 }},
	// Signals that are each distorted by themselves keep their ranks.
	{"of these, by ranks too", func(j judgedRun) bool { return j.MCC < 0.9 && j.RankMCC < 0.9 }},
}

// writeVerdicts writes how often each verdict was given in each band, and for each
// problem and fit.
func writeVerdicts(w io.Writer, judged []judgedRun) error {
	counts := make(map[report.Verdict][]int)
	type row struct{ problem, fit string }
	var rows []row
	byRow := make(map[row]map[report.Verdict][]float64)
	for _, j := range judged {
		if counts[j.Verdict] == nil {
			counts[j.Verdict] = make([]int, len(bands))
		}
		for k, b := range bands {
			if b.has(j) {
				counts[j.Verdict][k]++
			}
		}
		r := row{j.Problem, j.Fit}
		if byRow[r] == nil {
			rows = append(rows, r)
			byRow[r] = make(map[report.Verdict][]float64)
		}
		byRow[r][j.Verdict] = append(byRow[r][j.Verdict], j.MCC)
	}
	text := "| verdict |"
	for _, b := range bands {
		text += " " + b.name + " |"
	}
	text += "\n| --- | ---: | ---: | ---: | ---: |\n"
	for _, c := range verdictColumns {
		text += "| " + c.short + " |"
		for k := range bands {
			n := 0
			if counts[c.verdict] != nil {
				n = counts[c.verdict][k]
			}
			text += fmt.Sprintf(" %d |", n)
		}
		text += "\n"
	}
	text += "\n| mixture | fit |"
	for _, c := range verdictColumns {
		text += " " + c.short + " |"
	}
	text += "\n| --- | --- | --- | --- | --- |\n"
	for _, r := range rows {
		text += "| " + r.problem + " | " + r.fit + " |"
		for _, c := range verdictColumns {
			text += " " + mccs(byRow[r][c.verdict]) + " |"
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// mccs are how many there are, with the least and the largest.
func mccs(values []float64) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 (%.3f)", values[0])
	}
	return fmt.Sprintf("%d (%.3f–%.3f)", len(values), slices.Min(values), slices.Max(values))
}
