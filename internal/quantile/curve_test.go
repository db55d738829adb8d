package quantile

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The points of the signal 1, 3, 3, 5, of standard deviation √2, go to −1, 0 and
// 1; halfway between two of them is halfway between their quantiles; and beyond
// them √2 is worth one quantile.
func TestCurve(t *testing.T) {
	c := NewCurve([]float64{3, 1, 5, 3}, []float64{0, -1, 1, 0})
	for value, want := range map[float64]float64{
		1: -1, 3: 0, 5: 1, 2: -0.5, 4.5: 0.75, 5 + 2*math.Sqrt2: 3, 1 - math.Sqrt2: -2,
	} {
		if got := c.Quantile(value); math.Abs(got-want) > 1e-15 {
			t.Errorf("the value %g goes to %g, want %g", value, got, want)
		}
		if back := c.Value(want); math.Abs(back-value) > 1e-14 {
			t.Errorf("the quantile %g comes from %g, want %g", want, back, value)
		}
	}
	if !slices.Equal(c.values, []float64{1, 3, 5}) || !slices.Equal(c.quantiles, []float64{-1, 0, 1}) {
		t.Errorf("the points are %v and %v, want one for each value", c.values, c.quantiles)
	}
}

func ExampleCurve() {
	c := NewCurve([]float64{10, 30, 20}, []float64{-1, 1, 0})
	fmt.Println(c.Quantile(15), c.Value(0.5))
	// Output: -0.5 25
}
