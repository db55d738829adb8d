package sica

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/sealed"
)

// Errors of Running.Checkpoint.
var (
	// ErrCheckpointInUse is wrapped by the error of a fit whose checkpoint
	// another fit is using, of this process or another.
	ErrCheckpointInUse = errors.New("another fit is using it")
	// ErrCheckpoint is wrapped by the error of a fit whose checkpoint can't be
	// used: it is of another fit, in use, damaged or can't be written. If it could
	// be written before, the last good iterate comes with it.
	ErrCheckpoint = errors.New("checkpoint")
)

// The format of a checkpoint: the folder start, what the runs began with, and
// one folder for the last iteration, both sealed, beside the file lock.
const (
	checkpointFormat  = "sica checkpoint"
	checkpointVersion = 1

	lockFile        = "lock"
	startFolder     = "start"
	iterationPrefix = "iteration-"
	stateFile       = "state.json"
)

// checkpoint is a fit's folder, locked for it.
type checkpoint struct {
	dir  string
	key  string // of the fit
	lock *flock.Flock
}

// openCheckpoint locks the config's checkpoint for the fit, and clears away what
// a process that was killed has left half done.
func openCheckpoint(cfg Config, backend compute.Backend, runs []Run) (*checkpoint, error) {
	dir := cfg.Checkpoint
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := checkForeign(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("%s: %w", dir, ErrCheckpointInUse)
	}
	c := &checkpoint{dir: dir, lock: lock}
	if c.key, err = fitKey(cfg, backend, runs); err == nil {
		err = c.clear("")
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// checkForeign returns an error if there is something in dir that no checkpoint
// has.
func checkForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if name != lockFile && name != startFolder && !strings.HasPrefix(name, iterationPrefix) && !strings.HasPrefix(name, sealed.TempPrefix) {
			return fmt.Errorf("%s holds %s, which is no checkpoint's: want an empty or new folder", dir, name)
		}
	}
	return nil
}

func (c *checkpoint) close() { c.lock.Unlock() }

// clear removes what was being written and, if keep is given, all iterations
// but that one.
func (c *checkpoint) clear(keep string) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		old := keep != "" && strings.HasPrefix(e.Name(), iterationPrefix) && e.Name() != keep
		if old || strings.HasPrefix(e.Name(), sealed.TempPrefix) {
			if err := os.RemoveAll(filepath.Join(c.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// latest is the folder of the last iteration, or "".
func (c *checkpoint) latest() (string, error) {
	entries, err := os.ReadDir(c.dir) // in order of the names
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(entries) {
		if strings.HasPrefix(e.Name(), iterationPrefix) {
			return filepath.Join(c.dir, e.Name()), nil
		}
	}
	return "", nil
}

// check verifies a folder of the checkpoint.
func (c *checkpoint) check(dir string) error {
	if _, err := sealed.Check(dir, checkpointFormat, checkpointVersion); err != nil {
		return fmt.Errorf("%w (without the folder %s the fit begins anew)", err, c.dir)
	}
	return nil
}

// fitKey is the same for fits that go on from one another's state: it is made of
// the settings, the backend, and the seed and every bit of the signals of each
// run.
func fitKey(cfg Config, backend compute.Backend, runs []Run) (string, error) {
	settings, err := json.Marshal(cfg)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n", settings, backend.Name(), len(runs))
	for _, run := range runs {
		d, t := run.X.Dims()
		fmt.Fprintf(h, "%d %d %d\n", run.Seed, d, t)
		for i := range d {
			if err := binary.Write(h, binary.LittleEndian, run.X.RawRowView(i)); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
