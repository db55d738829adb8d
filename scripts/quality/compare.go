package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"
)

//go:embed results.json
var committedTable []byte

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
			before, beforeSE := c.sica()
			now, nowSE := r.sica()
			if _, err := fmt.Fprintf(w, "| %s | %.3f (%.3f) | %.3f (%.3f) | %s |\n", r.Problem, before, beforeSE, now, nowSE,
				verdict(now-before, math.Hypot(beforeSE, nowSE))); err != nil {
				return err
			}
		}
	}
	return nil
}

// sica is the mean of SICA's MCC and its standard error.
func (r row) sica() (mean, se float64) {
	mean, sd := stat.MeanStdDev(r.MCC[separated], nil)
	return mean, stat.StdErr(sd, float64(len(r.MCC[separated])))
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
