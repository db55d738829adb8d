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
	// formats is said once, at the end.
	formats = regexp.MustCompile(`(?s)Signals are read from CSV.*?\n\n`)
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
	said := ""
	for _, found := range listed.FindAllStringSubmatch(all, -1) {
		if found[1] == "help" {
			continue
		}
		text := global.ReplaceAllString(help(found[1]), "")
		if paragraph := formats.FindString(text); paragraph != "" {
			said, text = paragraph, formats.ReplaceAllString(text, "")
		}
		fmt.Fprintf(&page, "\n## sica %s\n\n```\n%s```\n", found[1], text)
	}
	if said == "" {
		t.Error("no command's help says what files of signals are")
	}
	fmt.Fprintf(&page, "\n## Files of all commands\n\n```\n%s\n```\n", strings.TrimSpace(said))
	generated(t, "reference/command.md", page.String())
}

// The reference of the settings has the doc comments of their fields and the presets' values.
func TestSettingsReferenceIsDocComments(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Reference: the settings of a fit

Generated from the code by "go test ./docs -run Reference -update". Start from a preset, such as sica.Default(), and
change fields. A value that is out of range is an error that names the valid ones. A dash is the zero
value: none, 0 or false. The flag is that of "sica separate". Positions are time steps or pixels. When to change
what, tried on one mixture: the notebook [settings](../../notebooks/settings.ipynb).

| you want | command | Go |
| --- | --- | --- |
| double precision | none | ` + "`Flow.Float64`" + `, for the networks of a flow. The linear rule computes in float64, networks in float32 |
| more or fewer earlier positions | none | none in Default (fixed, see below); of a flow ` + "`Flow.Windows`" + `, to both sides |
| never a network. Then there is no test for nonlinear mixings either, which shows many cases of surplus sources, and the [rates](../evaluation/reliability.md) of what is right don't apply | ` + "`--method sica-linear`" + ` | ` + "`Method = sica.LinearOnly`" + ` |
| to learn from a part of a long recording | ` + "`--learn-on 60s`" + ` | ` + "`blockwise.Fit`" + ` |
| to leave out channels; filters; bad stretches | ` + "`--without`" + `; ` + "`--highpass`" + `, ` + "`--lowpass`" + `, ` + "`--notch`" + `; ` + "`--skip`" + ` | [Recordings in Go](../how-to/recordings-in-go.md) |
| missing values | ` + "`--missing interpolate`" + ` or ` + "`drop`" + `; else an error | none in a fit: NaN is an error. Read the file with ` + "`datasets.ReadOptions{Missing: datasets.MissingInterpolate}`" + `, and fit ` + "`datasets.Skip(rec.Signals, rec.Interpolated...)`" + ` |
| to know of clipped channels | ` + "`separate`" + ` and ` + "`report`" + ` name them; ` + "`--skip`" + ` leaves stretches out | ` + "`Result.Clipped`" + `; [which are named](../explanation/limits.md#which-clipped-channels-are-named) |
| to set or keep outliers | none (` + "`--skip`" + ` leaves stretches out) | none: [fixed in Default](#fixed-in-default). ` + "`Result.Outliers`" + ` names them |
| fewer signals than channels | ` + "`--components`" + ` | ` + "`Components`" + ` |
| to separate new data by the same model | ` + "`sica transform`" + ` | ` + "`Result.Transform`" + `, after ` + "`Save`" + ` and ` + "`sica.Load`" + `, too |
| to give the noise of the channels, or to say that there is none | none: it is estimated | not in ` + "`Config`" + `: see [known noise](#known-noise) |
| longer training of networks | none | ` + "`NetworkSteps`" + `; all else is fixed, see below |
| another sampling rate | ` + "`--rate`" + ` | none: a fit needs no rate |
| a quick report | ` + "`--refits 0`" + ` | ` + "`report.Options{}`" + ` |
| an end after some time | none; Ctrl-C ends a flow | a context with a deadline, for any fit; ` + "`Flow.Budget`" + ` ends a flow after an iteration |
| the same bits on all x86-64 processors with AVX2 | ` + "`--deterministic`" + ` | ` + "`backend.Open(backend.Auto, backend.Portable)`" + `, the first ` + "`Open`" + ` of the CPU |
| XLA, pure Go or a GPU | ` + "`--backend`" + ` | ` + "`backend.Open`" + `: [backends](../how-to/backends.md) |
| several fits at the same time | none | ` + "`sica.Fit`" + ` in several goroutines, with the same bits; those of one size by ` + "`FitRuns`" + ` |
| less memory | nothing: a long recording is learned from in part | ` + "`blockwise.Fit`" + `: up to 0.8 GB and x, where ` + "`sica.Fit`" + ` takes [13 times x](../evaluation/performance.md#length-and-memory) |
| more speed | [backends](../how-to/backends.md#memory-and-threads) | the same |

## sica.Config

`)
	rows := fields(t, "sica/config.go", "Config")
	page.WriteString("| field | type | Default | valid | flag | what it is |\n" +
		"| --- | --- | --- | --- | --- | --- |\n")
	flags := map[string]string{
		"Shape": "shape", "Seed": "seed", "Components": "components", "Method": "method",
		"Checkpoint": "checkpoint",
	}
	for _, f := range rows {
		flag := "–"
		if name, ok := flags[f.name]; ok {
			flag = "`--" + name + "`"
		}
		valid, ok := configValid[f.name]
		if !ok {
			t.Errorf("configValid says nothing of %s", f.name)
		}
		fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s | %s | %s |\n", f.name, f.kind,
			value(sica.Default(), f.name), valid, flag, f.doc)
	}
	linearOnly := sica.Default()
	linearOnly.Method = sica.LinearOnly
	page.WriteString(`
| Method | what separates the signals |
| --- | --- |
| ` + "`sica.Auto`" + ` | the linear rule; if that leaves a sign of a nonlinear mixing, the candidate with the shortest code |
| ` + "`sica.LinearOnly`" + ` | the linear rule, or symmetric whitening if there is no evidence for a rotation |
| ` + "`sica.NetworkOnly`" + ` | an invertible network |
| ` + "`sica.NoMethod`" + ` | nothing: the iterations begin with the transformed signals |

Transforms are ` + "`preprocess.Standardise`, `ZCA` (symmetric whitening), `Gaussianise` and `Conditional`" + `.

| preset | command, --method | Method | Transforms | Flow |
| --- | --- | --- | --- | --- |
`)
	for _, p := range []struct {
		name, command string
		cfg           sica.Config
	}{
		{"`Default`", "`sica`", sica.Default()},
		{"`Default` with `Method = sica.LinearOnly`", "`sica-linear`", linearOnly},
		{"`Direct`", "`sica-direct`", sica.Direct()}, {"`FastWGF`", "`sica-fast`", sica.FastWGF()},
		{"`PaperWGF`", "`sica-wgf`", sica.PaperWGF()}, {"`PaperRF`", "`sica-rf`", sica.PaperRF()},
		{"`PaperRF` with `Flow.Standardise = true`", "`sica-rf-standardised`", sica.PaperRF()},
	} {
		flow := "none"
		if p.cfg.Flow != nil {
			flow = "below"
		}
		transforms := "none"
		if len(p.cfg.Transforms) > 0 {
			transforms = fmt.Sprint(p.cfg.Transforms)
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", p.name, p.command, methodNames[p.cfg.Method], transforms,
			flow)
	}
	page.WriteString(`
` + "`--preset`" + ` may be left out: the first four methods have ` + "`default`" + `, the last three ` + "`paper`" + `, which is slow. Each also has
` + "`smoke`" + `, a few steps to see that all works (` + "`Config.Smoke`" + `); of ` + "`sica`" + ` that is the linear rule alone.

PaperWGF and PaperRF differ from the paper's text in two points: Z⁽⁰⁾ is standardised, and SICA-WGF has
one logit in place of d outputs. To the letter it is

` + "```go" + `
c := sica.PaperWGF()
c.Transforms = nil
c.Flow.SumOutputs = true
c.Flow.FirstStep, c.Flow.LastStep = 1, 1 // η, which the paper doesn't give
` + "```" + `

η is yours to choose, in Go only. PaperRF to the letter needs only ` + "`Transforms = nil`" + `. For images set
` + "`Shape`" + `, such as ` + "`[]int{32, 32}`" + `, and with PaperRF ` + "`Flow.Iterations = 20`" + `.
[The paper's figures](../evaluation/paper.md#how-the-paper-was-interpreted) has what was left open, and
[what the choices change](../evaluation/paper.md#other-interpretations-of-what-the-paper-leaves-open): whitening
the mixed signals and η most.

## sica.Flow

The settings of the iterations, with the values of the presets that have some. Default and Direct have
no Flow, and make no iterations: begin with ` + "`c.Flow = sica.FastWGF().Flow`" + `, and change its fields; the flow
then follows their result. In the command
only Iterations has a flag. After ` + "`--method sica`" + `, ` + "`sica-linear`" + ` or ` + "`sica-direct`" + `, ` + "`--iterations J`" + ` adds
FastWGF's flow with J iterations; of a method with a flow it changes J. All other fields are set in Go.
Signals have variance 1, steps and learning rates no unit. Sections are the paper's: "B" is its
supplement, "–" isn't from the paper.

| field | type | FastWGF | PaperWGF | PaperRF | valid | paper | what it is |
| --- | --- | --- | --- | --- | --- | --- | --- |
`)
	presets := []*sica.Flow{sica.FastWGF().Flow, sica.PaperWGF().Flow, sica.PaperRF().Flow}
	for _, f := range fields(t, "sica/config.go", "Flow") {
		fmt.Fprintf(&page, "| `%s` | `%s` |", f.name, f.kind)
		for _, flow := range presets {
			fmt.Fprintf(&page, " %s |", value(*flow, f.name))
		}
		about, ok := flowFields[f.name]
		if !ok {
			t.Errorf("flowFields says nothing of %s", f.name)
		}
		fmt.Fprintf(&page, " %s | %s | %s |\n", about.valid, about.section, f.doc)
	}
	page.WriteString(`
## Fixed in Default

| what | value | why it isn't a setting |
| --- | --- | --- |
| starting points of the linear rule | up to 5: whitening, spectra, varying strength, FastICA, FastICA of innovations | the shortest code decides; more cost time only |
| context of the linear rule | up to 24 earlier positions; 18 neighbours in images and videos | the code length decides how many are used |
| networks | 4 random starts for each fold, 8 of more than eight signals; 8 layers, or 10 to 16 | the best by held-out code is taken; NetworkSteps is a setting |
| context of networks | up to 8 earlier positions | as far as the mixed signals predict themselves |
| folds and held-out positions | 2 folds; each holds out a fifth, in two blocks | candidates are comparable on equal positions only |
| outliers | positions that change the covariance significantly, and are in one channel, or in one direction, only | excluded from fitting, separated like all others. A [test](../explanation/linear.md#outliers) finds them; leave others out by ` + "`--skip`" + ` |
| limits, such as 20 to 1 for "identified" | constants in the code, each with its reason | tuned to one recording they would mean nothing |

## Known noise

` + "`linear.Options`" + ` has two settings that ` + "`Config`" + ` lacks, for ` + "`ica.Separate(ctx, linear.Options{…}, x)`" + `. That excludes no
outliers, and ` + "`Save`" + ` and ` + "`report.New`" + ` don't take its result.

- ` + "`Noise`" + ` is the variance of the noise, one number for all channels, in their unit squared. It changes the shares of
  noise, the expected errors and what is identified. The signals are the same bits.
- ` + "`Noiseless`" + ` says that there is none, and hides what there is. With noise of 0.3 in three channels of variance 3.5 all
  signals were called identified, with expected errors of 0.0005 to 0.0008, at an MCC of 0.983. Without it none was
  (a single check).

## What comes with a fit

| setting | where, in a checkout |
| --- | --- |
| filters; stretches and channels to leave out | [Recordings in Go](../how-to/recordings-in-go.md), ` + "`go doc ./datasets Filter`" + ` |
| what a fit returns | ` + "`go doc ./sica Result`, `Summary`, `Trace`, `Candidate`; `go doc ./sica/linear Findings`, `go doc ./sica Network`" + ` |
| options of a report: refits, shape, progress | ` + "`go doc ./sica/report Options`" + ` |
| of the linear rule alone | ` + "`go doc ./sica/linear Options`" + ` |
| settings of a rival, such as FastICA | ` + "`go doc ./sica/baseline/fastica Config`" + ` |
| reading of files: missing values, separators | ` + "`go doc ./datasets ReadOptions`" + ` |
| a deadline; stop and keep what there is; resume | [Save, stop, resume](../how-to/save-stop-resume.md) |
| several seeds at once | ` + "`go doc ./sica FitRuns`" + `, [examples/runs](../../examples/runs) |
| backends | [Backends](../how-to/backends.md) |
`)
	generated(t, "reference/settings.md", page.String())
}

// configValid are the valid values of the fields of sica.Config.
var configValid = map[string]string{
	"Shape": "its product is n", "Seed": "any", "Prepare": "any",
	"Components": "2 to d; 0: the rank", "Rounding": "one a signal, 0 or more", "Transforms": "below", "Method": "below",
	"NetworkSteps": "1 or more with Auto, NetworkOnly; 0: chosen", "Candidates": "any", "Flow": "nil, or of a preset",
	"Checkpoint": "a folder", "OnProgress": "any",
}

// flowFields are the valid values of the fields of sica.Flow, and the paper's sections on them. See
// internal/iterate's Config.Validate.
var flowFields = map[string]struct{ valid, section string }{
	"Kind": {"both", "3.1, 3.2"}, "Iterations": {"1 or more", "B.2"}, "Standardise": {"both", "–"},
	"KeepBest": {"both; true needs 64 positions or more", "–"}, "Budget": {"0 or more", "–"},
	"Context": {"all", "B.1"},
	"Windows": {"WholeSequence: none. LocalWindow: one or more of 0 or more, in rising order; one " +
		"without Folds. Prediction: one of 1 or more. 2w + 1 positions must fit each axis", "–"},
	"Hidden":     {"1 or more each", "–"},
	"Network":    {"with a window or a prediction", "–"},
	"SumOutputs": {"both, of WGF", "B.1"}, "TimeWaves": {"0 to 16, of RF", "B.1"},
	"Family":    {"both", "–"},
	"FirstStep": {"above 0, of WGF", "3.1, Algorithm 2"},
	"LastStep":  {"above 0, of WGF", "3.1, Algorithm 2"},
	"MaxMove":   {"0 or more, of WGF", "–"}, "Solver": {"euler, heun", "3.2"},
	"SolverSteps": {"1 or more", "B.2"}, "Optimizer": {"both", "B.2"},
	"LearningRate": {"above 0", "B.2"}, "NewOptimizer": {"any", "–"},
	"BatchSize": {"1 or more", "B.2"}, "Epochs": {"1 or more; 0 with Steps", "B.2"},
	"Steps": {"1 or more; 0 with Epochs", "–"}, "FreshProduct": {"both", "Algorithm 2"},
	"WarmStart": {"both", "Algorithm 2"}, "Noise": {"0 or more, of WGF", "–"},
	"Float64": {"both", "–"}, "Folds": {"0, or 2 or more, of WGF", "–"},
	"Block": {"1 or more with Folds, else ignored", "–"}, "OnIteration": {"any", "–"}, "Stop": {"any", "–"},
}

// field is an exported field of a struct.
type field struct{ name, kind, doc string }

// value returns a field's value as text: the name of an enumerated one, a dash for zero and for
// functions.
func value(settings any, name string) string {
	v := reflect.ValueOf(settings).FieldByName(name)
	if m, ok := v.Interface().(sica.Method); ok {
		return methodNames[m]
	}
	if v.IsZero() || v.Kind() == reflect.Func {
		return "–"
	}
	return fmt.Sprint(v.Interface())
}

// methodNames are the names of the methods in Go.
var methodNames = map[sica.Method]string{
	sica.Auto: "`sica.Auto`", sica.LinearOnly: "`sica.LinearOnly`",
	sica.NetworkOnly: "`sica.NetworkOnly`", sica.NoMethod: "`sica.NoMethod`",
}

// enumerated are the values of settings whose types have no names outside the module.
var enumerated = map[string]string{
	"iterate.Kind":      "sica.WGF, sica.RF",
	"iterate.Context":   "sica.WholeSequence, sica.LocalWindow, sica.Prediction",
	"iterate.Family":    "sica.Free, sica.Linear",
	"iterate.Optimizer": "sica.Adam, sica.Adagrad",
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
			if names, ok := enumerated[kind]; ok {
				kind = names
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
