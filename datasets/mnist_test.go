package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The embedded files are those that mnist/README.md tells of.
func TestMNISTChecksums(t *testing.T) {
	readme, err := os.ReadFile("mnist/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"sample-images-idx3-ubyte.gz": {sampleImages, "bbeca113eb08c17c37fd346233a75f2a646d3a7ced7a58f80040ce40a4bcb459"},
		"sample-labels-idx1-ubyte.gz": {sampleLabels, "00853e691f1f532e134c1ac9268950d653982b52c3e62f85023df705c3671382"},
	} {
		sum := sha256.Sum256(c.data)
		if got := hex.EncodeToString(sum[:]); got != c.want {
			t.Errorf("%s has SHA-256 %s, want %s", name, got, c.want)
		}
		if !strings.Contains(string(readme), c.want) {
			t.Errorf("mnist/README.md does not tell the SHA-256 of %s", name)
		}
	}
}

func TestMNISTSample(t *testing.T) {
	digits, err := builtinMNIST()
	if err != nil {
		t.Fatal(err)
	}
	if digits.N != 200 || digits.Rows != 28 || digits.Cols != 28 || len(digits.Labels) != 200 {
		t.Fatalf("%d digits of %d×%d with %d labels, want 200 of 28×28", digits.N, digits.Rows, digits.Cols, len(digits.Labels))
	}
	for i, label := range digits.Labels {
		if int(label) != i/20 {
			t.Fatalf("label %d is %d, want %d", i, label, i/20)
		}
	}
	seen := map[string]bool{}
	for i := range digits.N {
		seen[string(digits.Image(i))] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different images, want 200", len(seen))
	}
	// Where the ink is, MNIST's digits having been centred by their mass.
	ink, row, col := 0., 0., 0.
	for i := range digits.N {
		for p, v := range digits.Image(i) {
			ink += float64(v)
			row += float64(v) * float64(p/28)
			col += float64(v) * float64(p%28)
		}
	}
	if math.Abs(row/ink-13.5) > 1 || math.Abs(col/ink-13.5) > 1 {
		t.Errorf("the ink is centred at (%v, %v), want about (13.5, 13.5)", row/ink, col/ink)
	}
	// All of MNIST's training pixels have the mean 0.1307 (of 1).
	if mean := ink / 255 / float64(len(digits.Pixels)); math.Abs(mean-.1307) > .02 {
		t.Errorf("mean pixel %v, want about 0.1307", mean)
	}
}

func TestMNIST(t *testing.T) {
	digits, err := builtinMNIST()
	if err != nil {
		t.Fatal(err)
	}
	s, labels, err := MNIST(newRand(1), 200)
	if err != nil {
		t.Fatal(err)
	}
	if d, T := s.Dims(); d != 200 || T != MNISTSide*MNISTSide {
		t.Fatalf("%d×%d, want 200×1024", d, T)
	}
	// All of them were drawn, so each once, in another order; the border is
	// zero and what it encloses the image.
	seen := map[int]bool{}
	count := map[int]int{}
	for i := range 200 {
		count[labels[i]]++
		image := make([]byte, 0, 28*28)
		for p, v := range s.RawRowView(i) {
			row, col := p/32-2, p%32-2
			if inside := 0 <= row && row < 28 && 0 <= col && col < 28; inside {
				image = append(image, byte(math.Round(v*255)))
			} else if v != 0 {
				t.Fatalf("digit %d has %v in its border", i, v)
			}
			if v < 0 || v > 1 {
				t.Fatalf("digit %d has the pixel %v", i, v)
			}
		}
		for k := range digits.N {
			if string(digits.Image(k)) == string(image) {
				seen[k] = true
				if labels[i] != int(digits.Labels[k]) {
					t.Errorf("digit %d has the label %d, want %d", i, labels[i], digits.Labels[k])
				}
			}
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d different digits drawn, want 200", len(seen))
	}
	for label := range 10 {
		if count[label] != 20 {
			t.Errorf("%d digits of class %d, want 20", count[label], label)
		}
	}

	again, _, err := MNIST(newRand(1), 3)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(again, s.Slice(0, 3, 0, 1024)) {
		t.Error("the same seed drew other digits")
	}
}

func TestMNISTErrors(t *testing.T) {
	for _, d := range []int{-1, 0, 201} {
		if _, _, err := MNIST(newRand(1), d); err == nil {
			t.Errorf("d = %d: no error", d)
		}
	}
	if _, _, err := MNIST(nil, 1); err == nil {
		t.Error("nil rng: no error")
	}
	broken := Digits{Images: Images{N: 1, Rows: 2, Cols: 2, Pixels: make([]byte, 4)}}
	if _, _, err := broken.Sources(newRand(1), 1); err == nil {
		t.Error("digits without labels: no error")
	}
	if _, err := LoadMNIST(t.TempDir()); err == nil {
		t.Error("no files: no error")
	}
}
