package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// formats is what the help says of files of signals.
const formats = `Files of signals are CSV (a header is optional) or NPY, with a row for each
position and a column for each signal, WAV with a channel for each signal, or
PNG and PGM images of a signal each: repeat the flag to give several.`

// require returns a usage error unless all of the flags were given.
func require(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if !cmd.Flags().Changed(name) {
			return usagef("--%s is missing; see sica %s --help", name, cmd.Name())
		}
	}
	return nil
}

// checkBackend returns a usage error unless --backend names one.
func checkBackend(name string) error {
	if !slices.Contains(backend.Names(), name) {
		return usagef("unknown --backend %q: use %s", name, strings.Join(backend.Names(), ", "))
	}
	return nil
}

// readSignals reads the signals d×T of a file, or of several images. The shape
// of the position index is nil unless the files are images.
func readSignals(paths []string) (z *mat.Dense, shape []int, err error) {
	if datasets.IsImage(paths[0]) {
		return datasets.ReadImages(paths...)
	}
	if len(paths) > 1 {
		return nil, nil, usagef("%d files of signals, beginning with %s: only images may be several", len(paths), paths[0])
	}
	z, err = datasets.ReadFile(paths[0])
	return z, nil, err
}

// checkWritable returns an error unless a file can be made at path. Commands
// that work for long call it before they begin.
func checkWritable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("can't write %s: it is a folder", path)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".sica-*.tmp")
	if err != nil {
		return fmt.Errorf("can't write %s: %w", path, errors.Unwrap(err))
	}
	probe.Close()
	return os.Remove(probe.Name())
}
