// Package matlab reads MAT-files of level 5, as MATLAB's save writes them by default and with -v6
// and -v7, Octave with -v6 and -v7, and scipy.io.savemat.
//
//	f, err := matlab.Read(file)
//	v := f.Find("x")
//	values, err := f.Values(v) // in the order of v.Shape, the first axis fastest
//
// Variables may be compressed and in either byte order. Values are those of full numeric and
// logical arrays. Other variables are listed, and what structs and cells hold is listed, too.
// Files of -v7.3, which are HDF5, and of level 4 are refused with what to do.
//
// Reference: The MathWorks, "MAT-File Format", 2023, chapter 1.
package matlab

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A File is the variables of a MAT-file.
type File struct {
	// Variables are in the order of the file. What a struct or a cell holds follows it.
	Variables []Variable

	data  []byte // after the header
	order binary.ByteOrder
}

// A Variable is an array of a file.
type Variable struct {
	// Name is that of the variable, of a field as in "EEG.srate" or "EEG.chanlocs(2).labels", or
	// of an element of a cell, as in "names{3}".
	Name string
	// Class is double, single, int8, uint8, …, int64, uint64 or logical, whose values can be
	// read, or char, cell, struct, sparse, object or function.
	Class   string
	Shape   []int // two lengths or more
	Complex bool
	Value   float64 // of a real array of one number
	Text    string  // of a row of characters
	// Rows are those of a matrix of characters, without the spaces that fill them up; nil if they
	// take more than 4096 bytes.
	Rows []string

	index int // in the order of the file
}

// The limits of what is read. Each is a choice.
const (
	maxFileBytes = 1 << 30 // compressed, and not
	maxVariables = 1 << 15 // that are listed
	maxArrays    = 1 << 20 // with those in structs and cells
	maxNameBytes = 256     // MATLAB's own limit is 63
	maxTextBytes = 1 << 12 // longer text is cut
	maxAxes      = 32
	maxDepth     = 8 // of structs and cells
)

// The bytes of a file's header, and where its version is among them.
const (
	headerBytes   = 128
	versionOffset = 124
)

// hdf5Signature is what the HDF5 part of a file of -v7.3 begins with.
const hdf5Signature = "\x89HDF\r\n\x1a\n"

// Read reads the list of the variables in a file, and keeps the file.
//
// It is an error if the file is damaged; it names the variable.
func Read(r io.Reader) (*File, error) {
	f, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("matlab: %w", err)
	}
	return f, nil
}

func read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, errors.New("the file is longer than the limit of 1 GiB")
	}
	f := &File{}
	if f.order, err = byteOrder(data); err != nil {
		return nil, err
	}
	f.data = data[headerBytes:]
	w := &walker{order: f.order, left: maxFileBytes}
	w.visit = func(v Variable, _ io.Reader) error {
		if len(f.Variables) < maxVariables {
			f.Variables = append(f.Variables, v)
		}
		return nil
	}
	return f, w.walk(f.data)
}

// saveAgain says how a MAT-file of level 5 is made.
const saveAgain = "save it again by save(name, '-v7') in MATLAB, or by scipy.io.savemat in Python"

// errHDF5 is the error for MAT-files that are HDF5.
var errHDF5 = errors.New("a MAT-file of -v7.3, which is HDF5; must be of an earlier version: " +
	saveAgain)

