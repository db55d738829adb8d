package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/scripts/quality/mixtures"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// rivals are the columns of other methods; separated is Default's.
var rivals = []string{"mixed", "zca", "fastica", "picard", "sobi", "jade"}

const separated = "sica"

// row is one line of the table: what came of a mixture.
type row struct {
	Problem string               `json:"problem"`
	Seed    uint64               `json:"seed"` // of the first run; the others follow
	Runs    int                  `json:"runs"`
	Backend string               `json:"backend"`
	Seconds float64              `json:"seconds_per_run"`
	MCC     map[string][]float64 `json:"mcc"` // of each run, by method
	Why     []string             `json:"why"`
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
	for _, m := range mixtures.All() {
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
	return atomicfile.Write(filepath.Join(out, "results.md"), func(w io.Writer) error {
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

// measureRow separates every run of a mixture.
func measureRow(ctx context.Context, b compute.Backend, m mixtures.Mixture, seed uint64, runs int) (row, error) {
	r := row{Problem: m.Name, Seed: seed, Runs: runs, Backend: backend.NameOf(b), MCC: make(map[string][]float64), Machine: machineOf(b)}
	seconds := 0.0
	for k := range uint64(runs) {
		s, mixed, err := m.Draw(seed + k)
		if err != nil {
			return row{}, err
		}
		for _, name := range append(slices.Clone(rivals), separated) {
			method, err := experiment.MethodNamed(name)
			if err != nil {
				return row{}, err
			}
			recovered, err := method.Fit(ctx, b, mixed, method.Settings(experiment.DefaultPreset), seed+k)
			if ctx.Err() != nil || err != nil && name == separated {
				return row{}, err
			}
			if err != nil {
				r.Failed = append(r.Failed, fmt.Sprintf("%s, run %d: %v", name, k, err))
				continue
			}
			if err := r.score(name, recovered.Signals, s); err != nil {
				return row{}, err
			}
			if name == separated {
				r.Why = append(r.Why, recovered.Why)
				seconds += recovered.Elapsed.Seconds()
			}
		}
	}
	r.Seconds = seconds / float64(runs)
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

func columns() []string { return append(slices.Clone(rivals), separated) }

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
	return s + fmt.Sprintf(" %.2f |", r.Seconds)
}
