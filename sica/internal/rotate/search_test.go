package rotate

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The entropy of uniform, normal and Laplace values against their closed forms.
func TestEntropy(t *testing.T) {
	const n = 20000
	for _, test := range []struct {
		name string
		z    *mat.Dense
		want float64
	}{
		{"uniform of variance 1", noise(rng(1), 1, n, datasets.Uniform), math.Log(2 * math.Sqrt(3))},
		{"normal", noise(rng(2), 1, n, datasets.Normal), math.Log(2*math.Pi*math.E) / 2},
		// variance 2b² = 1
		{"Laplace of variance 1", noise(rng(3), 1, n, datasets.Laplace), 1 + math.Log(math.Sqrt2)},
	} {
		row := append([]float64(nil), test.z.RawRowView(0)...)
		standardise(row)
		// Spacings of many values miss a little of the tails.
		if got := entropy(row); math.Abs(got-test.want) > 0.04 {
			t.Errorf("%s: %.4f, want %.4f", test.name, got, test.want)
		}
	}
}

// A pair's entropy, solved from its parts, is that of the signal predicted on
// its own.
func TestPairEntropy(t *testing.T) {
	for _, shape := range [][]int{{300}, {15, 20}} {
		g := index(t, shape...)
		z := noise(rng(4), 2, 300, datasets.Laplace)
		for k := 1; k < 300; k++ {
			z.Set(0, k, z.At(0, k)+0.8*z.At(0, k-1))
		}
		white, err := preprocess.Whitened(z)
		if err != nil {
			t.Fatal(err)
		}
		s := &rotationSearch{z: white, neighbours: g.Own(), noise: predict.Jitter(0, 300)}
		x, y := math.Cos(0.7), math.Sin(0.7)
		signal := make([]float64, 300)
		floats.AddScaled(signal, x, white.RawRowView(0))
		floats.AddScaled(signal, y, white.RawRowView(1))
		residual := append([]float64(nil), signal...)
		floats.Sub(residual, predict.Of(signal, g.Own()))
		floats.Add(residual, s.noise)
		want := entropy(residual)
		if got := newPair(s, 0, 1).entropy(x, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("shape %v: %g, want %g", shape, got, want)
		}
	}
}

// Rotated sources are found again, those that are alike in value by their
// spectra, three at once, and from a rotation at which turning pairs gets stuck
// if need be.
func TestLeastEntropyRotation(t *testing.T) {
	spectra := twoSpectra(t, 5)
	for name, sources := range map[string]*mat.Dense{
		"two spectra": spectra,
		"uniform":     noise(rng(6), 2, 1024, datasets.Uniform),
		"Laplace":     noise(rng(7), 3, 1024, datasets.Laplace),
	} {
		white, err := preprocess.Whitened(sources)
		if err != nil {
			t.Fatal(err)
		}
		d, n := white.Dims()
		g := index(t, n)
		mixed := new(mat.Dense)
		mixed.Mul(rotation.Random(rng(8), d), white)
		z, _ := LeastEntropy(context.Background(), mixed, g, 3, 1)
		if m, err := metric.MCC(z, sources); err != nil || m.MCC < 0.985 {
			t.Errorf("%s: MCC %.4f, %v", name, m.MCC, err)
		}
		// A rotation keeps the signals white.
		var cov mat.SymDense
		cov.SymOuterK(1/float64(n), z)
		for i := range d {
			for j := range d {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(cov.At(i, j)-want) > 1e-9 {
					t.Errorf("%s: covariance %v", name, mat.Formatted(&cov))
				}
			}
		}
	}
}

// Cancelled, the search gives what it has.
func TestLeastEntropyRotationCancelled(t *testing.T) {
	white, err := preprocess.Whitened(noise(rng(9), 3, 256, datasets.Uniform))
	if err != nil {
		t.Fatal(err)
	}
	g := index(t, 256)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if z, _ := LeastEntropy(ctx, white, g, 3, 1); !mat.Equal(z, white) {
		t.Error("turned signals although it was cancelled")
	}
}
