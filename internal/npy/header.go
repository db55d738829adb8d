package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// magic begins a file; the version and the length of the header follow (NumPy's manual,
// numpy.lib.format).
const magic = "\x93NUMPY"

// maxHeader is the largest length of a header in bytes. NumPy warns above 10 000.
const maxHeader = 1 << 16

// A Header describes the array of a file.
type Header struct {
	Shape     []int
	IsFortran bool  // whether the first index varies fastest in the file, not the last
	Start     int64 // byte of the file at which the numbers start

	descr string // type of the numbers, or fields of a structured array in brackets
}

// ReadHeader reads a file up to its numbers.
func ReadHeader(r io.Reader) (*Header, error) {
	content, start, err := readDictionary(r)
	if err != nil {
		return nil, err
	}
	h, err := parse(content)
	if err != nil {
		return nil, err
	}
	h.Start = start
	return h, nil
}

// readDictionary returns the text of the header, a Python dictionary, and the byte at which the
// numbers start.
func readDictionary(r io.Reader) (content string, start int64, err error) {
	begin := make([]byte, len(magic)+2)
	if _, err := readFull(r, begin); err != nil {
		return "", 0, fmt.Errorf("no NPY header: %w", err)
	}
	if !strings.HasPrefix(string(begin), magic) {
		return "", 0, errors.New("no NPY header; must begin with \\x93NUMPY: save the array by " +
			"numpy.save")
	}
	length := make([]byte, 4) // little-endian; two bytes in version 1
	switch version := begin[len(magic)]; version {
	case 1:
		length = length[:2]
	case 2, 3:
	default:
		return "", 0, fmt.Errorf("NPY header: version is %d; must be 1 to 3", version)
	}
	if _, err := readFull(r, length); err != nil {
		return "", 0, fmt.Errorf("NPY header: incomplete: %w", err)
	}
	n := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if n >= maxHeader {
		return "", 0, fmt.Errorf("NPY header longer than the limit of %d bytes", maxHeader)
	}
	dictionary := make([]byte, n)
	if _, err := readFull(r, dictionary); err != nil {
		return "", 0, fmt.Errorf("NPY header: incomplete: %w", err)
	}
	return string(dictionary), int64(len(begin) + len(length) + len(dictionary)), nil
}

// Patterns of the entries of a header, in any order. For a structured array descr is a list, whose
// names may contain brackets.
var (
	descrEntry = regexp.MustCompile(`'descr':\s*('[^']*'|\[(?:[^\]'"]|'[^']*'|"[^"]*")*\])`)
	orderEntry = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shapeEntry = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

// parse returns the Header with the given text.
func parse(content string) (*Header, error) {
	descr, order := descrEntry.FindStringSubmatch(content), orderEntry.FindStringSubmatch(content)
	shape := shapeEntry.FindStringSubmatch(content)
	if descr == nil || order == nil || shape == nil || !strings.HasSuffix(content, "\n") {
		return nil, fmt.Errorf("NPY header: malformed dictionary %q; must have descr, of "+
			"floats of 16 to 64 bits, integers or bool, fortran_order and shape", text.Shortened(content))
	}
	h := &Header{IsFortran: order[1] == "True", descr: strings.Trim(descr[1], "'")}
	for _, field := range strings.Split(strings.TrimSuffix(strings.TrimSpace(shape[1]), ","), ",") {
		if field = strings.TrimSuffix(strings.TrimSpace(field), "L"); field == "" {
			continue
		}
		length, err := strconv.Atoi(field) // 12L is a number of Python 2
		if err != nil {
			return nil, fmt.Errorf("NPY header: malformed shape %q; must be integers",
				text.Shortened(shape[1]))
		}
		h.Shape = append(h.Shape, length)
	}
	return h, nil
}

// Number returns the type of the array's numbers. It is an error if the type isn't supported.
func (h *Header) Number() (Number, error) {
	number, isKnown := numberOf(h.descr)
	switch {
	case isKnown:
		return number, nil
	case strings.Trim(h.descr, "<>=|48") == "O":
		return Number{}, fmt.Errorf("an array of %q, Python objects, which can run code when they are "+
			"read; must be floats of 16 to 64 bits, integers or bool", text.Shortened(h.descr))
	}
	return Number{}, fmt.Errorf("an array of %q; must be floats of 16 to 64 bits, integers or bool",
		text.Shortened(h.descr))
}

// A Field is a numeric field of a structured array.
type Field struct {
	Name   string
	Number Number
}

// IsStructured reports whether the array is structured; see Fields.
func (h *Header) IsStructured() bool { return strings.HasPrefix(h.descr, "[") }

// fieldEntry matches a field of a structured array: its name and its type.
var fieldEntry = regexp.MustCompile(`\(\s*'([^']*)',\s*'([^']*)'\s*\)`)

// Fields returns the fields of a structured array with one axis, in file order. It is an error if
// the array has several axes or a non-numeric field.
func (h *Header) Fields() ([]Field, error) {
	var fields []Field
	areNumbers := true
	for _, entry := range fieldEntry.FindAllStringSubmatch(h.descr, -1) {
		number, isKnown := numberOf(entry[2])
		fields = append(fields, Field{entry[1], number})
		areNumbers = areNumbers && isKnown
	}
	rest := fieldEntry.ReplaceAllString(h.descr, "")
	if len(h.Shape) != 1 || len(fields) == 0 || !areNumbers || strings.Trim(rest, "[], ") != "" {
		return nil, fmt.Errorf("a structured array of shape %s with the fields %s; must have one axis "+
			"and fields of floats of 16 to 64 bits, integers or bool: keep those, by "+
			"numpy.lib.recfunctions.repack_fields(x[[\"a\", \"b\"]])",
			text.Shortened(fmt.Sprint(h.Shape)), text.Shortened(h.descr))
	}
	return fields, nil
}

// WriteHeader writes a header of version 1, padded to 64 bytes as NumPy does, for an array [n, d]
// of float64.
func WriteHeader(w io.Writer, n, d int) error {
	dictionary := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, d)
	start := len(magic) + 4
	dictionary += strings.Repeat(" ", 63-(start+len(dictionary))%64) + "\n"
	header := append([]byte(magic), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dictionary)))
	_, err := w.Write(append(header, dictionary...))
	return err
}
