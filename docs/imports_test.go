package docs_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/seed-47b1e431/gosica/"

// A room is packages with one purpose; "a/..." is a and all below it. The first is its name.
// docs/explanation/architecture.md says what each is for.
type room []string

// rooms are in order: a package imports only packages of its own room or of a later one.
var rooms = []room{
	{"notebooks/...", "laboratory/notebook"},
	{"laboratory/..."},
	{"cmd/...", "scripts/..."},
	{"sica/methods"},
	{"sica/report/...", "sica/inspect", "sica/blockwise"},
	{"sica"},
	{"sica/plot/..."},
	{"sica/internal/network/..."},
	{"internal/iterate"},
	{"sica/linear/...", "sica/internal/outlier"},
	{"sica/baseline/..."},
	{"sica/metric", "sica/dependence", "internal/pairwise", "sica/klflow", "sica/nonlinear"},
	{"sica/preprocess", "sica/ica", "sica/pca", "internal/mapping"},
	{"layers/..."},
	{"flows/..."},
	{"datasets/..."},
	{"backend/...", "internal/backendtest"},
	{"internal/..."},
}

// name is that of the room's first package.
func (r room) name() string { return strings.TrimSuffix(r[0], "/...") }

// holds reports whether the package is in the room.
func (r room) holds(name string) bool {
	return slices.ContainsFunc(r, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "/...")
		return name == folder || below && strings.HasPrefix(name, folder+"/")
	})
}

// roomIndex returns the index in rooms of the package's room.
func roomIndex(name string) (int, error) {
	i := slices.IndexFunc(rooms, func(r room) bool { return r.holds(name) })
	if i < 0 {
		return 0, fmt.Errorf("package %s is in no room; add it in docs/imports_test.go", name)
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

// library is what separates signals, and baselinetest the helper of its tests. They get matrices:
// only programs read recordings.
var (
	library      = room{"sica/...", "layers/...", "flows/...", "backend/...", "internal/..."}
	baselinetest = "sica/baseline/internal/baselinetest"
	recordings   = room{"datasets/..."}
)

// check returns an error that names each import that points up, or from the library to recordings.
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
			if library.holds(name) && name != baselinetest && recordings.holds(imported) {
				errs = append(errs, fmt.Errorf("package %s of the library imports %s, which only "+
					"programs and tests may", name, imported))
			}
		}
	}
	return errors.Join(errs...)
}

func ourImports(t *testing.T) map[string][]string {
	t.Helper()
	imports, err := readImports(root)
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

// Each package is in a room, and no import points to a higher room: only cells import
// laboratory/notebook, which ends the program; no rival imports sica, as rivals are useful alone;
// and layers, flows, datasets and backend import nothing of sica. Nor does the library import
// datasets.
func TestImportsPointDown(t *testing.T) {
	if err := check(ourImports(t)); err != nil {
		t.Errorf("docs/explanation/architecture.md doesn't allow:\n%v", err)
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
		{"cmd/sica", "datasets", ""},
		{"sica/baseline/internal/baselinetest", "datasets", ""},
		{"sica", "datasets",
			"package sica of the library imports datasets, which only programs and tests may"},
		{"internal/mapping", "datasets",
			"package internal/mapping of the library imports datasets, which only programs and " +
				"tests may"},
		{"backend", "internal/purego", ""},
		{"backend", "layers",
			"package backend (room backend) imports layers (room layers), which is above it"},
		{"sica/new", "sica", "package sica/new is in no room; add it in docs/imports_test.go"},
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

// Each room has a package, and each of its patterns matches one.
func TestRoomsHavePackages(t *testing.T) {
	imports := ourImports(t)
	for _, r := range rooms {
		for _, pattern := range r {
			inhabited := false
			for name := range imports {
				inhabited = inhabited || room{pattern}.holds(name)
			}
			if !inhabited {
				t.Errorf("room %s: no package is called %s", r.name(), pattern)
			}
		}
	}
}