// byteOrder returns the byte order that a file's header says, or an error that says what the file
// is.
func byteOrder(data []byte) (binary.ByteOrder, error) {
	start := string(data[:min(len(data), headerBytes)])
	if strings.HasPrefix(start, hdf5Signature) || strings.HasPrefix(start, "MATLAB 7.3") {
		return nil, errHDF5
	}
	if len(start) >= 4 && strings.Contains(start[:4], "\x00") {
		return nil, errors.New("a MAT-file of level 4, or none; must be of level 5: " + saveAgain)
	}
	if len(data) < headerBytes {
		return nil, fmt.Errorf("%d bytes; must be a MAT-file, with a header of %d", len(data),
			headerBytes)
	}
	var order binary.ByteOrder
	switch string(data[headerBytes-2 : headerBytes]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, errors.New("not a MAT-file: there is no mark of the byte order at byte 127; " +
			"must be IM or MI")
	}
	switch version := order.Uint16(data[versionOffset:]); version {
	case 0x0100:
		return order, nil
	case 0x0200:
		return nil, errHDF5
	default:
		return nil, fmt.Errorf("a MAT-file of version %#04x; must be 0x0100, level 5", version)
	}
}

// Find returns the variable of a name, nil for none.
func (f *File) Find(name string) *Variable {
	for i := range f.Variables {
		if f.Variables[i].Name == name {
			return &f.Variables[i]
		}
	}
	return nil
}

// Len returns the number of the array's elements, as far as an int can say it.
func (v *Variable) Len() int {
	n := 1
	for _, length := range v.Shape {
		if length == 0 {
			return 0
		}
		if n > maxFileBytes/length {
			return maxFileBytes + 1 // more than a file can hold
		}
		n *= length
	}
	return n
}

// IsReal reports whether the variable is an array whose values can be read.
func (v *Variable) IsReal() bool { return numberClasses[v.Class] && !v.Complex }

// String returns what the variable is, as in `"x" (1000×3 double)`.
func (v *Variable) String() string {
	var lengths []string
	for _, length := range v.Shape[:min(len(v.Shape), 4)] {
		lengths = append(lengths, strconv.Itoa(length))
	}
	kind := v.Class
	if v.Complex {
		kind = "complex " + kind
	}
	return fmt.Sprintf("%q (%s %s)", v.Name, strings.Join(lengths, "×"), kind)
}

// Values returns the numbers of a variable of the file, the first axis fastest.
//
// It is an error if they are complex or none; it names the variable's class.
func (f *File) Values(v *Variable) ([]float64, error) {
	if !v.IsReal() {
		return nil, fmt.Errorf("matlab: the variable %v; must be a full array of real numbers", v)
	}
	switch v.Len() {
	case 0:
		return nil, nil
	case 1:
		return []float64{v.Value}, nil
	}
	var values []float64
	w := &walker{order: f.order, left: maxFileBytes}
	w.visit = func(found Variable, body io.Reader) (err error) {
		if found.index != v.index {
			return nil
		}
		if values, err = w.numbers(body, v.Len()); err != nil {
			return err
		}
		return errFound
	}
	err := w.walk(f.data)
	if err != nil && !errors.Is(err, errFound) {
		return nil, fmt.Errorf("matlab: %w", err)
	}
	if err == nil {
		return nil, fmt.Errorf("matlab: the variable %q isn't in the file", v.Name)
	}
	return values, nil
}

// errFound ends a walk at the variable that was looked for.
var errFound = errors.New("found")

// A walker goes through the elements of a file, and through those that they hold.
type walker struct {
	order binary.ByteOrder
	visit func(Variable, io.Reader) error
	count int   // arrays so far
	left  int64 // bytes that may still be decompressed
}

// walk calls visit with each variable of a file's data and, for arrays of several numbers, with
// what holds them.
func (w *walker) walk(data []byte) error {
	file := bytes.NewReader(data)
	for file.Len() > 0 {
		if err := w.walkElement(file); err != nil {
			return err
		}
	}
	return nil
}

// The kinds of elements.
const (
	kindInt8 = 1 + iota
	kindUint8
	kindInt16
	kindUint16
	kindInt32
	kindUint32
	kindSingle
	_
	kindDouble
	_
	_
	kindInt64
	kindUint64
	kindMatrix
	kindCompressed
	kindUTF8
	kindUTF16
	kindUTF32
)

