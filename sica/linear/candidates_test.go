package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var jointMixing = mat.NewDense(2, 2, []float64{1, .5, -.4, 1})

// taking returns Gaussian signals that are loud in turns of 256 positions, and their mixture.
func taking() (s, x *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, x = mat.NewDense(2, 8192, nil), new(mat.Dense)
	s.Apply(func(i, t int, _ float64) float64 {
		return rng.NormFloat64() * (.1 + float64((t/256+i)%2))
	}, s)
	x.Mul(jointMixing, s)
	return s, x
}

// Signals that are loud in turns are found by their variances.
func TestVarianceDemixing(t *testing.T) {
	_, x := taking()
	b, err := varianceDemixing(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	var left mat.Dense // a permutation, scaled
	left.Mul(b, jointMixing)
	for i := range 2 {
		row := left.RawRowView(i)
		if small, large := min(math.Abs(row[0]), math.Abs(row[1])), floats.Norm(row, 2); small > .03*large {
			t.Errorf("row %d is %v", i, row)
		}
	}
}

// The lengths are those of the definition, Σ n/2·log p − n·log|det b| in each powerWindow, and in all
// less for the inverse of the jointMixing than for what is turned from it.
func TestPowerLengths(t *testing.T) {
	_, x := taking()
	var right, turned mat.Dense
	if err := right.Inverse(jointMixing); err != nil {
		t.Fatal(err)
	}
	turned.Mul(mat.NewDense(2, 2, []float64{math.Cos(.1), math.Sin(.1), -math.Sin(.1), math.Cos(.1)}), &right)
	lengths := powerLengths(&right, x, .01)
	if len(lengths) != 256 {
		t.Fatalf("%d windows", len(lengths))
	}
	var y mat.Dense
	y.Mul(&right, x)
	want := -32 * math.Log(1/1.2) // the determinant of jointMixing is 1.2
	for i := range 2 {
		power := 0.0
		for _, v := range y.RawRowView(i)[96:128] {
			power += v * v
		}
		want += 16 * math.Log(power/32+.01)
	}
	if math.Abs(lengths[3]-want) > 1e-9 {
		t.Errorf("powerWindow 3 takes %g nats, want %g", lengths[3], want)
	}
	if gain := floats.Sum(powerLengths(&turned, x, .01)) - floats.Sum(lengths); gain < 100 {
		t.Errorf("turned, it takes %g nats more", gain)
	}
	if powerLengths(&right, x.Slice(0, 2, 0, 511).(*mat.Dense), .01) != nil {
		t.Error("15 windows have lengths")
	}
}

// The covariance of what is added is shape·shapeᵀ, and the same seed adds the same.
func TestAddNoise(t *testing.T) {
	const n = 100000
	shape := mat.NewDense(2, 2, []float64{.3, .1, 0, .2})
	z := mat.NewDense(2, n, nil)
	addNoise(z, shape, 1)
	var got, want mat.Dense
	got.Mul(z, z.T())
	got.Scale(1./n, &got)
	want.Mul(shape, shape.T())
	for i := range 2 {
		for j := range 2 {
			// Four standard errors, √((C_ii·C_jj + C_ij²)/n), of at most .1·√(2/n).
			if g, w := got.At(i, j), want.At(i, j); math.Abs(g-w) > 4*.1*math.Sqrt(2./n) {
				t.Errorf("covariance (%d, %d) is %.5f, want %.5f", i, j, g, w)
			}
		}
	}
	again := mat.NewDense(2, n, nil)
	addNoise(again, shape, 1)
	if !mat.Equal(z, again) {
		t.Error("the same seed adds other noise")
	}
	if s := sphericalNoise(3, .5); !mat.Equal(s, mat.NewDiagDense(3, []float64{.5, .5, .5})) {
		t.Errorf("spherical noise is made by %v", s)
	}
}
