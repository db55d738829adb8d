// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path by what write writes. If it returns an error, the file is as it
// was before. Write writes to a temporary file in the same folder, syncs it to disk and renames it
// to path. The permissions of a replaced file are kept, and a symbolic link is followed. Anything
// but a regular file at path is an error.
func Write(path string, write func(io.Writer) error) error {
	if err := replace(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replace is Write without the path in its errors.
func replace(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode, err := currentMode(path)
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the file must be in a folder that exists: %w", fs.ErrNotExist)
	}
	var at *fs.PathError
	if errors.As(err, &at) { // of the temporary file
		err = at.Err
	}
	if err != nil {
		return err
	}
	done := false
	defer func() { // also if write panics
		if !done {
			f.Close()
			os.Remove(temp)
		}
	}()

	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	done = true
	return nil
}

// currentMode returns the permissions of the file at path, or 0 if there is none.
func currentMode(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, errors.New("is not a regular file; must be one, or a new path")
	}
	return info.Mode().Perm(), nil
}
