package sealed_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/sealed"
)

// fillWith writes a file of a text.
func fillWith(text string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, "text"), []byte(text), 0o666) }
}

// names are those of what lies in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A series keeps its first folder and its last state, and only one process has it open.
func TestSeriesKeepsFirstFolderAndLastState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "series")
	s, err := sealed.OpenSeries(dir, "test series", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, get := range []func() (string, error){s.First, s.Last} {
		if got, err := get(); got != "" || err != nil {
			t.Errorf("a new series has %q (%v)", got, err)
		}
	}
	if _, err := sealed.OpenSeries(dir, "test series", 1); !errors.Is(err, sealed.ErrInUse) {
		t.Errorf("open twice: %v", err)
	}
	if err := s.WriteFirst(fillWith("first")); err != nil {
		t.Fatal(err)
	}
	for j := range 12 {
		if err := s.WriteState(j, fillWith("state")); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()

	// What a process that was killed left is cleared away.
	if err := os.Mkdir(filepath.Join(dir, sealed.TempPrefix+"half"), 0o777); err != nil {
		t.Fatal(err)
	}
	if s, err = sealed.OpenSeries(dir, "test series", 1); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := names(t, dir), []string{"iteration-000011", "lock", "start"}; !slices.Equal(got, want) {
		t.Errorf("it holds %q, want %q", got, want)
	}
	last, err := s.Last()
	if err != nil || filepath.Base(last) != "iteration-000011" {
		t.Errorf("last is %s (%v)", last, err)
	}
	if err := os.WriteFile(filepath.Join(last, "text"), []byte("stat3"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Last(); err == nil || !strings.Contains(err.Error(), "was changed or is damaged") || !strings.Contains(err.Error(), "begins anew") {
		t.Errorf("a changed state: %v", err)
	}
	if _, err := s.First(); err != nil {
		t.Errorf("the first: %v", err)
	}
}

// A folder that is no series stays as it is.
func TestOtherFoldersAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.OpenSeries(dir, "test series", 1); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("want an error that names thesis.txt, got %v", err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("it holds %q", got)
	}
}
