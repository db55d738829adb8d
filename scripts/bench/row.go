package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
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
	PeakMiB  float64   `json:"peak_mib,omitempty"` // of the process's memory
	Device   string    `json:"device"`
}

func newRow(p problem, c contender, cores int, loss, compile float64) row {
	impl, where := c.name()
	return row{
		Case: p.kind, Impl: impl, Backend: where, Cores: cores, D: p.d, T: p.positions(),
		Shape: p.shape, Runs: p.runs,
		Loss: loss, Compile: compile, Device: device(),
	}
}

func (r *row) summarise(ms []float64) {
	r.Median, r.P10, r.P90, r.Repeats = median(ms), quantile(0.1, ms), quantile(0.9, ms), len(ms)
}

// merge appends the new rows, in place of earlier ones of the same.
func merge(rows, new []row) []row {
	same := func(a, b row) bool {
		return a.key() == b.key() && a.Impl == b.Impl &&
			a.Backend == b.Backend
	}
	rows = slices.DeleteFunc(rows, func(old row) bool {
		return slices.ContainsFunc(new, func(r row) bool { return same(old, r) })
	})
	return append(rows, new...)
}

// device says what the processor is called, where the system tells.
func device() string {
	if name, err := cpuName("/proc/cpuinfo"); err == nil {
		return name
	}
	return runtime.GOOS + "/" + runtime.GOARCH
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
		return nil, fmt.Errorf("%s: %w; want the rows of an earlier run, or no file", file, err)
	}
	return rows, nil
}

func writeRows(file string, rows []row) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(rows)
	})
}

// cpuName returns the processor's name in the file that Linux describes it in.
func cpuName(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value), nil
		}
	}
	return "", errors.New("no model name")
}
