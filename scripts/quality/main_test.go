package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every problem gives sources and mixtures of one size, the same for one seed.
func TestProblems(t *testing.T) {
	for _, p := range problems() {
		s, x, err := p.draw(rand.New(rand.NewPCG(5, 0)))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		_, again, err := p.draw(rand.New(rand.NewPCG(5, 0)))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		d, n := s.Dims()
		if dx, nx := x.Dims(); d != dx || n != nx {
			t.Errorf("%s: sources %d×%d, mixtures %d×%d", p.name, d, n, dx, nx)
		}
		if x.At(0, n-1) != again.At(0, n-1) {
			t.Errorf("%s: the same seed gave other mixtures", p.name)
		}
	}
}

func TestTable(t *testing.T) {
	rows := []row{
		{Problem: "a", Seed: 3, Runs: 2, Seconds: 1.5, MCC: map[string][]float64{
			"mixed": {0.4, 0.6}, "ZCA": {0.9, 0.9}, "conditional": {0, 1}, "FastICA": {0.7, 0.7}, "start": {0.5, 0.5}, "SICA": {1, 1}}},
		{Problem: "of another seed", Seed: 4, Runs: 2},
	}
	var out bytes.Buffer
	if err := writeTable(&out, rows, 3, 2); err != nil {
		t.Fatal(err)
	}
	// the standard error of 0.4 and 0.6 is 0.1414/√2
	want := "| a | 0.500 (0.100) | 0.900 (0.000) | fails | 0.500 (0.500) | 0.700 (0.000) | 0.500 (0.000) | 1.000 (0.000) | 1.5 |\n"
	if !strings.HasSuffix(out.String(), want) || strings.Contains(out.String(), "another") {
		t.Errorf("table\n%s\nwants the row\n%s", out.String(), want)
	}

	path := filepath.Join(t.TempDir(), "quality.json")
	if none, err := readRows[row](path); err != nil || none != nil {
		t.Errorf("no file: %v, %v", none, err)
	}
	data, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	read, err := readRows[row](path)
	if err != nil || !has(read, "a", 3, 2) || has(read, "a", 3, 8) {
		t.Errorf("read %+v, %v", read, err)
	}
}

func TestComparison(t *testing.T) {
	of := func(problem string, mcc ...float64) row {
		return row{Problem: problem, Seed: 3, Runs: 2, MCC: map[string][]float64{"SICA": mcc}}
	}
	rows := []row{of("same", 0.4, 0.6), of("better", 0.9, 0.91), of("worse", 0.2, 0.21), of("new", 1, 1)}
	committed := []row{of("same", 0.5, 0.6), of("better", 0.5, 0.52), of("worse", 0.5, 0.52), of("gone", 1, 1)}
	var out bytes.Buffer
	if err := writeComparison(&out, rows, committed, 3, 2); err != nil {
		t.Fatal(err)
	}
	want := "| same | 0.550 (0.050) | 0.500 (0.100) | the same |\n" +
		"| better | 0.510 (0.010) | 0.905 (0.005) | better |\n" +
		"| worse | 0.510 (0.010) | 0.205 (0.005) | worse |\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("comparison\n%s\nwants\n%s", out.String(), want)
	}
	if rows, err := parseRows[row](committedTable); err != nil || len(rows) == 0 {
		t.Errorf("committed table: %d rows, %v", len(rows), err)
	}
}
