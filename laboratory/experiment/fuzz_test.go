package experiment_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// checkError fails unless err is a line.
func checkError(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 1000 {
		t.Errorf("the error is %q: want a line", text)
	}
}

// tree are the paths of all that is below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// Any file of outcomes is an error, or can be added to, summarised and drawn; nothing is
// written outside of the folder.
func FuzzStore(f *testing.F) {
	const trial = `{"data":"ar7","mixing":"linear","steps":5,"seed":20001,"method":"sica-wgf","preset":"paper","mcc":0.5,"seconds":1`
	for _, seed := range []string{
		"", "{}\n", "{}\n{}", "null\n", "[]\n", "{}\nnot JSON\n{}\n",
		trial + "}\n" + strings.ReplaceAll(trial, "20001", "20002") + "}\n",
		trial + `,"divergence":[0.5,1],"config":{"a":[1]}}` + "\n",
		strings.Replace(trial, "0.5", "1e300", 1) + "}\n",
		strings.Replace(trial, `:1`, ":-1e300", 1) + "}\n",
		strings.Replace(trial, "0.5", "null", 1) + `,"error":"failed"}` + "\n",
		strings.Replace(trial, "ar7", "../../../outside", 1) + "}\n",
		strings.Replace(trial, "sica-wgf", `a\u0000b`, 1) + "}\n",
	} {
		f.Add([]byte(seed))
	}
	parent := f.TempDir()
	from, to := filepath.Join(parent, "from"), filepath.Join(parent, "a", "b", "to")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, dir := range []string{from, to} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, "signals"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		before := tree(t, parent)
		if err := os.WriteFile(filepath.Join(from, "outcomes.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := experiment.Read(from, "outcomes")
		if err != nil {
			checkError(t, err)
			return
		}
		n := len(read.Outcomes())
		if most := bytes.Count(data, []byte("\n")); n > most {
			t.Errorf("%d outcomes of %d lines", n, most)
		}
		checkShown(t, read)

		s := open(t, to, "outcomes")
		defer s.Close()
		for _, o := range read.Outcomes() {
			add(t, s, &o, nil)
		}
		if added := len(s.Outcomes()); added != n {
			t.Errorf("added %d of %d", added, n)
		}
		add(t, s, outcome(1, .5), nil)
		again, err := experiment.Read(to, "outcomes")
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := find(again, experiment.Trial{Problem: outcome(1, 0).Problem, Method: "fastica",
			Preset: methods.Paper}); !ok || *o.MCC != .5 {
			t.Errorf("what was added came back as %+v (%v)", o, ok)
		}
		after := tree(t, parent)
		after = slices.DeleteFunc(after, func(path string) bool { return filepath.Base(path) == "outcomes.jsonl" })
		if !slices.Equal(after, before) {
			t.Errorf("wrote files: %q, before %q", after, before)
		}
	})
}

// checkShown fails if a figure of the results panics.
func checkShown(t *testing.T, r *experiment.Results) {
	t.Helper()
	figure, err := experiment.FigureNamed("3b")
	if err != nil {
		t.Fatal(err)
	}
	if err := figure.WriteTable(io.Discard, r, experiment.PrintedPreset, 2); err != nil {
		t.Error(err)
	}
	if err := figure.WriteClaims(io.Discard, r, experiment.PrintedPreset, 2); err != nil {
		t.Error(err)
	}
	if _, err := figure.Picture(r, experiment.PrintedPreset, 2); err != nil {
		checkError(t, err)
	}
}
