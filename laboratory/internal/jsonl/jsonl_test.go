package jsonl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

type row struct{ A int }

func (r *row) check() error {
	if r.A < 0 {
		return fmt.Errorf("%d is below 0", r.A)
	}
	return nil
}

// Wherever a crash truncates the last line, the rows before it are read, and rows that are added
// later, too.
func TestTruncatedLineIsSkipped(t *testing.T) {
	const whole = "{\"A\":1}\n{\"A\":2}\n"
	for cut := range len(whole) + 1 {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		want := []row{{1}, {2}}[:strings.Count(whole[:cut], "\n")]
		f, rows, err := jsonl.Open(path, (*row).check)
		if err != nil || !slices.Equal(rows, want) {
			t.Fatalf("cut at %d: %v, %v, want %v", cut, rows, err, want)
		}
		if _, _, err := jsonl.Open(path, (*row).check); !errors.Is(err, jsonl.ErrInUse) {
			t.Errorf("opened twice: %v", err)
		}
		if err := errors.Join(f.Add(row{3}), f.Close()); err != nil {
			t.Fatal(err)
		}
		if rows, err := jsonl.Read(path, (*row).check); err != nil ||
			!slices.Equal(rows, append(slices.Clone(want), row{3})) {
			t.Errorf("cut at %d, then added to: %v, %v", cut, rows, err)
		}
	}
}

// The error has the number of the line and what is wrong.
func TestBadRowErrorNamesLine(t *testing.T) {
	for text, says := range map[string]string{
		"{\"A\":1}\nnot JSON\n": "line 2",
		"{\"A\":-4}\n":          "line 1: -4 is below 0",
	} {
		if rows, err := jsonl.Decode(strings.NewReader(text), (*row).check); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v, want an error with %q", text, rows, err, says)
		}
	}
	if rows, err := jsonl.Decode[row](strings.NewReader("{\"A\":-4}\n"), nil); err != nil ||
		len(rows) != 1 {
		t.Errorf("without a check: %v, %v", rows, err)
	}
}
