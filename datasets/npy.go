package datasets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
)

// npyMagic is what an NPY file begins with, before its version and the length of its header
// (NumPy's manual, numpy.lib.format).
const npyMagic = "\x93NUMPY"

// maxNPYHeader is the limit of an NPY file's header in bytes. NumPy warns from 10 000 on.
const maxNPYHeader = 1 << 16

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
func openNPY(r io.Reader, o *ReadOptions) (*content, error) {
	header, start, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	descr, order, shape, err := parseNPYHeader(header)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(descr, "[") {
		return openRecords(r, descr, shape)
	}
	isWide := len(shape) > 2
	if len(shape) < 2 || isWide && order == "True" {
		return nil, fmt.Errorf("an array of shape %s; must be [n, d], for one signal [n, 1], or of more "+
			"axes in C order", column.Shortened(fmt.Sprint(shape)))
	}
	if !isWide && (shape[0] < 1 || shape[1] < 1) {
		return nil, checkSize(shape[1], shape[0])
	}
	size, number := npyNumber(descr)
	if number == nil && strings.Trim(descr, "<>=|48") == "O" {
		return nil, fmt.Errorf("an array of %q, Python objects, which can run code when they are "+
			"read; must be floats of 16 to 64 bits, integers or bool", column.Shortened(descr))
	}
	if number == nil {
		return nil, fmt.Errorf("an array of %q; must be floats of 16 to 64 bits, integers or bool",
			column.Shortened(descr))
	}
	read := fixedSize(r, size, number)
	array := &fixedArray{start, size, number}
	if isWide {
		return openAxes(shape, o.Shape, read, array)
	}
	return &content{d: shape[1], n: shape[0], bySignal: order == "True", read: read, array: array}, nil
}

// npyField is a field of a structured array: its name and its type.
var npyField = regexp.MustCompile(`\(\s*'([^']*)',\s*'([^']*)'\s*\)`)

// openRecords returns the content of a structured array, whose fields are signals or times.
func openRecords(r io.Reader, fields string, shape []int) (*content, error) {
	type field struct {
		size   int
		number func([]byte) float64
	}
	var all []field
	about := Recording{}
	rest := npyField.ReplaceAllString(fields, "")
	for _, f := range npyField.FindAllStringSubmatch(fields, -1) {
		size, number := npyNumber(f[2])
		all, about.Names = append(all, field{size, number}), append(about.Names, f[1])
	}
	isUnknown := func(f field) bool { return f.number == nil }
	if len(shape) != 1 || len(all) == 0 || strings.Trim(rest, "[], ") != "" ||
		slices.ContainsFunc(all, isUnknown) {
		return nil, fmt.Errorf("a structured array of shape %s with the fields %s; must have one axis "+
			"and fields of floats of 16 to 64 bits, integers or bool: keep those, by "+
			"numpy.lib.recfunctions.repack_fields(x[[\"a\", \"b\"]])", column.Shortened(fmt.Sprint(shape)),
			column.Shortened(fields))
	}
	if shape[0] < 1 {
		return nil, checkSize(len(all), shape[0])
	}
	unit, _ := column.TimeUnit(about.Names[0], "")
	next, buffer := 0, make([]byte, 8)
	return &content{
		about: about, d: len(all), n: shape[0], timeUnit: unit, firstLine: 1,
		read: func(values []float64) (int, error) {
			for k := range values {
				f := all[next]
				if _, err := io.ReadFull(r, buffer[:f.size]); err != nil {
					return k, unexpectedEOF(err)
				}
				values[k], next = f.number(buffer), (next+1)%len(all)
			}
			return len(values), nil
		},
	}, nil
}

