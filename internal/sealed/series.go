package sealed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse is wrapped by the error for a series that this or another process has open.
var ErrInUse = errors.New("another fit is using it")

// A Series is a folder of sealed folders of one format: a first folder and successive states, of
// which only the last is kept. It is locked while open.
type Series struct {
	Dir     string
	format  string
	version int
	lock    *flock.Flock
}

// Names in the folder of a series.
const (
	firstFolder = "start"      // the first folder
	statePrefix = "iteration-" // begins the names of the others

	lockFile = "lock"
)

// OpenSeries locks the folder dir, creates it if necessary, and removes unfinished folders of a
// killed process. It is an error if dir contains anything foreign; the error wraps ErrInUse if dir
// is locked.
func OpenSeries(dir, format string, version int) (*Series, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; must be a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := checkForeign(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile),
		flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	s := &Series{dir, format, version, lock}
	if err := s.clear(""); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkForeign returns an error if dir contains anything that doesn't belong to a series.
func checkForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if name != lockFile && name != firstFolder &&
			!strings.HasPrefix(name, statePrefix) && !strings.HasPrefix(name, TempPrefix) {
			return fmt.Errorf("%s holds %s, which is no checkpoint's: want an empty or new folder",
				dir, name)
		}
	}
	return nil
}

// Close unlocks the folder.
func (s *Series) Close() { s.lock.Unlock() }

// WriteFirst writes the first folder.
func (s *Series) WriteFirst(fill func(dir string) error) error {
	return Write(filepath.Join(s.Dir, firstFolder), s.format, s.version, fill)
}

// WriteState writes the folder of state j, and then removes earlier states.
func (s *Series) WriteState(j int, fill func(dir string) error) error {
	name := fmt.Sprintf("%s%06d", statePrefix, j)
	if err := Write(filepath.Join(s.Dir, name), s.format, s.version, fill); err != nil {
		return err
	}
	return s.clear(name)
}

// clear removes temporary folders and, unless keep is "", all states except keep.
func (s *Series) clear(keep string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		old := keep != "" && strings.HasPrefix(e.Name(), statePrefix) && e.Name() != keep
		if old || strings.HasPrefix(e.Name(), TempPrefix) {
			if err := os.RemoveAll(filepath.Join(s.Dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// First returns the first folder, verified, or "" if it wasn't written.
func (s *Series) First() (string, error) {
	dir := filepath.Join(s.Dir, firstFolder)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return "", nil
	}
	return dir, s.check(dir)
}

// Last returns the folder of the last state, verified, or "" if none was written.
func (s *Series) Last() (string, error) {
	entries, err := os.ReadDir(s.Dir) // in order of the names
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(entries) {
		if strings.HasPrefix(e.Name(), statePrefix) {
			dir := filepath.Join(s.Dir, e.Name())
			return dir, s.check(dir)
		}
	}
	return "", nil
}

// check verifies a folder of the series.
func (s *Series) check(dir string) error {
	if err := Check(dir, s.format, s.version); err != nil {
		return fmt.Errorf("%w (without the folder %s the fit begins anew)", err, s.Dir)
	}
	return nil
}
