package usage_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// What packages call by its name in Go, the command calls by its flag.
func TestFlags(t *testing.T) {
	for text, want := range map[string]string{
		"by ReadOptions.Variable, from a":                  "by --variable, from a",
		"(ReadOptions.Decimal or ReadOptions.Separator)":   "(--decimal or --separator)",
		"filled in (MissingInterpolate)":                   "filled in (--missing interpolate)",
		"left out (MissingDrop)":                           "left out (--missing drop)",
		"fit a network by sica.Direct":                     "fit a network by --method sica-direct",
		"the linear rule by sica.Default.":                 "the linear rule by --method sica.",
		"raise Flow.Iterations.":                           "raise --iterations.",
		"components by Config.Components.":                 "components by --components.",
		"if they are images, set Config.Shape to {48, 64}": "if they are images, set --shape 48x64",
		"set Config.Shape to {3072} if they are sequences": "set --shape 3072 if they are sequences",
		"Config.Shape has rows of 128":                     "--shape has rows of 128",
		"ReadOptions.Shape {2, 3} would be 4 images":       "--shape 2x3 would be 4 images",
		"and Shape {4} a movie":                            "and --shape 4 a movie",
		"(Config.Refits 0 avoids this)":                    "(--refits 0 avoids this)",
		"by backend.AllowUnverified; backend.Go needs":     "by --allow-unverified-plugin; --backend go needs",
	} {
		if got := usage.Flags(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	err := errors.New("datasets: a.mat: must be chosen\nby ReadOptions.Variable")
	if got, want := usage.Message(err), "a.mat: must be chosen by --variable"; got != want {
		t.Errorf("the message %q, want %q", got, want)
	}
}

// Only a setting becomes a flag: not a part of a file's name, nor what a file holds.
func TestFlagsKeepNames(t *testing.T) {
	for _, text := range []string{
		"Config.Shape.csv also has what was set aside",
		"data/MissingDrop/z.wav says 44100 Hz, a guess",
		"old-sica.Default and sica.Direct.wav are others",
		`"ReadOptions.Variable" gives the rate, 250 Hz`,
		"backend.Go_2.edf: no signal changes",
	} {
		if got := usage.Flags(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	const several = "one of sica.Auto, sica.LinearOnly\nor WriteDetails."
	const want = "one of --method sica, --method sica-linear\nor --details."
	if got := usage.Flags(several); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The signals of a file have its name, and methods are called as by --method.
func TestMessageOfAFile(t *testing.T) {
	err := errors.New(`few.csv: sica: x: has 5 positions of 4 signals, too few for sica.Auto; ` +
		"must be at least 16")
	const want = "few.csv: has 5 positions of 4 signals, too few for --method sica; must be at least 16"
	if got := usage.Message(err); got != want {
		t.Errorf("the message %q, want %q", got, want)
	}
}

// A message names none of the packages that an error came through.
func TestMessageNamesNoPackage(t *testing.T) {
	err := errors.New("methods: sica: pca: ica: the signals are linearly dependent")
	if got, want := usage.Message(err), "the signals are linearly dependent"; got != want {
		t.Errorf("the message %q, want %q", got, want)
	}
}

// What a file holds comes out as it is.
func TestMessageQuotes(t *testing.T) {
	err := errors.New(`a.csv: line 2: "two  sica: words": and  "sica.Auto\" x: ", no numbers`)
	const want = `a.csv: line 2: "two  sica: words": and "sica.Auto\" x: ", no numbers`
	if got := usage.Message(err); got != want {
		t.Errorf("the message %q, want %q", got, want)
	}
}

// Files come out by their names, even by those that aren't text.
func TestMessagePaths(t *testing.T) {
	for _, path := range []string{"two  \xff.csv", "report", `sica: "x`, "Config.Shape.csv"} {
		err := errors.New("datasets: open " + path + ": no  such file")
		if got, want := usage.Message(err, "a", path), "open "+path+": no such file"; got != want {
			t.Errorf("the message %q, want %q", got, want)
		}
	}
	const path = "two\n lines.csv"
	if got := usage.Message(errors.New("open "+path), path); got != "open two lines.csv" {
		t.Errorf("the message %q has more than a line", got)
	}
}

// Who has files transposes them by a flag.
func TestMessageOfATransposedFile(t *testing.T) {
	wide := errors.New("wide.csv: sica: x: has 400 signals; must have 3, as in the fit" +
		signal.Transposed("x", true))
	const want = "wide.csv: has 400 signals; must have 3, as in the fit; use --transpose if a row " +
		"of the file is a signal"
	if got := usage.Message(wide); got != want {
		t.Errorf("the message %q, want %q", got, want)
	}
}

// No package below the command names a flag of it: a program in Go has none.
func TestPackagesNameNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|^\(| \(?)--[a-z]`)
	files := 0
	for _, folder := range []string{
		"backend", "datasets", "flows", "internal", "layers", "sica",
	} {
		root := filepath.Join("..", "..", "..", "..", folder)
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.BasicLit)
				ofXLA := ok && strings.Contains(s.Value, "--xla_")
				if ok && !ofXLA && flag.MatchString(strings.Trim(s.Value, "\"`")) {
					t.Errorf("%s: %s names a flag", set.Position(s.Pos()), s.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("%d files were read, want those of all packages", files)
	}
}
