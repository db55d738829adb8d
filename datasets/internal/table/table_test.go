package table

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// readAll returns all numbers of a table.
func readAll(t *testing.T, r *Reader) (all []float64) {
	t.Helper()
	for {
		row, err := r.Next()
		all = append(all, row...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What the first rows say of a table is there once it is open, and the rest once all is read.
func TestOpen(t *testing.T) {
	const file = "made by hand\nat;left;state;right\n10:00:00;1,5;rest;2\n10:00:01;2,5;rest;4\n" +
		"10:00:02;off;task;6\n"
	r, err := Open(strings.NewReader(file), Options{FillMissing: true, MaxText: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Names, []string{"at", "left", "right"}) ||
		!slices.Equal(r.Places, []int{0, 1, 3}) || !r.Timed || r.TimeUnit != 1 ||
		r.Rate != 0 || r.Columns() != 3 {
		t.Errorf("names %q, places %v, timed %t in %g s", r.Names, r.Places, r.Timed, r.TimeUnit)
	}
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "first line is no part") ||
		!strings.Contains(notes, "decimal commas") || !strings.Contains(notes, `"state" is text`) {
		t.Errorf("notes %q", notes)
	}
	got, want := readAll(t, r), []float64{0, 1.5, 2, 1, 2.5, 4, 2, math.NaN(), 6}
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
		t.Errorf("read %v, want %v", got, want)
	}
	texts := r.Texts()
	if len(texts) != 2 || texts[1].Name != "state" || texts[1].Place != 2 ||
		texts[1].Reason != "is text" || !slices.Equal(texts[1].Cells, []string{"rest", "rest", "task"}) {
		t.Errorf("columns of text %+v", texts)
	}
	late := r.LateNotes()
	if len(late) != 1 || !strings.Contains(late[0], `in line 5 ("off")`) {
		t.Errorf("late notes %q", late)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// A channel whose first rows have no numbers is an error that says which, and is read if chosen.
func TestChannelError(t *testing.T) {
	file := "a,b\n" + strings.Repeat("1,off\n", maxSniffedRows) +
		strings.Repeat("2,3\n", 3*maxSniffedRows)
	o := Options{FillMissing: true}
	r, err := Open(strings.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	if readAll(t, r); r.Texts() != nil {
		t.Errorf("%d columns of text are kept without a choice", len(r.Texts()))
	}
	var found *ChannelError
	if err := r.Check(); !errors.As(err, &found) || !slices.Equal(found.Columns, []int{1}) {
		t.Fatalf("error %v", err)
	}
	o.Numeric = found.Columns
	if r, err = Open(strings.NewReader(file), o); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) != 8*maxSniffedRows || r.Check() != nil || r.Places != nil {
		t.Errorf("%d numbers, %v", len(got), r.Check())
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"Fp1": true, "8 Hz": true, "a, b": true, "": false, "12": false, "NA": false, "a;b": false,
		" a": false, "1,5": false, ",5": false, "#": true, "% O2": true,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q is a name: %t, want %t", name, got, want)
		}
	}
}

// A comma at the end of the last row only is an error of its line.
func TestLongLastRow(t *testing.T) {
	text := "a,b,c\n" + strings.Repeat("1.5,2.5,3\n", 45) + "1.5,2.5,3,\n"
	r, err := Open(strings.NewReader(text), Options{})
	for err == nil {
		_, err = r.Next()
	}
	if !strings.Contains(err.Error(), "line 47 has 4 columns; must have 3") {
		t.Error(err)
	}
}
