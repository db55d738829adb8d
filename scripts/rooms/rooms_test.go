package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

func ourImports(t *testing.T) map[string][]string {
	t.Helper()
	imports, err := readImports(root)
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

// Each package is in a room, and no import points to a higher room.
func TestImportsPointDown(t *testing.T) {
	if err := check(ourImports(t)); err != nil {
		t.Errorf("docs/architecture.md doesn't allow:\n%v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		from, imported string
		want           string // of the error; none if it is empty
	}{
		{"notebooks", "sica", ""},
		{"notebooks", "laboratory/notebook", ""},
		{"cmd/sica", "laboratory/notebook",
			"package cmd/sica (room cmd) imports laboratory/notebook (room notebooks), which is " +
				"above it"},
		{"notebooks", "laboratory/experiment/results", ""},
		{"sica", "layers", ""},
		{"sica/report/html", "sica/report", ""},
		{"sica/report", "sica/report/html", ""}, // Go itself forbids a circle
		{"sica/baseline/pcl", "sica/preprocess", ""},
		{"sica/baseline/pcl", "sica",
			"package sica/baseline/pcl (room sica/baseline) imports sica (room sica), which is " +
				"above it"},
		{"layers", "sica/metric",
			"package layers (room layers) imports sica/metric (room sica/metric), which is above " +
				"it"},
		{"internal/grid", "layers",
			"package internal/grid (room internal) imports layers (room layers), which is above " +
				"it"},
		{"backend", "internal/purego", ""},
		{"backend", "layers",
			"package backend (room backend) imports layers (room layers), which is above it"},
		{"sica/new", "sica", "package sica/new is in no room; add it in scripts/rooms/rooms.go"},
	} {
		got := ""
		if err := check(map[string][]string{test.from: {test.imported}}); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s imports %s: error %q, want %q", test.from, test.imported, got, test.want)
		}
	}
}

// Three kinds of imports are forbidden whatever the order of the rooms.
func TestForbiddenImports(t *testing.T) {
	for name, imported := range ourImports(t) {
		room := strings.SplitN(name, "/", 2)[0]
		for _, other := range imported {
			ofSICA := other == "sica" || strings.HasPrefix(other, "sica/")
			switch {
			case other == "laboratory/notebook" && room != "notebooks":
				t.Errorf("%s imports laboratory/notebook: it ends the program, and only cells may", name)
			case strings.HasPrefix(name, "sica/baseline") && other == "sica":
				t.Errorf("the rival %s imports sica: rivals are useful alone", name)
			case (room == "layers" || room == "flows" || room == "datasets" ||
				room == "backend") && ofSICA:
				t.Errorf("%s imports %s: it is for programs without SICA", name, other)
			}
		}
	}
}

// Each room has a package, and each of its patterns matches one.
func TestRoomsHavePackages(t *testing.T) {
	imports := ourImports(t)
	for _, r := range rooms {
		for _, pattern := range r.packages {
			inhabited := false
			for name := range imports {
				inhabited = inhabited || room{packages: []string{pattern}}.holds(name)
			}
			if !inhabited {
				t.Errorf("room %s: no package is called %s", r.name(), pattern)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	at := func(name string) int {
		i, err := roomIndex(name)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	got := roomLinks(map[string][]string{
		"notebooks":                            {"sica", "flows", "backend"},
		"sica":                                 {"sica/preprocess", "internal/iterate"},
		"internal/iterate":                     {"sica/preprocess", "flows"},
		"sica/preprocess":                      {"sica/preprocess"},
		"sica/baseline/internal/baselinetest":  {"backend"},
		"sica/baseline/internal/baselinetest2": {"sica/metric"},
	})
	// Notebooks reach flows, and sica preprocess, by way of iterate.
	want := []link{
		{at("notebooks"), at("sica")}, {at("notebooks"), at("backend")},
		{at("sica"), at("internal/iterate")},
		{at("internal/iterate"), at("sica/preprocess")}, {at("internal/iterate"), at("flows")},
		{at("sica/baseline"), at("sica/metric")},
	}
	if len(got) != len(want) {
		t.Fatalf("%d links, want %d: %v", len(got), len(want), got)
	}
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("link %d is %v, want %v", k, got[k], want[k])
		}
	}
}

// Lines go down and do not touch boxes; boxes do not overlap.
func TestPictureHasNoCrossings(t *testing.T) {
	p := newPicture(ourImports(t))
	for i, b := range p.boxes {
		if b.Min.X < 0 || b.Max.X > width || -b.Min.Y > p.height {
			t.Errorf("%s is in %v, outside the picture", b.text[0], b.Rectangle)
		}
		for _, text := range b.text[1:] {
			if f := face(false); f.Width(text) > boxWidth-margin {
				t.Errorf("%s: %q is wider than its box", b.text[0], text)
			}
		}
		for _, o := range p.boxes[:i] {
			if b.Min.X < o.Max.X && o.Min.X < b.Max.X && b.Min.Y < o.Max.Y && o.Min.Y < b.Max.Y {
				t.Errorf("%s and %s overlap", o.text[0], b.text[0])
			}
		}
		for _, line := range p.lines {
			for k := 1; k < len(line); k++ {
				from, to := line[k-1], line[k]
				if to.Y >= from.Y {
					t.Errorf("a line goes up from %v to %v", from, to)
				}
				if from.X == to.X && b.Min.X < from.X && from.X < b.Max.X && to.Y < b.Min.Y &&
					b.Max.Y < from.Y {
					t.Errorf("a line from %v to %v goes through %s", from, to, b.text[0])
				}
			}
		}
	}
}

var number = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// The committed picture is that of the present imports: of the same text, with coordinates equal to
// a tenth of a point.
func TestCommittedPictureIsUpToDate(t *testing.T) {
	today, err := drawSVG(ourImports(t))
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(filepath.Join(root, "docs", "rooms.svg"))
	if err != nil {
		t.Fatal(err)
	}
	const old = "docs/rooms.svg isn't of today's imports; run: go run ./scripts/rooms"
	if !bytes.Equal(number.ReplaceAll(today, nil), number.ReplaceAll(committed, nil)) {
		t.Fatal(old)
	}
	numbers := number.FindAll(committed, -1)
	for k, text := range number.FindAll(today, -1) {
		a, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		b, err := strconv.ParseFloat(string(numbers[k]), 64)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a-b) > 0.1 {
			t.Fatal(old)
		}
	}
}