// walkElement walks through the next element of the file itself: a variable, as it is or
// compressed. Other elements are passed over.
func (w *walker) walkElement(file *bytes.Reader) error {
	e, err := w.element(file)
	if err != nil {
		return err
	}
	if e.size > int64(file.Len()) && e.short == nil {
		return fmt.Errorf("the file is cut off: %d bytes are left of a variable of %d", file.Len(),
			e.size)
	}
	switch e.kind {
	case kindMatrix:
		if err := w.matrix(e.body, "", 0); err != nil {
			return err
		}
	case kindCompressed:
		e.padding = 0 // elements of this kind have none
		if err := w.compressed(e.body); err != nil {
			return err
		}
	}
	return e.close(file)
}

// compressed walks through the element in compressed data.
func (w *walker) compressed(body io.Reader) error {
	unpacked, err := zlib.NewReader(body)
	if err != nil {
		return fmt.Errorf("compressed data: %w", err)
	}
	limited := &io.LimitedReader{R: unpacked, N: w.left}
	defer func() { w.left = limited.N }()
	e, err := w.element(limited)
	if err == nil && e.kind == kindMatrix {
		err = w.matrix(e.body, "", 0)
	}
	if errors.Is(err, errFound) { // read on: the checksum is at the end
		if _, damaged := io.Copy(io.Discard, limited); damaged != nil {
			err = fmt.Errorf("compressed data: %w", damaged)
		}
	}
	if limited.N == 0 {
		return errors.New("more than the limit of 1 GiB when decompressed")
	}
	return err
}

// An element is a tag, which says the kind and the size of what follows, and a body.
type element struct {
	kind    uint32
	size    int64  // of the body in bytes
	short   []byte // the body if it is in the tag itself, at most 4 bytes; otherwise nil
	body    io.Reader
	rest    *io.LimitedReader // body; nil if it is short
	padding int64             // bytes after the body, up to a multiple of 8
}

// element reads the tag of an element. The upper half of a short element's first word is its size.
func (w *walker) element(r io.Reader) (*element, error) {
	tag := make([]byte, 8)
	if _, err := io.ReadFull(r, tag); err != nil {
		return nil, fmt.Errorf("the file is cut off: %w", unexpected(err))
	}
	word := w.order.Uint32(tag)
	if size := word >> 16; size != 0 {
		if size > 4 {
			return nil, fmt.Errorf("a short element of %d bytes; must be at most 4", size)
		}
		short := tag[4 : 4+size]
		return &element{
			kind: word & 0xffff, size: int64(size), short: short, body: bytes.NewReader(short),
		}, nil
	}
	size := int64(w.order.Uint32(tag[4:]))
	rest := &io.LimitedReader{R: r, N: size}
	return &element{kind: word, size: size, body: rest, rest: rest, padding: -size & 7}, nil
}

// close reads what is left of an element's body, and its padding.
func (e *element) close(r io.Reader) error {
	if e.short != nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, e.rest); err != nil {
		return err
	}
	if e.rest.N > 0 {
		return fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	_, err := io.CopyN(io.Discard, r, e.padding)
	if errors.Is(err, io.EOF) {
		return nil // of the last element
	}
	return err
}

// bytes returns the body of the next element, which must be of one of the kinds and have at most
// limit bytes. What names it in errors.
func (w *walker) bytes(r io.Reader, what string, limit int64, kinds ...uint32) ([]byte, error) {
	e, err := w.element(r)
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		if e.kind != kind {
			continue
		}
		if e.size > limit {
			return nil, fmt.Errorf("%s of %d bytes; must be at most %d", what, e.size, limit)
		}
		data := make([]byte, e.size)
		if _, err := io.ReadFull(e.body, data); err != nil {
			return nil, fmt.Errorf("%s: the file is cut off: %w", what, unexpected(err))
		}
		return data, e.close(r)
	}
	return nil, fmt.Errorf("%s of kind %d; must be of kind %d", what, e.kind, kinds[0])
}

// unexpected returns err, with io.ErrUnexpectedEOF in place of io.EOF.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
