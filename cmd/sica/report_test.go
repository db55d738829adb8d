package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// readDiagnosis reads what report --json wrote.
func readDiagnosis(t *testing.T, path string) diagnosis {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d diagnosis
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// A kept separation is reported on without another fit, on other signals too.
func TestReportOfSeparation(t *testing.T) {
	dir := generate(t)
	in, short := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "short.csv")
	x, err := datasets.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := datasets.WriteFile(short, mat.DenseCopyOf(x.Slice(0, 2, 0, 120))); err != nil {
		t.Fatal(err)
	}
	model, jsonFile, html := filepath.Join(dir, "model"), filepath.Join(dir,
		"r.json"), filepath.Join(dir, "r.html")
	must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--backend", "go",
		"--save", model)
	// Images of four columns are too narrow for networks, which would take long.
	out := must(t, "report", "--in", short, "--shape", "30x4", "--model", model, "--refits", "0",
		"--json", jsonFile, "--html", html, "--backend", "go")
	d := readDiagnosis(t, jsonFile)
	if d.Model != model || d.Report.Positions != 120 || d.Report.Stability != nil ||
		d.Report.Recovered.Classifier != nil {
		t.Errorf("diagnosis %+v", d)
	}
	if !strings.Contains(out, "\nVerdict: "+string(d.Report.Verdict)+". ") ||
		!strings.Contains(out, "wrote "+jsonFile) || !strings.Contains(out, "wrote "+html) {
		t.Errorf("printed %q", out)
	}
	page, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(page), string(d.Report.Verdict)) {
		t.Errorf("page of %d bytes, %v", len(page), err)
	}
	again := "note: graded again, on these positions"
	part := must(t, "report", "--in", in, "--learn-on", "120", "--model", model, "--refits", "0",
		"--backend", "go")
	if strings.Contains(out, again) || !strings.Contains(part, again) {
		t.Errorf("of all positions %q, of a part %q", out, part)
	}
}

// Without a separation the report makes one, as separate would.
func TestReportOfFit(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	dir := generate(t)
	in, jsonFile := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "r.json")
	out := must(t, "report", "--in", in, "--refits", "1", "--seed", "3", "--json", jsonFile,
		"--details")
	d := readDiagnosis(t, jsonFile)
	if d.Seed != 3 || d.Report.Seed != 3 || d.Report.Recovered.Classifier == nil ||
		len(d.Report.Stability.Recoveries) != 2 {
		t.Errorf("diagnosis %+v", d)
	}
	// AR(7) sources are Gaussian with equal spectra.
	if d.Report.Verdict == report.Separated || !strings.Contains(out, "the fit and its refit") {
		t.Errorf("printed %q", out)
	}
}

