package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/internal/stats"
)

// row is one line of the results.
type row struct {
	Case    string  `json:"case"`
	Impl    string  `json:"impl"`
	Backend string  `json:"backend"`
	Cores   int     `json:"cores"`
	D       int     `json:"d"`
	T       int     `json:"T"`
	Shape   []int   `json:"shape"`
	Runs    int     `json:"runs"`
	Median  float64 `json:"median_ms"`
	P10     float64 `json:"p10_ms"`
	P90     float64 `json:"p90_ms"`
	Repeats int     `json:"repeats"`
	Loss    float64 `json:"loss"`
	Compile float64 `json:"compile_ms"` // until the first loss

	Roofline *roofline `json:"roofline,omitempty"`
	Device   string    `json:"device"`
}

func newRow(p problem, c contender, cores int, loss, compile float64) row {
	impl, backendName := c.name()
	return row{
		Case: p.kind, Impl: impl, Backend: backendName, Cores: cores, D: p.d, T: p.positions(),
		Shape: p.shape, Runs: p.runs,
		Loss: loss, Compile: compile, Device: provenance.CPU(),
	}
}

func (r *row) summarise(ms []float64) {
	r.Median, r.Repeats = stats.Quantile(0.5, ms), len(ms)
	r.P10, r.P90 = stats.Quantile(0.1, ms), stats.Quantile(0.9, ms)
}

// merge appends measured rows, in place of earlier ones of the same problem and contender.
func merge(rows, measured []row) []row {
	same := func(a, b row) bool {
		return a.key() == b.key() && a.Impl == b.Impl && a.Backend == b.Backend
	}
	rows = slices.DeleteFunc(rows, func(old row) bool {
		return slices.ContainsFunc(measured, func(r row) bool { return same(old, r) })
	})
	return append(rows, measured...)
}

// readRows reads the rows of a file, none if it isn't there.
func readRows(file string) ([]row, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []row
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w; must have the rows of an earlier run", file, err)
	}
	return rows, nil
}

// writeRows writes rows to a file, with four significant digits of what was measured. Losses keep eight,
// as those of all contenders are compared.
func writeRows(file string, rows []row) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		r.Loss = rounded(r.Loss, 8)
		for _, v := range []*float64{&r.Median, &r.P10, &r.P90, &r.Compile} {
			*v = rounded(*v, 4)
		}
		if r.Roofline != nil {
			f := *r.Roofline
			r.Roofline = &roofline{
				rounded(f.GFLOP, 4), rounded(f.GB, 4), rounded(f.PeakGFLOPs, 4), rounded(f.PeakGBs, 4),
			}
		}
	}
	return atomicfile.Write(file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(rows)
	})
}

// rounded returns v with that many significant digits.
func rounded(v float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		panic(err) // a number that was just formatted
	}
	return r
}
