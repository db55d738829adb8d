package matlab_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets/internal/matlab"
)

func read(t testing.TB, data []byte) *matlab.File {
	t.Helper()
	f, err := matlab.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Files that scipy.io.savemat wrote have the variables that testdata/make.py gave it.
func TestScipy(t *testing.T) {
	for _, name := range []string{"scipy.mat", "scipy_compressed.mat"} {
		f := read(t, file(t, name))
		for variable, want := range map[string]struct {
			class  string
			shape  []int
			values []float64
		}{
			"x":              {"double", []int{2, 3}, []float64{1.5, 4, -2, 5.25, 3, -6}},
			"single":         {"single", []int{2, 3}, []float64{1.5, 4, -2, 5.25, 3, -6}},
			"flags":          {"logical", []int{2, 3}, []float64{1, 1, 0, 1, 1, 0}},
			"fs":             {"double", []int{1, 1}, []float64{250}},
			"empty":          {"double", []int{0, 3}, nil},
			"recording.data": {"double", []int{2, 3}, []float64{1.5, 4, -2, 5.25, 3, -6}},
			"recording.rate": {"double", []int{1, 1}, []float64{500}},
			"rows(2).at":     {"double", []int{1, 1}, []float64{2}},
			"int8":           {"int8", []int{2, 3}, []float64{-128, 127, 0, 1, 7, 2}},
			"uint8":          {"uint8", []int{2, 3}, []float64{0, 255, 0, 1, 7, 2}},
			"int16":          {"int16", []int{2, 3}, []float64{-1 << 15, 1<<15 - 1, 0, 1, 7, 2}},
			"uint16":         {"uint16", []int{2, 3}, []float64{0, 1<<16 - 1, 0, 1, 7, 2}},
			"int32":          {"int32", []int{2, 3}, []float64{-1 << 31, 1<<31 - 1, 0, 1, 7, 2}},
			"uint32":         {"uint32", []int{2, 3}, []float64{0, 1<<32 - 1, 0, 1, 7, 2}},
			"int64":          {"int64", []int{2, 3}, []float64{math.MinInt64, math.MaxInt64, 0, 1, 7, 2}},
			"uint64":         {"uint64", []int{2, 3}, []float64{0, math.MaxUint64, 0, 1, 7, 2}},
		} {
			v := f.Find(variable)
			if v == nil || v.Class != want.class || !slices.Equal(v.Shape, want.shape) {
				t.Errorf("%s: %s is %v, want a %v of class %s", name, variable, v, want.shape, want.class)
				continue
			}
			if got, err := f.Values(v); err != nil || !slices.Equal(got, want.values) {
				t.Errorf("%s: %s is %v (%v), want %v", name, variable, got, err, want.values)
			}
		}
		cube, err := f.Values(f.Find("cube")) // [2, 3, 4], the first axis fastest
		if err != nil || len(cube) != 24 || cube[1] != 12 || cube[2] != 4 || cube[6] != 1 {
			t.Errorf("%s: cube is %v (%v)", name, cube, err)
		}
		for variable, want := range map[string]string{
			"name": "Fp1 Ω", "names{3}": "EOG", "recording.label": "Oz", "rows(1).label": "a",
		} {
			if v := f.Find(variable); v == nil || v.Text != want {
				t.Errorf("%s: %s is %+v, want %q", name, variable, v, want)
			}
		}
		for variable, want := range map[string]string{"z": "complex", "name": "char", "names": "cell"} {
			if _, err := f.Values(f.Find(variable)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: values of %s: %v, want an error with %q", name, variable, err, want)
			}
		}
	}
}

// element is an element of a MAT-file.
func element(o binary.AppendByteOrder, kind uint32, data []byte) []byte {
	e := o.AppendUint32(o.AppendUint32(nil, kind), uint32(len(data)))
	e = append(e, data...)
	return append(e, make([]byte, (8-len(data)%8)%8)...)
}

// matFile is a file with one variable x of a class.
func matFile(o binary.AppendByteOrder, class uint32, shape []int32, kind uint32, data []byte) []byte {
	var lengths []byte
	for _, length := range shape {
		lengths = o.AppendUint32(lengths, uint32(length))
	}
	body := element(o, 6, o.AppendUint32(o.AppendUint32(nil, class), 0))
	body = append(body, element(o, 5, lengths)...)
	body = append(body, element(o, 1, []byte("x"))...)
	body = append(body, element(o, kind, data)...)
	head := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte(" "), 97+8)...)
	head = o.AppendUint16(o.AppendUint16(head, 0x0100), 'M'<<8|'I')
	return append(head, element(o, 14, body)...)
}

