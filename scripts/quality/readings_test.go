package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/jsonl"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

//go:embed readings.jsonl
var committedReadings []byte

// The committed runs have every reading of every problem, and none that begins with
// the mixed signals gets from AR(7) behind five linear steps what FastICA gets, .92.
func TestCommittedReadings(t *testing.T) {
	made, err := jsonl.Decode[readRun](bytes.NewReader(committedReadings), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range readMixtures() {
		for _, r := range readings {
			runs := 0
			mean := 0.0
			for _, m := range made {
				if m.Problem == p.Name && m.Reading == r.name {
					runs++
					mean += m.MCC[m.Best] / 3
				}
			}
			if runs != 3 {
				t.Errorf("%s, %s: %d runs, want 3", p.Name, r.name, runs)
			}
			if p.Name == "AR(7), linear, J=5" && r.name != "from ZCA" && mean > 0.92 {
				t.Errorf("%s: MCC %.3f", r.name, mean)
			}
		}
	}
}

// Each reading is another one.
func TestReadingsDiffer(t *testing.T) {
	seen := make(map[string]string)
	for _, r := range readings {
		cfg := sica.PaperWGF()
		r.change(&cfg)
		settings, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[string(settings)]; ok {
			t.Errorf("%s is %s", r.name, other)
		}
		seen[string(settings)] = r.name
	}
}

// A fit is scored at its start and after each iteration.
func TestRead(t *testing.T) {
	b, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	const positions = 128 // the paper's network is over all of them
	short := readMixtures()[0]
	draw := short.Draw
	short.Draw = func(seed uint64) (*mat.Dense, *ica.Signals, error) {
		s, mixed, err := draw(seed)
		if err != nil {
			return nil, mixed, err
		}
		d, _ := s.Dims()
		if mixed, err = ica.New(mat.DenseCopyOf(mixed.X().Slice(0, d, 0, positions))); err != nil {
			return nil, nil, err
		}
		return mat.DenseCopyOf(s.Slice(0, d, 0, positions)), mixed, nil
	}
	brief := reading{"brief", func(c *sica.Config) { *c = c.Smoke(); c.Flow.Iterations = 1 }}
	run, err := read(t.Context(), b, short, brief, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.MCC) != 2 || run.Best != 1 || run.MCC[0] == run.MCC[1] || slices.ContainsFunc(run.MCC, func(v float64) bool { return math.IsNaN(v) || v < 0.5 }) {
		t.Errorf("%+v", run)
	}
}

// The results of two runs are .8 and .6, their best iterates .9 and .7, of a standard
// error of .1.
func TestReadingTable(t *testing.T) {
	problem := readMixtures()[1].Name
	made := []readRun{
		{Problem: problem, Reading: readings[1].name, Seed: 1, MCC: []float64{.5, .9, .8}, Best: 2},
		{Problem: problem, Reading: readings[1].name, Seed: 2, MCC: []float64{.7, .6, .5}, Best: 1},
	}
	var out bytes.Buffer
	if err := writeReadings(&out, made); err != nil {
		t.Fatal(err)
	}
	want := "| η = 0.1 | – | – | 0.700 (0.100) | 0.800 (0.100) | – | – |\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("table\n%s\nwants the row\n%s", out.String(), want)
	}
}
