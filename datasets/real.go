package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Real signals. What they hold, where they come from and under which licences is told
// in recordings/README.md.
var (
	//go:embed recordings/voices.wav
	voices []byte
	//go:embed recordings/ecg.csv.gz
	electrocardiogram []byte
	//go:embed recordings/camera.png
	cameraImage []byte
	//go:embed recordings/astronaut.png
	astronautImage []byte
	//go:embed recordings/cat.png
	catImage []byte
)

// Voices returns four spoken sentences, two each of two speakers, 4×22440 at
// 8000 Hz between −1 and 1: sources whose mixtures have a known truth. They are from
// CMU ARCTIC, copyright Carnegie Mellon University, free to use with that notice; see
// recordings/README.md.
func Voices() (*Recording, error) {
	s, err := decodeWAV(bytes.NewReader(voices))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in voices: %w", err)
	}
	return &Recording{
		Signals: s.signals,
		Names:   []string{"aew_a0001", "aew_a0003", "axb_a0004", "axb_a0006"},
		Rate:    float64(s.rate),
	}, nil
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
	r, err := readCSV(text)
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in ECG: %w", err)
	}
	return r, nil
}

// Photographs returns three grey photographs, a man with a camera, an astronaut and a
// cat, as ReadImages does: 3×16384, row by row, black 0 and white 1, and their shape
// [128, 128]. They are in the public domain; see recordings/README.md.
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
