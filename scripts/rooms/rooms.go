package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
		{"notebooks", []string{"notebooks", "docs"}, "a figure or a subject each, step by step", column2},
		{"scripts", []string{"scripts/..."}, "what a person runs", column3},
	}, {
		{"sica/experiment", []string{"sica/experiment"}, "the paper's figures, made once and kept", column3},
		{"sica/lesson", []string{"sica/lesson"}, "the algorithm one step at a time, for reading", column1},
		{"sica/report", []string{"sica/report/..."}, "what a separation is worth, without the truth", column2},
	}, {
		{"sica", []string{"sica"}, "settings, the fit, its result; saving and applying it", .5},
		{"sica/plot", []string{"sica/plot"}, "the pictures", column4},
	}, {
		{"sica/internal/field", []string{"sica/internal/field"}, "the networks of an iteration, trained and weighed", column2},
		{"sica/internal/rotate", []string{"sica/internal/rotate"}, "the linear rule: which rotation, and is it real", column3},
	}, {
		{"sica/baseline", []string{"sica/baseline/..."}, "the rivals", column2},
		{"sica/metric", []string{"sica/metric"}, "scores against the truth", column4},
		{"sica/dependence", []string{"sica/dependence"}, "how dependent signals are, without networks", column3},
	}, {
		{"sica/preprocess", []string{"sica/preprocess"}, "maps of signals: fit, apply, invert", column3},
	}, {
		{"flows", []string{"flows/..."}, "losses, solvers, the compiled training loop", column2},
		{"layers", []string{"layers/..."}, "contexts and networks", column1},
	}, {
		{"internal", []string{"internal/..."}, "small helpers", .24},
		{"datasets", []string{"datasets/..."}, "sources, mixings, files", column3},
		{"backend", []string{"backend/..."}, "opens a compute backend by name", column4},
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
// the module, without tests. The notebooks are one package.
func readImports(root string) (map[string][]string, error) {
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	imports := make(map[string][]string)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		imports[name] = nil
		for _, path := range p.Imports {
			if imported, ours := strings.CutPrefix(path, module); ours {
				imports[name] = append(imports[name], imported)
			}
		}
	}
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		return nil, err
	}
	imported := regexp.MustCompile(`\\"` + regexp.QuoteMeta(module) + `([^"\\]+)\\"`)
	for _, path := range notebooks {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, match := range imported.FindAllSubmatch(text, -1) {
			imports["notebooks"] = append(imports["notebooks"], string(match[1]))
		}
	}
	return imports, nil
}

// check returns an error that says each import that points up.
func check(imports map[string][]string) error {
	var wrong []error
	for name, imported := range imports {
		at, err := roomOf(name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, other := range imported {
			if below, err := roomOf(other); err == nil && below < at {
				wrong = append(wrong, fmt.Errorf("package %s (room %s) imports %s (room %s), which is above it", name, rooms[at].name, other, rooms[below].name))
			}
		}
	}
	return errors.Join(wrong...)
}
