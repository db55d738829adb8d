package datasets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// maxNPYHeader is the most bytes that the header of an NPY file may take. NumPy
// itself warns from 10 000 on.
const maxNPYHeader = 1 << 16

// ReadNPY reads signals, d×T, from what is in an NPY file; see [ReadFile].
func ReadNPY(r io.Reader) (*mat.Dense, error) {
	z, err := readNPY(bufio.NewReaderSize(&boundedReader{r, maxFileBytes, errTooLong}, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return z, nil
}

func readNPY(r io.Reader) (*mat.Dense, error) {
	array, d, T, err := readNPYShape(r)
	if err != nil {
		return nil, err
	}
	if err := checkSize(d, T); err != nil {
		return nil, err
	}
	read, err := npyReader(array)
	if err != nil {
		return nil, err
	}
	values, err := readNPYValues(read, d*T)
	if err != nil {
		return nil, err
	}
	var z *mat.Dense
	if array.Header.Descr.Fortran {
		z = mat.NewDense(d, T, values) // Already one signal after another.
	} else {
		z = fromPositions(values, d)
	}
	_, _, err = checkSignals(z)
	return z, err
}

// readNPYShape reads up to the values of an array of d signals at T positions.
func readNPYShape(r io.Reader) (array *npy.Reader, d, T int, err error) {
	if array, err = readNPYHeader(r); err != nil {
		return nil, 0, 0, err
	}
	shape := array.Header.Descr.Shape
	if len(shape) != 2 {
		return nil, 0, 0, fmt.Errorf("an array of shape %s: need [T, d]; one signal is [T, 1]", shortened(fmt.Sprint(shape)))
	}
	return array, shape[1], shape[0], nil
}

// readNPYHeader reads up to the values. The library trusts its input: it
// allocates as long a header as the file asks for and panics on some that are
// malformed, which is caught here.
func readNPYHeader(r io.Reader) (array *npy.Reader, err error) {
	buffered := bufio.NewReader(r)
	start, err := buffered.Peek(12)
	if err != nil {
		return nil, fmt.Errorf("no NPY header: %w", err)
	}
	if !bytes.HasPrefix(start, npy.Magic[:]) {
		return nil, errors.New("no NPY header: need a file that begins with \\x93NUMPY")
	}
	// From version 2 on, bytes 8 to 11 are the length, little end first.
	if start[6] != 1 && (start[10] != 0 || start[11] != 0) {
		return nil, fmt.Errorf("NPY header longer than the limit of %d bytes", maxNPYHeader)
	}
	defer func() {
		if recover() != nil {
			array, err = nil, errors.New("malformed or incomplete NPY header")
		}
	}()
	array, err = npy.NewReader(fullReader{buffered})
	if err != nil { // What it says of the header may be as long as that.
		return nil, fmt.Errorf("NPY header: %q", shortened(err.Error()))
	}
	return array, nil
}

// npyReader returns a function that reads as many numbers as it is given room for.
func npyReader(array *npy.Reader) (func([]float64) error, error) {
	dtype := array.Header.Descr.Type
	kind := reflect.Invalid
	if t := npy.TypeFrom(dtype); t != nil {
		kind = t.Kind()
	}
	switch kind {
	case reflect.Float64:
		return numbers[float64](array), nil
	case reflect.Float32:
		return numbers[float32](array), nil
	case reflect.Int8:
		return numbers[int8](array), nil
	case reflect.Int16:
		return numbers[int16](array), nil
	case reflect.Int32:
		return numbers[int32](array), nil
	case reflect.Int64:
		return numbers[int64](array), nil
	case reflect.Uint8:
		return numbers[uint8](array), nil
	case reflect.Uint16:
		return numbers[uint16](array), nil
	case reflect.Uint32:
		return numbers[uint32](array), nil
	case reflect.Uint64:
		return numbers[uint64](array), nil
	}
	if strings.Trim(dtype, "<>=|48") == "O" {
		return nil, fmt.Errorf("an array of %q, Python objects, which only pickle reads, and that can run code: need 32- or 64-bit floats or integers", dtype)
	}
	return nil, fmt.Errorf("an array of %q: need 32- or 64-bit floats or integers", shortened(dtype))
}

type number interface {
	float64 | float32 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// numbers is npyReader for numbers of a type.
func numbers[E number](array *npy.Reader) func([]float64) error {
	var piece []E
	return func(values []float64) error {
		piece = slices.Grow(piece[:0], len(values))[:len(values)]
		if err := array.Read(&piece); err != nil {
			return err
		}
		for k, v := range piece {
			values[k] = float64(v)
		}
		return nil
	}
}

// readNPYValues reads n numbers in pieces, so that what it allocates follows what
// the file has and not what its header says.
func readNPYValues(read func([]float64) error, n int) ([]float64, error) {
	var values []float64
	piece := make([]float64, min(n, 1<<13))
	for len(values) < n {
		piece = piece[:min(n-len(values), len(piece))]
		if err := read(piece); err != nil {
			return nil, fmt.Errorf("after %d of %d numbers: %w", len(values), n, err)
		}
		values = append(values, piece...)
	}
	return values, nil
}

// fullReader reads as much as it is asked for or fails. The library takes a
// short read for a full one and passes over io.EOF, so that a file that was cut
// off would read as if its last number went on to the end.
type fullReader struct{ r io.Reader }

func (f fullReader) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.r, p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func writeNPY(w io.Writer, z *mat.Dense) error {
	return npy.Write(w, mat.DenseCopyOf(z.T()))
}

// writeNPYHeader writes what comes before the values of [T, d] float64: version 1.0 of
// NumPy's format, padded to 64 bytes.
func writeNPYHeader(w io.Writer, d, T int) error {
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", T, d)
	start := len(npy.Magic) + 4
	text += strings.Repeat(" ", 63-(start+len(text))%64) + "\n"
	header := append(slices.Clone(npy.Magic[:]), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(len(text)))
	_, err := w.Write(append(header, text...))
	return err
}

// writeNPYValues writes signals position by position.
func writeNPYValues(w io.Writer, z *mat.Dense) error {
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
