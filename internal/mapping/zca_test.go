package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

func TestZCAAgainstCovariance(t *testing.T) {
	// Where the covariance is well conditioned, Σ^{-1/2} from its eigenvalues
	// gives the same.
	x := mixLinear(ar7(rand.New(rand.NewPCG(11, 12)), 3, 500), 1)
	d, n := x.Dims()
	centred := mat.DenseCopyOf(x)
	for i := range d {
		row := centred.RawRowView(i)
		mean := stat.Mean(row, nil)
		for k := range row {
			row[k] -= mean
		}
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(n), centred)
	var eigen mat.EigenSym
	if !eigen.Factorize(&covariance, true) {
		t.Fatal("no eigenvalues")
	}
	var vectors, scaled, root, want mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	scaled.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(values[j]) }, &vectors)
	root.Mul(&scaled, vectors.T())
	want.Mul(&root, centred)

	got, err := apply(x, ZCA)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, &want, 1e-10) {
		t.Error("whitening from the data and from its covariance differ")
	}
}

func TestZCAIsWhite(t *testing.T) {
	for _, test := range []struct {
		name      string
		d, n      int
		mixing    int
		tolerance float64
	}{
		{"one signal", 1, 50, 3, 1e-12},
		{"barely enough positions", 4, 5, 1, 1e-12},
		{"mild", 2, 1000, 5, 1e-12},
		// The condition number is (3.4/1.3)^20 ≈ 2e8, which is how much of the
		// means' rounding is left. That of the covariance is its square, 5e16,
		// which is beyond float64.
		{"ill-conditioned", 3, 1024, 20, 1e-7},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := mixLinear(ar7(rand.New(rand.NewPCG(13, 14)), test.d, test.n), test.mixing)
			z, err := apply(x, ZCA)
			if err != nil {
				t.Fatal(err)
			}
			wantWhite(t, z, test.tolerance)
			again, err := apply(z, ZCA)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(again, z, test.tolerance) {
				t.Error("whitening white signals changed them")
			}
		})
	}
}

func TestZCACommutesWithRotation(t *testing.T) {
	// Σ^{-1/2} of Q·x is Q·Σ^{-1/2}·Qᵀ for orthogonal Q.
	x := mixGELU(ar7(rand.New(rand.NewPCG(15, 16)), 2, 300), 2)
	q := rotation.Plane(0.7)
	var rotated, want mat.Dense
	rotated.Mul(q, x)
	got, err := apply(&rotated, ZCA)
	if err != nil {
		t.Fatal(err)
	}
	z, err := apply(x, ZCA)
	if err != nil {
		t.Fatal(err)
	}
	want.Mul(q, z)
	if !mat.EqualApprox(got, &want, 1e-10) {
		t.Error("whitening doesn't commute with a rotation")
	}
}

func TestZCAUndoesTheLinearMixing(t *testing.T) {
	// The mixing is symmetric positive definite and the sources have similar
	// scale, so ZCA alone nearly undoes it: .99 over 20 seeds.
	for _, mixing := range []int{5, 20} {
		if got := meanMCC(t, 2, 1024, 6, mixing, mixLinear, ZCA); got < 0.97 {
			t.Errorf("mean MCC after %d linear updates = %.3f, want at least .97", mixing, got)
		}
	}
}
