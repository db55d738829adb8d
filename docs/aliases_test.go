package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/seed-47b1e431/gosica/"

// Public packages name some types of internal ones, whose fields go doc doesn't show. Their doc
// comments name the fields.
func TestAliasesNameTheirFields(t *testing.T) {
	aliases := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch filepath.Base(path) {
		case "internal", "cmd", "examples", "scripts", ".git":
			return filepath.SkipDir
		}
		for _, file := range parseFolder(t, path) {
			eachType(file, func(spec *ast.TypeSpec, doc string) {
				if !spec.Assign.IsValid() || !spec.Name.IsExported() {
					return
				}
				aliases++
				for _, field := range aliasedFields(t, file, spec.Type) {
					if !regexp.MustCompile(`\b` + field + `\b`).MatchString(doc) {
						t.Errorf("%s: the doc comment of %s doesn't name its field %s",
							path, spec.Name, field)
					}
				}
			})
		}
		return nil
	})
	if err != nil || aliases < 5 {
		t.Errorf("%d aliases of types, error %v; want at least 5", aliases, err)
	}
}

// parseFolder returns the files of a folder's package, without tests.
func parseFolder(t *testing.T, folder string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	var files []*ast.File
	for _, p := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// eachType calls do for each type of a file, with its doc comment.
func eachType(file *ast.File, do func(spec *ast.TypeSpec, doc string)) {
	for _, decl := range file.Decls {
		types, ok := decl.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			spec := spec.(*ast.TypeSpec)
			do(spec, types.Doc.Text()+spec.Doc.Text())
		}
	}
}

// aliasedFields returns the exported fields of the struct that a type in file stands for: those of
// a type of another package of this module, which may be an alias too. Other types have none.
func aliasedFields(t *testing.T, file *ast.File, of ast.Expr) []string {
	t.Helper()
	selector, ok := of.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	var fields []string
	for _, other := range parseFolder(t, importedFolder(file, selector.X.(*ast.Ident).Name)) {
		eachType(other, func(spec *ast.TypeSpec, _ string) {
			if spec.Name.Name != selector.Sel.Name {
				return
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				fields = append(fields, aliasedFields(t, other, spec.Type)...)
				return
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						fields = append(fields, name.Name)
					}
				}
			}
		})
	}
	return fields
}

// importedFolder returns the folder of the module's package that file imports by that name.
func importedFolder(file *ast.File, name string) string {
	for _, imported := range file.Imports {
		path, _ := strconv.Unquote(imported.Path.Value)
		folder, inModule := strings.CutPrefix(path, module)
		if inModule && filepath.Base(path) == name {
			return filepath.Join(root, filepath.FromSlash(folder))
		}
	}
	return ""
}
