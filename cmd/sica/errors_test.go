package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/sica"
)

// Bad input gives one clear line, exit code 1 or 2, and no file.
func TestBadInput(t *testing.T) {
	var rows strings.Builder
	for i := range 512 {
		rows.WriteString([]string{"1,2\n", "2,7\n", "4,1\n"}[i*i%7%3])
	}
	inputs := t.TempDir()
	good := write(t, inputs, "good.csv", rows.String())
	short := write(t, inputs, "short.csv", "1,2\n2,1\n3,5\n")
	mixed := write(t, inputs, "mixed.csv", rows.String()) // as a method of compare is called
	image := write(t, inputs, "image.png", "")
	file := write(t, inputs, "file", "")
	missing := filepath.Join(inputs, "missing.csv")
	beside := filepath.Join(inputs, "z.npy")
	write(t, inputs, "z.npy.json", `{"title": "a report"}`)

	outputs := t.TempDir()
	out := filepath.Join(outputs, "out.csv")
	separate := func(in string, more ...string) []string {
		return append([]string{"separate", "--in", in, "--out", out, "--backend", "go"}, more...)
	}
	bad := func(name, content string) []string {
		return separate(write(t, inputs, name, rows.String()+content))
	}
	constant := write(t, inputs, "constant.csv", strings.Repeat("1,2\n2,2\n", 256))
	single := write(t, inputs, "single.csv", strings.Repeat("1\n2\n", 256))
	generate := func(more ...string) []string {
		return append([]string{"generate", "--out", filepath.Join(outputs, "dir")}, more...)
	}

	for _, test := range []struct {
		name string
		args []string
		code int
		says string // a part of the line
	}{
		{"unknown command", []string{"seperate"},
			exitUsage, `unknown command "seperate"; did you mean separate or generate?`},
		{"another command", []string{"xyz"}, exitUsage, `unknown command "xyz"; see sica --help`},
		{"a folder as input", separate(mkdir(t, inputs, "recordings")),
			exitFailure, "is a folder; must be a file"},
		{"no file without an ending", separate(filepath.Join(inputs, "none")),
			exitFailure, "no such file"},
		{"standard input", separate("-"), exitUsage, "is read by sica remove and sica transform only"},
		{"EDF without a rate", []string{"separate", "--in", good, "--out", filepath.Join(outputs, "z.edf")},
			exitUsage,
			"z.edf: the recording has no sampling rate, which EDF and BDF need: use --rate"},
		{"no folder for a model", []string{"inspect", "--in", good, "--model", missing}, exitFailure,
			"sica: " + missing + ": no such file or directory; must be the folder of a saved separation"},
		{"ending of a picture", []string{"inspect", "--in", good, "--model", missing, "--plot", "x.jpg"},
			exitUsage,
			"must be .png or .svg"},
		{"no folder for a page", []string{"inspect", "--in", good, "--model", missing, "--html",
			filepath.Join(inputs, "none", "x.html")}, exitFailure, "can't write"},
		{"a file as folder", []string{"generate", "--signals", "ar7", "--out", file}, exitUsage,
			"must be a folder, and is a file"},
		{"a file as folder of demo", []string{"demo", "--out", file},
			exitUsage, "must be a folder, and is a file"},
		{"fewer than no signals", generate("--signals", "ar7", "--d", "-2"),
			exitUsage, "--d -2: use at least 2"},
		{"negative noise", generate("--signals", "heart", "--noise", "-1"),
			exitUsage, "--noise -1: use a number"},
		{"unknown flag", separate(good, "--fast"), exitUsage, "--fast; see sica separate --help"},
		{"misspelt flag", separate(good, "--highpas", "1"), exitUsage, "did you mean --highpass?"},
		{"unknown short flag", separate(good, "--lr", "1"), exitUsage, "--lr; see sica separate --help"},
		{"misspelt short flag", separate(good, "--im", "a.csv"), exitUsage, "did you mean --in?"},
		{"a folder of --resume", separate(good, "--resume", "state"), exitUsage,
			"use --checkpoint state"},
		{"stray argument", separate(good, "more"), exitUsage, `"more"`},

		{"no --in", []string{"separate", "--out", out}, exitUsage, "--in FILE is missing"},
		{"no --out", []string{"separate", "--in", good}, exitUsage, "--out FILE is missing"},
		{"missing file", separate(missing), exitFailure, "missing.csv"},
		{"file with blanks", separate(filepath.Join(inputs, "two  blanks.csv")), exitFailure,
			"two  blanks.csv"},
		{"file named as a package",
			[]string{"separate", "--in", "report: x: o.csv", "--out", out}, exitFailure,
			"open report: x: o.csv: no such file"},
		{"folder named as a package", []string{"transform", "--model", "sica", "--in", good, "--out",
			out}, exitFailure, "sica: no such file"},
		{"folder as file", separate(inputs), exitFailure, inputs},
		{"unknown format", separate(file), exitFailure, ".csv"},
		{"a folder for no images", []string{"separate", "--in", "a.jpg", "--out", outputs}, exitUsage,
			"and a.jpg is none: convert it"},
		{"empty file", separate(write(t, inputs, "empty.csv", "")), exitFailure, "empty.csv"},
		{"ragged rows", bad("ragged.csv", "1,2,3\n"), exitFailure, "513"},
		{"missing cell", bad("hole.csv", "1,\n"), exitFailure, "513"},
		{"text", bad("text.csv", "1,two\n"), exitFailure, `"two"`},
		{"NaN", bad("nan.csv", "1,NaN\n"), exitFailure, "NaN"},
		{"Inf", bad("inf.csv", "-Inf,1\n"), exitFailure, "Inf"},
		{"constant signal", separate(constant), exitFailure, "constant"},
		{"constant channel",
			separate(write(t, inputs, "named.csv",
				"Fz,ref\n"+strings.Repeat("1,2\n2,2\n", 256))), exitFailure, `channel "ref"`},
		{"one signal", separate(single), exitFailure, "at least 2"},
		{"one signal beside markers", separate(write(t, inputs, "marked.csv",
			"left,Trigger\n"+strings.Repeat("1.5,0\n2.5,4\n3.5,0\n", 100))), exitFailure,
			"at least 2; \"Trigger\" holds markers"},
		{"too few positions", separate(short, "--iterations", "1"), exitFailure,
			"short.csv: has 3 positions of 2 signals, too few for --method sica"},
		{"files of other lengths", separate(good, "--in", short), exitFailure,
			"3 to 512 positions"},

		{"shape that doesn't fit", separate(good, "--shape", "32x32"), exitUsage,
			"has 512 positions, not 1024"},
		{"axis shorter than the window", separate(good, "--iterations", "1", "--shape", "128x4"),
			exitFailure, "must fit each axis"},
		{"shape of text", separate(good, "--shape", "32xa"), exitUsage, `"32xa"`},
		{"shape of nothing", separate(good, "--shape", ""), exitUsage, "--shape"},
		{"negative shape", separate(good, "--shape", "-32x-16"), exitUsage, "--shape"},
		{"unknown method", separate(good, "--method", "ica"), exitUsage, "sica-wgf"},
		{"method of compare", separate(good, "--method", "fastica"), exitUsage, "sica compare"},
		{"unknown preset", separate(good, "--preset", "best"), exitUsage, "smoke"},
		{"preset of another method", separate(good, "--preset", "paper"), exitUsage,
			`--method sica has no --preset "paper": use default, smoke`},
		{"no default of the paper's flow",
			separate(good, "--method", "sica-rf", "--preset", "default"), exitUsage,
			`--method sica-rf has no --preset "default": use paper, smoke`},
		{"few positions and more columns",
			separate(write(t, inputs, "few.csv", "a,b,c,d\n1,2,3,4\n2,1,0,9\n5,4,3,1\n")), exitFailure,
			"few.csv: has 3 positions of 4 signals, too few for --method sica; must be at least 16"},
		{"one row", separate(write(t, inputs, "one.csv", "a,b,c\n1,2,3\n")), exitFailure,
			"one.csv: has one sample of each channel; must have more"},
		{"no default of the paper's other flow",
			separate(good, "--method", "sica-wgf", "--preset",
				"default"), exitUsage, "use paper, smoke"},
		{"no iterations", separate(good, "--iterations", "0"), exitUsage, "--iterations 0"},
		{"a large seed", separate(good, "--seed", "18446744073709551616"), exitUsage,
			"--seed 18446744073709551616: is too large"},
		{"an infinite rate", separate(good, "--rate", "inf"), exitUsage, "--rate +Inf: use a positive"},
		{"a rate that isn't a number", separate(good, "--rate", "nan"), exitUsage, "--rate NaN"},
		{"no component", separate(good, "--components", "1"), exitUsage, "or 0 for their rank"},
		{"few that aren't skipped", separate(good, "--skip", "4-512"), exitFailure,
			"good.csv: 3 of 512 positions are used: has 3 positions of 2 signals, too few for --method sica"},
		{"more to learn from than there is", separate(good, "--learn-on", "5000"), exitUsage,
			"has only 512 positions to learn from: use all"},
		{"skip beyond the end", separate(good, "--skip", "500-600"),
			exitUsage, "use positions from 1 to 512"},
		{"no required flags", []string{"remove", "--in", good}, exitUsage,
			"sica: --model DIR and --out FILE are missing; see sica remove --help"},
		{"components with spaces", []string{"remove", "--components", "2 6"}, exitUsage,
			"--components 2 6: must be numbers with commas between, such as 2,6"},
		{"few to learn from", separate(good, "--learn-on", "5"), exitUsage,
			"sica: --learn-on 5: has 5 positions of "},
		{"compare with no method", []string{"compare", "--in", good, "--methods", ""}, exitUsage,
			"--methods is empty"},
		{"negative seed", separate(good, "--seed", "-1"), exitUsage, "--seed -1: must be a whole " +
			"number from 0 on"},
		{"half an iteration", separate(good, "--iterations", "1.5"), exitUsage,
			"--iterations 1.5: must be a whole number"},
		{"a filter above half of the rate",
			separate(good, "--rate", "1.5", "--highpass", "1"), exitUsage, "--highpass: is 1 Hz"},
		{"report with a shape that doesn't fit",
			[]string{"report", "--in", good, "--shape", "32x32"}, exitUsage, "--shape 32x32"},
		{"compare with a shape that doesn't fit",
			[]string{"compare", "--in", good, "--shape", "32x32"}, exitUsage, "--shape 32x32"},
		{"unknown backend", []string{"separate", "--in", good, "--out", out, "--backend", "tpu"},
			exitUsage,
			"xla:cuda"},
		{"a flag twice", separate(good, "--seed", "1", "--seed", "2"),
			exitUsage, "--seed\" flag: it is given twice"},

		{"output in no folder",
			[]string{"separate", "--in", good, "--out",
				filepath.Join(outputs, "no", "out.csv")}, exitFailure, "no such file"},
		{"output under a file",
			[]string{"separate", "--in", good, "--out",
				filepath.Join(file, "out.csv")}, exitFailure, "not a directory"},
		{"output is a folder",
			[]string{"separate", "--in", good, "--out",
				mkdir(t, inputs, "folder.csv")}, exitFailure, "folder"},
		{"output of unknown format",
			[]string{"separate", "--in", good, "--out",
				filepath.Join(outputs, "out.mat")}, exitUsage, ".npy"},
		{"report in no folder", separate(good, "--json", filepath.Join(outputs, "no", "r.json")),
			exitFailure, "no such file"},
		{"report is the output", separate(good, "--json", out), exitUsage, "same file"},
		{"report is the sidecar of the output",
			[]string{"separate", "--in", good, "--out", filepath.Join(outputs, "z.npy"), "--json",
				filepath.Join(outputs, "z.npy.json")}, exitUsage,
			"--json and the sidecar of --out name the same file"},
		{"another file is the sidecar of the output",
			[]string{"separate", "--in", good, "--out", beside}, exitFailure,
			"another file is in the place of its sidecar"},
		{"output is the input", []string{"separate", "--in", good, "--out", good}, exitUsage,
			"--in and --out name the same file"},
		{"report is the input", separate(good, "--json", good), exitUsage,
			"--in and --json name the same file"},
		{"report is the truth", separate(good, "--truth", short, "--json", short), exitUsage,
			"--truth and --json name the same file"},
		{"transformed over the input",
			[]string{"transform", "--model", outputs, "--in", good, "--out",
				good}, exitUsage, "--in and --out name the same file"},
		{"report over its input", []string{"report", "--in", good, "--json", good}, exitUsage,
			"--in and --json name the same file"},
		{"inspected over the recording",
			[]string{"inspect", "--model", outputs, "--in", good, "--json",
				good}, exitUsage, "--in and --json name the same file"},
		{"drawn over the recording",
			[]string{"inspect", "--model", outputs, "--in", image, "--plot",
				image}, exitUsage, "--in and --plot name the same file"},
		{"no reference", []string{"inspect", "--model", outputs, "--in", good, "--reference", ""},
			exitUsage, "--reference: it is empty"},
		{"a reference twice",
			[]string{"inspect", "--model", outputs, "--in", good, "--reference", "1,2,1"},
			exitUsage, "--reference: 1 is there twice"},
		{"inspected over the reference",
			[]string{"inspect", "--model", outputs, "--in", good, "--reference", short, "--json",
				short}, exitUsage, "--reference and --json name the same file"},
		{"drawn in the model",
			[]string{"inspect", "--model", outputs, "--in", good, "--plot",
				filepath.Join(outputs, "a.png")}, exitUsage, "is within --model"},
		{"compared over the input",
			[]string{"compare", "--in", mixed, "--methods", "mixed", "--out",
				inputs}, exitUsage, "--in and --out name the same file"},
		{"compared over the truth",
			[]string{"compare", "--in", good, "--truth", mixed, "--methods", "mixed", "--out",
				inputs}, exitUsage, "--truth and --out name the same file"},
		{"removed over the recording",
			[]string{"remove", "--model", outputs, "--in", good, "--out", good, "--components",
				"1"}, exitUsage, "--in and --out name the same file"},
		{"report in the result", separate(good, "--json", out, "--save", out), exitUsage,
			"same file"},
		{"output in the state", separate(good, "--checkpoint", outputs), exitUsage,
			"is within --checkpoint"},
		{"result in no folder", separate(good, "--save", filepath.Join(outputs, "no", "model")),
			exitFailure, "no such file"},
		{"result over a folder", separate(good, "--save", inputs), exitFailure, "there already"},
		{"more components than signals", separate(good, "--components", "5"), exitUsage,
			"--components 5"},
		{"state in a folder of others", separate(good, "--checkpoint", inputs), exitFailure,
			"no checkpoint's"},
		{"state in a file", separate(good, "--checkpoint", good),
			exitFailure, "is a file; must be a folder"},
		{"transform without a model", []string{"transform", "--in", good, "--out", out}, exitUsage,
			"--model "},
		{"transform with no model",
			[]string{"transform", "--model", inputs, "--in", good, "--out",
				out}, exitFailure, "MANIFEST"},
		{"transform into the model",
			[]string{"transform", "--model", outputs, "--in", good, "--out",
				out}, exitUsage, "is within --model"},
		{"transform to an unknown format",
			[]string{"transform", "--model", inputs, "--in", good, "--out",
				filepath.Join(outputs, "out.mat")}, exitUsage, ".npy"},
		{"missing truth", separate(good, "--truth", missing), exitFailure, "missing.csv"},
		{"truth of another size", separate(good, "--truth", short), exitFailure, "same size"},

		{"score without truth", []string{"score", "--recovered", good}, exitUsage,
			"--truth "},
		{"score of a missing file", []string{"score", "--truth", good, "--recovered", missing},
			exitFailure, "missing.csv"},
		{"score of other sizes", []string{"score", "--truth", good, "--recovered", short},
			exitFailure, "same size"},
		{"score of a truth with constants",
			[]string{"score", "--truth", write(t, inputs, "still.csv",
				"a,blink,heart\n"+strings.Repeat("1,0,0\n3,0,0\n", 256)), "--recovered", good},
			exitFailure, `has 1 signal at 512 positions (without "blink" and "heart", each of which has the same ` +
				`value at every position), and `},
		{"score of a constant", []string{"score", "--truth", good, "--recovered", constant},
			exitFailure, "constant"},

		{"generate into nothing", []string{"generate", "--signals", "ar7", "--out", ""}, exitUsage,
			"--out is empty"},
		{"generate nothing", generate(), exitUsage, "--signals "},
		{"unknown signals", generate("--signals", "ar8"), exitUsage, `"ar8"`},
		{"unknown mixing", generate("--signals", "ar7", "--mixing", "tanh"), exitUsage, `"tanh"`},
		{"unknown order", generate("--signals", "heart", "--order", "random"), exitUsage,
			`"random"`},
		{"three hearts", generate("--signals", "heart", "--d", "3"), exitUsage, "2 signals"},
		{"no signals", generate("--signals", "ar7", "--d", "0"),
			exitUsage, "--d 0: use at least 2 signals"},
		{"one position", generate("--signals", "ar7", "--length", "1"), exitUsage, "position"},
		{"long digits", generate("--signals", "mnist", "--length", "2048"), exitUsage, "1024"},
		{"too many digits", generate("--signals", "mnist", "--d", "100000"), exitUsage, "100000"},
		{"noise on ar7", generate("--signals", "ar7", "--noise", "1"), exitUsage, "heart only"},
		{"negative noise", generate("--signals", "heart", "--noise", "-1"), exitUsage, "-1"},
		{"steps of no mixing", generate("--signals", "ar7", "--mixing", "none", "--steps", "3"),
			exitUsage, "--steps"},
		{"one signal", generate("--signals", "ar7", "--d", "1"), exitUsage, "at least 2 signals"},
		{"negative steps", generate("--signals", "ar7", "--steps", "-3"), exitUsage, "-3"},
		{"steps without an end",
			generate("--signals", "ar7", "--mixing", "gelu", "--steps",
				"99999999"), exitUsage, "at most 1000000"},
		{"mixing that overflows", generate("--signals", "ar7", "--steps", "100000"), exitUsage,
			"finite"},
		{"folder under a file",
			[]string{"generate", "--signals", "ar7", "--out",
				filepath.Join(file, "dir")}, exitFailure, "not a directory"},

		{"compare nothing", []string{"compare"}, exitUsage, "--in "},
		{"compare with an unknown method", []string{"compare", "--in", good, "--methods", "ica"},
			exitUsage, "gaussianise+zca"},
		{"compare with an unknown preset", []string{"compare", "--in", good, "--preset", "best"},
			exitUsage, `"best"`},
		{"compare a missing file",
			[]string{"compare", "--in", missing, "--out",
				filepath.Join(outputs, "dir")}, exitFailure, "missing.csv"},
		{"compare a constant",
			[]string{"compare", "--in", constant, "--out",
				filepath.Join(outputs, "dir")}, exitFailure, "constant"},
		{"compare with a truth of another size",
			[]string{"compare", "--in", good, "--truth", short, "--out",
				filepath.Join(outputs, "dir")}, exitFailure, "same size"},

		{"compare as printed", []string{"compare", "--in", "x.csv", "--preset", "printed"},
			exitUsage, "smoke"},
		{"demo without folder", []string{"demo"}, exitUsage, "--out "},
		{"demo on unknown backend",
			[]string{"demo", "--out", filepath.Join(outputs, "dir"), "--backend",
				"tpu"}, exitUsage, "xla:cpu"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := command(t.Context(), test.args...)
			if code != test.code {
				t.Errorf("exit %d, want %d", code, test.code)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "sica: ") ||
				!strings.Contains(stderr, test.says) {
				t.Errorf("stderr %q, want one line that says %q", stderr, test.says)
			}
			for _, flag := range unknownFlags(test.args, stderr) {
				t.Errorf("stderr %q advises --%s, which the command doesn't have", stderr, flag)
			}
			if got := list(t, outputs); len(got) > 0 {
				t.Errorf("left the files %q", got)
			}
		})
	}
}

// namedFlag matches a flag in a message, perhaps after the command that it is of.
var namedFlag = regexp.MustCompile(`(?:sica (\w+) )?--([a-z][a-z-]*)`)

// unknownFlags returns the flags that the error of a command names and that neither it nor a command
// before them has. What the caller gave is no advice.
func unknownFlags(args []string, message string) (flags []string) {
	root := newRoot(func() {})
	for _, found := range namedFlag.FindAllStringSubmatch(message, -1) {
		isKnown := found[2] == "help" || slices.Contains(args, "--"+found[2])
		for _, cmd := range root.Commands() {
			isMeant := cmd.Name() == args[0] || cmd.Name() == found[1] || strings.Contains(message, "sica "+cmd.Name())
			isKnown = isKnown || isMeant && (cmd.Flag(found[2]) != nil || root.Flag(found[2]) != nil)
		}
		if !isKnown {
			flags = append(flags, found[2])
		}
	}
	return flags
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{errors.New("no such file"), exitFailure},
		{usage.Errorf("unknown --method"), exitUsage},
		{fmt.Errorf("cut short: %w", sica.ErrNotFinite), exitNotFinite},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%v: exit %d, want %d", test.err, got, test.want)
		}
	}
}

func mkdir(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
