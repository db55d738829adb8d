package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/seed-47b1e431/gosica/"

// A room is packages with one purpose.
type room struct {
	name     string
	packages []string // below the module; "a/..." is a and all below it
	purpose  string   // in a few words
	x        float64  // of its middle in the picture, in widths
}

// The middles of the picture's columns.
const column1, column2, column3, column4 = .11, .37, .63, .89

// house is the rooms in rows from top to bottom. A package imports only what is in
// its own room or in a later one.
var house = [][]room{
	{
		{"notebooks", []string{"notebooks/..."}, "a figure or a subject each, step by step", column2},
		{"scripts", []string{"scripts/..."}, "what a person runs", column3},
	}, {
		{"notebook", []string{"notebook"}, "what cells share: sliders, live plots, errors", column1},
	}, {
		{"sica/experiment", []string{"sica/experiment/..."}, "the paper's figures, made once and kept", column3},
		{"sica/lesson", []string{"sica/lesson"}, "the algorithm one step at a time, for reading", column1},
		{"sica/report", []string{"sica/report/..."}, "what a separation is worth, without the truth", column2},
		{"sica/inspect", []string{"sica/inspect"}, "which recovered signal is what", column4},
	}, {
		{"sica/blockwise", []string{"sica/blockwise"}, "recordings longer than memory", column4},
	}, {
		{"sica", []string{"sica"}, "settings, the fit, its result; saving and applying it", .5},
		{"sica/plot", []string{"sica/plot/..."}, "the pictures", column4},
	}, {
		{"internal/iterate", []string{"internal/iterate"}, "an iteration: networks trained, weighed and followed", column2},
		{"sica/network", []string{"sica/network/..."}, "nonlinear mixtures by invertible networks", column1},
	}, {
		{"sica/linear", []string{"sica/linear/...", "sica/internal/outlier"}, "linear mixtures by entropy rates", column4},
	}, {
		{"sica/baseline", []string{"sica/baseline/..."}, "the rivals", column2},
		{"sica/metric", []string{"sica/metric"}, "scores against the truth", column4},
		{"sica/dependence", []string{"sica/dependence"}, "how dependent signals are, without networks", column3},
	}, {
		{"sica/ica", []string{"sica/ica"}, "the interface of everything that separates", column2},
	}, {
		{"sica/preprocess", []string{"sica/preprocess"}, "maps of signals: fit, apply, invert", column3},
	}, {
		{"flows", []string{"flows/..."}, "losses, solvers, the compiled training loop", column2},
		{"layers", []string{"layers/..."}, "contexts and networks", column1},
		{"datasets", []string{"datasets/..."}, "sources, mixings, files", column3},
		{"backend", []string{"backend/..."}, "opens a compute backend by name", column4},
	}, {
		{"internal", []string{"internal/..."}, "small helpers", .5},
	},
}

// rooms are those of the house from top to bottom.
var rooms = slices.Concat(house...)

// holds tells whether the package is one of the room's.
func (r room) holds(name string) bool {
	return slices.ContainsFunc(r.packages, func(pattern string) bool {
		folder, all := strings.CutSuffix(pattern, "/...")
		return name == folder || all && strings.HasPrefix(name, folder+"/")
	})
}

// roomOf is the place in rooms of the package's room.
func roomOf(name string) (int, error) {
	i := slices.IndexFunc(rooms, func(r room) bool { return r.holds(name) })
	if i < 0 {
		return 0, fmt.Errorf("package %s is in no room; give it one in scripts/rooms/rooms.go", name)
	}
	return i, nil
}

// readImports returns the imports of this module's packages by package, both below
// the module, whatever the build's tags and without tests. The notebooks are one
// package. It reads the files itself: of what another program reads, such as go list,
// the cache of go test knows nothing, and would go on saying that all is well.
func readImports(root string) (map[string][]string, error) {
	imports := make(map[string][]string)
	quoted := regexp.MustCompile(`\\"` + regexp.QuoteMeta(module) + `([^"\\]+)\\"`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path == root {
				return nil
			}
			_, err := os.Stat(filepath.Join(path, "go.mod")) // another module's
			if name := entry.Name(); err == nil || name == "testdata" || name == "out" || name[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			imports[name] = append(imports[name], ours(file)...)
		case strings.HasSuffix(path, ".ipynb"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, match := range quoted.FindAllSubmatch(text, -1) {
				imports[name] = append(imports[name], string(match[1]))
			}
		}
		return nil
	})
	return imports, err
}

// ours are the packages of this module that a file imports.
func ours(file *ast.File) (names []string) {
	for _, spec := range file.Imports {
		if name, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ours {
			names = append(names, name)
		}
	}
	return names
}

// check returns an error that says each import that points up.
func check(imports map[string][]string) error {
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		at, err := roomOf(name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, other := range slices.Compact(slices.Sorted(slices.Values(imports[name]))) {
			if to, err := roomOf(other); err == nil && to < at {
				wrong = append(wrong, fmt.Errorf("package %s (room %s) imports %s (room %s), which is above it", name, rooms[at].name, other, rooms[to].name))
			}
		}
	}
	return errors.Join(wrong...)
}
