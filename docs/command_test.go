package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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

// The commands of README.md and of the tutorial run, one after another, in an empty folder.
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
			ran := 0
			for _, line := range lines(read(t, filepath.Join(root, page))) {
				if !strings.HasPrefix(line, "bin/sica ") && !strings.HasPrefix(line, "gunzip ") {
					continue
				}
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir = folder
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
				ran++
			}
			if ran < 4 {
				t.Errorf("%d commands ran; want those of the page", ran)
			}
		})
	}
}
