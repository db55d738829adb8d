package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func gaussians(seed uint64, d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 44))
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	return z
}

// The cosine transform keeps inner products and is inverted; scaling commutes with a mixing.
func TestCosineTransformIsOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{48}, {6, 8}, {2, 4, 6}} {
		z := gaussians(1, 3, 48)
		c := newCosine(z, shape)
		var before, after mat.Dense
		before.Mul(z, z.T())
		after.Mul(c.coefficients, c.coefficients.T())
		if !mat.EqualApprox(&before, &after, 1e-10) {
			t.Errorf("shape %v: inner products %v, want %v", shape, mat.Formatted(&after), mat.Formatted(&before))
		}
		if !mat.EqualApprox(c.scaled(shape), z, 1e-12) {
			t.Errorf("shape %v: the transform doesn't come back", shape)
		}
		small := scaledShape(shape, 2)
		a := gaussians(2, 3, 3)
		var x, mixed mat.Dense
		x.Mul(a, z)
		mixed.Mul(a, c.scaled(small))
		if !mat.EqualApprox(newCosine(&x, shape).scaled(small), &mixed, 1e-12) {
			t.Errorf("shape %v: scaling doesn't commute with a mixing", shape)
		}
	}
}

// A constant stays constant, multiplied by √k: half of the positions have the same energy.
func TestScaledConstant(t *testing.T) {
	z := mat.NewDense(1, 40, nil)
	floats.AddConst(1, z.RawRowView(0))
	for _, v := range newCosine(z, []int{40}).scaled([]int{20}).RawRowView(0) {
		if math.Abs(v-math.Sqrt2) > 1e-12 {
			t.Fatalf("%g, want √2", v)
		}
	}
}

func TestSmoothLength(t *testing.T) {
	for n, want := range map[int]int{5: 5, 8: 8, 2000: 2000, 2003: 2000, 20011: 20000, 1024: 1024} {
		if got := smoothLength(n); got != want {
			t.Errorf("smoothLength(%d) = %d, want %d", n, got, want)
		}
	}
	for n := 200; n < 30000; n += 37 {
		if got := smoothLength(n); got > n || float64(got) < 0.9*float64(n) {
			t.Errorf("smoothLength(%d) = %d", n, got)
		}
	}
}
