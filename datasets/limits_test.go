package datasets

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/table"
)

// allocated is the number of bytes that a call allocates, freed ones counted.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkError fails unless err, for a file that a stranger made, is a line that a
// terminal can show.
func checkError(t *testing.T, err error) {
	t.Helper()
	text := err.Error()
	if text == "" || len(text) > 500 || strings.ContainsAny(text, "\n\r\x1b") || !utf8.ValidString(text) {
		t.Errorf("the error is %q: want a short line", text)
	}
}

// What a file says of itself isn't allocated before it is there: each of these is
// an error that costs at most the given number of MiB.
func TestReadersAreBounded(t *testing.T) {
	for _, c := range []struct {
		name, file, data string
		says             string
		most             uint64 // MiB
	}{
		{"more numbers than bytes", "a.npy", npyFile("<f8", "False", "(30000000, 2)", "12345678"), "after 1 of 60000000 numbers", 1},
		{"10¹² numbers", "a.npy", npyFile("<f8", "True", "(1000000, 1000000)", ""), "more than the limit", 1},
		{"a product beyond int64", "a.npy", npyFile("<f8", "False", "(4294967296, 4294967297)", "12345678"), "more than the limit", 1},
		{"a number beyond int64", "a.npy", npyFile("<f8", "False", "(99999999999999999999, 2)", ""), "NPY header", 1},
		{"30 000 dimensions", "a.npy", npyFile("<f8", "False", "("+strings.Repeat("1,", 30_000)+")", ""), "must be [n, d]", 8},
		{"a header of 1 GB", "a.npy", "\x93NUMPY\x02\x00\xff\xff\xff\x3f{'descr'", "longer than the limit", 1},
		{"pickled objects", "a.npy", npyFile("|O", "False", "(2, 1)", "\x80\x04cposix\nsystem\n."), "Python objects", 1},
		{"objects in fields", "a.npy", npyStart("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (2, 1), }"), "floats of 16 to 64 bits", 1},
		{"100000×100000 pixels", "a.png", pngHeader(100_000, 100_000), "must be at least one and at most", 1},
		{"4096×4096 pixels in 33 bytes", "a.png", pngHeader(4096, 4096), "can't be in 33 bytes", 1},
		{"100000×100000 pixels", "a.pgm", "P5 100000 100000 255\n", "must be at least one and at most", 1},
		{"4096×4096 pixels", "a.pgm", "P5 4096 4096 255\n", "row 1, column 1: unexpected EOF", 1},
		{"an epoch of 1 TB", "a.npy", npyFile("<f8", "False", "(1, 1000000, 1000000)", ""), "more than the limit", 1},
		{"10¹⁵ epochs", "a.npy", npyFile("<f8", "False", "(1000000000000000, 100, 100)", ""), "more than the limit", 1},
		{"an epoch of 0.5 GB", "a.npy", npyFile("<f8", "False", "(1, 8000, 8000)", "12345678"), "after 0 of 64000000 numbers", 1},
		{"a chunk of 4 GB", "a.wav", "RIFF\x00\x00\x00\x00WAVEnote\xff\xff\xff\xff", "unexpected EOF", 1},
		{"a number without an end", "a.csv", strings.Repeat("1", 9<<20), "line 1: a row of more than 8 MiB", 420},
		{"cells without an end", "a.csv", "a\n" + strings.Repeat(",", 9<<20), "line 2: a row of more than 8 MiB", 1800},
		{"a quote without an end", "a.csv", "1,2\n\"" + strings.Repeat("1\n", 5<<20), "line 2: a row of more than 8 MiB", 420},
		{"a number of 1 MB", "a.csv", strings.Repeat("9", 1e6) + "\n", "9… is not finite", 32},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		got := allocated(func() {
			_, err = ReadFile(path)
		})
		name := c.name + " in " + c.file
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
			continue
		}
		checkError(t, err)
		if got > c.most<<20 {
			t.Errorf("%s: allocated %d bytes for a file of %d, want at most %d MiB", name, got, len(c.data), c.most)
		}
	}
}

// A row may be as long as the limit.
func TestLongestRow(t *testing.T) {
	const cells = table.MaxRowBytes / 16
	row := strings.Repeat("1.0000000000000,", cells-1) + "1\n"
	z, err := formatOf(".csv").read(strings.NewReader(row + row))
	if err != nil {
		t.Fatal(err)
	}
	if d, T := z.Signals.Dims(); d != cells || T != 2 {
		t.Errorf("read %d×%d", d, T)
	}
}

// A million positions of 32 signals are within the limits of each format that has so many:
// by the sizes of the files of a part of them, or, as a long proof, all of them read.
func TestReadMillionPositions(t *testing.T) {
	const d, million = 32, 1_000_000
	n := million / 32
	if os.Getenv("SICA_LONG_TESTS") != "" { // 1.5 GB of memory and half a minute
		n = million
	}
	if d*million > MaxEntries {
		t.Errorf("%d entries are more than the limit of %d", d*million, MaxEntries)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return float64(rng.Uint32()) / (1 << 16) }, z)
	for _, ending := range []string{".npy", ".csv"} {
		checkFileRoundTrip(t, z, ending)
		path := filepath.Join(t.TempDir(), "z"+ending)
		if err := WriteFile(path, z); err != nil {
			t.Fatal(err)
		}
		file, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if size := file.Size() / int64(n) * million; size > maxFileBytes {
			t.Errorf("%s: a million positions take %d bytes, more than the limit of %d", ending, size, maxFileBytes)
		}
	}
}

func TestBoundedReader(t *testing.T) {
	for _, n := range []int{0, 9, 10} {
		got, err := io.ReadAll(&boundedReader{strings.NewReader(strings.Repeat("x", n)), 10, errTooLong})
		if err != nil || len(got) != n {
			t.Errorf("%d of 10 bytes: read %d, %v", n, len(got), err)
		}
	}
	if got, err := io.ReadAll(&boundedReader{strings.NewReader("12345678901"), 10, errTooLong}); !errors.Is(err, errTooLong) || len(got) != 10 {
		t.Errorf("11 of 10 bytes: read %q, %v", got, err)
	}
}