// unpackedECG returns the path of the recorded ECG, unpacked into the folder.
func unpackedECG(t *testing.T, dir string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("..", "..", "datasets", "recordings", "ecg.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	table, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "ecg.csv", string(table))
}

// Of the recorded ECG separate, inspect and report each print at most 25 lines, with a row for each
// signal in the same order with the same share. Without refits, which add a line, the rows of
// separate and report are the same. What removal takes by inspect, remove takes.
func TestScreensOfECG(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	in := unpackedECG(t, dir)
	model, out := filepath.Join(dir, "m"), filepath.Join(dir, "c.csv")
	screens := map[string]string{
		"separate": must(t, "separate", "--in", in, "--out", out, "--save", model),
		"inspect":  must(t, "inspect", "--in", in, "--model", model),
		"report":   must(t, "report", "--in", in, "--model", model, "--refits", "0"),
	}
	row := regexp.MustCompile(`(?m)^(\d+) +(\d+\.\d %)`)
	want := row.FindAllString(screens["separate"], -1)
	for name, screen := range screens {
		limit := map[string]int{"separate": 25, "inspect": 25, "report": 24}[name]
		if lines := strings.Count(screen, "\n"); lines > limit {
			t.Errorf("%s: %d lines", name, lines)
		}
		if rows := row.FindAllString(screen, -1); len(rows) != 11 || !slices.Equal(rows, want) {
			t.Errorf("%s: rows %q, separate has %q", name, rows, want)
		}
	}
	whole := regexp.MustCompile(`(?m)^(#|\d+)  .*$`)
	separated := whole.FindAllString(screens["separate"], -1)
	if reported := whole.FindAllString(screens["report"], -1); !slices.Equal(reported, separated) {
		t.Errorf("report has the rows %q, separate %q", reported, separated)
	}
	takes := regexp.MustCompile(`(?m)^5 .*? % +(\w+) (\d+) %`).FindStringSubmatch(screens["inspect"])
	removed := must(t, "remove", "--in", in, "--out", out, "--model", model, "--components", "5")
	lost := regexp.MustCompile(`\n(\w+) +([\d.]+) %`).FindStringSubmatch(removed) // most first
	expected, err := strconv.Atoi(takes[2])
	share, err2 := strconv.ParseFloat(lost[2], 64)
	if err != nil || err2 != nil || lost[1] != takes[1] || math.Abs(share-float64(expected)) > 0.6 ||
		strings.Contains(removed, "quiet half") { // of a drift
		t.Errorf("inspect %q, remove %q", takes, lost)
	}
}

func TestReportErrors(t *testing.T) {
	dir := generate(t)
	in := filepath.Join(dir, "mixed.csv")
	few := write(t, dir, "few.csv", strings.Repeat("1,2\n3,5\n2,9\n", 10))
	before := list(t, dir)
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing in", nil, exitUsage, "--in "},
		{"no such file", []string{"--in", "no.csv"}, exitFailure, "no such file"},
		{"one place", []string{"--in", in, "--json", "a", "--html", "a"}, exitUsage, "same file"},
		{"no such separation", []string{"--in", in, "--model", filepath.Join(dir, "no")},
			exitFailure, "no such file"},
		{"a seed for no fit", []string{"--in", in, "--model", dir, "--seed", "3"}, exitUsage,
			"--seed is for a fit"},
		{"a preset for no fit", []string{"--in", in, "--model", dir, "--preset", "smoke"},
			exitUsage, "--preset is for a fit"},
		{"components for no fit", []string{"--in", in, "--model", dir, "--components", "2"},
			exitUsage, "--components is for a fit"},
		{"channels for no fit", []string{"--in", in, "--model", dir, "--without", "1"}, exitUsage,
			"--without is for a fit"},
		{"more components than channels", []string{"--in", in, "--components", "9"}, exitUsage,
			"--components 9"},
		{"a row of another length", []string{"--in", in, "--shape", "7"}, exitUsage, "--shape 7"},
		{"refits", []string{"--in", in, "--refits", "-1"}, exitUsage, "--refits -1"},
		{"too many refits", []string{"--in", in, "--refits", "101"}, exitUsage, "0 to 100"},
		{"method", []string{"--in", in, "--method", "ica"}, exitUsage, `"ica"`},
		{"shape", []string{"--in", in, "--shape", "3x3"}, exitUsage, "--shape 3x3"},
		{"no folder", []string{"--in", in, "--html", filepath.Join(dir, "no", "r.html")},
			exitFailure, "no such file"},
		{"too few positions", []string{"--in", few}, exitFailure, "at least 64"},
	} {
		code, stdout, stderr := command(t.Context(), append([]string{"report"}, test.args...)...)
		said := progressLines.ReplaceAllString(stderr, "")
		if code != test.code || stdout != "" || !strings.Contains(said, test.want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want exit %d and %q", test.name, code,
				stdout, stderr, test.code, test.want)
		}
	}
	if after := list(t, dir); len(after) != len(before) {
		t.Errorf("files %q, were %q", after, before)
	}
}

// A separation of images is reported on as one of images: rows of one grey stay, as the
// neighbours of a pixel are those of its place.
func TestReportOfImages(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	dir := t.TempDir()
	must(t, "generate", "--signals", "mnist", "--d", "2", "--steps", "1", "--seed", "3", "--out", dir)
	in, model := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "model")
	jsonFile := filepath.Join(dir, "r.json")
	must(t, "separate", "--in", in, "--shape", "32x32", "--out", filepath.Join(dir, "z.csv"),
		"--save", model, "--backend", "go")
	must(t, "report", "--in", in, "--model", model, "--refits", "0", "--json", jsonFile)
	r := readDiagnosis(t, jsonFile).Report
	if r.Positions != 1024 || !slices.Equal(r.Shape, []int{32, 32}) {
		t.Errorf("report on %d positions of the shape %v", r.Positions, r.Shape)
	}
}
