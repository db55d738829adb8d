package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// MNISTSide is the height and the width of the images that [MNIST] gives: 28
// pixels, and a border of 2 on each side. The paper has 32×32 and doesn't say how it
// came by them; resized digits would be as likely.
const MNISTSide = 28 + 2*MNISTBorder

// MNISTBorder is the width of that border in pixels.
const MNISTBorder = 2

// What these hold and where it comes from is told in mnist/README.md.
var (
	//go:embed mnist/sample-images-idx3-ubyte.gz
	sampleImages []byte
	//go:embed mnist/sample-labels-idx1-ubyte.gz
	sampleLabels []byte
)

// MNIST draws d different handwritten digits from the sample of 200, 20 of
// each class, that is built into this package. It returns the signals, d×1024,
// as [Digits.Sources] makes them, and the class of each, 0 to 9.
func MNIST(rng *rand.Rand, d int) (s *mat.Dense, labels []int, err error) {
	digits, err := builtinMNIST()
	if err != nil {
		return nil, nil, err
	}
	return digits.Sources(rng, d)
}

var builtinMNIST = sync.OnceValues(func() (*Digits, error) {
	images, err := gzip.NewReader(bytes.NewReader(sampleImages))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in MNIST: %w", err)
	}
	labels, err := gzip.NewReader(bytes.NewReader(sampleLabels))
	if err != nil {
		return nil, fmt.Errorf("datasets: built-in MNIST: %w", err)
	}
	var d Digits
	if d.Images, err = readIDXImages(images); err != nil {
		return nil, err
	}
	if d.Labels, err = readIDXLabels(labels); err != nil {
		return nil, err
	}
	return &d, nil
})

// LoadMNIST reads MNIST's 60 000 training digits from dir, where
// [DownloadMNIST] put them. They take 47 MB of memory.
func LoadMNIST(dir string) (*Digits, error) {
	return LoadIDX(
		filepath.Join(dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(dir, "train-labels-idx1-ubyte.gz"))
}

// Sources draws n different images at random and returns them as signals with
// their labels. Each gets a border of two zeros on every side (see [MNISTSide])
// and is flattened row by row, so the signals are n×((Rows+4)·(Cols+4)), which
// for MNIST is n×1024. Pixels are scaled to [0, 1].
func (d *Digits) Sources(rng *rand.Rand, n int) (s *mat.Dense, labels []int, err error) {
	if rng == nil {
		return nil, nil, errNilRand
	}
	if n < 1 || n > d.N {
		return nil, nil, fmt.Errorf("datasets: %d digits asked for: need 1 to %d", n, d.N)
	}
	if d.Rows < 1 || d.Cols < 1 || len(d.Pixels) != d.N*d.Rows*d.Cols || len(d.Labels) != d.N {
		return nil, nil, fmt.Errorf("datasets: %d pixels and %d labels for %d digits of %d×%d: they do not fit",
			len(d.Pixels), len(d.Labels), d.N, d.Rows, d.Cols)
	}
	width := d.Cols + 2*MNISTBorder
	s, err = newSignals(n, (d.Rows+2*MNISTBorder)*width)
	if err != nil {
		return nil, nil, err
	}
	for i, k := range rng.Perm(d.N)[:n] {
		signal := s.RawRowView(i)
		for p, v := range d.Image(k) {
			row, col := p/d.Cols+MNISTBorder, p%d.Cols+MNISTBorder
			signal[row*width+col] = float64(v) / 255
		}
		labels = append(labels, int(d.Labels[k]))
	}
	return s, labels, nil
}
