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
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A File is the variables of a MAT-file.
type File struct {
	// Variables are in the order of the file. What a struct or a cell holds follows it.
	Variables []Variable

	order    binary.ByteOrder
	packed   []byte     // the compressed element that is kept unpacked
	unpacked []Variable // in it
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

	contents []byte // elements, of which the first has the numbers; nil for a packed variable
	packed   []byte // the compressed element that it is in; nil for none
	index    int    // of the variable in that
}

// The limits of what is read.
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
	file, all := elements{data[headerBytes:], f.order}, &lister{order: f.order}
	for len(file.rest) > 0 {
		e, err := file.next()
		if err != nil {
			return nil, err
		}
		first := len(all.variables)
		switch e.kind {
		case kindMatrix:
			err = all.add(e.body, "", 0)
		case kindCompressed:
			err = all.addPacked(e.body)
			if len(e.body) > len(f.packed) { // that of the signals is mostly the largest
				f.packed, f.unpacked = e.body, slices.Clone(all.variables[first:])
			}
			for i := range all.variables[first:] {
				v := &all.variables[first+i]
				v.contents, v.packed, v.index = nil, e.body, i
			}
		}
		if err != nil {
			return nil, err
		}
	}
	f.Variables = all.variables
	return f, nil
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

// Texts returns the d texts of a cell or of a matrix of characters; nil if there aren't so many,
// or one has nothing.
func (f *File) Texts(v *Variable, d int) []string {
	if len(v.Rows) == d && !slices.Contains(v.Rows, "") {
		return v.Rows
	}
	if v.Class != "cell" || v.Len() != d {
		return nil
	}
	var texts []string
	for i := range d {
		element := f.Find(fmt.Sprintf("%s{%d}", v.Name, i+1))
		if element == nil || strings.TrimSpace(element.Text) == "" {
			return nil
		}
		texts = append(texts, strings.TrimSpace(element.Text))
	}
	return texts
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
	contents := v.contents
	if v.packed != nil {
		if &f.packed[0] != &v.packed[0] {
			in := &lister{order: f.order}
			if err := in.addPacked(v.packed); err != nil {
				return nil, fmt.Errorf("matlab: %w", err)
			}
			f.packed, f.unpacked = v.packed, in.variables
		}
		contents = f.unpacked[v.index].contents
	}
	in := elements{contents, f.order}
	values, err := in.numbers(v.Len())
	if err != nil {
		return nil, fmt.Errorf("matlab: %q: %w", v.Name, err)
	}
	return values, nil
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

// An element is what a tag, which says its kind and its size, and the bytes after that hold.
type element struct {
	kind uint32
	body []byte
}

// elements are those of a file, or of an array, that haven't been read.
type elements struct {
	rest  []byte
	order binary.ByteOrder
}

// next returns the next element. In a short element the upper half of the first word is the size,
// and the body is in the tag itself. Other bodies are filled up to a multiple of 8 bytes, except
// compressed ones and perhaps the last.
func (in *elements) next() (element, error) {
	const tag = 8
	if len(in.rest) < tag {
		return element{}, fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	word, body := in.order.Uint32(in.rest), in.rest[tag:]
	if size := word >> 16; size != 0 {
		if size > 4 {
			return element{}, fmt.Errorf("a short element of %d bytes; must be at most 4", size)
		}
		e := element{word & 0xffff, in.rest[4 : 4+size]}
		in.rest = body
		return e, nil
	}
	size := int64(in.order.Uint32(in.rest[4:]))
	if size > int64(len(body)) {
		return element{}, fmt.Errorf("the file is cut off: %d bytes are left of an element of %d",
			len(body), size)
	}
	padding := -size & 7
	if word == kindCompressed {
		padding = 0
	}
	in.rest = body[min(size+padding, int64(len(body))):]
	return element{word, body[:size]}, nil
}

// bytes returns the body of the next element, which must be of one of the kinds and have at most
// limit bytes. What names it in errors.
func (in *elements) bytes(what string, limit int, kinds ...uint32) ([]byte, error) {
	e, err := in.next()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, e.kind) {
		return nil, fmt.Errorf("%s of kind %d; must be of kind %d", what, e.kind, kinds[0])
	}
	if len(e.body) > limit {
		return nil, fmt.Errorf("%s of %d bytes; must be at most %d", what, len(e.body), limit)
	}
	return e.body, nil
}
