// Package jsonl keeps rows in a file, each as a line of JSON. A program that is killed loses only
// the row that it was working on if it adds each row as soon as it is complete.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gofrs/flock"
)

// ErrInUse is wrapped by the error of Open for a file that another process has open.
var ErrInUse = errors.New("another process is writing to it")

// maxLine is the largest length of a line, in bytes, so that a damaged file can't fill the memory.
const maxLine = 1 << 24

// Decode reads rows. A line that isn't a row is an error, as is a row that check rejects; check may
// be nil.
func Decode[R any](r io.Reader, check func(*R) error) ([]R, error) {
	var rows []R
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var row R
		err := json.Unmarshal(lines.Bytes(), &row)
		if err == nil && check != nil {
			err = check(&row)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", len(rows)+1, err)
	}
	return rows, nil
}

// Read reads the rows of a file; see Decode. It ignores a last line that a crash has cut short.
func Read[R any](path string, check func(*R) error) ([]R, error) {
	rows, _, err := read(path, check)
	return rows, err
}

// read also returns the length of the file without an incomplete last line.
func read[R any](path string, check func(*R) error) ([]R, int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	rows, err := Decode(bytes.NewReader(data[:whole]), check)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return rows, int64(whole), nil
}

// A File is a file that rows can be added to. Its methods aren't safe for concurrent use.
type File[R any] struct {
	lock *flock.Flock
	file *os.File
}

// Open opens a file for this process alone, creates it if there is none, and returns its rows; see
// Decode. It removes an incomplete last line. The error wraps ErrInUse if another process has the
// file open.
func Open[R any](path string, check func(*R) error) (*File[R], []R, error) {
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	f := &File[R]{lock: lock}
	locked, err := f.lock.TryLock()
	if err != nil {
		return nil, nil, err
	}
	if !locked {
		return nil, nil, fmt.Errorf("%s: %w", path, ErrInUse)
	}
	rows, whole, err := read(path, check)
	if err == nil {
		err = f.open(path, whole)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, rows, nil
}

func (f *File[R]) open(path string, length int64) (err error) {
	if f.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		return err
	}
	if err := f.file.Truncate(length); err != nil {
		return err
	}
	_, err = f.file.Seek(0, io.SeekEnd)
	return err
}

// Add adds a row and syncs it to the disk.
func (f *File[R]) Add(row R) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file, so that other processes can open it.
func (f *File[R]) Close() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.lock.Unlock())
}
