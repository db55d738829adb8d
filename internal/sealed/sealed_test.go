package sealed_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/sealed"
)

func fill(dir string) error {
	return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("some text\n"), 0o600)
}

// list is what is in a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteAndCheck(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	if err := sealed.Write(dir, "test", 2, fill); err != nil {
		t.Fatal(err)
	}
	if err := sealed.Check(dir, "test", 2); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(list(t, dir)); got != "[MANIFEST a.txt]" {
		t.Errorf("files %s", got)
	}
	if err := sealed.Write(dir, "test", 2, fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("written over: %v", err)
	}
	for _, test := range []struct {
		format  string
		version int
		says    string
	}{
		{"test", 1, `version 2 of the format "test"; this program reads version 1 only`},
		{"test", 3, `version 2 of the format "test"; this program reads version 3 only`},
		{"other", 3, "isn't of a other"},
	} {
		if err := sealed.Check(dir, test.format, test.version); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q, version %d: %v, want an error with %q", test.format, test.version, err, test.says)
		}
	}
}

// No failure leaves a file: a full disk, a folder that cannot be made, a panic.
func TestFailedWriteLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	broken := errors.New("broken")
	if err := sealed.Write(filepath.Join(folder, "a"), "test", 1, func(dir string) error {
		return errors.Join(fill(dir), broken)
	}); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := sealed.Write(filepath.Join(folder, "b"), "test", 1, func(string) error {
			return os.WriteFile("/dev/full", []byte("text"), 0o600)
		}); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("on a full device: %v", err)
		}
	}
	if err := sealed.Write(filepath.Join(folder, "c"), "test", 1, func(dir string) error {
		return os.Mkdir(filepath.Join(dir, "sub"), 0o700)
	}); err == nil {
		t.Error("a folder within gave no error")
	}
	func() {
		defer func() { recover() }()
		sealed.Write(filepath.Join(folder, "d"), "test", 1, func(string) error { panic("broken") })
	}()
	if got := list(t, folder); len(got) > 0 {
		t.Errorf("left %q", got)
	}
	if err := sealed.Write(filepath.Join(folder, "none", "a"), "test", 1, fill); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

// A manifest with a path outside of its folder is an error.
func TestManifestStaysInItsFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "folder")
	if err := sealed.Write(dir, "test", 1, fill); err != nil {
		t.Fatal(err)
	}
	lines := "test 1\n" + strings.Repeat("0", 64) + "  ../a.txt\n"
	lines += fmt.Sprintf("%x  MANIFEST\n", sha256.Sum256([]byte(lines)))
	if err := os.WriteFile(filepath.Join(dir, sealed.Manifest), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sealed.Check(dir, "test", 1); err == nil || !strings.Contains(err.Error(), "../a.txt") {
		t.Errorf("the error is %v", err)
	}
}

// For any manifest with a valid checksum, Check returns an error of one line, or the files are as
// the manifest says. A changed byte is an error.
func FuzzCheck(f *testing.F) {
	text := []byte("some text\n")
	good := fmt.Sprintf("%x  a.txt\n", sha256.Sum256(text))
	for _, lines := range []string{
		"", "test 1\n", "test 1\n00  a.txt\n00  MANIFEST\n", "test 1\n" + good, "test 2\n" + good, "test 1\n" + good + good,
		"test 1\n" + strings.Repeat("0", 64) + "  ../a.txt\n", "test 1\n" + good[:64] + "  .\n", "test -1\n" + good, "test 99999999999999999999\n" + good,
	} {
		f.Add([]byte(lines), uint8(0))
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "a.txt")
	f.Fuzz(func(t *testing.T, lines []byte, at uint8) {
		put := func(path string, data []byte) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, manifest := range [][]byte{lines, fmt.Appendf(lines[:len(lines):len(lines)], "%x  MANIFEST\n", sha256.Sum256(lines))} {
			put(path, text)
			put(filepath.Join(dir, sealed.Manifest), manifest)
			err := sealed.Check(dir, "test", 1)
			if err != nil {
				if said := err.Error(); said == "" || strings.Contains(said, "\n") || len(said) > 500 {
					t.Errorf("the error is %q: want a line", said)
				}
				continue
			}
			if !bytes.Contains(manifest, []byte("  a.txt\n")) {
				continue
			}
			changed := bytes.Clone(text)
			changed[int(at)%len(changed)] ^= 1
			put(path, changed)
			if err := sealed.Check(dir, "test", 1); err == nil {
				t.Errorf("a changed file wasn't noticed with %q", manifest)
			}
		}
	})
}

func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	dir := filepath.Join(folder, "result")
	err = sealed.Write(dir, "greeting", 1, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o600)
	})
	fmt.Println(err)
	fmt.Println(sealed.Check(dir, "greeting", 1))
	// Output:
	// <nil>
	// <nil>
}
