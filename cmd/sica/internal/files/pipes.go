package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
)

// Pipe is the name of standard input or output.
const Pipe = "-"

// npyStart is how an NPY array begins.
const npyStart = "\x93NUMPY"

// WithPipes calls work with the files that a command reads and writes. Standard input is read
// first, as CSV or NPY, and standard output is written last, in the same format; what else is
// printed then goes to standard error.
func WithPipes(
	cmd *cobra.Command, in []string, out string, work func(in []string, out string) error,
) (err error) {
	if !slices.Contains(in, Pipe) && out != Pipe {
		return work(in, out)
	}
	if len(in) > 1 && slices.Contains(in, Pipe) {
		return usage.Errorf("--in -: must be the only --in")
	}
	folder, err := os.MkdirTemp("", "sica")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ending := strings.ToLower(filepath.Ext(in[0]))
	if in[0] == Pipe {
		path, err := keepInput(cmd.InOrStdin(), folder)
		if err != nil {
			return fmt.Errorf("--in -: %w", err)
		}
		in, ending = []string{path}, filepath.Ext(path)
	}
	if out != Pipe {
		return work(in, out)
	}
	if ending != ".npy" {
		ending = ".csv"
	}
	stdout, path := cmd.OutOrStdout(), filepath.Join(folder, "stdout"+ending)
	cmd.SetOut(renaming{cmd.ErrOrStderr(), strings.NewReplacer(path, "standard output")})
	defer cmd.SetOut(stdout)
	if err := work(in, path); err != nil {
		return err
	}
	written, err := os.Open(path)
	if err != nil {
		return err
	}
	defer written.Close()
	_, err = io.Copy(stdout, written)
	return err
}

// renaming is a writer of whole lines in which names of files are replaced.
type renaming struct {
	io.Writer
	names *strings.Replacer
}

// Write implements io.Writer.
func (w renaming) Write(text []byte) (int, error) {
	_, err := w.names.WriteString(w.Writer, string(text))
	return len(text), err
}

// keepInput writes what is read to a file in a folder, whose ending is its format, and returns its
// path.
func keepInput(in io.Reader, folder string) (string, error) {
	text := bufio.NewReader(in)
	start, err := text.Peek(len(npyStart))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	path := filepath.Join(folder, "stdin.csv")
	if string(start) == npyStart {
		path = filepath.Join(folder, "stdin.npy")
	}
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, text)
	return path, errors.Join(err, file.Close())
}
