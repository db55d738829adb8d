package baselinetest_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// The numbers are those of mixed(2, 3) and start(2, 5) in
// scripts/baselines/problem.py.
func TestProblem(t *testing.T) {
	s, a, x := baselinetest.Problem(2, 3, baselinetest.Odd)
	want := mat.NewDense(2, 3, []float64{
		-0x1.034293cff0781p-1, -0x1.a5eaff01f1689p-1, -0x1.7171e2f8e3026p-2,
		-0x1.4e98213050e77p-2, -0x1.22d8f810f4ef4p-1, -0x1.dba85e69e8d3dp-3,
	})
	if !mat.EqualApprox(x, want, 1e-15) { // some processors fuse products and sums
		t.Errorf("x = %x, want %x", x.RawMatrix().Data, want.RawMatrix().Data)
	}
	var product mat.Dense
	product.Mul(a, s)
	if !mat.Equal(&product, x) {
		t.Error("x isn't a·s")
	}
	want = mat.NewDense(2, 2, []float64{
		0x1.37044552792f0p-1, 0x1.654c88469720ap-1,
		0x1.6d22005b29512p-1, 0x1.d399293dae530p-1,
	})
	if got := baselinetest.Start(2, 5); !mat.Equal(got, want) {
		t.Errorf("start %x, want %x", got.RawMatrix().Data, want.RawMatrix().Data)
	}
}

func TestDistance(t *testing.T) {
	b := mat.NewDense(2, 2, []float64{1, 2, 4, -3})
	for _, test := range []struct {
		a    []float64
		want float64
	}{
		{[]float64{1, 2, 4, -3}, 0},
		{[]float64{-4, 3, 1, 2}, 0},
		{[]float64{-4, 3.5, 1, 2.25}, 0.125},
		{[]float64{1, 2, 1, 2}, math.Inf(1)},
		{[]float64{math.NaN(), 2, 1, 2}, math.Inf(1)},
	} {
		if got := baselinetest.Distance(mat.NewDense(2, 2, test.a), b); got != test.want {
			t.Errorf("distance of %v is %g, want %g", test.a, got, test.want)
		}
	}
}
