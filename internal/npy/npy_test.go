package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// start returns the header of version 1 for a dictionary.
func start(dictionary string) string {
	length := binary.LittleEndian.AppendUint16(nil, uint16(len(dictionary)+1))
	return magic + "\x01\x00" + string(length) + dictionary + "\n"
}

func file(descr, fortran, shape, data string) string {
	const dictionary = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
	return start(fmt.Sprintf(dictionary, descr, fortran, shape)) + data
}

// read reads a file that has this content.
func read(t *testing.T, content string) (z *mat.Dense, path string, err error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "z.npy")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	z, err = ReadFile(path)
	return z, path, err
}

// The values are the bytes that numpy.save of NumPy 2.4.6 writes for these
// arrays of shape [3, 2].
func TestReadFile(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       []float64 // signal after signal
	}{
		{"float32", file("<f4", "False", "(3, 2)", "\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x00\x00\xd0@"), []float64{1, 3, 5, 2, 4, 6.5}},
		{"float64, signal by signal", file("<f8", "True", "(3, 2)", "\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x08@\x00\x00\x00\x00\x00\x00\x14@\x00\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x10@\x00\x00\x00\x00\x00\x00\x1a@"), []float64{1, 3, 5, 2, 4, 6.5}},
		{"int16, big end first", file(">i2", "False", "(3, 2)", "\x00\x01\xff\xfe\x00\x03\x00\x04\x00\x05\x01,"), []float64{1, 3, 5, -2, 4, 300}},
		{"int8", file("|i1", "False", "(3, 2)", "\x01\xff\x03\x04\x05\x80"), []float64{1, 3, 5, -1, 4, -128}},
		{"uint8", file("|u1", "False", "(3, 2)", "\x01\xff\x03\x04\x05\x80"), []float64{1, 3, 5, 255, 4, 128}},
		{"uint16", file("<u2", "False", "(3, 2)", "\x01\x00\xff\xff\x03\x00\x04\x00\x05\x00\x00\x80"), []float64{1, 3, 5, 65535, 4, 32768}},
		{"int32", file("<i4", "True", "(3, 2)", "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\xff\xff\xff\xff\x05\x00\x00\x00\x06\x00\x00\x00"), []float64{1, 2, 3, -1, 5, 6}},
		{"uint32", file("<u4", "True", "(1, 1)", "\xff\xff\xff\xff"), []float64{4294967295}},
		{"int64", file("<i8", "True", "(1, 1)", "\xff\xff\xff\xff\xff\xff\xff\xff"), []float64{-1}},
		{"uint64", file("<u8", "True", "(1, 1)", "\x00\x00\x00\x00\x00\x00\x00\x80"), []float64{1 << 63}},
		{"half", file("<f2", "False", "(3, 2)", "\x00\x3c\x00\xc0\x01\x00\xff\x7b\x55\x35\x00\x80"), []float64{1, 0x1p-24, 0.333251953125, -2, 65504, 0}},
		{"bool", file("|b1", "False", "(1, 2)", "\x01\x00"), []float64{1, 0}},
	} {
		z, _, err := read(t, c.file)
		if err != nil || !slices.Equal(z.RawMatrix().Data, c.want) {
			t.Errorf("%s: got %v (%v), want %v", c.name, z, err, c.want)
		}
	}
}

// What is written is what numpy.save writes for the array [3, 2]: a header of version 1, which ends at
// a multiple of 64 bytes, and the numbers row by row. It is read again.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "z.npy")
	z := mat.NewDense(2, 3, []float64{1, -2, 3.5, 1e-300, 5, 6})
	if err := WriteFile(path, z); err != nil {
		t.Fatal(err)
	}
	want := bytes.NewBufferString("\x93NUMPY\x01\x00v\x00" + // v is 118, the length of what follows
		"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }" + strings.Repeat(" ", 58) + "\n")
	if err := binary.Write(want, binary.LittleEndian, []float64{1, 1e-300, -2, 5, 3.5, 6}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("wrote %q, want %q (%v)", got, want.Bytes(), err)
	}
	if again, err := ReadFile(path); err != nil || !mat.Equal(again, z) {
		t.Errorf("read %v, want %v (%v)", again, z, err)
	}
}

func TestWriteFileOfNaN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "z.npy")
	err := WriteFile(path, mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()}))
	if err == nil || !strings.Contains(err.Error(), path+": signal 2 is NaN at position 2") {
		t.Error(err)
	}
	if _, err := ReadFile(path); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a file was written, or isn't named: %v", err)
	}
}

