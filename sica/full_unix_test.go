//go:build linux || darwin

package sica

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// If at most 2000 bytes of a file can be written, as on a full disk, Save returns an error and
// leaves no file, and a fit with a checkpoint does not start.
func TestFullDisk(t *testing.T) {
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := followed()["gaussianised"]
	if dir := os.Getenv("SICA_TEST_ROOM"); dir != "" {
		result := fit(t, backendtest.Open(t, backend.Go), x, cfg)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2000, Max: 2000}); err != nil {
			t.Fatal(err)
		}
		if err := result.Save(filepath.Join(dir, "result")); !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("save: %v", err)
		}
		cfg.Checkpoint = filepath.Join(dir, "checkpoint")
		if _, err := Fit(t.Context(), x, cfg.On(backendtest.Open(t, backend.Go))); !errors.Is(err, syscall.EFBIG) || !errors.Is(err, ErrCheckpoint) {
			t.Fatalf("checkpoint: %v", err)
		}
		return
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	child.Env = append(os.Environ(), "SICA_TEST_ROOM="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for folder, want := range map[string]int{dir: 1, filepath.Join(dir, "checkpoint"): 1} { // the checkpoint, the lock
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != want {
			t.Errorf("%s holds %v (%v)", folder, entries, err)
		}
	}
}

// A folder without write permission is one clear error. The superuser can write to any.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser can write to any folder")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	x, _ := mixedAR7(t, 1, 200, 3, true)
	cfg := followed()["gaussianised"]
	result := fit(t, backendtest.Open(t, backend.Go), x, cfg)
	if err := result.Save(filepath.Join(dir, "result")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("save: %v", err)
	}
	cfg.Checkpoint = filepath.Join(dir, "checkpoint")
	if _, err := Fit(t.Context(), x, cfg.On(backendtest.Open(t, backend.Go))); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "\n") {
		t.Errorf("checkpoint: %v", err)
	}
}
