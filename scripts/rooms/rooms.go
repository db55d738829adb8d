// Command rooms draws the rooms of this module into docs/rooms.svg, from the imports of its
// packages: go run ./scripts/rooms. docs/architecture.md says what the rooms are for.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
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
	purpose  string   // in a few words
	packages []string // below the module; "a/..." is a and all below it. The first is the name
}

// house is the rooms in rows from top to bottom, and from left to right in the picture. A
// package imports only packages of its own room or of a later one.
var house = [][]room{
	{
		{"a subject each, and what their cells share",
			[]string{"notebooks/...", "laboratory/notebook/..."}},
	}, {
		{"the laboratory: the paper's figures, tables and timings", []string{"laboratory/..."}},
		{"what a person runs: the command sica, and what develops it",
			[]string{"cmd/...", "scripts/..."}},
	}, {
		{"SICA and its rivals by name", []string{"sica/methods"}},
	}, {
		{"what a separation is worth, what its signals are; long recordings",
			[]string{"sica/report/...", "sica/inspect", "sica/blockwise"}},
	}, {
		{"settings, the fit, its result; saving and applying it", []string{"sica"}},
		{"the pictures", []string{"sica/plot/..."}},
	}, {
		{"nonlinear mixtures by invertible networks", []string{"sica/internal/network/..."}},
		{"an iteration of the flows: train, weigh, move", []string{"internal/iterate"}},
	}, {
		{"linear mixtures by entropy rates; outliers",
			[]string{"sica/linear/...", "sica/internal/outlier"}},
	}, {
		{"the rivals", []string{"sica/baseline/..."}},
		{"scores against the truth; dependence without it",
			[]string{"sica/metric", "sica/dependence"}},
		{"settings of flows, findings of networks",
			[]string{"sica/klflow", "sica/nonlinear"}},
	}, {
		{"maps of signals; the interface of every method",
			[]string{"sica/preprocess", "sica/ica", "sica/pca", "internal/mapping"}},
	}, {
		{"contexts and networks", []string{"layers/..."}},
		{"losses, solvers, the compiled training loop", []string{"flows/..."}},
		{"sources, mixings, files", []string{"datasets/..."}},
		{"opens a compute backend by name", []string{"backend/...", "internal/backendtest"}},
	}, {
		{"small helpers", []string{"internal/..."}},
	},
}

// rooms are those of the house from top to bottom.
var rooms = slices.Concat(house...)

func main() {
	log.SetFlags(0)
	log.SetPrefix("rooms: ")
	exported := flag.Bool("exported", false,
		"count the exported names of each package, and draw nothing")
	names := flag.Bool("names", false, "with -exported, list the names")
	flag.Parse()
	if *exported {
		all, err := readSurfaces(".")
		if err != nil {
			log.Fatal(err)
		}
		writeSurfaces(os.Stdout, all, *names)
		return
	}
	imports, err := readImports(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := check(imports); err != nil {
		log.Fatal(err)
	}
	drawing, err := drawSVG(imports)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("docs", "rooms.svg"), drawing, 0o644); err != nil {
		log.Fatal(err)
	}
}

// name is that of the room's first package.
func (r room) name() string { return strings.TrimSuffix(r.packages[0], "/...") }

// holds reports whether the package is in the room.
func (r room) holds(name string) bool {
	return slices.ContainsFunc(r.packages, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "/...")
		return name == folder || below && strings.HasPrefix(name, folder+"/")
	})
}

// roomIndex returns the index in rooms of the package's room.
func roomIndex(name string) (int, error) {
	i := slices.IndexFunc(rooms, func(r room) bool { return r.holds(name) })
	if i < 0 {
		return 0, fmt.Errorf("package %s is in no room; add it in scripts/rooms/rooms.go", name)
	}
	return i, nil
}

// readImports returns the packages that each package of this module imports from the module, for
// all build tags and without tests. The notebooks of a folder are one package. It parses the
// files itself, since go test caches a result that depends on another program such as go list.
func readImports(root string) (map[string][]string, error) {
	imports := make(map[string][]string)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(root, path, entry.Name())
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		var names []string
		switch {
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			names, err = goImports(path)
		case strings.HasSuffix(path, ".ipynb"):
			names, err = notebookImports(path)
		default:
			return nil
		}
		name := filepath.ToSlash(folder)
		imports[name] = append(imports[name], names...)
		return err
	})
	return imports, err
}

// skipFolder returns fs.SkipDir for folders without packages of this module, of the notebooks or the
// laboratory.
func skipFolder(root, path, name string) error {
	if path == root {
		return nil
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	other := err == nil && !slices.Contains([]string{"notebooks", "laboratory"}, name)
	if other || name == "testdata" || name == "out" || name[0] == '.' || name[0] == '_' {
		return fs.SkipDir
	}
	return nil
}

func goImports(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range file.Imports {
		if name, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// quotedImport matches an import path of this module in a notebook, which is JSON.
var quotedImport = regexp.MustCompile(`\\"` + regexp.QuoteMeta(module) + `([^"\\]+)\\"`)

func notebookImports(path string) (names []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, match := range quotedImport.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return names, nil
}

// check returns an error that names each import that points up.
func check(imports map[string][]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		from, err := roomIndex(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, imported := range slices.Compact(slices.Sorted(slices.Values(imports[name]))) {
			if to, err := roomIndex(imported); err == nil && to < from {
				errs = append(errs,
					fmt.Errorf("package %s (room %s) imports %s (room %s), which is above it",
						name, rooms[from].name(), imported, rooms[to].name()))
			}
		}
	}
	return errors.Join(errs...)
}