// Files of either byte order are read.
func TestByteOrders(t *testing.T) {
	for name, o := range map[string]binary.AppendByteOrder{
		"little": binary.LittleEndian, "big": binary.BigEndian,
	} {
		var data []byte
		for _, v := range []float64{0.5, -2, 1e300} {
			data = o.AppendUint64(data, math.Float64bits(v))
		}
		f := read(t, matFile(o, 6, []int32{3, 1}, 9, data))
		got, err := f.Values(f.Find("x"))
		if err != nil || !slices.Equal(got, []float64{0.5, -2, 1e300}) {
			t.Errorf("%s: %v (%v)", name, got, err)
		}
		// MATLAB writes whole numbers in fewer bytes than the class has.
		f = read(t, matFile(o, 6, []int32{1, 2}, 3, o.AppendUint16(o.AppendUint16(nil, 7), 0xffff)))
		if got, err := f.Values(f.Find("x")); err != nil || !slices.Equal(got, []float64{7, -1}) {
			t.Errorf("%s: whole numbers are %v (%v)", name, got, err)
		}
	}
}

// What is damaged, or of another version, is an error that says what must be.
func TestErrors(t *testing.T) {
	o := binary.LittleEndian
	good := matFile(o, 6, []int32{2, 1}, 9, make([]byte, 16))
	with := func(at int, b byte) []byte {
		damaged := slices.Clone(good)
		damaged[at] = b
		return damaged
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "0 bytes; must be a MAT-file"},
		"text":           {bytes.Repeat([]byte("1,2\n"), 50), "must be IM or MI"},
		"level 4":        {file(t, "scipy_level4.mat"), "must be of level 5: save it again"},
		"HDF5":           {[]byte("\x89HDF\r\n\x1a\n"), "-v7.3, which is HDF5"},
		"HDF5 by header": {with(125, 2), "-v7.3, which is HDF5"},
		"version":        {with(125, 7), "version 0x0700"},
		"class":          {with(128+16, 99), "class 99"},
		"cut off":        {good[:len(good)-9], "cut off"},
		"axis":           {with(128+8+16+8+3, 0x80), "must be 0 or more"},
		"one axis":       {matFile(o, 6, []int32{2}, 9, make([]byte, 16)), "must have 2 or more"},
	} {
		_, err := matlab.Read(bytes.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"fewer bytes": {matFile(o, 6, []int32{3, 1}, 9, make([]byte, 16)), "16 bytes for 3 numbers of 8"},
		"huge":        {matFile(o, 6, []int32{1 << 30, 1 << 30}, 9, nil), "0 bytes for"},
		"kind":        {matFile(o, 6, []int32{2, 1}, 18, make([]byte, 8)), "numbers of kind 18"},
	} {
		f := read(t, c.data)
		if _, err := f.Values(f.Find("x")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	damaged := file(t, "scipy_compressed.mat")
	damaged[150] ^= 0xff
	if _, err := matlab.Read(bytes.NewReader(damaged)); err == nil {
		t.Error("damaged compressed data was read")
	}
}

// A file that ends anywhere is an error or has the variables before that.
func TestCutOff(t *testing.T) {
	for _, name := range []string{"scipy.mat", "scipy_compressed.mat"} {
		whole := file(t, name)
		all := len(read(t, whole).Variables)
		for n := range whole {
			f, err := matlab.Read(bytes.NewReader(whole[:n]))
			if err == nil && len(f.Variables) >= all {
				t.Errorf("%s: %d of %d bytes have all variables", name, n, len(whole))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"scipy.mat", "scipy_compressed.mat", "scipy_level4.mat"} {
		f.Add(file(f, name))
	}
	f.Add(matFile(binary.BigEndian, 7, []int32{1, 2}, 7, make([]byte, 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := matlab.Read(bytes.NewReader(data))
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		for i := range m.Variables {
			v := &m.Variables[i]
			values, err := m.Values(v)
			if err == nil && len(values) != v.Len() {
				t.Errorf("%d values of %v", len(values), v)
			}
			if i == 16 {
				break
			}
		}
	})
}

func Example() {
	data, err := os.ReadFile("testdata/scipy.mat") // {"x": [2, 3], "fs": 250, …}
	if err != nil {
		panic(err)
	}
	f, err := matlab.Read(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	v := f.Find("x")
	values, err := f.Values(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(v, values, "at", f.Find("fs").Value, "Hz")
	// Output:
	// "x" (2×3 double) [1.5 4 -2 5.25 3 -6] at 250 Hz
}
