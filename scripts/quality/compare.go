package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/jsonl"
)

//go:embed results.jsonl
var committedTable []byte

func committedRows() ([]row, error) {
	return jsonl.Decode[row](bytes.NewReader(committedTable), nil)
}

// writeComparison writes SICA's mean MCC of each row beside that of the
// committed table, and says where they differ by more than two of their
// standard errors.
func writeComparison(w io.Writer, rows, committed []row, seed uint64, runs int) error {
	if _, err := fmt.Fprintln(w, "\n| mixture | committed | here | |\n| --- | ---: | ---: | --- |"); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Seed != seed || r.Runs != runs {
			continue
		}
		for _, c := range committed {
			if c.Problem != r.Problem {
				continue
			}
			before, beforeSE := meanError(c.MCC[separated])
			now, nowSE := meanError(r.MCC[separated])
			if _, err := fmt.Fprintf(w, "| %s | %.3f (%.3f) | %.3f (%.3f) | %s |\n", r.Problem, before, beforeSE, now, nowSE,
				verdict(now-before, math.Hypot(beforeSE, nowSE))); err != nil {
				return err
			}
		}
	}
	return nil
}

// meanError is the mean and its standard error.
func meanError(values []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, stat.StdErr(sd, float64(len(values)))
}

// inBrackets is the mean with its standard error in brackets.
func inBrackets(values []float64) string {
	mean, se := meanError(values)
	return fmt.Sprintf("%.3f (%.3f)", mean, se)
}

// verdict says in a word whether a difference is more than chance.
func verdict(difference, se float64) string {
	switch {
	case difference > 2*se:
		return "better"
	case difference < -2*se:
		return "worse"
	}
	return "the same"
}
