package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
)

// validLines are command lines on the files of fuzzFiles that succeed.
var validLines = []string{
	"generate --signals heart --out new --order iid --noise 0 --length 50",
	"generate --signals ar7 --out new --mixing gelu --steps 3 --d 3 --length 64 --seed 7",
	"generate --signals mnist --out folder --mixing none --d 2",
	"separate --in mixed.csv --out z.csv --preset smoke --iterations 1",
	"separate --in mixed.csv --truth truth.csv --out z.npy --preset smoke --iterations 2 --json " +
		"r.json --save new --resume",
	"separate --in a.png --in b.pgm --out z.wav --method sica-wgf --preset smoke --iterations 1 " +
		"--checkpoint new --shape 8x16",
	"transform --model model --in mixed.csv --out z.csv",
	"transform --model model --in mixed.csv --out z.npy --inverse --shape 128",
	"score --truth truth.csv --recovered mixed.csv --json",
	"compare --in mixed.csv --truth truth.csv --methods fastica,zca --preset smoke --out new",
	"compare --in mixed.csv --methods lica --preset smoke --json --seed 3",
	"separate --in mixed.csv --out empty/z.csv --checkpoint empty/z --preset smoke --iterations 1",
	"report --in mixed.csv --preset smoke --iterations 1 --refits 1 --json r.json --html r.html",
	"report --in mixed.csv --model model --refits 0 --json r.json",
	"demo --out new",
	"help separate",
	"completion bash",
	"--help",
}

// fuzzWords are what values of flags are made of, beside what the help tells.
var fuzzWords = []string{
	"mixed.csv", "truth.csv", "constant.csv", "short.csv", "broken.npy", "a.png", "b.pgm", "sound.wav", "outcomes.jsonl", "model", "model/z.npy", "folder", "folder/z.csv", "empty", "empty/z.csv",
	"none.csv", "none/z.csv", "new", "new/z.csv", "z.csv", "z.npy", "z.wav", "z.png", "z.json", "z.csv.checkpoint", ".", "",
	"heart", "ar7", "mnist", "linear", "gelu", "sorted", "iid", "sica", "sica-wgf", "sica-rf", "fastica", "zca", "lica", "mixed", "all",
	"default", "paper", "printed", "smoke", "auto", "go", "1", "2", "3b", "all,zca", ",", "1/2", "2/1", "1/99999999",
	"-1", "0", "3", "7", "64", "128", "99999999", "9223372036854775807", "18446744073709551616", "-9223372036854775808", "1e9", "1.5", "NaN", "Inf", "0x10", "true", "false",
	"8x16", "2x64", "128x", "x", "0x128", "4294967296x4294967296", "1x1x1x128", "--", "-", "-h", "--help", "%s", "ä", "a b",
}

// fuzzFiles are the files that the command lines are about, by path.
func fuzzFiles(f *testing.F) map[string][]byte {
	dir := f.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 2)), 2, 128)
	if err != nil {
		f.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 3})
	if err != nil {
		f.Fatal(err)
	}
	for _, err := range []error{
		datasets.WriteFile(path("truth.csv"), s),
		datasets.WriteFile(path("mixed.csv"), x),
		datasets.WriteFile(path("sound.wav"), x),
		datasets.WriteImages(x, []int{8, 16}, path("a.png"), path("b.pgm")),
		os.WriteFile(path("constant.csv"), bytes.Repeat([]byte("1,2\n"), 128), 0o600),
		os.WriteFile(path("short.csv"), []byte("1,2\n2,1\n3,5\n"), 0o600),
		os.WriteFile(path("broken.npy"), []byte("\x93NUMPY\x01\x00\x10\x00{'descr': '|O'}"), 0o600),
		os.Mkdir(path("folder"), 0o700),
		os.Mkdir(path("empty"), 0o700),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	code, _, stderr := command(context.Background(), "separate", "--in", path("mixed.csv"),
		"--out", path("z.csv"), "--preset", "smoke", "--iterations", "1", "--save", path("model"), "--backend", "go")
	if code != exitOK {
		f.Fatal(stderr)
	}
	if err := os.Remove(path("z.csv")); err != nil {
		f.Fatal(err)
	}
	return contents(f, dir)
}

