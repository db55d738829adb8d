package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// What isn't known to repeat isn't removed without a note, if the model has grades, and neither is
// a part of what repeats only together.
func TestRemoveNotesDoubtful(t *testing.T) {
	in, dir := writeUnidentified(t, 0), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	model, out, record := at("model"), at("clean.csv"), at("record.json")
	must(t, "separate", "--in", in, "--out", at("z.csv"), "--save", model, "--quick")
	repeats, doubtful := report.Graded{Grade: report.Repeats}, report.Graded{Grade: report.Doubtful}
	identified := report.Graded{Grade: report.Identified}
	mixed := []report.Graded{repeats, identified, doubtful}
	pair := report.Graded{Grade: report.Repeats, Group: []int{0, 2}}
	paired := []report.Graded{pair, identified, pair}
	for _, c := range []struct {
		grades     []report.Graded
		components string
		want       string
	}{
		{nil, "1,2", ""},
		{mixed, "1,2", ""},
		{mixed, "2,3", "graded doubtful, 3:"},
		{slices.Repeat([]report.Graded{doubtful}, 3), "3,1", "graded doubtful, 3 and 1:"},
		{paired, "1,3", ""},
		{paired, "2,3", "repeats only together: 3 repeats with 1"},
	} {
		if c.grades != nil {
			if err := files.WriteJSON(filepath.Join(model, gradesFile), c.grades); err != nil {
				t.Fatal(err)
			}
		}
		said := must(t, "remove", "--model", model, "--in", in, "--out", out,
			"--components", c.components, "--json", record)
		if strings.Contains(said, "note: removing") != (c.want != "") || !strings.Contains(said, c.want) {
			t.Errorf("%v without %s: no %q in %s", c.grades, c.components, c.want, said)
		}
		data, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		var rec removed
		err = json.Unmarshal(data, &rec)
		if err != nil || !strings.Contains(strings.Join(rec.Notes, " "), c.want) {
			t.Errorf("notes %q, error %v", rec.Notes, err)
		}
	}
}

// A file of EDF says that nothing gives its unit; that of a recording with units doesn't.
func TestNoteUnit(t *testing.T) {
	for _, c := range []struct {
		path  string
		units []string
		want  bool
	}{
		{"a.edf", nil, true}, {"a.BDF", nil, true}, {"a.edf", []string{"uV"}, false}, {"a.csv", nil, false},
	} {
		var out strings.Builder
		noteUnit(&out, c.path, c.units)
		if strings.Contains(out.String(), "has no unit") != c.want {
			t.Errorf("%s with units %q: %q", c.path, c.units, out.String())
		}
	}
}