func TestReadFileErrors(t *testing.T) {
	eight := strings.Repeat("\x00", 8)
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "no NPY header"},
		{"another format", "signal,signal\n1,2\n", "no NPY header"},
		{"version 4", "\x93NUMPY\x04\x00\x10\x00\x00\x00{}", "version"},
		{"header of 4 GB", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "longer than the limit"},
		{"cut header", file("<f8", "False", "(1, 1)", "")[:40], "incomplete"},
		{"no line end", strings.ReplaceAll(file("<f8", "False", "(1, 1)", ""), "\n", " "), "malformed"},
		{"no dictionary", start("nothing of the kind"), "dictionary"},
		{"complex", file("<c16", "False", "(1, 1)", eight+eight), "<c16"},
		{"text", file("<U8", "False", "(1, 1)", eight), "<U8"},
		{"objects", file("|O", "False", "(1, 1)", eight), "Python objects"},
		{"fields", start("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }") + eight, "must be [n, d]"},
		{"one axis", file("<f8", "False", "(1,)", eight), "must be [n, d]"},
		{"three axes", file("<f8", "False", "(1, 1, 1)", eight), "must be [n, d]"},
		{"no positions", file("<f8", "False", "(0, 2)", ""), "2 signals by 0 positions"},
		{"negative", file("<f8", "False", "(-1, -1)", eight), "must be at least one"},
		{"product overflows", file("<f8", "False", "(4294967296, 4294967296)", eight), "more than the limit"},
		{"cut", file("<f8", "False", "(2, 1)", eight), "cut off after 1 of 2 numbers"},
		{"cut within a number", file("<f8", "True", "(1, 1)", eight[:5]), "cut off after 0 of 1 numbers"},
		{"NaN", file("<f4", "False", "(2, 1)", "\x00\x00\x80?\x00\x00\xc0\x7f"), "signal 1 is NaN at position 2"},
		{"infinite", file("<f4", "False", "(1, 2)", "\x00\x00\x80?\x00\x00\x80\x7f"), "signal 2 is +Inf at position 1"},
	} {
		_, path, err := read(t, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q and the path", c.name, err, c.want)
		}
	}
}

// The entries of a header may have any order.
func TestHeaderInAnyOrder(t *testing.T) {
	for _, c := range []struct {
		descr, shape string
		isStructured bool
	}{
		{"'<f8'", "(3, 2)", false},
		{"[('a]', '<f8'), (\"it's\", '<f8', (3,))]", "(3,)", true},
		{"[('a', '<f8'), ('shape', '<i2')]", "(3,)", true},
	} {
		entries := []string{
			"'descr': " + c.descr, "'fortran_order': False", "'shape': " + c.shape,
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			dictionary := "{"
			for _, k := range order {
				dictionary += entries[k] + ", "
			}
			h, err := parse(dictionary + "}\n")
			if err != nil {
				t.Errorf("%s: %v", dictionary, err)
			} else if h.descr != strings.Trim(c.descr, "'") || h.IsFortran || h.Shape[0] != 3 ||
				h.IsStructured() != c.isStructured {
				t.Errorf("%s: %+v", dictionary, h)
			}
		}
	}
}

// Whatever a file holds, reading it is an error that names it, or gives finite numbers, no more
// than the file has bytes, that are read again once they are written.
func FuzzReadFile(f *testing.F) {
	for _, seed := range []string{
		file("<f4", "False", "(1, 2)", "\x00\x00\x80?\x00\x00\x00@"),
		file(">i2", "True", "(1, 2)", "\x00\x01\xff\xfe"),
		file("<f8", "False", "(1000000, 60)", ""),
		"\x93NUMPY\x02\x00\x02\x00\x00\x00{}",
		"\x93NUMPY\x010;\x000'descr':''i> 200'fortran_order': True00'shape': (1\n01)000\n00",
		"\x93NUMPY\x0107\x000'descr': 0000000'fortran_order': True00'shape': 0000}\n0000",
		"0",
		"\x93NUMPY\x010;\x000'descr': 0aA000'fortran_order': True00'shape': 01,01000}\n0",
		"\x93NUMPY000000",
		"\x93NUMPY\x010<\x000'descr': 0000000'fortran_order': ˸0000'shape': 00000000}\n0",
		"\x93NUMPY\x010<\x000'descr': 0<f4000'fortran_order': False00'shape': 01,01000}\n00\xff\xff0000",
		"\x93NUMPY\x010C\x000'descr': '000000'fortran_order': False00'shape': (0000\xf9000000)000\n",
		"000000000000",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		z, path, err := read(t, string(data))
		if err != nil {
			if !strings.Contains(err.Error(), path) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("the error is %q: want a line that names %s", err, path)
			}
			return
		}
		if d, n := z.Dims(); d*n > len(data) {
			t.Fatalf("%d×%d from %d bytes", d, n, len(data))
		}
		if err := WriteFile(path, z); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadFile(path); err != nil || !mat.Equal(again, z) {
			t.Fatalf("wrote %v, read %v (%v)", z, again, err)
		}
	})
}
