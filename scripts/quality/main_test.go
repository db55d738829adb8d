package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows := []row{
		{Problem: "a", Seed: 3, Runs: 2, Seconds: 1.5, MCC: map[string][]float64{
			"mixed": {0.4, 0.6}, "zca": {0.9, 0.9}, "fastica": {0, 1}, "picard": {0.7, 0.7}, "sobi": {0.5, 0.5}, "sica": {1, 1}}},
		{Problem: "of another seed", Seed: 4, Runs: 2},
	}
	var out bytes.Buffer
	if err := writeTable(&out, rows, 3, 2); err != nil {
		t.Fatal(err)
	}
	// the standard error of 0.4 and 0.6 is 0.1414/√2
	want := "| a | 0.500 (0.100) | 0.900 (0.000) | 0.500 (0.500) | 0.700 (0.000) | 0.500 (0.000) | fails | 1.000 (0.000) | 1.50 |\n"
	if !strings.HasSuffix(out.String(), want) || strings.Contains(out.String(), "another") {
		t.Errorf("table\n%s\nwants the row\n%s", out.String(), want)
	}

	dir := filepath.Join(t.TempDir(), "new")
	file, none, err := begin[row](dir, "results")
	if err != nil || none != nil {
		t.Fatalf("no file: %v, %v", none, err)
	}
	if err := errors.Join(file.Add(rows[0]), file.Close()); err != nil {
		t.Fatal(err)
	}
	file, read, err := begin[row](dir, "results")
	if err != nil || len(read) != 1 || !has(read, "a", 3, 2) || has(read, "a", 3, 8) {
		t.Errorf("read %+v, %v", read, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

func TestComparison(t *testing.T) {
	of := func(problem string, mcc ...float64) row {
		return row{Problem: problem, Seed: 3, Runs: 2, MCC: map[string][]float64{"sica": mcc}}
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
	if rows, err := committedRows(); err != nil || len(rows) == 0 {
		t.Errorf("committed table: %d rows, %v", len(rows), err)
	}
}
