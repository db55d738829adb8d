package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// pageContent is what tests look at of the data of a page.
type pageContent struct {
	Command    string
	Selection  map[string]any
	Components []struct {
		Samples []byte
		Grade   string
	}
}

func readPage(t *testing.T, path string) (c pageContent) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindSubmatch(page)
	if found == nil {
		t.Fatalf("%s has no data", path)
	}
	if err := json.Unmarshal(found[1], &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// A page has the grades of separate. Whether the signals of whitening repeat isn't known, as any
// half gives them again.
func TestPageHasGrades(t *testing.T) {
	for signals, graded := range map[string]bool{"mnist": true, "ar7": false} {
		dir := t.TempDir()
		must(t, "generate", "--signals", signals, "--out", dir)
		in, model := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "model")
		page := filepath.Join(dir, "page.html")
		must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--save", model, "--backend", "go")
		must(t, "inspect", "--model", model, "--in", in, "--html", page)
		for _, c := range readPage(t, page).Components {
			if c.Grade == "" || (c.Grade != "not identified") != graded {
				t.Errorf("%s: grade %q; want it measured: %v", signals, c.Grade, graded)
			}
		}
	}
}

// What is ticked on a page is removed by --selection as by --components, from the separation that the
// page is about only.
func TestSelection(t *testing.T) {
	dir := generate(t)
	in, page := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "page.html")
	model, other := filepath.Join(dir, "my model"), filepath.Join(dir, "other")
	out, clean := filepath.Join(dir, "z.csv"), filepath.Join(dir, "clean.csv")
	must(t, "separate", "--in", in, "--out", out, "--save", model, "--backend", "go")
	must(t, "separate", "--in", out, "--out", clean, "--save", other, "--backend", "go")
	said := must(t, "inspect", "--model", model, "--in", in, "--skip", "1-16", "--html", page)
	if !strings.Contains(said, "wrote "+page) {
		t.Errorf("inspect printed %q", said)
	}
	c := readPage(t, page)
	want := "sica remove --model '" + model + "' --in " + in + " --out mixed-clean.csv"
	if c.Command != want || len(c.Components) != 2 || len(c.Components[0].Samples) != 2*240 {
		t.Errorf("command %q, want %q; %d components", c.Command, want, len(c.Components))
	}
	if _, there := c.Selection["signals"]; there {
		t.Error("the page has signals before any is ticked")
	}
	ticked := func(name string, signals ...int) string {
		c.Selection["signals"] = signals
		b, err := json.Marshal(c.Selection)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, dir, name, string(b))
	}
	selection := ticked("selection.json", 1)
	said = must(t, "remove", "--model", model, "--in", in, "--out", clean, "--selection", selection)
	if !strings.Contains(said, "removing 2, as ticked for mixed.csv (256 positions)\n") ||
		strings.Contains(said, "another recording") {
		t.Errorf("remove printed %q", said)
	}
	bySelection, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	must(t, "remove", "--model", model, "--in", in, "--out", clean, "--components", "2")
	if byNumber, err := os.ReadFile(clean); err != nil || string(byNumber) != string(bySelection) {
		t.Errorf("--selection and --components 2 differ, error %v", err)
	}
	said = must(t, "remove", "--model", model, "--in", out, "--out", clean, "--selection", selection)
	if !strings.Contains(said, "note: this is another recording: z.csv (256 positions)\n") {
		t.Errorf("of another recording remove printed %q", said)
	}
	for _, test := range []struct {
		model, file string
		more        []string
		code        int
		want        string
	}{
		{other, selection, nil, exitFailure, "is of another separation than " + other},
		{model, write(t, dir, "no.json", "{}"), nil, exitFailure, "isn't a selection"},
		{model, write(t, dir, "no.txt", "1,2"), nil, exitFailure, "no.txt: isn't a selection"},
		{model, write(t, dir, "list.json", "[1]"), nil, exitFailure, "list.json: isn't a selection"},
		{model, filepath.Join(dir, "none.json"), nil, exitFailure, "no such file"},
		{model, selection, []string{"--proposed"}, exitUsage, "one of the three"},
		{model, selection, []string{"--components", "1"}, exitUsage, "one of the three"},
		{model, ticked("empty.json"), nil, exitUsage, "no component is ticked"},
		{model, ticked("third.json", 2), nil, exitFailure, "has signal 3; must be one of 1 to 2"},
	} {
		args := append([]string{"remove", "--model", test.model, "--in", in, "--out", clean,
			"--selection", test.file}, test.more...)
		code, _, stderr := command(t.Context(), args...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit %d, %q, want %d and %q", args, code, stderr, test.code, test.want)
		}
	}
}

// The command on a page reads a recording as the command that wrote the page did.
func TestRemoveCommand(t *testing.T) {
	var opt inspectOptions
	cmd := &cobra.Command{}
	opt.reading.Add(cmd)
	opt.fitting.Add(cmd, "look at")
	if err := cmd.ParseFlags([]string{"--decimal", ",", "--transpose", "--highpass", "2"}); err != nil {
		t.Fatal(err)
	}
	for forEDF, ending := range map[bool]string{false: "csv", true: "edf"} {
		got := removeCommand(cmd, []string{"a/it's.set", "b.csv"}, "m", 0.5, forEDF)
		want := `sica remove --model m --in 'a/it'\''s.set' --in b.csv --out 'it'\''s-clean.` + ending +
			`' --decimal=, --transpose --highpass 0.5`
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
