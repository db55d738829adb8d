package npy

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// A Number is a type of numbers in a binary file.
type Number struct {
	Size   int                  // in bytes
	Decode func([]byte) float64 // returns the number at the beginning of the bytes
}

// Float32 is the type of little-endian 32-bit floats.
var Float32, _ = numberOf("<f4")

// numberOf returns the type of numbers that descr describes, by a letter for the byte order, a
// letter for the kind, and the size in bytes. isKnown is false for other types.
func numberOf(descr string) (number Number, isKnown bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=|") {
	case "f8":
		number = Number{8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }}
	case "f4":
		number = Number{4, func(b []byte) float64 {
			return float64(math.Float32frombits(order.Uint32(b)))
		}}
	case "f2":
		number = Number{2, func(b []byte) float64 { return half(order.Uint16(b)) }}
	case "b1":
		number = Number{1, func(b []byte) float64 {
			if b[0] != 0 {
				return 1
			}
			return 0
		}}
	case "i1":
		number = Number{1, func(b []byte) float64 { return float64(int8(b[0])) }}
	case "i2":
		number = Number{2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }}
	case "i4":
		number = Number{4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }}
	case "i8":
		number = Number{8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }}
	case "u1":
		number = Number{1, func(b []byte) float64 { return float64(b[0]) }}
	case "u2":
		number = Number{2, func(b []byte) float64 { return float64(order.Uint16(b)) }}
	case "u4":
		number = Number{4, func(b []byte) float64 { return float64(order.Uint32(b)) }}
	case "u8":
		number = Number{8, func(b []byte) float64 { return float64(order.Uint64(b)) }}
	default:
		return Number{}, false
	}
	return number, true
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

// blockSize is the number of numbers decoded at once.
const blockSize = 1 << 13

// Reader returns a function that fills values with the next numbers of r. It returns how many it
// read before an error, which is io.ErrUnexpectedEOF at the end of the file.
func (number Number) Reader(r io.Reader) func(values []float64) (int, error) {
	var buffer []byte
	return func(values []float64) (int, error) {
		for k := 0; k < len(values); {
			length := number.Size * min(len(values)-k, blockSize)
			buffer = slices.Grow(buffer[:0], length)[:length]
			n, err := readFull(r, buffer)
			for i := range n / number.Size {
				values[k+i] = number.Decode(buffer[i*number.Size:])
			}
			if k += n / number.Size; err != nil {
				return k, err
			}
		}
		return len(values), nil
	}
}

// FieldReader is [Number.Reader] for a structured array, whose elements are consecutive fields.
func FieldReader(r io.Reader, fields []Field) func(values []float64) (int, error) {
	next, buffer := 0, make([]byte, 8)
	return func(values []float64) (int, error) {
		for k := range values {
			number := fields[next].Number
			if _, err := readFull(r, buffer[:number.Size]); err != nil {
				return k, err
			}
			values[k], next = number.Decode(buffer), (next+1)%len(fields)
		}
		return len(values), nil
	}
}

// readFull is io.ReadFull, with io.ErrUnexpectedEOF even if nothing is left to read.
func readFull(r io.Reader, b []byte) (int, error) {
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
