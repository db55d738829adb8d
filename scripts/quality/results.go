package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// methods are the columns of what takes no training.
var methods = []struct {
	name  string
	start []preprocess.Transform
}{
	{"mixed", nil},
	{"ZCA", []preprocess.Transform{preprocess.ZCA}},
	{"Gaussianise+ZCA", []preprocess.Transform{preprocess.Gaussianise, preprocess.ZCA}},
	{"conditional", []preprocess.Transform{preprocess.Conditional}},
}

// The other columns: FastICA as scikit-learn has it, the start that Default chose,
// before its flow, and what it ended with.
const (
	fastICA     = "FastICA"
	chosenStart = "start"
	separated   = "SICA"
)

// row is one line of the table: what came of a mixture.
type row struct {
	Problem string               `json:"problem"`
	Seed    uint64               `json:"seed"` // of the first run; the others follow
	Runs    int                  `json:"runs"`
	Backend string               `json:"backend"`
	Seconds float64              `json:"seconds_per_run"`
	MCC     map[string][]float64 `json:"mcc"` // of each run, by method
	Why     []string             `json:"why"`
	// Left is, of each run, the dependence that each start left which was tried.
	Left []map[string]float64 `json:"left"`
	// Failed are the methods and runs that gave no signals, and why.
	Failed []string `json:"failed,omitempty"`
	// Machine is nil in rows of before it was recorded.
	Machine *provenance.Machine `json:"machine,omitempty"`
}

// measure fills the table, row by row, and writes it.
func measure(ctx context.Context, log io.Writer, b compute.Backend, seed uint64, runs int, out string) (err error) {
	if runs < 2 {
		return fmt.Errorf("%d runs: want at least 2, for a standard error", runs)
	}
	file, rows, err := begin[row](out, "results")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, m := range experiment.Mixtures() {
		if m.Hard || has(rows, m.Name, seed, runs) {
			continue
		}
		r, err := measureRow(ctx, b, m, seed, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		rows = append(rows, r)
		fmt.Fprintln(log, r.markdown())
		if err := file.Add(r); err != nil {
			return err
		}
	}
	committed, err := committedRows()
	if err != nil {
		return err
	}
	return datasets.WriteAtomic(filepath.Join(out, "results.md"), func(w io.Writer) error {
		if err := writeTable(w, rows, seed, runs); err != nil {
			return err
		}
		return writeComparison(io.MultiWriter(w, log), rows, committed, seed, runs)
	})
}

func has(rows []row, problem string, seed uint64, runs int) bool {
	for _, r := range rows {
		if r.Problem == problem && r.Seed == seed && r.Runs == runs {
			return true
		}
	}
	return false
}

// measureRow separates every run of a mixture in one program.
func measureRow(ctx context.Context, b compute.Backend, m experiment.Mixture, seed uint64, runs int) (row, error) {
	r := row{Problem: m.Name, Seed: seed, Runs: runs, Backend: backend.NameOf(b), MCC: make(map[string][]float64), Machine: machineOf(b)}
	cfg := sica.Default()
	var batch []sica.Run
	var truth []*mat.Dense
	for k := range runs {
		s, mixed, err := m.Draw(seed + uint64(k))
		if err != nil {
			return row{}, err
		}
		cfg.Shape = mixed.Shape
		truth = append(truth, s)
		batch = append(batch, sica.Run{X: mixed.X, Seed: seed + uint64(k)})
		for _, m := range methods {
			// A start without training may be impossible: signals of equal
			// ranks are one signal to Gaussianise.
			z, err := preprocess.Apply(mixed.X, m.start...)
			if err != nil {
				r.Failed = append(r.Failed, fmt.Sprintf("%s, run %d: %v", m.name, k, err))
				continue
			}
			if err := r.score(m.name, z, s); err != nil {
				return row{}, err
			}
		}
		rival := fastica.Default()
		rival.Seed = seed + uint64(k)
		model, err := rival.Fit(ctx, mixed.X)
		if err != nil {
			r.Failed = append(r.Failed, fmt.Sprintf("%s, run %d: %v", fastICA, k, err))
			continue
		}
		if err := r.score(fastICA, model.Signals(), s); err != nil {
			return row{}, err
		}
	}
	begin := time.Now()
	results, err := sica.FitRuns(ctx, b, batch, cfg)
	if err != nil {
		return row{}, err
	}
	r.Seconds = time.Since(begin).Seconds() / float64(runs)
	for k, result := range results {
		r.Why = append(r.Why, result.Why)
		left := make(map[string]float64)
		for _, c := range result.Candidates {
			if c.Failed == "" {
				left[c.String()] = c.Dependence.Total()
			}
		}
		r.Left = append(r.Left, left)
		if err := r.score(chosenStart, result.Initial, truth[k]); err != nil {
			return row{}, err
		}
		if err := r.score(separated, result.Z, truth[k]); err != nil {
			return row{}, err
		}
	}
	return r, nil
}

func (r *row) score(method string, z, s *mat.Dense) error {
	m, err := metric.MCC(z, s)
	r.MCC[method] = append(r.MCC[method], m.MCC)
	return err
}

// writeTable writes the rows of one seed as Markdown.
func writeTable(w io.Writer, rows []row, seed uint64, runs int) error {
	header, line := "| mixture |", "| --- |"
	for _, m := range append(columns(), "seconds") {
		header += " " + m + " |"
		line += " ---: |"
	}
	if _, err := fmt.Fprintln(w, header+"\n"+line); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Seed == seed && r.Runs == runs {
			if _, err := fmt.Fprintln(w, r.markdown()); err != nil {
				return err
			}
		}
	}
	return nil
}

func columns() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return append(names, fastICA, chosenStart, separated)
}

// markdown is the row as mean (standard error) of each column.
func (r row) markdown() string {
	s := "| " + r.Problem + " |"
	for _, name := range columns() {
		if len(r.MCC[name]) < r.Runs {
			s += " fails |"
			continue
		}
		s += " " + inBrackets(r.MCC[name]) + " |"
	}
	return s + fmt.Sprintf(" %.1f |", r.Seconds)
}
