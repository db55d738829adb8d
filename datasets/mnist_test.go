package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The embedded file is the one that mnist/README.md describes.
func TestMNISTChecksum(t *testing.T) {
	readme, err := os.ReadFile("mnist/README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(digitsImage)
	if !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
		t.Errorf("mnist/README.md doesn't say that digits.png has the SHA-256 %x", sum)
	}
}

// inside returns the 28×28 pixels that the border encloses, 0 to 255.
func inside(t *testing.T, digit []float64) []byte {
	t.Helper()
	var pixels []byte
	for p, v := range digit {
		row, col := p/32-2, p%32-2
		if 0 <= row && row < 28 && 0 <= col && col < 28 {
			pixels = append(pixels, byte(math.Round(v*255)))
		} else if v != 0 {
			t.Fatalf("a digit has %v in its border", v)
		}
		if v < 0 || v > 1 {
			t.Fatalf("a digit has the pixel %v", v)
		}
	}
	return pixels
}

func TestMNISTSample(t *testing.T) {
	digits, err := builtinDigits()
	if err != nil {
		t.Fatal(err)
	}
	if count, pixels := digits.Dims(); count != 200 || pixels != MNISTSide*MNISTSide {
		t.Fatalf("%d digits of %d pixels, want 200 of 1024", count, pixels)
	}
	// The pixels are those of MNIST's own format, one digit after another.
	seen, all := map[string]bool{}, sha256.New()
	for i := range 200 {
		pixels := inside(t, digits.RawRowView(i))
		seen[string(pixels)] = true
		all.Write(pixels)
	}
	if len(seen) != 200 {
		t.Errorf("%d different images, want 200", len(seen))
	}
	if got := hex.EncodeToString(all.Sum(nil)); got != "70e626d253f3a7fef598d98a5b96c6667b85c870a0e87fef73f6ca261897dd0b" {
		t.Errorf("the pixels have the SHA-256 %s", got)
	}
	// Where the ink is, MNIST's digits having been centred by their mass.
	ink, row, col := 0., 0., 0.
	for i := range 200 {
		for p, v := range inside(t, digits.RawRowView(i)) {
			ink += float64(v)
			row += float64(v) * float64(p/28)
			col += float64(v) * float64(p%28)
		}
	}
	if math.Abs(row/ink-13.5) > 1 || math.Abs(col/ink-13.5) > 1 {
		t.Errorf("the ink is centred at (%v, %v), want about (13.5, 13.5)", row/ink, col/ink)
	}
	// All of MNIST's training pixels have the mean 0.1307 (of 1).
	if mean := ink / 255 / (200 * 28 * 28); math.Abs(mean-.1307) > .02 {
		t.Errorf("mean pixel %v, want about 0.1307", mean)
	}
}

func TestMNIST(t *testing.T) {
	digits, err := builtinDigits()
	if err != nil {
		t.Fatal(err)
	}
	s, labels, err := MNIST(newRand(1), 200)
	if err != nil {
		t.Fatal(err)
	}
	if d, n := s.Dims(); d != 200 || n != MNISTSide*MNISTSide {
		t.Fatalf("%d×%d, want 200×1024", d, n)
	}
	// All of them were drawn, so each once, in another order.
	seen := map[int]bool{}
	for i := range 200 {
		for k := range 200 {
			if slices.Equal(digits.RawRowView(k), s.RawRowView(i)) {
				seen[k] = true
				if labels[i] != k/20 {
					t.Errorf("digit %d has the label %d, want %d", i, labels[i], k/20)
				}
			}
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d different digits drawn, want 200", len(seen))
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
}
