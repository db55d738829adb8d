package tanh

import (
	"math"
	"testing"
)

func TestTanh(t *testing.T) {
	// From 50 decimal digits (Python's decimal), rounded to float64.
	for x, want := range map[float64]float64{
		0.003:              0.0029999910000323999444,
		0.01:               0.0099996666799994605475,
		0.1:                0.099667994624955822614,
		0.25:               0.24491866240370912928,
		0.5:                0.46211715726000975850,
		0.6266880490003917: 0.55576746545961820644,
		0.7:                0.60436777711716346812,
		1.0:                0.76159415595576488812,
		1.3:                0.86172315931330637573,
		2.0:                0.96402758007581688395,
		3.1:                0.99594935922190023644,
		5.7:                0.99997760928098977341,
		9.9:                0.99999999496500257380,
		15.2:               0.99999999999987454795,
		19.5:               0.99999999999999997690,
	} {
		if got := tanh(x); math.Abs(got-want) > 4e-16*want {
			t.Errorf("tanh(%g) = %.17g, want %.17g", x, got, want)
		}
	}
}

// math.Tanh is itself off by up to 5e-16 of the value.
func TestTanhAgainstMath(t *testing.T) {
	values := []float64{0, 5e-324, 1e-300, 1e-8, 0.5 / steps, 19.9999, 20, 21, 1e300, math.Inf(1)}
	for x := 1e-4; x < 21; x += 0.9137e-4 { // not in step with the table
		values = append(values, x)
	}
	for _, v := range values {
		for _, x := range []float64{v, -v} {
			got, want := tanh(x), math.Tanh(x)
			if math.Abs(got-want) > 1e-15*math.Abs(want) {
				t.Fatalf("tanh(%g) = %.17g, want %.17g", x, got, want)
			}
		}
	}
	if got := tanh(math.NaN()); !math.IsNaN(got) {
		t.Errorf("tanh(NaN) = %g", got)
	}
}

func tanh(x float64) float64 {
	values := []float64{x}
	InPlace(values)
	return values[0]
}
