// Package jsonl keeps rows in a file, a line of JSON each. A program that adds every
// row as soon as it has made it loses, when it is killed, no row but the one it was at.
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

// maxLine bounds the memory for a line.
const maxLine = 1 << 24

// Decode reads rows. It is an error if a line isn't a row, or one that check, unless
// it is nil, refuses.
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

// Read reads the rows of a file; see Decode. A last line that a crash has cut short is
// left out.
func Read[R any](path string, check func(*R) error) ([]R, error) {
	rows, _, err := read(path, check)
	return rows, err
}

// read also returns the length of the file without a torn last line.
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

// A File can be added to. What was added is on the disk. Its methods aren't safe for
// concurrent use.
type File[R any] struct {
	lock *flock.Flock
	file *os.File
}

// Open opens a file for this process alone, made if need be, and returns the rows that
// it has; see Decode. A torn last line is removed. The error wraps ErrInUse if another
// process has the file open.
func Open[R any](path string, check func(*R) error) (*File[R], []R, error) {
	f := &File[R]{lock: flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))}
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

// Add writes a row to the disk.
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

// Close lets other processes open the file.
func (f *File[R]) Close() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.lock.Unlock())
}
