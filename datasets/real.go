package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Real signals. recordings/README.md and mnist/README.md say what they hold, where they come
// from, and under which licences.
var (
	//go:embed recordings/voices.gz
	voices []byte
	//go:embed recordings/ecg.csv.gz
	electrocardiogram []byte
	//go:embed recordings/camera.png
	cameraImage []byte
	//go:embed recordings/astronaut.png
	astronautImage []byte
	//go:embed recordings/cat.png
	catImage []byte
	//go:embed mnist/digits.png
	digitsImage []byte
)

// Voices returns four spoken sentences, two by each of two speakers, 4×22440 at 8000 Hz, with
// values between −1 and 1: sources whose mixtures have a known truth. They are from CMU ARCTIC,
// copyright Carnegie Mellon University, free to use with that notice; see recordings/README.md.
func Voices() (*Recording, error) {
	names := []string{"aew_a0001", "aew_a0003", "axb_a0004", "axb_a0006"}
	unzipped, err := gzip.NewReader(bytes.NewReader(voices))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in voices: %w", err)
	}
	data, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in voices: %w", err)
	}
	// The data are the high bytes of the differences between successive samples, voice by voice,
	// followed by the low bytes.
	high, low := data[:len(data)/2], data[len(data)/2:]
	d, n := len(names), len(high)/len(names)
	s := mat.NewDense(d, n, nil)
	for i := range d {
		row, sample := s.RawRowView(i), int16(0)
		for t := range row {
			k := i*n + t
			sample += int16(uint16(high[k])<<8 | uint16(low[k]))
			row[t] = float64(sample) / (1 << 15)
		}
	}
	return &Recording{Signals: s, Rate: 8000, Names: names}, nil
}

// ECG returns ten seconds of an electrocardiogram with its 12 leads, four of which are
// sums of others, and Frank's x, y and z: 15×10000 at 1000 Hz, in millivolts. It is the
// beginning of record s0010_re of the PTB Diagnostic ECG Database (R. Bousseljot, D.
// Kreiseler, A. Schnabel, Biomedizinische Technik, 1995) under the Open Data Commons
// Attribution License 1.0; see recordings/README.md.
func ECG() (*Recording, error) {
	text, err := gzip.NewReader(bytes.NewReader(electrocardiogram))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in ECG: %w", err)
	}
	r, err := formatOf(".csv").read(text)
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in ECG: %w", err)
	}
	return r, nil
}

// Photographs returns three grey photographs, a man with a camera, an astronaut and a cat, like
// ReadImages: 3×16384, row by row, black 0 and white 1, and their shape [128, 128]. They are in the
// public domain; see recordings/README.md.
func Photographs() (s *mat.Dense, shape []int, err error) {
	for i, file := range [][]byte{cameraImage, astronautImage, catImage} {
		img, err := decodePNG(bytes.NewReader(file))
		if err != nil {
			return nil, nil, fmt.Errorf("datasets: built-in photograph %d: %w", i+1, err)
		}
		if i == 0 {
			shape = []int{img.height, img.width}
			s = mat.NewDense(3, img.height*img.width, nil)
		}
		s.SetRow(i, img.pixels)
	}
	return s, shape, nil
}

// The size in pixels of a digit of [MNIST]: 28, and a border of 2 on each side. The paper's digits
// have 32×32 pixels. It doesn't say whether they have a border, as here, or were resized.
const (
	MNISTSide   = 28 + 2*MNISTBorder // height and width
	MNISTBorder = 2
)

// digitsPerClass is the number of built-in digits of each class 0 to 9.
const digitsPerClass = 20

// MNIST draws d different handwritten digits from the 200 built-in ones, 20 of each class. It
// returns them as signals d×1024, row by row, black 0 and white 1, with a border of zeros (see
// [MNISTSide]), and the class of each, 0 to 9. They are from MNIST by Y. LeCun, C. Cortes and C. J.
// C. Burges; see mnist/README.md.
func MNIST(rng *rand.Rand, d int) (s *mat.Dense, labels []int, err error) {
	if rng == nil {
		return nil, nil, errNilRand
	}
	digits, err := builtinDigits()
	if err != nil {
		return nil, nil, err
	}
	count, pixels := digits.Dims()
	if d < 1 || d > count {
		return nil, nil, fmt.Errorf("datasets: MNIST: d is %d; must be 1 to %d", d, count)
	}
	s = mat.NewDense(d, pixels, nil)
	for i, k := range rng.Perm(count)[:d] {
		s.SetRow(i, digits.RawRowView(k))
		labels = append(labels, k/digitsPerClass)
	}
	return s, labels, nil
}

// builtinDigits returns the 200 digits with their borders, 200×1024. A row of the image holds the
// digits of a class.
var builtinDigits = sync.OnceValues(func() (*mat.Dense, error) {
	const inner = MNISTSide - 2*MNISTBorder
	sheet, err := decodePNG(bytes.NewReader(digitsImage))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in MNIST: %w", err)
	}
	digits := mat.NewDense(10*digitsPerClass, MNISTSide*MNISTSide, nil)
	for p, v := range sheet.pixels {
		y, x := p/sheet.width, p%sheet.width
		row, col := y%inner+MNISTBorder, x%inner+MNISTBorder
		digits.Set(y/inner*digitsPerClass+x/inner, row*MNISTSide+col, v)
	}
	return digits, nil
})
