package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/sica"
)

var update = flag.Bool("update", false, "write the generated pages of the reference anew")

// generated compares a page with what it should be, or writes it.
func generated(t *testing.T, page, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read(t, page) != want {
		t.Errorf("docs/%s isn't up to date; run: go test ./docs -run Reference -update", page)
	}
}

var (
	listed = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)
	global = regexp.MustCompile(`(?s)\nGlobal Flags:\n.*`)
)

// The reference of the command is its help.
func TestCommandReferenceIsHelp(t *testing.T) {
	sica := command(t)
	help := func(arguments ...string) string {
		out, err := exec.Command(sica, append(arguments, "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	var page strings.Builder
	page.WriteString(`# Reference: the command

Generated from the command's help by "go test ./docs -run Reference -update". For examples see the
[tutorial](../tutorial/command.md); for exit codes, [save, stop, resume](../how-to/save-stop-resume.md#exit-codes-of-the-command);
for formats, [files and JSON](files-and-json.md).

`)
	all := help()
	fmt.Fprintf(&page, "```\n%s```\n", all)
	for _, found := range listed.FindAllStringSubmatch(all, -1) {
		if found[1] == "help" {
			continue
		}
		text := global.ReplaceAllString(help(found[1]), "")
		fmt.Fprintf(&page, "\n## sica %s\n\n```\n%s```\n", found[1], text)
	}
	fmt.Fprintf(&page, "\n## sica files\n\n```\n%s```\n", help("files"))
	generated(t, "reference/command.md", page.String())
}

// The tables of the settings have the doc comments of their fields and the presets' values.
func TestSettingsReferenceIsDocComments(t *testing.T) {
	const path = "reference/settings.md"
	page := read(t, path)
	for name, table := range map[string]string{
		"Config": configTable(t), "presets": presetTable(),
	} {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(page, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("docs/%s has no table between %q and %q", path, begin, end)
		}
		page = before + begin + table + end + after
	}
	generated(t, path, page)
}

func configTable(t *testing.T) string {
	var table strings.Builder
	table.WriteString("| field | type | Default | valid | flag | what it is |\n" +
		"| --- | --- | --- | --- | --- | --- |\n")
	flags := map[string]string{
		"Shape": "shape", "Seed": "seed", "Components": "components", "Mode": "method",
		"Checkpoint": "checkpoint",
	}
	for _, f := range fields(t, "sica/config.go", "Config") {
		flag := "–"
		if name, ok := flags[f.name]; ok {
			flag = "`--" + name + "`"
		}
		valid, ok := configValid[f.name]
		if !ok {
			t.Errorf("configValid says nothing of %s", f.name)
		}
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s | %s | %s |\n", f.name, f.kind,
			value(sica.Default(), f.name), valid, flag, f.doc)
	}
	return table.String()
}

func presetTable() string {
	var table strings.Builder
	table.WriteString("| preset | command, --method | Mode | Transforms | Flow |\n" +
		"| --- | --- | --- | --- | --- |\n")
	linearOnly := sica.Default()
	linearOnly.Mode = sica.LinearOnly
	for _, p := range []struct {
		name, command string
		cfg           sica.Config
	}{
		{"`Default`", "`sica`", sica.Default()},
		{"`Default` with `Mode = sica.LinearOnly`", "`sica-linear`", linearOnly},
		{"`Direct`", "`sica-direct`", sica.Direct()}, {"`FastWGF`", "`sica-fast`", sica.FastWGF()},
		{"`PaperWGF`", "`sica-wgf`", sica.PaperWGF()}, {"`PaperRF`", "`sica-rf`", sica.PaperRF()},
		{"`PaperRF` with `Flow.Standardise = true`", "`sica-rf-standardised`", sica.PaperRF()},
	} {
		flow := "none"
		if p.cfg.Flow != nil {
			flow = "its own"
		}
		transforms := "none"
		if len(p.cfg.Transforms) > 0 {
			transforms = fmt.Sprint(p.cfg.Transforms)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", p.name, p.command, modeNames[p.cfg.Mode], transforms,
			flow)
	}
	return table.String()
}

// configValid are the valid values of the fields of sica.Config.
var configValid = map[string]string{
	"Backend": "any; nil: pure Go", "Shape": "its product is n", "Seed": "any", "Prepare": "any",
	"Components": "2 to the rank; 0: the rank", "Rounding": "one a signal, 0 or more", "Transforms": "below", "Mode": "below",
	"NetworkSteps": "1 or more with Auto, NetworkOnly; 0: chosen", "Candidates": "any",
	"CompareOnly": "any",
	"Flow":        "nil, or of a preset",
	"Checkpoint":  "a folder", "OnProgress": "any",
}

// field is an exported field of a struct.
type field struct{ name, kind, doc string }

// value returns a field's value as text: the name of an enumerated one, a dash for zero and for
// functions.
func value(settings any, name string) string {
	v := reflect.ValueOf(settings).FieldByName(name)
	if m, ok := v.Interface().(sica.Mode); ok {
		return modeNames[m]
	}
	if v.IsZero() || v.Kind() == reflect.Func {
		return "–"
	}
	return fmt.Sprint(v.Interface())
}

// modeNames are the names of the modes in Go.
var modeNames = map[sica.Mode]string{
	sica.Auto: "`sica.Auto`", sica.LinearOnly: "`sica.LinearOnly`",
	sica.NetworkOnly: "`sica.NetworkOnly`", sica.TransformsOnly: "`sica.TransformsOnly`",
}

// fields returns the exported fields of a struct in a file of the module.
func fields(t *testing.T, file, structure string) []field {
	t.Helper()
	set := token.NewFileSet()
	path := filepath.Join(root, filepath.FromSlash(file))
	parsed, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	source := read(t, path)
	var all []field
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != structure {
			return true
		}
		doc := ""
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if text := strings.Join(strings.Fields(f.Doc.Text()), " "); text != "" {
				doc = strings.ReplaceAll(text, "|", `\|`)
			}
			kind := source[set.Position(f.Type.Pos()).Offset:set.Position(f.Type.End()).Offset]
			if strings.HasPrefix(kind, "func") {
				kind = "func"
			}
			for _, name := range f.Names {
				if name.IsExported() {
					all = append(all, field{name.Name, kind, doc})
				}
			}
		}
		return false
	})
	if len(all) == 0 {
		t.Fatalf("%s has no fields of %s", file, structure)
	}
	return all
}