// openEpochs returns the content of epochs, each with d signals one after the other at n
// positions, whose numbers read reads.
func openEpochs(epochs, d, n int, read func([]float64) (int, error)) (*content, error) {
	if err := checkSize(d, n); err != nil {
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
			for len(epoch) < d*n { // memory follows what is there
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

// oneByOne says what becomes of stretches, such as "3 epochs of 200 positions". A separation isn't
// worse for pasts that cross their borders.
func oneByOne(stretches string) string {
	return stretches + " are put one after the other, as if they followed one another without a gap"
}

// readNPYHeader returns the text of the header, a dictionary in Python, and at which byte the
// numbers start.
func readNPYHeader(r io.Reader) (text string, start int64, err error) {
	magic := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(r, magic); err != nil {
		return "", 0, fmt.Errorf("no NPY header: %w", unexpectedEOF(err))
	}
	if !strings.HasPrefix(string(magic), npyMagic) {
		return "", 0, errors.New("no NPY header; must begin with \\x93NUMPY: save the array by numpy.save")
	}
	length := make([]byte, 4) // the least significant byte first, two of them in version 1
	switch version := magic[len(npyMagic)]; version {
	case 1:
		length = length[:2]
	case 2, 3:
	default:
		return "", 0, fmt.Errorf("NPY header: version is %d; must be 1 to 3", version)
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return "", 0, fmt.Errorf("NPY header: incomplete: %w", unexpectedEOF(err))
	}
	n := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if n >= maxNPYHeader {
		return "", 0, fmt.Errorf("NPY header longer than the limit of %d bytes", maxNPYHeader)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", 0, fmt.Errorf("NPY header: incomplete: %w", unexpectedEOF(err))
	}
	return string(header), int64(len(magic) + len(length) + len(header)), nil
}

// The entries of a header, in any order. That of a structured array has a list for descr, in whose
// names there may be brackets.
var (
	npyDescr = regexp.MustCompile(`'descr':\s*('[^']*'|\[(?:[^\]'"]|'[^']*'|"[^"]*")*\])`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

// parseNPYHeader returns the type of the numbers, or the fields of a structured array in brackets,
// whether the numbers are in Fortran's order (True or False), and the array's shape.
func parseNPYHeader(header string) (descr, order string, shape []int, err error) {
	d, o := npyDescr.FindStringSubmatch(header), npyOrder.FindStringSubmatch(header)
	s := npyShape.FindStringSubmatch(header)
	if d == nil || o == nil || s == nil || !strings.HasSuffix(header, "\n") {
		return "", "", nil, fmt.Errorf("NPY header: malformed dictionary %q; must have descr, of "+
			"floats of 16 to 64 bits, integers or bool, fortran_order and shape", column.Shortened(header))
	}
	for _, field := range strings.Split(strings.TrimSuffix(strings.TrimSpace(s[1]), ","), ",") {
		if field = strings.TrimSuffix(strings.TrimSpace(field), "L"); field == "" {
			continue
		}
		length, err := strconv.Atoi(field) // 12L is a number of Python 2
		if err != nil {
			return "", "", nil, fmt.Errorf("NPY header: malformed shape %q; must be integers",
				column.Shortened(s[1]))
		}
		shape = append(shape, length)
	}
	return strings.Trim(d[1], "'"), o[1], shape, nil
}

// npyNumber returns the size in bytes of a number of the type, and what reads one: nil for
// an unknown type. The type is a letter for the byte order, one for the kind, and the size.
func npyNumber(descr string) (size int, number func([]byte) float64) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=|") {
	case "f8":
		return 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "f4":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "f2":
		return 2, func(b []byte) float64 { return half(order.Uint16(b)) }
	case "b1":
		return 1, func(b []byte) float64 {
			if b[0] != 0 {
				return 1
			}
			return 0
		}
	case "i1":
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }
	case "i2":
		return 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "i4":
		return 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "i8":
		return 8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	case "u1":
		return 1, func(b []byte) float64 { return float64(b[0]) }
	case "u2":
		return 2, func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "u4":
		return 4, func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "u8":
		return 8, func(b []byte) float64 { return float64(order.Uint64(b)) }
	}
	return 0, nil
}

// half returns the value of a 16-bit float (IEEE 754, binary16).
func half(bits uint16) float64 {
	sign, exponent, fraction := 1., int(bits>>10&31), float64(bits&1023)/1024
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -14)
	case exponent == 31 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 31:
		return math.NaN()
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}

// createNPY writes a header of version 1, padded to 64 bytes as NumPy does, for [n, d] of
// float64, and returns what writes the next positions.
func createNPY(w io.Writer, _ *Recording, d, n int) (func(*mat.Dense) error, error) {
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, d)
	start := len(npyMagic) + 4
	text += strings.Repeat(" ", 63-(start+len(text))%64) + "\n"
	header := append([]byte(npyMagic), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(len(text)))
	_, err := w.Write(append(header, text...))
	return func(z *mat.Dense) error {
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
	}, err
}
