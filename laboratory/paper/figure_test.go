package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// must runs the command and returns what it printed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

// list returns the names of the files in a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A line that can't be carried out is an error that names what is wrong, and writes nothing.
func TestErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new")
	for _, test := range []struct {
		args, says string
	}{
		{"figure", "1 arg"},
		{"figure 9 --out DIR", `unknown figure "9"`},
		{"figure 1", `"out"`},
		{"figure 1 --preset best --out DIR", `unknown --preset "best"`},
		{"figure 1 --methods ica --out DIR", "ica"},
		{"figure 1 --methods jade --out DIR", "--methods jade: figure 1 with the preset paper has only "},
		{"figure 2 --methods sica --out DIR", "--methods: figure 2 shows no separation"},
		{"figure 1 --runs 0 --out DIR", "--runs 0"},
		{"figure 1 --runs 99999999 --out DIR", "--runs 99999999"},
		{"figure 1 --shard 3/2 --out DIR", "3/2"},
		{"statements", `"in"`},
		{"statements --in DIR", "DIR"},
	} {
		args := strings.Fields(strings.ReplaceAll(test.args, "DIR", out))
		err := run(t.Context(), args, &bytes.Buffer{})
		if says := strings.ReplaceAll(test.says, "DIR", out); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v: want %q", test.args, err, says)
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("%s was made (%v)", out, err)
	}
}

// A figure made in two shares and joined has the table of one that was made at
// once, and neither is made again.
func TestFigureInShares(t *testing.T) {
	dir := t.TempDir()
	whole, shares, joined := filepath.Join(dir, "whole"), filepath.Join(dir,
		"shares"), filepath.Join(dir, "joined")
	figure := func(out string, more ...string) string {
		args := []string{"figure", "3b", "--methods", "mixed,zca,fastica", "--runs", "2", "--out",
			out, "--backend", "go"}
		return must(t, append(args, more...)...)
	}
	table := func(printed string) string {
		var rows []string
		for line := range strings.Lines(printed) {
			if cells := strings.Split(line, "|"); len(cells) > 2 {
				rows = append(rows, strings.Join(cells[:len(cells)-2], "|")) // without the seconds
			}
		}
		return strings.Join(rows, "\n")
	}
	want := figure(whole)
	if !strings.HasPrefix(want, "24 of 24 separations to make") {
		t.Errorf("the first time it printed\n%s", want)
	}
	if again := figure(whole); !strings.HasPrefix(again, "0 of 24 separations to make") ||
		table(again) != table(want) {
		t.Errorf("the second time it printed\n%s", again)
	}
	figure(shares, "--shard", "1/2")
	figure(shares, "--shard", "2/2", "--jobs", "2")
	if got, want := list(t, shares), []string{"outcomes-1-of-2.jsonl",
		"outcomes-2-of-2.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("the shares' files are %q, want %q", got, want)
	}
	var lines []byte
	for _, name := range list(t, shares) {
		share, err := os.ReadFile(filepath.Join(shares, name))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, share...)
	}
	if err := os.Mkdir(joined, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(joined, "outcomes.jsonl"), lines, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := figure(joined); !strings.HasPrefix(got, "0 of 24 separations to make") ||
		table(got) != table(want) {
		t.Errorf("joined it is\n%s\nand at once\n%s", got, want)
	}
	if got, want := list(t, whole), []string{"fig3b.png", "outcomes.jsonl"}; !slices.Equal(got,
		want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
}

// A figure with steps as printed has separations and a picture of its own, and the
// readings of the step have another table, all in one file of outcomes.
func TestFigureAsPrinted(t *testing.T) {
	out := t.TempDir()
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"3c", "--runs", "1"}, "4 of 4 separations to make"},
		{[]string{"3c", "--runs", "1", "--preset", "printed"}, "4 of 4 separations to make"},
		{[]string{"3c", "--runs", "1", "--preset", "printed"}, "0 of 4 separations to make"},
		{[]string{"3c", "--runs", "1", "--preset", "printed"}, "| the paper says |"},
		{[]string{"3c", "--runs", "1", "--preset", "smoke"}, "its values mean nothing"},
		// 18 mixtures of AR(7), as the linear one of two interpretations is one, and 14 of digits.
		{[]string{"interpretations"}, "96 of 96 separations to make"},
		{[]string{"interpretations"}, "| GELU, x + 0.05·h(W·x) | 0."},
	} {
		args := slices.Concat([]string{"figure"}, test.args,
			[]string{"--methods", "mixed", "--out", out, "--backend", "go"})
		if printed := must(t, args...); !strings.Contains(printed, test.says) {
			t.Errorf("%q printed\n%swithout %q", test.args, printed, test.says)
		}
	}
	if got, want := list(t, out), []string{"fig3c-printed.png", "fig3c.png",
		"outcomes.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
}

// Figure 2 is drawn without a separation.
func TestFigureOfModels(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new")
	printed := must(t, "figure", "2", "--out", out)
	for _, says := range []string{"| independent, of two spectra | holds | 0.000 |",
		"| rotated, of two spectra | fails | 1.201 |"} {
		if !strings.Contains(printed, says) {
			t.Errorf("it printed\n%swithout %q", printed, says)
		}
	}
	if got, want := list(t, out), []string{"fig2.png"}; !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
}
