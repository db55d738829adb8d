package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Signals that are asked for by name come in that order, from a file and from a stream; others
// are set aside, and what isn't there is named.
func TestSelect(t *testing.T) {
	var text strings.Builder
	text.WriteString("time,EEG T7-REF,count,Fp1,Cz.,flat\n")
	for k := range 100 {
		fmt.Fprintf(&text, "%g,%d,%d,%d,%d,7\n", float64(k)/50, k*k%13, k, k*k%17, k*k%19)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "b.csv")
	both := strings.Replace(text.String(), "Fp1,Cz.", "T7-LE,Cz.", 1)
	if err := os.WriteFile(other, []byte(both), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (ReadOptions{Without: []string{"T7"}}).Recording(other); err == nil ||
		!strings.Contains(err.Error(), `names of the channels "EEG T7-REF", "T7-LE"`) {
		t.Errorf("a name that two channels have: %v", err)
	}
	for _, c := range []struct {
		o           ReadOptions
		names, left string
		err         string
	}{
		{ReadOptions{}, "EEG T7-REF Fp1 Cz.", "count flat", ""},
		{ReadOptions{Signals: []string{"cz", "T7"}}, "Cz. EEG T7-REF", "count Fp1 flat", ""},
		{ReadOptions{Signals: []string{"flat", "Fp1"}}, "flat Fp1", "EEG T7-REF count Cz.", ""},
		{ReadOptions{Without: []string{"Fp1"}}, "EEG T7-REF Cz.", "count Fp1 flat", ""},
		{ReadOptions{Without: []string{"1", "fp1"}}, "Cz.", "EEG T7-REF count Fp1 flat", ""},
		{ReadOptions{Without: []string{"O2"}}, "", "", `no channel "O2"`},
		{ReadOptions{Without: []string{"z"}}, "", "", `must be one of "Cz.", "EEG T7-REF", `},
		{ReadOptions{Without: []string{"1", "2", "3", "4", "5"}}, "", "", "at least one"},
		{ReadOptions{Signals: []string{"T7", "O2"}}, "", "", `channel "O2", and it has the channels "`},
	} {
		r, err := c.o.Recording(path)
		s, err2 := c.o.Stream(path)
		if c.err != "" {
			for _, err := range []error{err, err2} {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%+v: %v, want %q", c.o, err, c.err)
				}
			}
			continue
		}
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		about := s.About()
		other := len(c.o.Signals) > 0 && c.o.Signals[0] != "T7"
		if said := strings.Join(r.Notes, " "); strings.Contains(said, "taken by name") != other {
			t.Errorf("%+v: notes %q", c.o, r.Notes)
		}
		var left []string
		for i, column := range r.Aside {
			left = append(left, column.Name)
			if !slices.Equal(column.Values, about.Aside[i].Values) {
				t.Errorf("%+v: %q differs in blocks", c.o, column.Name)
			}
		}
		if strings.Join(r.Names, " ") != c.names || strings.Join(left, " ") != c.left {
			t.Errorf("%+v: %q and aside %q", c.o, r.Names, left)
		}
		if !mat.Equal(r.Signals, gathered(t, s.Blocks(33))) || !slices.Equal(r.Names, about.Names) ||
			!slices.Equal(r.Notes, about.Notes) || about.Rate != 50 {
			t.Errorf("%+v: in blocks it differs: %q, %q", c.o, about.Names, about.Notes)
		}
	}
}

// Without a header, numbers of columns to leave out are those of the file, in errors and notes, too,
// also if a column of text comes first.
func TestNumbersWithoutHeader(t *testing.T) {
	var text strings.Builder
	for k := range 100 {
		cell := fmt.Sprint(k * k % 11)
		if k == 50 {
			cell = ""
		}
		fmt.Fprintf(&text, "abc,%d,%d,%d,%s\n", k, k*k%13, k*k%17, cell)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), "column 5: the cell is empty") ||
		!strings.Contains(err.Error(), "(ReadOptions.Without 5)") {
		t.Errorf("error %v", err)
	}
	r, err := ReadOptions{Without: []string{"5"}}.Recording(path)
	if err != nil || !slices.Equal(r.Places, []int{2, 3}) || r.Aside[1].Place != 4 && r.Aside[2].Place != 4 {
		t.Errorf("without column 5: %+v, error %v", r, err)
	}
	r, err = ReadOptions{Without: []string{"3", "1"}, Missing: MissingInterpolate}.Recording(path)
	if err != nil || !slices.Equal(r.Places, []int{3, 4}) ||
		!slices.Contains(r.Notes, `"column 3" was left out, as asked`) {
		t.Errorf("without column 3: %+v, error %v", r, err)
	}
	if _, err := (ReadOptions{Without: []string{"6"}, Missing: MissingDrop}).Recording(path); err == nil ||
		!strings.Contains(err.Error(), "must be a number up to 5") {
		t.Errorf("without column 6: %v", err)
	}
}

// A channel to leave out that isn't there is answered with all that are.
func TestUnknownChannel(t *testing.T) {
	names := make([]string, 128)
	for i := range names {
		names[i] = fmt.Sprintf("E%03d", i)
	}
	_, err := findWithout([]string{"EOG"}, names, nil, nil)
	for _, name := range names {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Fatalf("%v, want %s in it", err, name)
		}
	}
}
