package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The middle part of a long signal consists of whole slices.
func TestMiddleIsWholeSlices(t *testing.T) {
	z := mat.NewDense(1, 60, nil)
	for k := range 60 {
		z.Set(0, k, float64(k))
	}
	for _, test := range []struct {
		shape, cut []int
		limit      int
		first      float64
	}{
		{[]int{60}, []int{60}, 60, 0},
		{[]int{60}, []int{20}, 20, 20},
		{[]int{6, 10}, []int{2, 10}, 25, 20},
		{[]int{3, 4, 5}, []int{1, 4, 5}, 3, 20},
	} {
		cut, shape := Middle(z, test.shape, test.limit)
		_, n := cut.Dims()
		if !slices.Equal(shape, test.cut) || cut.At(0, 0) != test.first || n != Product(shape) {
			t.Errorf("shape %v cut to %v from %g", test.shape, shape, cut.At(0, 0))
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		shape []int
		t     int
		want  string
	}{
		{nil, 5, ""}, {[]int{2, 3}, 6, ""}, {[]int{2, 3}, 7, "product 7"}, {[]int{1, 1, 1, 1}, 1, "one, two or three axes"},
		{[]int{0, 3}, 0, "at least 1"}, {[]int{1 << 40, 1 << 40}, 9, "product 9"},
	} {
		err := Check(test.shape, test.t)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("shape %v of %d positions: %v, want %q", test.shape, test.t, err, test.want)
		}
	}
}

func TestReaches(t *testing.T) {
	for _, test := range []struct {
		width, axes int
		want        []int
	}{
		{2, 1, []int{2, 1, 1, 2}},
		{1, 2, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		{0, 3, []int{}},
	} {
		if got := Reaches(test.width, test.axes); !slices.Equal(got, test.want) {
			t.Errorf("Reaches(%d, %d) = %v, want %v", test.width, test.axes, got, test.want)
		}
	}
}

// Axes of length 1 are dropped; what remains of a sequence is nil.
func TestWithoutOnesDropsAxesOfLengthOne(t *testing.T) {
	for _, test := range []struct{ shape, want []int }{
		{[]int{64, 64, 1}, []int{64, 64}}, {[]int{1, 64, 64}, []int{64, 64}}, {[]int{1, 128}, nil},
		{[]int{128}, []int{128}}, {nil, nil}, {[]int{8, 16}, []int{8, 16}}, {[]int{1}, []int{1}},
	} {
		if got := WithoutOnes(test.shape); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v: %v, want %v", test.shape, got, test.want)
		}
	}
}
