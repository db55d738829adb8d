package datasets

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
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
	z.SetRow(0, append([]float64{math.MaxFloat64, -math.SmallestNonzeroFloat64, .1, 1. / 3, 1e-7, 1 << 53, 0}, z.RawRowView(0)[7:]...))
	for _, ending := range []string{".csv", ".npy", ".CSV"} {
		path := filepath.Join(t.TempDir(), "z"+ending)
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
	for _, name := range []string{"z", "z.txt", "z.csv.gz"} {
		if _, err := ReadFile(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "need .csv") {
			t.Errorf("reading %s: %v", name, err)
		}
		if err := WriteFile(filepath.Join(dir, name), ok); err == nil || !strings.Contains(err.Error(), "need .csv") {
			t.Errorf("writing %s: %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}
}

// What a header promises is not allocated before it is there.
func TestReadersAllocateWhatIsThere(t *testing.T) {
	for name, read := range map[string]func() error{
		"NPY": func() error {
			_, err := readNPY(strings.NewReader(npyFile("<f8", "False", "(30000000, 2)", "")))
			return err
		},
		"NPY, 10¹²": func() error {
			_, err := readNPY(strings.NewReader(npyFile("<f8", "True", "(1000000, 1000000)", "")))
			return err
		},
		"NPY header": func() error {
			_, err := readNPY(strings.NewReader("\x93NUMPY\x02\x00\xff\xff\xff\x3f{'descr'"))
			return err
		},
		"PGM": func() error { _, err := decodePGM(strings.NewReader("P5 4096 4096 255\n")); return err },
		"PNG": func() error { _, err := decodePNG(strings.NewReader(pngHeader(1e6, 1e6))); return err },
		"IDX": func() error {
			_, err := ReadIDXImages(strings.NewReader("\x00\x00\x08\x03\x00\x00\xff\xff\x00\x00\x00\x40\x00\x00\x00\x40"))
			return err
		},
		"WAV": func() error {
			_, err := decodeWAV(strings.NewReader(strings.Replace(wavOfFloats, "data\x08\x00\x00\x00", "data\x00\x00\x00\x0f", 1)))
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<20 {
			t.Errorf("%s: allocated %d bytes (%v), want an error and at most a MiB", name, got, err)
		}
	}
}

func TestBoundedReader(t *testing.T) {
	for _, n := range []int{0, 9, 10} {
		got, err := io.ReadAll(&boundedReader{strings.NewReader(strings.Repeat("x", n)), 10})
		if err != nil || len(got) != n {
			t.Errorf("%d of 10 bytes: read %d, %v", n, len(got), err)
		}
	}
	if got, err := io.ReadAll(&boundedReader{strings.NewReader("12345678901"), 10}); !errors.Is(err, errTooLong) || len(got) != 10 {
		t.Errorf("11 of 10 bytes: read %q, %v", got, err)
	}
}
