// Package npy reads and writes arrays of numbers in NumPy's format NPY (NumPy's manual,
// numpy.lib.format). [ReadFile] and [WriteFile] are for signals stored by this module. Package
// datasets reads the arrays of other programs with [ReadHeader] and [Number.Reader].
package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// WriteFile writes signals z, d×n, as an array [n, d] of float64, whole or not at all. It is an
// error if an entry isn't finite.
func WriteFile(path string, z *mat.Dense) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		if err := checkFinite(z); err != nil {
			return err
		}
		d, n := z.Dims()
		if err := WriteHeader(w, n, d); err != nil {
			return err
		}
		return WriteNumbers(w, z)
	})
}

// WriteNumbers writes the numbers of the next positions after a header: all signals of z, d×n, at
// the first position, then at the next, and so on.
func WriteNumbers(w io.Writer, z *mat.Dense) error {
	d, n := z.Dims()
	position := make([]byte, 8*d)
	for t := range n {
		for i := range d {
			binary.LittleEndian.PutUint64(position[8*i:], math.Float64bits(z.At(i, t)))
		}
		if _, err := w.Write(position); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads an array [n, d] as signals, d×n. It is an error if there are more than
// signal.MaxEntries entries, or if an entry isn't finite.
func ReadFile(path string) (*mat.Dense, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := readSignals(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return z, nil
}

func readSignals(file *os.File) (*mat.Dense, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(file)
	h, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if len(h.Shape) != 2 {
		return nil, fmt.Errorf("an array of shape %s; must be [n, d]",
			text.Shortened(fmt.Sprint(h.Shape)))
	}
	n, d := h.Shape[0], h.Shape[1]
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	number, err := h.Number()
	if err != nil {
		return nil, err
	}
	if there := (info.Size() - h.Start) / int64(number.Size); there < int64(d*n) {
		return nil, fmt.Errorf("the file is cut off after %d of %d numbers", there, d*n)
	}
	values := make([]float64, d*n)
	if _, err := number.Reader(r)(values); err != nil {
		return nil, err
	}
	z := mat.NewDense(d, n, values)
	if !h.IsFortran {
		z = mat.DenseCopyOf(mat.NewDense(n, d, values).T())
	}
	return z, checkFinite(z)
}

func checkFinite(z *mat.Dense) error {
	if i, t, isFound := signal.NotFinite(z); isFound {
		return fmt.Errorf("signal %d is %v at position %d; every entry must be finite", i+1, z.At(i, t),
			t+1)
	}
	return nil
}
