package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

func TestAmari(t *testing.T) {
	for _, test := range []struct {
		name string
		p    *mat.Dense
		want float64
	}{
		{"one signal", mat.NewDense(1, 1, []float64{-3}), 0},
		{"scaled permutation", mat.NewDense(3, 3, []float64{0, -2, 0, 1e-9, 0, 0, 0, 0, 1e9}), 0},
		{"all equal", mat.NewDense(3, 3, []float64{2, 2, -2, 2, -2, 2, 2, 2, 2}), 1},
		// Each of the four sums is 1.2 − 1 and 1/(2·2·1) of them .2.
		{"leak", mat.NewDense(2, 2, []float64{1, .2, -.2, 1}), 0.2},
		// Rows .5 and 0, columns 0 and .5: a quarter of 1.
		{"one-sided leak", mat.NewDense(2, 2, []float64{2, 1, 0, 2}), 0.25},
	} {
		d, _ := test.p.Dims()
		got, err := Amari(test.p, rotation.Identity(d))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%s: distance %g, want %g", test.name, got, test.want)
		}
	}
}

func TestAmariInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	p := mat.NewDense(4, 4, nil)
	p.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, p)
	want, err := Amari(p, rotation.Identity(4))
	if err != nil {
		t.Fatal(err)
	}
	if want <= 0 || want >= 1 {
		t.Errorf("distance %g of a random matrix, want one between 0 and 1", want)
	}

	swap := mat.NewDense(4, 4, []float64{0, 1, 0, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0, 0, -1, 0})
	for _, test := range []struct {
		name string
		w, a mat.Matrix
	}{
		{"rows permuted and signed", swap, p},
		{"columns permuted and signed", p, swap},
		{"transposed", p.T(), rotation.Identity(4)},
	} {
		got, err := Amari(mat.DenseCopyOf(test.w), mat.DenseCopyOf(test.a))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("%s: distance %g, want %g", test.name, got, want)
		}
	}
}

func TestAmariOfInverse(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{2, .7, .7, .7, 2, .7, .7, .7, 2})
	var w mat.Dense
	if err := w.Inverse(a); err != nil {
		t.Fatal(err)
	}
	if got, err := Amari(&w, a); err != nil || got > 1e-14 {
		t.Errorf("distance of the inverse = %g, %v, want 0", got, err)
	}
}

func TestAmariErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		w, a  *mat.Dense
		error string
	}{
		{"nil", nil, rotation.Identity(2), "must not be empty"},
		{"sizes", rotation.Identity(2), rotation.Identity(3), "w is 2×2 and a is 3×3"},
		{"not square", mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0}),
			mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), "w is 2×3 and a is 3×3"},
		{"zero row", mat.NewDense(2, 2, []float64{1, 1, 0, 0}), rotation.Identity(2),
			"row 2 of w·a is zero"},
		{"zero column", mat.NewDense(2, 2, []float64{0, 1, 0, 1}), rotation.Identity(2),
			"column 1 of w·a is zero"},
		{"NaN", mat.NewDense(2, 2, []float64{math.NaN(), 1, 0, 1}), rotation.Identity(2),
			"isn't finite"},
	} {
		if _, err := Amari(test.w, test.a); err == nil ||
			!strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
}
