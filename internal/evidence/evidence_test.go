package evidence

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func ExampleNewGain() {
	before, after := []float64{10, 10, 10, 10}, []float64{9, 9, 9, 2}
	fmt.Println(NewGain(before, after)) // the last part alone speaks for 8 of 11 nats
	// Output: {11 3}
}

func TestGroups(t *testing.T) {
	joined := [][2]int{{0, 2}, {3, 1}, {2, 3}}
	got := Groups(5, func(i, j int) bool {
		return slices.Contains(joined, [2]int{i, j}) || slices.Contains(joined, [2]int{j, i})
	})
	if want := [][]int{{0, 1, 2, 3}, {4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

func TestRotate(t *testing.T) {
	y := make([]float64, 2)
	Rotate(y, []float64{1, 2}, []float64{3, -2}, -1)
	if want := []float64{-math.Sqrt2, 2 * math.Sqrt2}; math.Abs(y[0]-want[0]) > 1e-15 || math.Abs(y[1]-want[1]) > 1e-15 {
		t.Errorf("%v, want %v", y, want)
	}
}

func TestClosest(t *testing.T) {
	shares := mat.NewDense(2, 4, []float64{0, 3, 1, 0, 0.5, 0, 2, 0})
	if got := Closest(shares, 2); !reflect.DeepEqual(got, []int{2, 1}) {
		t.Errorf("%v, want columns 2 and 1", got)
	}
}
