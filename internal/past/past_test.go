package past

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

var shapes = [][]int{{300}, {14, 19}, {6, 9, 8}, {2, 100}}

// A position's past is before it, at most a fourth of each side away, and positions with a complete
// past are those of Runs.
func TestPastIsBeforeAndComplete(t *testing.T) {
	for _, shape := range shapes {
		p := New(shape, Nearest(shape, 18))
		if !slices.IsSorted(p.Distance) || slices.ContainsFunc(p.Lags, func(lag int) bool { return lag <= 0 }) {
			t.Errorf("shape %v: lags %v at %v", shape, p.Lags, p.Distance)
		}
		positions := p.Positions()
		if len(positions) != p.N || grid.Product(p.Sides) != p.N {
			t.Errorf("shape %v: %d positions in runs, %v in the box, want %d", shape, len(positions), p.Sides, p.N)
		}
		at := make([]int, len(shape))
		outside := grid.Product(shape)
		for position := range outside {
			complete := true
			for k, offset := range p.Offsets {
				earlier := grid.Flatten(at, offset, shape, outside)
				complete = complete && earlier != outside
				if earlier != outside && earlier != position-p.Lags[k] {
					t.Fatalf("shape %v: offset %v leads from %d to %d, not by %d", shape, offset, position, earlier, p.Lags[k])
				}
			}
			if _, scored := slices.BinarySearch(positions, position); scored != complete {
				t.Errorf("shape %v: position %d is scored: %t; its past is complete: %t", shape, position, scored, complete)
			}
			grid.Next(at, shape)
		}
	}
	for _, shape := range shapes[1:] {
		for _, offset := range Nearest(shape, 18) {
			for a, v := range offset {
				if 4*max(v, -v) > shape[a] {
					t.Errorf("shape %v: a neighbour at %v", shape, offset)
				}
			}
		}
	}
	// The half disk with radius² ≤ 10, and the half ball with radius² ≤ 4.
	if n := len(Nearest([]int{100, 100}, 18)); n != 18 {
		t.Errorf("%d neighbours in an image, want 18", n)
	}
	if n := len(Nearest([]int{20, 30, 40}, 18)); n != 16 {
		t.Errorf("%d neighbours in a video, want 16", n)
	}
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		reach, axes int
		want        [][]int
	}{
		{0, 1, nil},
		{2, 1, [][]int{{-2}, {-1}}},
		{1, 2, [][]int{{-1, 0}, {0, -1}}},
		{2, 2, [][]int{{-2, 0}, {-1, -1}, {-1, 0}, {-1, 1}, {0, -2}, {0, -1}}},
	} {
		if got := Within(test.reach, test.axes); !reflect.DeepEqual(got, test.want) {
			t.Errorf("reach %d, %d axes: %v, want %v", test.reach, test.axes, got, test.want)
		}
	}
}

func ExampleNearest() {
	fmt.Println(Nearest([]int{32, 32}, 4))
	// Output: [[-1 0] [0 -1] [-1 -1] [-1 1]]
}

// The past of a position of a block lies in that block.
func TestBlocksHaveTheirOwnPasts(t *testing.T) {
	p := New([]int{10}, Nearest([]int{10}, 2)).Blocks(4)
	want := []int{2, 3, 6, 7}
	if got := p.Positions(); !slices.Equal(got, want) || p.N != len(want) || p.Sides[0] != p.N {
		t.Errorf("positions %v of %d, want %v", got, p.N, want)
	}
}

// Blocks spread over a sequence begin with its first position that has a complete past and end with
// its last. What is selected for them are the values at their positions.
func TestSpread(t *testing.T) {
	shape := []int{1000}
	p := New(shape, Nearest(shape, 5))
	q := p.Spread(3, 100)
	want := []Run{{5, 105}, {452, 552}, {900, 1000}}
	if q.N != 300 || !slices.Equal(q.Runs, want) {
		t.Fatalf("%d positions in runs %v, want 300 in %v", q.N, q.Runs, want)
	}
	values, selected := make([]float64, p.N), make([]float64, q.N)
	for k, position := range p.Positions() {
		values[k] = float64(position)
	}
	p.Select(selected, values, q)
	for k, position := range q.Positions() {
		if selected[k] != float64(position) {
			t.Fatalf("the %d-th value is that of position %g, want %d", k, selected[k], position)
		}
	}
	if q := p.Spread(5, 200); q != p {
		t.Errorf("as many positions as there are: runs %v, want those of all", q.Runs)
	}
}
