package signal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestJoints(t *testing.T) {
	for _, test := range []struct{ positions, want []int }{
		{nil, nil},
		{[]int{7}, nil},
		{[]int{3, 4, 5}, nil},
		{[]int{0, 1, 5, 6, 8}, []int{2, 4}},
		{[]int{0, 3, 6, 12, 15}, []int{3}}, // thinned
	} {
		if got := Joints(test.positions); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.positions, got, test.want)
		}
	}
	for _, joints := range [][]int{{0}, {5}, {2, 2}, {3, 1}} {
		if CheckJoints(joints, 5) == nil {
			t.Errorf("joints %v of 5 positions are accepted", joints)
		}
	}
}

// Crossfaded stretches of a slow wave have no jump, and those of noise keep their variance, in
// any mixing.
func TestCrossfade(t *testing.T) {
	const n = 8192
	joints := []int{1000, 3000, 3100, 6000}
	rng := rand.New(rand.NewPCG(1, 2))
	z := mat.NewDense(3, n, nil)
	phase := 0.0
	for k := range n {
		if slices.Contains(joints, k) {
			phase += 2
		}
		z.Set(0, k, math.Sin(phase+0.01*float64(k)))
		z.Set(1, k, rng.NormFloat64())
		z.Set(2, k, z.At(0, k)-2*z.At(1, k))
	}
	y := Crossfade(z, joints)
	_, m := y.Dims()
	if want := n - 2*fadeLength - 2*50; m != want { // half of the stretch of 100
		t.Fatalf("%d positions, want %d", m, want)
	}
	for k := range m {
		if k > 0 && math.Abs(y.At(0, k)-y.At(0, k-1)) > 0.06 {
			t.Errorf("the wave jumps from %g to %g", y.At(0, k-1), y.At(0, k))
		}
		if math.Abs(y.At(2, k)-y.At(0, k)+2*y.At(1, k)) > 1e-12 {
			t.Fatalf("position %d is mixed otherwise", k)
		}
	}
	square := floats.Dot(y.RawRowView(1), y.RawRowView(1)) / float64(m)
	if math.Abs(square-1) > 0.05 {
		t.Errorf("noise of variance 1 has %g", square)
	}
	if y := Crossfade(z, nil); y != z {
		t.Error("a whole sequence was copied")
	}
	var many []int
	for k := 20; k < n; k += 20 {
		many = append(many, k)
	}
	if _, m := Crossfade(z, many).Dims(); m < n-n/8 {
		t.Errorf("%d of %d positions are left of short stretches", m, n)
	}
}
