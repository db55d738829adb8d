package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// npyStart returns the header of version 1 for a dictionary.
func npyStart(dictionary string) string {
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dictionary)+1))) + dictionary + "\n"
}

func npyFile(descr, fortran, shape, data string) string {
	return npyStart(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)) + data
}

func TestReadNPYErrors(t *testing.T) {
	eight := strings.Repeat("\x00", 8)
	for _, c := range []struct{ name, file, want string }{
		{"keys out of order", npyStart("{'shape': (1, 1), 'descr': '<f8', 'fortran_order': False, }"), ""},
		{"a field of text", npyStart("{'descr': [('a', '<f8'), ('b', '<U4')], 'fortran_order': False, 'shape': (2,), }"), "repack_fields"},
		{"a field of three", npyStart("{'descr': [('a', '<f8', (3,))], 'fortran_order': False, 'shape': (2,), }"), "repack_fields"},
		{"two axes of fields", npyStart("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2), }"), "shape [2 2]"},
		{"fields at no positions", npyStart("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (-1,), }"), "1 signals by -1 positions"},
		{"fields that are cut off", npyStart("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }") + eight, "unexpected EOF"},
		{"one dimension", npyFile("<f8", "False", "(1,)", eight), "must be [n, d], for one signal [n, 1]"},
		{"no dimension", npyFile("<f8", "False", "()", eight), "must be [n, d]"},
		{"epochs in Fortran order", npyFile("<f8", "True", "(1, 1, 1)", eight), "in C order"},
		{"no epochs", npyFile("<f8", "False", "(0, 1, 1)", ""), "axes of at least 1"},
		{"four dimensions", npyFile("<f8", "False", "(1, 1, 1, 1)", eight), "must be [n, d]"},
		{"no positions", npyFile("<f8", "False", "(0, 2)", ""), "2 signals by 0 positions"},
		{"negative", npyFile("<f8", "False", "(-1, -1)", eight), "must be at least one"},
		{"10¹² entries", npyFile("<f8", "False", "(1000000, 1000000)", eight), "more than the limit"},
		{"product overflows", npyFile("<f8", "False", "(4294967296, 4294967296)", eight), "more than the limit"},
		{"cut", npyFile("<f8", "False", "(2, 1)", eight), "cut off after 1 of 2 numbers"},
		{"cut within a number", npyFile("<f8", "False", "(1, 1)", eight[:5]), "unexpected EOF"},
		{"NaN", npyFile("<f4", "False", "(2, 1)", "\x00\x00\x80?\x00\x00\xc0\x7f"), "signal 1 is NaN at position 2"},
		{"infinite", npyFile("<f4", "False", "(1, 2)", "\x00\x00\x80?\x00\x00\x80\x7f"), "signal 2 is +Inf at position 1"},
	} {
		_, err := formatOf(".npy").read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Both orders of an array's numbers are read alike, whole and in blocks.
func TestReadNPYOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	want := mat.NewDense(2, 3, []float64{1, 3, 5, 2, 4, 6})
	for order, numbers := range map[string]string{
		"False": "\x01\x02\x03\x04\x05\x06", "True": "\x01\x03\x05\x02\x04\x06",
	} {
		put(t, path, []byte(npyFile("|u1", order, "(3, 2)", numbers)))
		r, s := readBothWays(t, path)
		if !mat.Equal(r.Signals, want) || !mat.Equal(gathered(t, s.Blocks(2)), want) {
			t.Errorf("Fortran order %s: read %v", order, mat.Formatted(r.Signals))
		}
	}
}

// A structured array names its signals, which may have different types, and may have times.
func TestReadRecords(t *testing.T) {
	file := npyStart("{'descr': [('index', '<i8'), ('time', '<f8'), ('Fp1', '<f4'), ('Cz', '>i2')], " +
		"'fortran_order': False, 'shape': (50,), }")
	var values bytes.Buffer
	for k := range 50 {
		for _, v := range []any{int64(k), float64(k) / 250, float32(k * k % 17)} {
			if err := binary.Write(&values, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := binary.Write(&values, binary.BigEndian, int16(-k*k%23)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, []byte(file+values.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := readBothWays(t, path)
	if !slices.Equal(r.Names, []string{"Fp1", "Cz"}) || r.Rate != 250 || r.Signals.At(0, 7) != 15 ||
		r.Signals.At(1, 7) != -3 {
		t.Errorf("%q at %g Hz, at position 8 %v", r.Names, r.Rate, mat.Col(nil, 7, r.Signals))
	}
	file = strings.Replace(file, "('index', '<i8'), ", "", 1)
	file = npyStart(file[strings.IndexByte(file, '{'):strings.IndexByte(file, '\n')])
	rows := values.String()
	for k := range 50 {
		file += rows[k*22+8 : (k+1)*22]
	}
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ = readBothWays(t, path)
	if !slices.Equal(r.Names, []string{"Fp1", "Cz"}) || r.Rate != 250 || r.TimeColumn != "time" {
		t.Errorf("without an index %q at %g Hz, times in %q", r.Names, r.Rate, r.TimeColumn)
	}
}

// Epochs, each with its signals one after the other, follow one another.
func TestReadNPYEpochs(t *testing.T) {
	file := npyFile("|i1", "False", "(3, 1, 2)", "\x01\x02\x03\x04\x05\x06")
	r, err := formatOf(".npy").read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(1, 6, []float64{1, 2, 3, 4, 5, 6}); !mat.Equal(r.Signals, want) {
		t.Errorf("read %v", mat.Formatted(r.Signals))
	}
	if !strings.Contains(r.Notes[0], "3 epochs of 1 signals at 2 positions") {
		t.Errorf("notes of epochs: %q", r.Notes)
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add([]byte(npyFile("<f2", "False", "(2, 1, 1)", "\x00\x00\x80?")))
	f.Add([]byte(npyFile("<f4", "False", "(1, 2)", "\x00\x00\x80?\x00\x00\x00@")))
	f.Add([]byte(npyStart("{'descr': [('time', '<f2'), ('b', '|i1')], 'fortran_order': False, 'shape': (2,), }") +
		"\x00\x00\x01\x00\x3c\x02"))
	f.Add([]byte(npyFile(">i2", "True", "(1, 2)", "\x00\x01\xff\xfe")))
	f.Add([]byte(npyFile("<f8", "False", "(1000000, 60)", "")))
	f.Add([]byte("\x93NUMPY\x02\x00\x02\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := formatOf(".npy").read(bytes.NewReader(data))
		if err != nil {
			checkError(t, err)
			return
		}
		if d, n := r.Signals.Dims(); d*n > len(data) {
			t.Fatalf("%d×%d from %d bytes", d, n, len(data))
		}
		checkRoundTrip(t, r.Signals, ".npy")
	})
}

// writeAll writes signals in the format of an ending.
func writeAll(ending string, w io.Writer, z *mat.Dense) error {
	_, n := z.Dims()
	return formatOf(ending).write(w, new(Recording), n, func(yield func(*mat.Dense, error) bool) {
		yield(z, nil)
	})
}

// checkRoundTrip writes and reads z and fails the test if a bit has changed.
func checkRoundTrip(t *testing.T, z *mat.Dense, ending string) {
	t.Helper()
	var b bytes.Buffer
	if err := writeAll(ending, &b, z); err != nil {
		t.Fatal(err)
	}
	again, err := formatOf(ending).read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(z, again.Signals) {
		t.Fatalf("wrote %v, read %v", mat.Formatted(z), mat.Formatted(again.Signals))
	}
}
