package matlab

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
)

// classes are the names of the classes of arrays by their numbers.
var classes = []string{
	1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
	15: "uint64", 16: "function", 17: "object",
}

// numberClasses are the classes of arrays whose values can be read.
var numberClasses = map[string]bool{
	"double": true, "single": true, "int8": true, "uint8": true, "int16": true, "uint16": true,
	"int32": true, "uint32": true, "int64": true, "uint64": true, "logical": true,
}

// opaque is the number of the class of MATLAB's own objects, such as tables.
const opaque = 17

// The flags of an array.
const (
	flagLogical = 1 << 9
	flagComplex = 1 << 11
)

// A lister lists the variables in a file, and what structs and cells hold.
type lister struct {
	order     binary.ByteOrder
	variables []Variable
	count     int // arrays so far, with those that aren't listed
}

// addPacked adds the array in compressed data.
func (l *lister) addPacked(data []byte) error {
	unpacker, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("compressed data: %w", err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(unpacker, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("compressed data: %w", err)
	}
	if len(unpacked) > maxFileBytes {
		return errors.New("more than the limit of 1 GiB when decompressed")
	}
	in := elements{unpacked, l.order}
	e, err := in.next()
	if err != nil || e.kind != kindMatrix {
		return err
	}
	return l.add(e.body, "", 0)
}

// add adds an array, which is all of body. name is the name of a field or of an element of a cell;
// a variable, whose name is in body, has "".
func (l *lister) add(body []byte, name string, depth int) error {
	if len(body) == 0 && name != "" {
		return l.list(Variable{Name: name, Class: "double", Shape: []int{0, 0}})
	}
	in := &elements{body, l.order}
	flags, err := in.bytes("flags of an array", 8, kindUint32)
	if err != nil {
		return err
	}
	if len(flags) < 4 {
		return errors.New("an array without flags; must have 8 bytes of them")
	}
	word := l.order.Uint32(flags)
	class := int(word & 0xff)
	if class >= len(classes) || classes[class] == "" {
		return fmt.Errorf("an array of class %d; must be 1 to %d", class, len(classes)-1)
	}
	v := Variable{Class: classes[class], Complex: word&flagComplex != 0, Shape: []int{1, 1}}
	if class != opaque {
		if v.Shape, err = in.shape(); err != nil {
			return err
		}
	}
	variable, err := in.bytes("the name of a variable", maxNameBytes, kindInt8, kindUint8, kindUTF8)
	if err != nil {
		return err
	}
	if v.Name = name; name == "" {
		v.Name = strings.ToValidUTF8(string(variable), "\ufffd")
	}
	if numberClasses[v.Class] && word&flagLogical != 0 {
		v.Class = "logical"
	}
	if err := l.addContents(v, in, depth); err != nil {
		return fmt.Errorf("%q: %w", v.Name, err)
	}
	return nil
}

// list adds a variable to the list, if that has room.
func (l *lister) list(v Variable) error {
	if l.count++; l.count > maxArrays {
		return fmt.Errorf("more than the limit of %d arrays in structs and cells", maxArrays)
	}
	if len(l.variables) < maxVariables {
		l.variables = append(l.variables, v)
	}
	return nil
}

// shape reads the lengths of an array's axes.
func (in *elements) shape() ([]int, error) {
	data, err := in.bytes("the shape of an array", 4*maxAxes, kindInt32, kindUint32)
	if err != nil {
		return nil, err
	}
	var shape []int
	for ; len(data) >= 4; data = data[4:] {
		length := int32(in.order.Uint32(data))
		if length < 0 {
			return nil, fmt.Errorf("an axis of length %d; must be 0 or more", length)
		}
		shape = append(shape, int(length))
	}
	if len(shape) < 2 {
		return nil, fmt.Errorf("an array of %d axes; must have 2 or more", len(shape))
	}
	return shape, nil
}

// addContents adds a variable with what follows its name.
func (l *lister) addContents(v Variable, in *elements, depth int) error {
	switch {
	case v.IsReal() && v.Len() == 1:
		values, err := in.numbers(1)
		if err != nil {
			return err
		}
		v.Value = values[0]
	case v.IsReal():
		v.contents = in.rest
	case v.Class == "char" && len(v.Shape) == 2 && v.Shape[0] > 0:
		text, err := in.text()
		if err != nil {
			return err
		}
		v.setText(text)
	}
	if err := l.list(v); err != nil || depth == maxDepth {
		return err
	}
	switch v.Class {
	case "struct":
		return l.addFields(v, in, depth)
	case "cell":
		for i := range v.Len() {
			if err := l.addInner(in, fmt.Sprintf("%s{%d}", v.Name, i+1), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// addFields adds the fields of a struct.
func (l *lister) addFields(v Variable, in *elements, depth int) error {
	length, err := in.bytes("the length of field names", 4, kindInt32)
	if err != nil {
		return err
	}
	if len(length) < 4 {
		return errors.New("no length of field names; must have 4 bytes")
	}
	size := int(int32(l.order.Uint32(length)))
	if size < 1 || size > maxNameBytes {
		return fmt.Errorf("field names of %d bytes; must be 1 to %d", size, maxNameBytes)
	}
	text, err := in.bytes("field names", maxVariables*size, kindInt8, kindUint8)
	if err != nil {
		return err
	}
	var names []string
	for ; len(text) >= size; text = text[size:] {
		name, _, _ := strings.Cut(string(text[:size]), "\x00")
		names = append(names, strings.ToValidUTF8(name, "\ufffd"))
	}
	if len(names) == 0 {
		return nil
	}
	elements := v.Len()
	for i := range elements {
		prefix := v.Name
		if elements > 1 {
			prefix = fmt.Sprintf("%s(%d)", v.Name, i+1)
		}
		for _, name := range names {
			if err := l.addInner(in, prefix+"."+name, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// addInner adds the next array in a struct or in a cell.
func (l *lister) addInner(in *elements, name string, depth int) error {
	if len(name) > 2*maxNameBytes {
		name = strings.ToValidUTF8(name[:2*maxNameBytes], "")
	}
	e, err := in.next()
	if err != nil {
		return err
	}
	if e.kind != kindMatrix {
		return fmt.Errorf("%q is of kind %d; must be an array, of kind %d", name, e.kind, kindMatrix)
	}
	return l.add(e.body, name, depth+1)
}

// setText sets the text of a row of characters, or those of a matrix, which come column by column.
func (v *Variable) setText(text string) {
	rows, characters := v.Shape[0], []rune(text)
	if rows == 1 {
		v.Text = text
		return
	}
	for i := 0; i < rows && len(characters) == v.Len(); i++ {
		var row []rune
		for at := i; at < len(characters); at += rows {
			row = append(row, characters[at])
		}
		v.Rows = append(v.Rows, strings.TrimRight(string(row), " \x00"))
	}
}

// text reads characters, as much of it as is kept.
func (in *elements) text() (string, error) {
	e, err := in.next()
	if err != nil {
		return "", err
	}
	data := e.body[:min(len(e.body), maxTextBytes)]
	var text string
	switch e.kind {
	case kindUint16, kindInt16, kindUTF16:
		var units []uint16
		for ; len(data) >= 2; data = data[2:] {
			units = append(units, in.order.Uint16(data))
		}
		text = string(utf16.Decode(units))
	case kindUTF32, kindUint32, kindInt32:
		var runes []rune
		for ; len(data) >= 4; data = data[4:] {
			runes = append(runes, rune(in.order.Uint32(data)))
		}
		text = string(runes)
	default:
		text = string(data)
	}
	return strings.ToValidUTF8(text, "\ufffd"), nil
}

// numbers reads an element of n numbers.
func (in *elements) numbers(n int) ([]float64, error) {
	e, err := in.next()
	if err != nil {
		return nil, err
	}
	kind, ok := numberKinds[e.kind]
	if !ok {
		return nil, fmt.Errorf("numbers of kind %d; must be of kind 1 to 9, 12 or 13", e.kind)
	}
	if int64(len(e.body)) != int64(n)*int64(kind.size) {
		return nil, fmt.Errorf("%d bytes for %d numbers of %d; must be as many as the shape says",
			len(e.body), n, kind.size)
	}
	values := make([]float64, n)
	for k := range values {
		values[k] = kind.value(e.body[k*kind.size:], in.order)
	}
	return values, nil
}

// numberKind is how a kind of elements writes a number.
type numberKind struct {
	size  int
	value func([]byte, order) float64
}

// order is short for the type.
type order = binary.ByteOrder

func single(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// numberKinds are the kinds of elements that hold numbers.
var numberKinds = map[uint32]numberKind{
	kindInt8:   {1, func(b []byte, _ order) float64 { return float64(int8(b[0])) }},
	kindUint8:  {1, func(b []byte, _ order) float64 { return float64(b[0]) }},
	kindInt16:  {2, func(b []byte, o order) float64 { return float64(int16(o.Uint16(b))) }},
	kindUint16: {2, func(b []byte, o order) float64 { return float64(o.Uint16(b)) }},
	kindInt32:  {4, func(b []byte, o order) float64 { return float64(int32(o.Uint32(b))) }},
	kindUint32: {4, func(b []byte, o order) float64 { return float64(o.Uint32(b)) }},
	kindSingle: {4, func(b []byte, o order) float64 { return single(o.Uint32(b)) }},
	kindDouble: {8, func(b []byte, o order) float64 { return math.Float64frombits(o.Uint64(b)) }},
	kindInt64:  {8, func(b []byte, o order) float64 { return float64(int64(o.Uint64(b))) }},
	kindUint64: {8, func(b []byte, o order) float64 { return float64(o.Uint64(b)) }},
}
