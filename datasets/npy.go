package datasets

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// ReadNPY reads signals, d×n, from the content of an NPY file; see [ReadFile].
func ReadNPY(r io.Reader) (*mat.Dense, error) {
	limited := &boundedReader{r, maxFileBytes, errTooLong}
	recording, err := formatOf(".npy").read(bufio.NewReaderSize(limited, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return recording.Signals, nil
}

// openNPY reads an NPY file up to its numbers.
func openNPY(r io.Reader, o *openOptions) (*content, error) {
	header, err := npy.ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if header.IsStructured() {
		return openRecords(r, header)
	}
	shape := header.Shape
	isWide := len(shape) > 2
	if len(shape) < 2 || isWide && header.IsFortran {
		return nil, fmt.Errorf("an array of shape %s; must be [n, d], for one signal [n, 1], or of more "+
			"axes in C order", text.Shortened(fmt.Sprint(shape)))
	}
	if !isWide && (shape[0] < 1 || shape[1] < 1) {
		return nil, signal.CheckSize(shape[1], shape[0])
	}
	number, err := header.Number()
	if err != nil {
		return nil, err
	}
	read, array := number.Reader(r), &fixedArray{header.Start, number}
	if isWide {
		return openAxes(shape, o.Shape, read, array)
	}
	return &content{
		d: shape[1], n: shape[0], bySignal: header.IsFortran, read: read, array: array,
	}, nil
}

// openRecords returns the content of a structured array, whose fields are signals or times.
func openRecords(r io.Reader, header *npy.Header) (*content, error) {
	fields, err := header.Fields()
	if err != nil {
		return nil, err
	}
	d, n := len(fields), header.Shape[0]
	if n < 1 {
		return nil, signal.CheckSize(d, n)
	}
	about := Recording{}
	for _, f := range fields {
		about.Names = append(about.Names, f.Name)
	}
	unit, _ := column.TimeUnit(about.Names[0], "")
	return &content{
		about: about, d: d, n: n, times: timing{unit: unit, firstLine: 1},
		read: npy.FieldReader(r, fields),
	}, nil
}

// openEpochs returns the content of epochs, each of d signals one after another at n positions.
// read reads their numbers.
func openEpochs(epochs, d, n int, read func([]float64) (int, error)) (*content, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, fmt.Errorf("an epoch: %w", err)
	}
	if epochs > math.MaxInt/(d*n) {
		return nil, fmt.Errorf("%d epochs of %d numbers are more than the limit of %d entries",
			epochs, d*n, MaxEntries)
	}
	var epoch []float64 // by signal
	return &content{
		d: d, n: epochs * n,
		read: inPieces(func() ([]float64, error) {
			epoch = epoch[:0]
			for len(epoch) < d*n { // memory follows the content
				piece := min(d*n-len(epoch), pieceSize)
				epoch = slices.Grow(epoch, piece)
				more := epoch[len(epoch) : len(epoch)+piece]
				if _, err := read(more); err != nil {
					return nil, err
				}
				epoch = epoch[:len(epoch)+piece]
			}
			return mat.DenseCopyOf(mat.NewDense(d, n, epoch).T()).RawMatrix().Data, nil
		}),
	}, nil
}

// oneByOne returns a note that stretches, such as "3 epochs of 200 positions", follow one another.
// A separation isn't worse for pasts that cross their borders.
func oneByOne(stretches string) string {
	return stretches + " are put one after the other, as if they followed one another without a gap"
}

// createNPY writes a header for [n, d] of float64, and returns what writes the next positions.
func createNPY(w io.Writer, _ *Recording, d, n int) (func(*mat.Dense) error, error) {
	return func(z *mat.Dense) error { return npy.WriteNumbers(w, z) }, npy.WriteHeader(w, n, d)
}
