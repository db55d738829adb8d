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
	"gonum.org/v1/gonum/stat"
)

// The embedded files are those that recordings/README.md tells of, with their
// licences, and are small.
func TestRealChecksums(t *testing.T) {
	text, err := os.ReadFile("recordings/README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	total := 0
	for name, data := range map[string][]byte{
		"voices.gz": voices, "ecg.csv.gz": electrocardiogram,
		"camera.png": cameraImage, "astronaut.png": astronautImage, "cat.png": catImage,
	} {
		sum := sha256.Sum256(data)
		if row := "`" + name + "`"; !strings.Contains(readme, row) || !strings.Contains(readme, hex.EncodeToString(sum[:])) {
			t.Errorf("recordings/README.md does not tell of %s with SHA-256 %x", name, sum)
		}
		total += len(data)
	}
	if total > 1<<20 {
		t.Errorf("%d bytes are built in, want at most 1 MiB", total)
	}
	for _, licence := range []string{"Carnegie Mellon University", "Open Data Commons Attribution License 1.0", "CC0"} {
		if !strings.Contains(readme, licence) {
			t.Errorf("recordings/README.md does not tell of the licence %q", licence)
		}
	}
}

// The voices are four different ones that use the range and don't clip.
func TestVoices(t *testing.T) {
	r, err := Voices()
	if err != nil {
		t.Fatal(err)
	}
	d, n := r.Signals.Dims()
	if d != 4 || n != 22440 || r.Rate != 8000 || len(r.Names) != d {
		t.Fatalf("%d×%d at %g Hz, %q", d, n, r.Rate, r.Names)
	}
	for i := range d {
		s := r.Signals.RawRowView(i)
		if most := max(slices.Max(s), -slices.Min(s)); most < .1 || most >= 1 {
			t.Errorf("%s reaches %v", r.Names[i], most)
		}
		for j := range i {
			if c := stat.Correlation(s, r.Signals.RawRowView(j), nil); math.Abs(c) > .05 {
				t.Errorf("%s and %s correlate by %v", r.Names[i], r.Names[j], c)
			}
		}
	}
}

// Einthoven's and Goldberger's leads are the sums that they are defined as, to the
// recording's microvolt.
func TestECG(t *testing.T) {
	r, err := ECG()
	if err != nil {
		t.Fatal(err)
	}
	d, n := r.Signals.Dims()
	if d != 15 || n != 10000 || r.Rate != 1000 || r.TimeColumn != "time" || r.Start != 0 {
		t.Fatalf("%d×%d at %g Hz from %g, times %q", d, n, r.Rate, r.Start, r.TimeColumn)
	}
	if want := strings.Fields("i ii iii avr avl avf v1 v2 v3 v4 v5 v6 vx vy vz"); !slices.Equal(r.Names, want) {
		t.Errorf("names %q, want %q", r.Names, want)
	}
	for row, of := range map[int][2]float64{2: {-1, 1}, 3: {-.5, -.5}, 4: {1, -.5}, 5: {-.5, 1}} {
		for k := range n {
			want := of[0]*r.Signals.At(0, k) + of[1]*r.Signals.At(1, k)
			if got := r.Signals.At(row, k); math.Abs(got-want) > .0011 {
				t.Fatalf("lead %s is %v mV at position %d, want %v", r.Names[row], got, k, want)
			}
		}
	}
}

func TestPhotographs(t *testing.T) {
	s, shape, err := Photographs()
	if err != nil {
		t.Fatal(err)
	}
	if d, n := s.Dims(); d != 3 || n != 128*128 || !slices.Equal(shape, []int{128, 128}) {
		t.Fatalf("%d×%d of shape %v", d, n, shape)
	}
	files, shape, err := ReadImages("recordings/camera.png", "recordings/astronaut.png", "recordings/cat.png")
	if err != nil || !mat.Equal(s, files) || len(shape) != 2 {
		t.Errorf("not what ReadImages reads: %v", err)
	}
	for i := range 3 {
		row := s.RawRowView(i)
		if slices.Min(row) < 0 || slices.Max(row) > 1 || stat.StdDev(row, nil) < .1 {
			t.Errorf("photograph %d lies between %v and %v", i+1, slices.Min(row), slices.Max(row))
		}
	}
}
