package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Closed forms for x white and y_t = b·y_{t−1} + c·x_{t−1} + noise, all innovations
// of variance 1. From its own neighbours y is an AR(1) process with innovations
// of variance 1+c², x is noise. From all but position t, y_t has the variance
// 1/(1 + b²/(1+c²)), as y_{t+1} sees it through noise of variance 1+c², and x_t has
// that of a value seen in y_{t+1} with the factor c through noise of 1+b². So
//
//	R²(y own) = 1 − (1−b²)/(1+b²)    R²(y all) = 1 − (1−b²)/(1+b²+c²)
//	R²(x own) = 0                    R²(x all) = c²/(1+b²+c²)
func TestPredictability(t *testing.T) {
	const positions = 20000
	for _, test := range []struct{ b, c float64 }{{0.6, 0}, {0.6, 0.8}, {0, 1}} {
		r := rng(7)
		z := mat.NewDense(2, positions, nil)
		for k := range positions {
			x, y := r.NormFloat64(), r.NormFloat64()
			if k > 0 {
				y += test.b*z.At(1, k-1) + test.c*z.At(0, k-1)
			}
			z.Set(0, k, x)
			z.Set(1, k, y)
		}
		found, err := predictability(t.Context(), z, index(t, positions))
		if err != nil {
			t.Fatal(err)
		}
		b2, c2 := test.b*test.b, test.c*test.c
		for i, want := range []Predictability{
			{Own: 0, All: c2 / (1 + b2 + c2)},
			{Own: 1 - (1-b2)/(1+b2), All: 1 - (1-b2)/(1+b2+c2)},
		} {
			got := found[i]
			if math.Abs(got.Own-want.Own) > 0.015 || math.Abs(got.All-want.All) > 0.015 {
				t.Errorf("b %g, c %g, signal %d: R² %.3f own and %.3f all, want %.3f and %.3f",
					test.b, test.c, i, got.Own, got.All, want.Own, want.All)
			}
			if self := test.c == 0; got.isSelfSufficient() != self {
				t.Errorf("b %g, c %g, signal %d: self-sufficient %v: %+v", test.b, test.c, i,
					!self, got)
			}
		}
	}
}

// Signals of an image are predicted along both axes. The products of all blocks except one, which
// predict that block, are those of its complement.
func TestPredictabilityOfImages(t *testing.T) {
	const side = 40
	r := rng(3)
	z := mat.NewDense(2, side*side, nil)
	for k := range side * side {
		z.Set(0, k, r.NormFloat64())
		v := r.NormFloat64()
		if k >= side {
			v += 0.9 * z.At(1, k-side) // the pixel above
		}
		z.Set(1, k, v)
	}
	found, err := predictability(t.Context(), z, index(t, side, side))
	if err != nil {
		t.Fatal(err)
	}
	want := 1 - (1-0.81)/(1+0.81)
	if math.Abs(found[0].Own) > 0.06 || math.Abs(found[1].Own-want) > 0.06 {
		t.Errorf("R² %.3f and %.3f, want 0 and %.3f", found[0].Own, found[1].Own, want)
	}
	flat, err := predictability(t.Context(), z, index(t, side*side))
	if err != nil {
		t.Fatal(err)
	}
	if flat[1].Own > 0.15 {
		t.Errorf("as a sequence R² is %.3f, want 0", flat[1].Own)
	}
}

// The part of a long sequence is blocks from its beginning to its end; a short sequence and an
// image are used as they are.
func TestPartOfLongSequences(t *testing.T) {
	const n = 20000
	z := mat.NewDense(2, n, nil)
	for k := range n {
		z.Set(0, k, float64(k))
		z.Set(1, k, -float64(k))
	}
	p := part(wholeOf(z))
	blocks := p.x
	if d, positions := blocks.Dims(); d != 2 || positions != 8192 || p.shape[0] != 8192 {
		t.Fatalf("a part of %d signals at %d positions, shape %v", d, positions, p.shape)
	}
	row := blocks.RawRowView(0)
	for k, v := range row {
		if k%signal.PartBlock > 0 && v != row[k-1]+1 || blocks.At(1, k) != -v {
			t.Fatalf("position %d of the part is %g, after %g", k, v, row[k-1])
		}
	}
	if row[0] != 0 || row[8191] != n-1 {
		t.Errorf("the part is from %g to %g, want 0 to %d", row[0], row[8191], n-1)
	}
	for _, shape := range [][]int{{100, 200}, {16383}} {
		z := mat.NewDense(2, shape[0], nil)
		if got := part(wholeOf(z, shape...)); got.x != z {
			t.Errorf("shape %v has a part", shape)
		}
	}
}