// contents are the files below a folder by their path in it, and its folders,
// whose content is nil.
func contents(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		files[inside] = nil
		if err == nil && !e.IsDir() {
			files[inside], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// restore makes a folder hold those contents.
func restore(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		var err error
		if full := filepath.Join(dir, path); files[path] == nil {
			err = os.MkdirAll(full, 0o700)
		} else {
			err = os.WriteFile(full, files[path], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// commandFlags are the flags of each command, as its help tells them.
func commandFlags(f *testing.F) map[string][]string {
	_, help, _ := command(context.Background(), "--help")
	list, _, _ := strings.Cut(help, "\nFlags:\n")
	names := regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`).FindAllStringSubmatch(list, -1)
	if len(names) < 10 {
		f.Fatalf("too few commands in %q", help)
	}
	flags := make(map[string][]string)
	for _, match := range names {
		name := match[1]
		_, help, _ := command(context.Background(), name, "--help")
		flags[name] = regexp.MustCompile(`(?m)^ +(?:-\w, )?--[\w-]+`).FindAllString(help, -1)
		if _, reading, ok := strings.Cut(help, "Flags for reading files"); ok {
			reading, _, _ = strings.Cut(reading, "\n\n")
			flags[name] = append(flags[name], regexp.MustCompile(`--[\w-]+`).FindAllString(reading, -1)...)
		}
		for i, flag := range flags[name] {
			flags[name][i] = flag[strings.Index(flag, "--"):]
		}
	}
	return flags
}

// varied are arguments with a few of them changed at random. Seed 0 changes none.
func varied(args []string, flags map[string][]string, seed uint64) []string {
	if seed == 0 {
		return args
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	one := func(from []string) string { return from[rng.IntN(len(from))] }
	args = slices.Clone(args)
	for range 1 + rng.IntN(3) {
		of := flags[commandOf(args, flags)]
		if rng.IntN(8) == 0 || len(of) == 0 {
			of = flags[one(slices.Sorted(maps.Keys(flags)))]
		}
		at := rng.IntN(len(args) + 1)
		switch kind := rng.IntN(6); {
		case kind == 0 || at == len(args):
			args = slices.Insert(args, at, one(of), one(fuzzWords))
		case kind == 1:
			args = slices.Insert(args, at, one(of)+"="+one(fuzzWords))
		case kind == 2:
			args = slices.Delete(args, at, at+1)
		case kind == 3:
			args = slices.Insert(args, at, args[rng.IntN(len(args))])
		default:
			args[at] = one(fuzzWords)
		}
	}
	return args
}

func commandOf(args []string, flags map[string][]string) string {
	for _, arg := range args {
		if flags[arg] != nil {
			return arg
		}
	}
	return ""
}

// leadsAway tells whether a command line names something outside of the folder, or
// asks for as much work as a number can.
func leadsAway(args []string) bool {
	for _, arg := range args {
		_, value, ok := strings.Cut(arg, "=")
		if !ok {
			value = arg
		}
		if !filepath.IsLocal(value) && value != "" || strings.HasPrefix(arg, "__") {
			return true
		}
		if n, err := strconv.ParseInt(value, 0, 64); err == nil && n > 256 &&
			!slices.Contains(fuzzWords, value) {
			return true
		}
	}
	return false
}

// quick are arguments with the pure-Go backend, and unless they choose
// another.
func quick(args []string, flags map[string][]string) []string {
	name := commandOf(args, flags)
	given := slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--" || strings.HasPrefix(arg, "--backend")
	})
	if slices.Contains(flags[name], "--backend") && !given {
		args = append(slices.Clip(args), "--backend=go")
	}
	return args
}

// progressLines are those of a report, which tell how far it is.
var progressLines = regexp.MustCompile(`(?m)^[a-z ]+([:,].* [0-9]+ %|.* …)\n`)

// Whatever the arguments, a command doesn't panic, its exit code is one of those
// that are documented, an error is a line, and what it writes is whole and where
// it was told to; called wrongly, it writes nothing. An argument vector is a text
// with spaces in between, and a seed to vary it with.
func FuzzCommandLine(f *testing.F) {
	if testing.Short() {
		f.Skip("it is on the pure-Go backend, with XLA's plugin and without")
	}
	flags := commandFlags(f)
	files := fuzzFiles(f)
	for k, line := range validLines {
		f.Add(line, uint64(0))
		f.Add(line, uint64(k+1))
	}
	for _, tried := range triedLines {
		f.Add(tried.line, tried.seed)
	}
	parent := f.TempDir()
	home, work := filepath.Join(parent, "home"), filepath.Join(parent, "work")
	if err := os.Mkdir(home, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Setenv("XDG_CACHE_HOME", f.TempDir()) // where the plugin's checksum is remembered
	f.Fuzz(func(t *testing.T, line string, seed uint64) {
		args := varied(strings.Split(line, " "), flags, seed)
		if leadsAway(args) {
			return
		}
		args = quick(args, flags)
		restore(t, work, files)
		t.Chdir(work)
		t.Setenv("HOME", home)
		t.Setenv("TMPDIR", home)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()

		code, stdout, stderr := command(ctx, args...)
		failed := func(format string, values ...any) {
			t.Helper()
			t.Errorf("sica %q: exit %d, stderr %q: "+format,
				append([]any{args, code, stderr}, values...)...)
		}
		if !slices.Contains([]int{exitOK, exitFailure, exitUsage, exitNotFinite, exitInterrupted},
			code) {
			failed("no such exit code")
		}
		if seed == 0 && slices.Contains(validLines, line) && code != exitOK &&
			code != exitInterrupted {
			failed("want no failure")
		}
		wrong := progressLines.ReplaceAllString(stderr, "")
		said, ok := strings.CutPrefix(wrong, "sica: ")
		if code == exitOK && wrong != "" || code != exitOK &&
			(!ok || len(said) < 5 || strings.Index(said, "\n") != len(said)-1) {
			failed("want a line if it fails")
		}
		if outside := contents(t, parent); len(outside)-len(contents(t, work)) != 2 {
			failed("files beside the folder: %q", slices.Sorted(maps.Keys(outside)))
		}
		for line := range strings.Lines(stdout) {
			path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "wrote ")
			if _, err := os.Stat(path); ok && err != nil &&
				!slices.ContainsFunc(args,
					func(arg string) bool { return strings.Contains(arg, "\n") }) {
				failed("it said that it wrote %s: %v", path, err)
			}
		}
		wrote := changes(files, contents(t, work))
		if code == exitUsage && len(wrote) > 0 {
			failed("called wrongly, it changed %q", slices.Sorted(maps.Keys(wrote)))
		}
		if name := commandOf(args, flags); code == exitFailure &&
			slices.Contains([]string{"separate", "transform", "score"}, name) {
			for path, content := range wrote {
				if content != nil && filepath.Base(path) != "lock" { // that a checkpoint is locked with
					failed("it failed but wrote %s", path)
				}
			}
		}
		for path, content := range wrote {
			if why := broken(path, content); why != "" {
				failed("%s: %s", path, why)
			}
		}
	})
}

// changes are the files and folders of after that before hasn't or has with other
// contents, and those that are gone with a content that no file has.
func changes(before, after map[string][]byte) map[string][]byte {
	changed := make(map[string][]byte)
	for path, content := range after {
		if old, ok := before[path]; !ok || !bytes.Equal(old, content) {
			changed[path] = content
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			changed[path] = []byte("gone")
		}
	}
	return changed
}

// broken tells what is wrong with a file that a command has written, "" for
// nothing.
func broken(path string, content []byte) string {
	var err error
	switch {
	case strings.HasSuffix(path, ".tmp") || strings.HasPrefix(filepath.Base(path), ".sica-"):
		return "a temporary file was left"
	case content == nil: // a folder
	case json.Valid(content): // as --json writes to a file of any name
	case filepath.Base(path) == "MANIFEST" &&
		!strings.HasPrefix(string(content), "sica checkpoint"):
		_, err = sica.Load(filepath.Dir(path))
	case filepath.Ext(path) == ".json":
		return "no JSON"
	case slices.Contains([]string{".csv", ".npy", ".wav", ".png", ".pgm"}, filepath.Ext(path)):
		_, err = datasets.ReadFile(path)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
