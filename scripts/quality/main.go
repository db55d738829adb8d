// Command quality measures how well sica.Default separates: the mean MCC and
// its standard error over seeds given on the command line, beside those of the
// mixed signals, of the starts alone and of FastICA. No truth is used but to score.
//
//	go run ./scripts/quality --seed 9001 --runs 8 --out out/quality
//	go run ./scripts/quality --verdicts --seed 9001 --runs 8 --out out/quality
//	go run ./scripts/quality --readings --seed 9001 --runs 3 --out out/quality
//
// With --verdicts it measures how often Result.Report is right, with --readings
// what comes of the paper's SICA-WGF where what it leaves open is read in another
// way: OUT/verdicts.json or readings.json, of which those here are copies, and
// tables of them.
//
// It writes quality.json after each row and, at the end, quality.md, with a
// comparison with the table in results.json, which was measured on other seeds.
// Run again, it measures only the rows that are missing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
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

// row is one line of the table.
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
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var seed uint64
	var runs int
	var out, backendName, picture string
	var verdicts, readings bool
	var allowUnverified bool
	cmd := &cobra.Command{
		Use:           "quality",
		Short:         "Measure how well Default separates",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if picture != "" {
				rows, err := parseRows[row](committedTable)
				if err != nil {
					return err
				}
				return drawChoice(rows, picture)
			}
			var options []backend.Option
			if allowUnverified {
				options = append(options, backend.AllowUnverified)
			}
			b, err := backend.Open(backendName, options...)
			if err != nil {
				return err
			}
			if verdicts {
				return measureVerdicts(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
			}
			if readings {
				return measureReadings(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
			}
			return measure(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the first run; the others follow")
	cmd.Flags().IntVar(&runs, "runs", 8, "runs of each row, at least 2")
	cmd.Flags().BoolVar(&verdicts, "verdicts", false, "measure how often Result.Report is right, and nothing else")
	cmd.Flags().BoolVar(&readings, "readings", false, "measure other readings of the paper's SICA-WGF, and nothing else")
	cmd.Flags().StringVar(&out, "out", filepath.Join("out", "quality"), "folder of quality.json and quality.md")
	cmd.Flags().StringVar(&picture, "picture", "", "draw the starts' dependences in results.json to this PNG file, and measure nothing")
	cmd.Flags().StringVar(&backendName, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	cmd.Flags().BoolVar(&allowUnverified, "allow-unverified-plugin", false, "load an XLA plugin whose SHA-256 this program doesn't know")
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

// measure fills the table, row by row, and writes it.
func measure(ctx context.Context, log io.Writer, b compute.Backend, seed uint64, runs int, out string) error {
	if runs < 2 {
		return fmt.Errorf("%d runs: want at least 2, for a standard error", runs)
	}
	path, rows, err := begun[row](out, "quality.json")
	if err != nil {
		return err
	}
	for _, p := range problems() {
		if has(rows, p.name, seed, runs) {
			continue
		}
		r, err := measureRow(ctx, b, p, seed, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, r)
		fmt.Fprintln(log, r.markdown())
		if err := writeRows(path, rows); err != nil {
			return err
		}
	}
	committed, err := parseRows[row](committedTable)
	if err != nil {
		return err
	}
	return datasets.WriteAtomic(filepath.Join(out, "quality.md"), func(w io.Writer) error {
		if err := writeTable(w, rows, seed, runs); err != nil {
			return err
		}
		return writeComparison(io.MultiWriter(w, log), rows, committed, seed, runs)
	})
}

// begun makes the folder out, and reads the table of that name in it.
func begun[R row | judgedRun | readRun](out, name string) (path string, rows []R, err error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", nil, err
	}
	path = filepath.Join(out, name)
	rows, err = readRows[R](path)
	return path, rows, err
}

// readRows reads a table that was begun, none if there isn't one.
func readRows[R row | judgedRun | readRun](path string) ([]R, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := parseRows[R](data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

func parseRows[R row | judgedRun | readRun](data []byte) ([]R, error) {
	var rows []R
	err := json.Unmarshal(data, &rows)
	return rows, err
}

func writeRows[R row | judgedRun | readRun](path string, rows []R) error {
	return datasets.WriteAtomic(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(rows)
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

// measureRow separates every run of a problem in one program.
func measureRow(ctx context.Context, b compute.Backend, p problem, seed uint64, runs int) (row, error) {
	r := row{Problem: p.name, Seed: seed, Runs: runs, Backend: backend.NameOf(b), MCC: make(map[string][]float64)}
	cfg := sica.Default()
	cfg.Shape = p.shape
	var batch []sica.Run
	var truth []*mat.Dense
	for k := range runs {
		s, x, err := p.draw(rand.New(rand.NewPCG(seed+uint64(k), 0)))
		if err != nil {
			return row{}, err
		}
		truth = append(truth, s)
		batch = append(batch, sica.Run{X: x, Seed: seed + uint64(k)})
		for _, m := range methods {
			// A start without training may be impossible: signals of equal
			// ranks are one signal to Gaussianise.
			z, err := preprocess.Apply(x, m.start...)
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
		model, err := rival.Fit(ctx, x)
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
