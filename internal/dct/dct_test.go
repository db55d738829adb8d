package dct

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// direct is the transform by its definition.
func direct(x []float64) []float64 {
	n := float64(len(x))
	out := make([]float64, len(x))
	for k := range out {
		for t, v := range x {
			out[k] += v * math.Cos(math.Pi*float64(k)*float64(2*t+1)/(2*n))
		}
		out[k] *= math.Sqrt(2 / n)
	}
	out[0] /= math.Sqrt2
	return out
}

func randomLine(r *rand.Rand, n int) []float64 {
	line := make([]float64, n)
	for t := range line {
		line[t] = r.NormFloat64()
	}
	return line
}

// Powers of two, of four, and other lengths have the transform of the definition, and the inverse has
// the lines; also two that are the same.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 8, 16, 32, 60, 64, 128, 200, 256} {
		x, y := randomLine(r, n), randomLine(r, n)
		a, b, c := slices.Clone(x), slices.Clone(y), slices.Clone(x)
		f := New(n)
		f.Forward(a, b)
		f.Forward(c, c)
		for name, pair := range map[string][2][]float64{
			"first": {a, direct(x)}, "second": {b, direct(y)}, "same": {c, direct(x)},
		} {
			if d := floats.Distance(pair[0], pair[1], math.Inf(1)); d > 1e-12 {
				t.Errorf("n = %d: %s line differs by %v", n, name, d)
			}
		}
		f.Inverse(a, b)
		f.Inverse(c, c)
		for name, pair := range map[string][2][]float64{"first": {a, x}, "second": {b, y}, "same": {c, x}} {
			if d := floats.Distance(pair[0], pair[1], math.Inf(1)); d > 1e-12 {
				t.Errorf("n = %d: inverse of %s line differs by %v", n, name, d)
			}
		}
	}
}

// Rounding doesn't grow with the length: a line of 2^14 values keeps its norm and comes back.
func TestLong(t *testing.T) {
	const n = 1 << 14
	r := rand.New(rand.NewPCG(1, 3))
	x, y := randomLine(r, n), randomLine(r, n)
	a, b := slices.Clone(x), slices.Clone(y)
	f := New(n)
	f.Forward(a, b)
	if ratio := floats.Norm(a, 2) / floats.Norm(x, 2); math.Abs(ratio-1) > 1e-12 {
		t.Errorf("norm changes by %v", ratio-1)
	}
	f.Inverse(a, b)
	if d := max(floats.Distance(a, x, math.Inf(1)), floats.Distance(b, y, math.Inf(1))); d > 1e-10 {
		t.Errorf("lines differ by %v", d)
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, n := range []int{8000, 8192, 16384} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, r := New(n), rand.New(rand.NewPCG(1, 4))
			x, y := randomLine(r, n), randomLine(r, n)
			for b.Loop() {
				f.Forward(x, y)
				f.Inverse(x, y)
			}
		})
	}
}
