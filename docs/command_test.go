package docs_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// built is the folder of the sica command, built once for all tests.
var built = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "docs")
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "sica")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", name, "../cmd/sica").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return name, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

func command(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command")
	}
	name, err := built()
	if err != nil {
		t.Fatalf("%v\n%s", err, name)
	}
	return name
}

var continued = regexp.MustCompile(`\\\n\s*`)

// lines returns the lines of a page's blocks in sh that call the command or prepare for it,
// without comments.
func lines(text string) []string {
	var all []string
	for _, block := range blocks(text, "sh") {
		for line := range strings.SplitSeq(continued.ReplaceAllString(block, " "), "\n") {
			line, _, _ = strings.Cut(line, "  #")
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, line)
			}
		}
	}
	return all
}

// Calls of the command on all pages have existing flags, with values of their types.
func TestCommandsParse(t *testing.T) {
	sica := command(t)
	for _, page := range pages(t) {
		for _, line := range lines(read(t, filepath.Join(root, page))) {
			arguments := strings.Fields(line)
			if arguments[0] != "bin/sica" {
				continue
			}
			for i, word := range arguments { // a redirection is the shell's
				if strings.HasPrefix(word, ">") {
					arguments = arguments[:i]
					break
				}
			}
			out, err := exec.Command(sica, append(arguments[1:], "--help")...).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s\n%s", page, line, out)
			}
		}
	}
}

// The commands of README.md and of the tutorial run, one after another, in an empty folder. What the
// page shows of their output is what they print.
func TestCommandsRun(t *testing.T) {
	sica := command(t)
	for _, page := range []string{"README.md", "docs/tutorial/command.md"} {
		t.Run(page, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			recordings, err := filepath.Abs(filepath.Join(root, "datasets"))
			if err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{"bin/sica": sica, "datasets": recordings} {
				if err := os.Symlink(to, filepath.Join(folder, filepath.FromSlash(from))); err != nil {
					t.Skip(err)
				}
			}
			text := read(t, filepath.Join(root, page))
			ran := 0
			var printed strings.Builder
			for _, line := range lines(text) {
				if !strings.HasPrefix(line, "bin/sica ") && !strings.HasPrefix(line, "gunzip ") {
					continue
				}
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir = folder
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
				printed.Write(out)
				ran++
			}
			if ran < 4 {
				t.Errorf("%d commands ran; want those of the page", ran)
			}
			shown := outputs(text)
			if page != "README.md" && len(shown) < 4 {
				t.Errorf("%d outputs on the page; want several", len(shown))
			}
			for _, output := range shown {
				if err := isPrinted(output, printed.String()); err != nil {
					t.Errorf("%v:\n%s\nprinted was\n%s", err, output, printed.String())
				}
			}
			if page != "README.md" {
				checkQuote(t, printed.String())
			}
		})
	}
}

// outputs returns what a page shows of programs' output: its blocks of lines that are indented by
// four, with empty lines between.
func outputs(text string) []string {
	var all []string
	var block strings.Builder
	for line := range strings.SplitSeq(fenced.ReplaceAllString(text, "")+"\nend", "\n") {
		if line == "" || strings.HasPrefix(line, "    ") {
			block.WriteString(line + "\n")
			continue
		}
		if shown := strings.TrimSpace(block.String()); shown != "" {
			all = append(all, shown)
		}
		block.Reset()
	}
	return all
}

var (
	number = regexp.MustCompile(`[-+]?\d+(?:\.\d+)?`)
	// varying is what a machine prints in its own way: times and the backend.
	varying = regexp.MustCompile(`(?:separated|reported|halves) in \S+ s|backend \S+`)
)

// tolerance is by how much a number on a page may differ from what is printed, as a share of it: the
// last digits vary with the processor. Numbers below 1 may differ by that much.
const tolerance = 0.02

// isPrinted returns an error unless the output of a page is in what was printed, up to white space and
// the last digits of numbers.
func isPrinted(output, printed string) error {
	words := func(text string) (string, []string) {
		text = strings.Join(strings.Fields(varying.ReplaceAllString(text, "…")), " ")
		return number.ReplaceAllString(text, "\x00"), number.FindAllString(text, -1)
	}
	shown, want := words(output)
	all, got := words(printed)
	place := strings.Index(all, shown)
	if place < 0 {
		return errors.New("the program doesn't print this text")
	}
	for ; place >= 0; place = next(all, shown, place) {
		first := strings.Count(all[:place], "\x00")
		if agree(want, got[first:first+len(want)]) {
			return nil
		}
	}
	return errors.New("the program prints this text with other numbers")
}

// next returns the place of the text after one, -1 if there is none.
func next(all, text string, place int) int {
	if found := strings.Index(all[place+1:], text); found >= 0 {
		return place + 1 + found
	}
	return -1
}

// agree reports whether numbers are equal to within the tolerance.
func agree(want, got []string) bool {
	for i := range want {
		a, errA := strconv.ParseFloat(want[i], 64)
		b, errB := strconv.ParseFloat(got[i], 64)
		if errA != nil || errB != nil || math.Abs(a-b) > tolerance*max(1, math.Abs(a)) {
			return false
		}
	}
	return true
}

var quote = regexp.MustCompile(`(?m)(?:^> .*\n)+`)

// checkQuote compares the sentences for a paper in reference/output.md with the tutorial's report:
// the verdict, and each number with a decimal point, which may be rounded.
func checkQuote(t *testing.T, printed string) {
	t.Helper()
	text := strings.ReplaceAll(quote.FindString(read(t, "reference/output.md")), "\n> ", " ")
	_, verdict, ok := strings.Cut(text, "Verdict: ")
	if verdict = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(verdict), ".")); !ok ||
		!strings.Contains(printed, "Verdict: "+verdict+".") {
		t.Errorf("reference/output.md quotes the verdict %q, which the tutorial's report doesn't have",
			verdict)
	}
	_, text, _ = strings.Cut(text, "fell from") // behind the version
	found := regexp.MustCompile(`\d+\.\d+`).FindAllString(text, -1)
	if len(found) < 6 {
		t.Errorf("reference/output.md quotes the numbers %q; want those of a report", found)
	}
	for _, want := range found {
		if !slices.ContainsFunc(number.FindAllString(printed, -1), func(got string) bool {
			return agree([]string{want}, []string{strings.TrimLeft(got, "+-")})
		}) {
			t.Errorf("reference/output.md quotes %s, which the tutorial's report doesn't have", want)
		}
	}
}

// An output with another verdict, word or number isn't printed; last digits and white space may
// differ.
func TestIsPrinted(t *testing.T) {
	const printed = "separated in 3.1 s\nVerdict: separated\n\n  from 2.301 to 1.226\n  from 9.1 to 4\n"
	for output, want := range map[string]bool{
		"Verdict: separated\n  from 2.299\n  to 1.226": true,
		"from 9.1 to 4":        true, // the second of its kind
		"separated in 0.2 s":   true,
		"Verdict: no evidence": false,
		"from 2.301 to 1.991":  false,
		"from 2.301 by 1.226":  false,
	} {
		if err := isPrinted(output, printed); (err == nil) != want {
			t.Errorf("%q: %v", output, err)
		}
	}
	const page = "text\n\n    a 1\n    b\n\n      c\n\nmore\n\n    d\n"
	if got := outputs(page); !slices.Equal(got, []string{"a 1\n    b\n\n      c", "d"}) {
		t.Errorf("%q", got)
	}
}
