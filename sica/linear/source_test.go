package linear

import "testing"

// A past is as long as there are positions for its weights.
func TestPast(t *testing.T) {
	for _, c := range []struct {
		shape []int
		d     int
		want  int
	}{
		{[]int{1000}, 2, maxLags},
		{[]int{120}, 2, 10},
		{[]int{120}, 10, 4},
		{[]int{100, 100}, 2, maxNeighbours},
		{[]int{20, 30, 40}, 2, 16}, // a complete shell
	} {
		if p := newPast(c.shape, c.d); len(p.Lags) != c.want {
			t.Errorf("%d signals of shape %v: %d values, want %d", c.d, c.shape, len(p.Lags), c.want)
		}
	}
}
