package datasets

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// CSV and NPY keep every bit of a float64.
func TestFileRoundTrip(t *testing.T) {
	z, err := AR7(newRand(1), 3, 2000)
	if err != nil {
		t.Fatal(err)
	}
	z.SetRow(0, append([]float64{math.MaxFloat64, -math.MaxFloat64, -math.SmallestNonzeroFloat64, .1, 1. / 3, 1e-7, 1 << 53, 0}, z.RawRowView(0)[8:]...))
	checkFileRoundTrip(t, z, ".csv", ".npy", ".CSV")
}

// checkFileRoundTrip writes z to files with these endings, and reads it back bit for
// bit.
func checkFileRoundTrip(t *testing.T, z *mat.Dense, endings ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, ending := range endings {
		path := filepath.Join(dir, "z"+ending)
		if err := WriteFile(path, z); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got, z) {
			t.Errorf("%s: other signals came back", ending)
		}
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	ok := mat.NewDense(1, 2, []float64{1, 2})
	bad := mat.NewDense(2, 2, []float64{1, 2, 3, math.Inf(-1)})
	for _, ending := range []string{".csv", ".npy", ".wav"} {
		path := filepath.Join(dir, "z"+ending)
		if err := WriteFile(path, bad); err == nil || !strings.Contains(err.Error(), "signal 2 is -Inf at position 2") {
			t.Errorf("%s: writing -Inf: %v", ending, err)
		}
		if err := WriteFile(path, nil); err == nil {
			t.Errorf("%s: writing nothing: no error", ending)
		}
		if _, err := ReadFile(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: no such file: %v", ending, err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: empty file: %v", ending, err)
		}
		os.Remove(path)
	}
	for _, name := range []string{"z", "z.dat", "z.csv.gz"} {
		if _, err := ReadFile(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "must be .csv") {
			t.Errorf("reading %s: %v", name, err)
		}
		if err := WriteFile(filepath.Join(dir, name), ok); err == nil || !strings.Contains(err.Error(), "must be .csv") {
			t.Errorf("writing %s: %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// endings are the formats that ReadFile knows, and one that it doesn't.
var endings = []string{".csv", ".npy", ".wav", ".png", ".pgm", ".txt", ".dat", ".mat", ".set"}

// Whatever a file of any ending holds, reading it gives finite signals within the
// limits or an error of one line that names it. The memory follows the file's
// size.
func FuzzReadFile(f *testing.F) {
	for _, seed := range append([]string{
		"s1,s2\n1,2\n3,4\n",
		npyFile("<f4", "False", "(1, 2)", "\x00\x00\x80?\x00\x00\x00@"),
		wavOf16Bits,
		pngHeader(4096, 4096),
		"P5 2 1 255\n\n#",
		"P51 1 1 0",
		"P20 0 A",
		"\x93NUMPY\x010<\x0000000000000000000000000000000000000000000000000000000000000\n",
		" ",
		"\x93NUMPY\x0100000",
		"",
		"P2#00",
		"\x93NUMPY\x010<\x000'descr': 0<f8000'fortran_order': False00'shape': 01,01000}\n",
		"\x93NUMPY000000",
		"P2#0\n0",
		"0,0000000000000000000000000000000000000000A",
		"\"",
	}, fuzzedWAVs...) {
		for kind := range endings {
			f.Add(uint8(kind), []byte(seed))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		path := filepath.Join(dir, "signals"+endings[int(kind)%len(endings)])
		put(t, path, data)
		var z *mat.Dense
		var err error
		bytes := allocated(func() { z, err = ReadFile(path) })
		each := uint64(1000)
		if extension(path) == ".png" {
			each = 18 * maxPNGRatio // as decoded, in grey and as float64
		}
		if ending := extension(path); ending == ".mat" || ending == ".set" {
			each = 30 * maxPNGRatio // what is compressed, listed, and as float64
		}
		if most := 1<<20 + each*uint64(len(data)); bytes > most {
			t.Errorf("allocated %d bytes for a file of %d, want at most %d", bytes, len(data), most)
		}
		if err != nil {
			checkError(t, err)
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v doesn't name %s", err, path)
			}
			return
		}
		if _, _, err := checkSignals(z); err != nil {
			t.Error(err)
		}
	})
}

// CSV and NPY keep every bit of what is written, WAV those of a float32.
func FuzzWriteFile(f *testing.F) {
	f.Add(uint8(1), []byte("12345678abcdefgh"))
	f.Add(uint8(2), []byte("\x00\x00\x00\x00\x00\x00\xf0?\x01\x00\x00\x00\x00\x00\x00\x80\xff\xff\xff\xff\xff\xff\xef\x7f\x00\x00\x00\x00\x00\x00\xf0\xff"))
	f.Add(uint8(2), []byte("0000000000000000"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, signals uint8, data []byte) {
		d := max(int(signals), 1)
		T := len(data) / 8 / d
		if T == 0 {
			return
		}
		z := mat.NewDense(d, T, nil)
		z.Apply(func(i, p int, _ float64) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(data[8*(p*d+i):]))
		}, z)
		_, _, bad := checkSignals(z)
		for _, ending := range []string{".csv", ".npy", ".wav"} {
			path := filepath.Join(dir, "z"+ending)
			err := WriteFile(path, z)
			if err != nil {
				checkError(t, err)
			}
			if ending == ".wav" {
				if err == nil {
					checkWAV(t, path, z)
				}
				continue
			}
			if (err == nil) != (bad == nil) {
				t.Fatalf("%s: %v, though the signals are so: %v", ending, err, bad)
			}
			if err != nil {
				continue
			}
			got, err := ReadFile(path)
			if err != nil || !mat.Equal(got, z) {
				t.Fatalf("%s: wrote %v, read %v, %v", ending, mat.Formatted(z), got, err)
			}
		}
		if got := names(t, dir); len(got) > 3 {
			t.Fatalf("left %q", got)
		}
	})
}

func checkWAV(t *testing.T, path string, z *mat.Dense) {
	t.Helper()
	want := mat.DenseCopyOf(z)
	want.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, want)
	got, err := ReadFile(path)
	if err != nil || !mat.Equal(got, want) {
		t.Fatalf("wrote %v, read %v, %v", mat.Formatted(want), got, err)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A block that is nil is an error, also of a recording with columns set aside.
func TestNilBlock(t *testing.T) {
	about := &Recording{
		Places: []int{0}, Aside: []Column{{Name: "n", Values: make([]float64, 4), Place: 1}},
	}
	err := WriteBlocks(filepath.Join(t.TempDir(), "a.npy"), about, 4,
		func(yield func(*mat.Dense, error) bool) { yield(nil, nil) })
	if err == nil || !strings.Contains(err.Error(), "no signals") {
		t.Error(err)
	}
	err = WriteBlocks(filepath.Join(t.TempDir(), "a.npy"), nil, 4, nil)
	if err == nil || !strings.Contains(err.Error(), "no recording") {
		t.Error(err)
	}
}
