// Package sealed writes folders of files atomically, and reads them only if no byte has changed.
//
// Such a folder holds plain files and a last one, MANIFEST, of lines of text: the
// format and its version, the SHA-256 of each file with its name, and the SHA-256
// of the lines before:
//
//	sica result 1
//	9f86d081884c7d65…  result.json
//	60303ae22b998861…  z.npy
//	fd61a03af4f77d87…  MANIFEST
package sealed

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Manifest is the name of the file that seals a folder.
const Manifest = "MANIFEST"

// maxManifest bounds the memory for a manifest.
const maxManifest = 1 << 20

// Write creates the folder dir, which must not exist, with the files that fill writes into the
// folder passed to it. dir appears, synced to the disk, only when all is written; an error leaves
// no file.
func Write(dir, format string, version int, fill func(dir string) error) error {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	temp := filepath.Join(filepath.Dir(dir), TempPrefix+rand.Text())
	if err := os.Mkdir(temp, 0o777); err != nil {
		return withoutTemp(err, dir)
	}
	done := false
	defer func() { // Also when fill panics.
		if !done {
			os.RemoveAll(temp)
		}
	}()
	if err := fill(temp); err != nil {
		return err
	}
	if err := seal(temp, format, version); err != nil {
		return err
	}
	if err := os.Rename(temp, dir); err != nil {
		return err
	}
	done = true
	return syncFolder(filepath.Dir(dir))
}

// withoutTemp converts an error about the temporary folder to an error about dir.
func withoutTemp(err error, dir string) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: must be in a folder that exists: %w", dir, fs.ErrNotExist)
	case errors.As(err, &at):
		return &fs.PathError{Op: at.Op, Path: dir, Err: at.Err}
	}
	return err
}

// TempPrefix begins the name of the temporary folder, next to the final one, that is being written.
// A killed process leaves it behind.
const TempPrefix = ".sica-"

// seal writes the manifest of a folder's files and syncs all to the disk.
func seal(dir, format string, version int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	lines := fmt.Sprintf("%s %d\n", format, version)
	for _, e := range entries {
		sum, err := sumFile(filepath.Join(dir, e.Name()), true)
		if err != nil {
			return err
		}
		lines += sum + "  " + e.Name() + "\n"
	}
	f, err := os.OpenFile(filepath.Join(dir, Manifest), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, lines+sum([]byte(lines))+"  "+Manifest+"\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncFolder(dir)
}

// A VersionError is the error for a folder of another version of the format.
type VersionError struct{ text string }

func (e *VersionError) Error() string { return e.text }

// Check verifies the folder dir. The error names a missing or changed file, or a different version
// of the format.
func Check(dir, format string, version int) error {
	data, err := readManifest(filepath.Join(dir, Manifest))
	if err != nil {
		return err
	}
	path := filepath.Join(dir, Manifest)
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] != "" || len(lines) < 3 {
		return fmt.Errorf("%s isn't a whole manifest of a %s", path, format)
	}
	lines = lines[:len(lines)-1]
	first, last := lines[0], lines[len(lines)-1]
	number, isFormat := strings.CutPrefix(strings.TrimSuffix(first, "\n"), format+" ")
	if !isFormat {
		return fmt.Errorf("%s isn't of a %s", path, format)
	}
	if last != sum([]byte(strings.Join(lines[:len(lines)-1], "")))+"  "+Manifest+"\n" {
		return fmt.Errorf("%s was changed or is damaged: its checksum doesn't fit", path)
	}
	if number != strconv.Itoa(version) {
		return &VersionError{fmt.Sprintf("%s is of version %.20s of the format %q; this program "+
			"reads version %d only", path, number, format, version)}
	}
	for _, line := range lines[1 : len(lines)-1] {
		want, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) {
			return fmt.Errorf("%s has the line %.100q", path, line)
		}
		got, err := sumFile(filepath.Join(dir, name), false)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s was changed or is damaged: its checksum doesn't fit",
				filepath.Join(dir, name))
		}
	}
	return nil
}

func readManifest(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(bufio.NewReader(f), maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxManifest)
	}
	return data, err
}

// sumFile returns the SHA-256 of a regular file, and syncs the file to the disk if sync is true.
func sumFile(path string, sync bool) (string, error) {
	flag := os.O_RDONLY
	if sync {
		flag = os.O_RDWR
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, fmt.Errorf("%s isn't a regular file", path))
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// syncFolder syncs the names in a folder to the disk. Systems that can't open a folder, such as
// Windows, don't need it.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	err = f.Sync()
	for _, unsupported := range []error{errors.ErrUnsupported, fs.ErrPermission, fs.ErrInvalid} {
		if errors.Is(err, unsupported) {
			return nil
		}
	}
	return err
}

// WriteJSON writes v, indented, into a file that Write then syncs.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, append(data, '\n'), 0o666)
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
