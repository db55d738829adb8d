package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A recording in blocks of any size is the recording as a whole, and written in blocks
// the same file.
func TestStream(t *testing.T) {
	const d, n = 3, 1000
	z := mat.NewDense(d, n, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range d {
		for k := range n {
			z.Set(i, k, float64(float32(rng.NormFloat64())))
		}
	}
	names := []string{"left", "middle", "right"}
	for _, file := range []struct {
		name  string
		about Recording
	}{
		{"timed.csv", Recording{Names: names, Rate: 250, TimeColumn: "time", Start: 3}},
		{"untimed.csv", Recording{}},
		{"named.wav", Recording{Names: names, Rate: 8000}},
		{"plain.npy", Recording{}},
		{"named.npy", Recording{Names: names, Rate: 17.5}},
	} {
		path := filepath.Join(t.TempDir(), file.name)
		whole := file.about
		whole.Signals = z
		if err := WriteRecording(path, &whole); err != nil {
			t.Fatal(err)
		}
		want, s := readBothWays(t, path)
		if d0, n0 := s.Dims(); d0 != d || n0 != n {
			t.Errorf("%s: %d×%d", file.name, d0, n0)
		}
		for _, size := range []int{1, 7, n / 2, n, 2 * n} {
			got := gathered(t, s.Blocks(size))
			if !mat.Equal(got, want.Signals) {
				t.Errorf("%s in blocks of %d isn't the whole", file.name, size)
			}
		}
		again := filepath.Join(t.TempDir(), file.name)
		about := s.About()
		if err := WriteBlocks(again, &about, n, s.Blocks(7)); err != nil {
			t.Fatal(err)
		}
		got, err := ReadRecording(again)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.Signals, want.Signals) || !slices.Equal(got.Names, want.Names) || got.Rate != want.Rate || got.Start != want.Start || got.TimeColumn != want.TimeColumn {
			t.Errorf("%s: written in blocks: %+v, want %+v", file.name, got, want)
		}
		a, _ := os.ReadFile(path)
		b, _ := os.ReadFile(again)
		if !slices.Equal(a, b) {
			t.Errorf("%s: written in blocks, the file differs", file.name)
		}
	}
}

