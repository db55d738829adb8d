package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A surface is the exported names of a package: types, functions, constants and variables,
// and the methods of exported types.
type surface struct {
	path           string
	names, methods []string
}

// readSurfaces returns the surfaces of the packages below root that other modules can
// import and that aren't programs.
func readSurfaces(root string) ([]surface, error) {
	var all []surface
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name[0] == '.' || name[0] == '_' ||
			slices.Contains([]string{"internal", "testdata", "examples", "cmd", "scripts"}, name)) {
			return filepath.SkipDir
		}
		s, err := readSurface(path)
		if len(s.names) > 0 {
			s.path, _ = filepath.Rel(root, path)
			all = append(all, s)
		}
		return err
	})
	return all, err
}

// readSurface returns the surface of the package in a folder.
func readSurface(folder string) (s surface, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, 0)
		if err != nil {
			return s, err
		}
		if file.Name.Name == "main" {
			return surface{}, nil
		}
		for _, declaration := range file.Decls {
			s.add(declaration)
		}
	}
	slices.Sort(s.names)
	s.names = slices.Compact(s.names) // a name may have a file for each build tag
	slices.Sort(s.methods)
	s.methods = slices.Compact(s.methods)
	return s, err
}

// add adds the exported names of a declaration.
func (s *surface) add(declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		switch {
		case !d.Name.IsExported():
		case d.Recv == nil:
			s.names = append(s.names, d.Name.Name)
		default:
			if receiver := receiverName(d.Recv.List[0].Type); ast.IsExported(receiver) {
				s.methods = append(s.methods, receiver+"."+d.Name.Name)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.addNames(spec.Name)
			case *ast.ValueSpec:
				s.addNames(spec.Names...)
			}
		}
	}
}

// addNames adds the exported ones of names.
func (s *surface) addNames(names ...*ast.Ident) {
	for _, name := range names {
		if name.IsExported() {
			s.names = append(s.names, name.Name)
		}
	}
}

// receiverName returns the type's name of a method's receiver.
func receiverName(receiver ast.Expr) string {
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// evaluation are the folders of what makes and shows the paper's figures and this module's
// measurements. Notebooks use it; a program that separates signals doesn't.
var evaluation = []string{"notebook", "laboratory/experiment", "sica/plot"}

// writeSurfaces writes the counts of each package, and their names if long; then the sums over
// the library and over the evaluation.
func writeSurfaces(w io.Writer, all []surface, long bool) {
	var sums [2]struct{ names, methods, packages int } // of the library and of the evaluation
	for _, s := range all {
		fmt.Fprintf(w, "%4d names %4d methods  %s\n", len(s.names), len(s.methods), s.path)
		if long {
			fmt.Fprintf(w, "     %s\n     %s\n", strings.Join(s.names, " "), strings.Join(s.methods, " "))
		}
		sum := &sums[0]
		if slices.ContainsFunc(evaluation, func(folder string) bool {
			return s.path == folder || strings.HasPrefix(s.path, folder+"/")
		}) {
			sum = &sums[1]
		}
		sum.names += len(s.names)
		sum.methods += len(s.methods)
		sum.packages++
	}
	for k, what := range []string{"the library", "figures, measurements and notebooks"} {
		fmt.Fprintf(w, "%4d names %4d methods  in %d packages of %s\n", sums[k].names,
			sums[k].methods, sums[k].packages, what)
	}
}
