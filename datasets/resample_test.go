package datasets

import (
	"math"
	"testing"
)

// Slow sines have the values that they have at the other rate, a constant stays one to the ends,
// and what the lower rate can't hold is removed.
func TestResample(t *testing.T) {
	sine := func(n int, cycles float64) []float64 {
		values := make([]float64, n)
		for k := range values {
			values[k] = math.Sin(2*math.Pi*cycles*float64(k)/float64(n) + 1)
		}
		return values
	}
	for _, c := range []struct{ from, to int }{
		{200, 200}, {200, 20000}, {20000, 200}, {2560, 1000}, {1000, 2560}, {997, 1000},
	} {
		cycles := 0.4 * float64(min(c.from, c.to)) // 0.8 of Nyquist's frequency
		want := sine(c.to, cycles)
		edge := c.to * resampleLobes / min(c.from, c.to) // where values are lacking
		worst := 0.0
		for k, v := range Resample(sine(c.from, cycles), c.to) {
			if k >= edge && k < c.to-edge {
				worst = max(worst, math.Abs(v-want[k]))
			}
		}
		if worst > 0.005 {
			t.Errorf("%d to %d values: off by %g", c.from, c.to, worst)
		}
		for k, v := range Resample(make([]float64, c.from), c.to) {
			if v != 0 {
				t.Fatalf("%d to %d zeros: %g at %d", c.from, c.to, v, k)
			}
		}
	}
	constant := []float64{5, 5, 5}
	for k, v := range Resample(constant, 40) {
		if math.Abs(v-5) > 1e-9 {
			t.Errorf("a constant of 5 is %g at %d", v, k)
		}
	}
	fast := Resample(sine(10000, 900), 1000) // 1.8 of Nyquist's frequency
	for _, v := range fast[resampleLobes : len(fast)-resampleLobes] {
		if math.Abs(v) > 0.001 {
			t.Fatalf("a sine above half of the rate leaves %g", v)
		}
	}
	if z := Resample(nil, 10); z != nil {
		t.Errorf("of no values: %v", z)
	}
}