// readBothWays reads the recording of a file as a whole, and opens it to be read in blocks.
func readBothWays(t *testing.T, path string) (*Recording, *Stream) {
	t.Helper()
	r, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStream(path)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// gathered are all blocks beside each other.
func gathered(t *testing.T, blocks iter.Seq2[*mat.Dense, error]) *mat.Dense {
	t.Helper()
	all := new(mat.Dense)
	for z, err := range blocks {
		if err != nil {
			t.Fatal(err)
		}
		if all.IsEmpty() {
			all.CloneFrom(z)
			continue
		}
		var longer mat.Dense
		longer.Augment(all, z)
		all = &longer
	}
	return all
}

// An array in Fortran order is read in blocks, of any length, to the same signals as one in C order.
func TestStreamFortranOrder(t *testing.T) {
	const d, n = 3, 7001
	x := mat.NewDense(d, n, nil)
	var file bytes.Buffer
	fmt.Fprintf(&file, "\x93NUMPY\x01\x00\x46\x00%-69s\n",
		fmt.Sprintf("{'descr': '<i2', 'fortran_order': True, 'shape': (%d, %d), }", n, d))
	for i := range d {
		for k := range n {
			v := int16(7*k*k + i*k + k%5)
			x.Set(i, k, float64(v))
			binary.Write(&file, binary.LittleEndian, v)
		}
	}
	path := filepath.Join(t.TempDir(), "fortran.npy")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStream(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{1, 1000, n} {
		from := 0
		for z, err := range s.Blocks(length) {
			if err != nil {
				t.Fatal(err)
			}
			_, k := z.Dims()
			if !mat.Equal(z, x.Slice(0, d, from, from+k)) {
				t.Fatalf("blocks of %d: other values from position %d on", length, from)
			}
			from += k
		}
		if from != n {
			t.Errorf("blocks of %d: %d positions, want %d", length, from, n)
		}
	}

	if err := os.Truncate(path, int64(file.Len())-10); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenStream(path); err == nil {
		for _, e := range s.Blocks(1000) {
			err = e
		}
	}
	if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is cut off: %v", err)
	}
}

// What can't be read in blocks is refused with what is wrong, and where.
func TestStreamErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, file, want string }{
		{"image.png", "", "must be .csv, .tsv, .txt, .npy, .wav or .asc"},
		{"empty.csv", "", "no rows of numbers"},
		{"header.csv", "a,b\n", "no rows of numbers"},
		{"short.csv", "1,2\n3\n", "line 2 has 1 column"},
		{"word.csv", "1,2\n3,x\n", "line 2, column 2"},
		{"gap.csv", "t,a\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n90,7\n", "gap.csv: line 8: the times have a gap"},
		{"none.npy", "", "no NPY header"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.file), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenStream(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := (ReadOptions{Variable: "x"}).Stream(filepath.Join(dir, "a.npy")); err == nil ||
		!strings.Contains(err.Error(), "only MAT-files have variables") {
		t.Errorf("a variable of an NPY file: %v", err)
	}
	if _, err := OpenStream(filepath.Join(dir, "missing.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}

	// A NaN is found where it is, and what was there before stays.
	path, out := filepath.Join(dir, "nan.npy"), filepath.Join(dir, "out.csv")
	if err := WriteFile(path, mat.NewDense(1, 5, []float64{1, 2, 3, 4, 5})); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	for k := range 8 {
		data[len(data)-1-k] = 0xff
	}
	os.WriteFile(path, data, 0o666)
	os.WriteFile(out, []byte("before"), 0o666)
	s, err := OpenStream(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteBlocks(out, &Recording{}, 5, s.Blocks(2)); err == nil || !strings.Contains(err.Error(), "position 5") {
		t.Errorf("a NaN: %v", err)
	}
	if kept, _ := os.ReadFile(out); string(kept) != "before" {
		t.Errorf("the file holds %q", kept)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	// A file that has become shorter since.
	os.WriteFile(path, data[:len(data)-16], 0o666)
	for _, err := range s.Blocks(5) {
		if err == nil {
			t.Error("5 positions of 3")
		}
	}
}

// A file that promises more than it has, or other than it was, allocates no more than a
// block.
func TestStreamOfPromises(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.npy")
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }\n", math.MaxInt32, math.MaxInt32)
	if err := os.WriteFile(path, []byte("\x93NUMPY\x01\x00"+string(rune(len(text)))+"\x00"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStream(path)
	if err != nil {
		t.Fatal(err)
	}
	if took := allocated(func() {
		for _, err := range s.Blocks(1 << 10) {
			if err == nil {
				t.Error("a block of nothing")
			}
		}
	}); took > 1<<20 {
		t.Errorf("%d bytes", took)
	}
}

// A column of times that starts anew gives the same joints in blocks as as a whole.
func TestStreamJoints(t *testing.T) {
	var file strings.Builder
	file.WriteString("time,a,b\n")
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 3 * 1200 {
		fmt.Fprintf(&file, "%.3f,%g,%g\n", float64(k%1200)/250, rng.NormFloat64(), rng.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "runs.csv")
	put(t, path, []byte(file.String()))
	whole, s := readBothWays(t, path)
	want, about := []int{1200, 2400}, s.About()
	if !slices.Equal(whole.Joints, want) || !slices.Equal(about.Joints, want) {
		t.Errorf("joints %v as a whole and %v in blocks, want %v", whole.Joints, about.Joints, want)
	}
	if !slices.Equal(whole.Notes, about.Notes) || whole.Rate != about.Rate {
		t.Errorf("as a whole %g Hz, %q; in blocks %g Hz, %q", whole.Rate, whole.Notes, about.Rate, about.Notes)
	}
}

// A structured array with times that is cut off is an error of Blocks.
func TestStreamOfCutOffTimes(t *testing.T) {
	var file bytes.Buffer
	fmt.Fprintf(&file, "\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': [('time', '<f8'), ('a', '<f8')], 'fortran_order': False, 'shape': (100,), }")
	for k := range 60 {
		binary.Write(&file, binary.LittleEndian, [2]float64{float64(k) / 250, float64(k * k % 7)})
	}
	path := filepath.Join(t.TempDir(), "cut.npy")
	put(t, path, file.Bytes())
	s, err := OpenStream(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Blocks(100) {
		if err == nil {
			t.Error("a block of 100 positions of a file that has 60")
		}
	}
}

// EyeLink's text is read in blocks, too.
func TestStreamOfEyeLink(t *testing.T) {
	var file strings.Builder
	file.WriteString("** CONVERTED FROM a.edf\nSAMPLES\tGAZE\tLEFT\tRATE\t500.00\n")
	for k := range 200 {
		fmt.Fprintf(&file, "%d\t%.1f\t%.1f\t%.1f\t...\n", 5000+2*k, 400*math.Sin(float64(k)),
			float64(k*k%311), float64(900+k*k%17))
		if k == 100 {
			file.WriteString("MSG\t5200 half\n")
		}
	}
	path := filepath.Join(t.TempDir(), "a.asc")
	put(t, path, []byte(file.String()))
	whole, s := readBothWays(t, path)
	about := s.About()
	if !mat.Equal(gathered(t, s.Blocks(7)), whole.Signals) || about.Rate != whole.Rate ||
		about.Start != whole.Start || !slices.Equal(about.Names, whole.Names) ||
		!slices.Equal(about.Notes, whole.Notes) {
		t.Errorf("in blocks %+v, as a whole %+v", about, *whole)
	}
}
