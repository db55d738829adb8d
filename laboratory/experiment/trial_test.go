package experiment

import (
	"math"
	"testing"
)

func TestRoundDigits(t *testing.T) {
	for _, test := range []struct{ v, want float64 }{
		{1885.265227775, 1885}, {56824.9, 56820}, {3.46549e-6, 3.465e-6}, {-0.12346, -0.1235},
		{0, 0}, {math.Inf(1), math.Inf(1)},
	} {
		if got := roundDigits(test.v, 4); got != test.want {
			t.Errorf("%g rounded to four digits is %g; must be %g", test.v, got, test.want)
		}
	}
	if !math.IsNaN(roundDigits(math.NaN(), 4)) {
		t.Error("NaN rounded is a number")
	}
}
