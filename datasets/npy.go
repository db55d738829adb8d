package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
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
	array, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	descr := array.Header.Descr
	if len(descr.Shape) != 2 {
		return nil, fmt.Errorf("an array of shape %s: need [T, d]; one signal is [T, 1]", shortened(fmt.Sprint(descr.Shape)))
	}
	T, d := descr.Shape[0], descr.Shape[1]
	if err := checkSize(d, T); err != nil {
		return nil, err
	}
	values, err := readNPYValues(array, d*T)
	if err != nil {
		return nil, err
	}
	var z *mat.Dense
	if descr.Fortran {
		z = mat.NewDense(d, T, values) // Already one signal after another.
	} else {
		z = fromPositions(values, d)
	}
	_, _, err = checkSignals(z)
	return z, err
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

func readNPYValues(array *npy.Reader, n int) ([]float64, error) {
	dtype := array.Header.Descr.Type
	kind := reflect.Invalid
	if t := npy.TypeFrom(dtype); t != nil {
		kind = t.Kind()
	}
	switch kind {
	case reflect.Float64:
		return readNumbers[float64](array, n)
	case reflect.Float32:
		return readNumbers[float32](array, n)
	case reflect.Int8:
		return readNumbers[int8](array, n)
	case reflect.Int16:
		return readNumbers[int16](array, n)
	case reflect.Int32:
		return readNumbers[int32](array, n)
	case reflect.Int64:
		return readNumbers[int64](array, n)
	case reflect.Uint8:
		return readNumbers[uint8](array, n)
	case reflect.Uint16:
		return readNumbers[uint16](array, n)
	case reflect.Uint32:
		return readNumbers[uint32](array, n)
	case reflect.Uint64:
		return readNumbers[uint64](array, n)
	}
	if strings.Trim(dtype, "<>=|48") == "O" {
		return nil, fmt.Errorf("an array of %q, Python objects, which only pickle reads, and that can run code: need 32- or 64-bit floats or integers", dtype)
	}
	return nil, fmt.Errorf("an array of %q: need 32- or 64-bit floats or integers", shortened(dtype))
}

type number interface {
	float64 | float32 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// readNumbers reads n numbers in pieces, so that what it allocates follows what
// the file has and not what its header says.
func readNumbers[E number](array *npy.Reader, n int) ([]float64, error) {
	var values []float64
	piece := make([]E, min(n, 1<<13))
	for len(values) < n {
		piece = piece[:min(n-len(values), len(piece))]
		if err := array.Read(&piece); err != nil {
			return nil, fmt.Errorf("after %d of %d numbers: %w", len(values), n, err)
		}
		for _, v := range piece {
			values = append(values, float64(v))
		}
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
