package datasets

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// ReadFile reads signals, d×T, from a file in the format that the ending of its
// name says:
//
//   - .csv: one row a position, one column a signal; see [ReadRecording]. The
//     first row may name the signals: it does if none of its cells is a number.
//   - .npy: a NumPy array of shape [T, d] of integers or of 32- or 64-bit
//     floats, in either order.
//   - .wav: one channel a signal, as [ReadWAV].
//   - .png, .pgm: one signal, as [ReadImages], which also tells its shape.
//
// It fails, saying where, if an entry is missing, is not a number or is not
// finite, and if there is more to read than [MaxEntries], [maxFileBytes],
// [maxRowBytes] or [maxImagePixels]. The memory that it takes follows what is in
// the file, not what the file says of itself.
func ReadFile(path string) (*mat.Dense, error) {
	switch extension(path) {
	case ".csv":
		r, err := readFrom(path, readCSV)
		if err != nil {
			return nil, err
		}
		return r.Signals, nil
	case ".npy":
		return readFrom(path, readNPY)
	case ".wav":
		z, _, err := ReadWAV(path)
		return z, err
	case ".png", ".pgm":
		z, _, err := ReadImages(path)
		return z, err
	}
	return nil, fmt.Errorf("datasets: read %s: ending %q: need .csv, .npy, .wav, .png or .pgm", path, extension(path))
}

// WriteFile writes the signals z, d×T, whole or not at all, in the format that the
// ending of the name says:
//
//   - .csv: as [ReadFile] reads it, with the first row s1, s2, … and every
//     number in the fewest digits that read back as the same float64.
//   - .npy: an array of shape [T, d] of float64.
//   - .wav: as [WriteWAV], at 44 100 Hz.
//
// Images need a shape: see [WriteImages]. It fails if an entry is not finite.
func WriteFile(path string, z *mat.Dense) error {
	return WriteRecording(path, &Recording{Signals: z})
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// readFrom opens a file for one of the readers of this package.
func readFrom[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	v, err := read(bufio.NewReaderSize(&boundedReader{f, maxFileBytes, errTooLong}, 1<<16))
	if err != nil {
		return none, fmt.Errorf("datasets: read %s: %w", path, err)
	}
	return v, nil
}

func writeTo(path string, z *mat.Dense, write func(io.Writer, *mat.Dense) error) error {
	if _, _, err := checkSignals(z); err != nil {
		return fmt.Errorf("datasets: write %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return write(w, z) })
}
