package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func checkText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

// names are those of the files in dir.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first", "second and longer", ""} {
		if err := Write(path, writeText(text)); err != nil {
			t.Fatal(err)
		}
		checkText(t, path, text)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("the folder holds %q, want only the file", got)
	}
}

// After any failure the file has its old content, and there is no other file.
func TestFailedWriteKeepsOldFile(t *testing.T) {
	errOwn := errors.New("own error")
	fail := func(w io.Writer) error {
		w.Write(make([]byte, 1<<20)) // More than any buffer.
		return errOwn
	}
	for _, existing := range []bool{true, false} {
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		var want []string
		if existing {
			want = []string{"file"}
			if err := Write(path, writeText("before")); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(path, fail); !errors.Is(err, errOwn) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one about %s that wraps %v", err, path, errOwn)
		}
		func() {
			defer func() { recover() }()
			Write(path, func(io.Writer) error { panic("own panic") })
		}()
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("the folder holds %q, want %q", got, want)
		}
		if existing {
			checkText(t, path, "before")
		}
	}

	dir := t.TempDir()
	if err := Write(dir, writeText("text")); err == nil {
		t.Error("onto a folder: no error")
	}
	if err := Write(filepath.Join(dir, "none", "file"), writeText("text")); err == nil {
		t.Error("into no folder: no error")
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}
}

func TestWriteKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, writeText("text")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v (%v), want those of before, 0600", info.Mode(), err)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, writeText("text")); err != nil {
		t.Fatal(err)
	}
	checkText(t, path, "text")
	if target, err := os.Readlink(link); err != nil || target != path {
		t.Errorf("the link leads to %q (%v), want %q", target, err, path)
	}
}
