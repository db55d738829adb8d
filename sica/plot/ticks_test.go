package plot

import (
	"math"
	"slices"
	"testing"
)

func TestRoundTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []string
	}{
		{0.4, 0.95, []string{"0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}},
		{-1, 1, []string{"-1.0", "-0.5", "0.0", "0.5", "1.0"}},
		{-0.3, 0.7, []string{"-0.2", "0.0", "0.2", "0.4", "0.6"}},
		{1, 30, []string{"5", "10", "15", "20", "25", "30"}},
		{0, 2e6, []string{"0", "5e+05", "1e+06", "1.5e+06", "2e+06"}},
		{0, 1e-6, []string{"0", "2e-07", "4e-07", "6e-07", "8e-07", "1e-06"}},
	} {
		if got := labels(roundTicks{}.Ticks(test.low, test.high)); !slices.Equal(got, test.want) {
			t.Errorf("ticks from %g to %g are %q, want %q", test.low, test.high, got, test.want)
		}
	}
	if got := (roundTicks{}).Ticks(-math.MaxFloat64, math.MaxFloat64); got != nil {
		t.Errorf("ticks of an infinite span are %v, want none", got)
	}
}

func TestRoundTicksLieWithin(t *testing.T) {
	for exponent := -12; exponent <= 12; exponent++ {
		for _, span := range []float64{1, 1.7, 2.3, 3.9, 5.1, 7.7, 9.9} {
			low := -0.3 * span * math.Pow(10, float64(exponent))
			high := 0.7 * span * math.Pow(10, float64(exponent))
			ticks := roundTicks{}.Ticks(low, high)
			if len(ticks) < 3 || len(ticks) > 8 {
				t.Errorf("%d ticks from %g to %g, want 3 to 8", len(ticks), low, high)
			}
			seen := make(map[string]bool)
			for _, tick := range ticks {
				if tick.Value < low || tick.Value > high || seen[tick.Label] {
					t.Errorf("ticks from %g to %g: %v is outside or twice there", low, high, tick)
				}
				seen[tick.Label] = true
			}
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []string // those with labels
	}{
		{0.01, 12, []string{"0.01", "0.1", "1", "10"}},
		{2, 1e4, []string{"10", "100", "1 k", "10 k"}},
		{200, 5000, []string{"200", "500", "1 k", "2 k", "5 k"}},
		{1e3, 1e6, []string{"1 k", "10 k", "100 k", "1 M"}},
		{20, 50, []string{"20", "50"}},
	} {
		all := logTicks{}.Ticks(math.Log10(test.low), math.Log10(test.high))
		got := slices.DeleteFunc(labels(all), func(label string) bool { return label == "" })
		if !slices.Equal(got, test.want) {
			t.Errorf("ticks from %g to %g are %q, want %q", test.low, test.high, got, test.want)
		}
		for _, tick := range all {
			if value := math.Pow(10, tick.Value); value < test.low*(1-1e-6) || value > test.high*(1+1e-6) {
				t.Errorf("ticks from %g to %g: %g is outside", test.low, test.high, value)
			}
		}
	}
	// 20, 30, 40, 50
	if got := len(logTicks{}.Ticks(math.Log10(20), math.Log10(50))); got != 4 {
		t.Errorf("%d ticks from 20 to 50, want 4", got)
	}
}

func TestSILabel(t *testing.T) {
	for value, want := range map[float64]string{
		0.01: "0.01", 1: "1", 500: "500", 1e3: "1 k", 2e4: "20 k", 5e6: "5 M", 1e9: "1 G", 1e12: "1e+12",
	} {
		if got := siLabel(value); got != want {
			t.Errorf("label of %g is %q, want %q", value, got, want)
		}
	}
}

func TestRoundOut(t *testing.T) {
	for _, test := range []struct {
		round             func(low, high float64) (float64, float64)
		low, high         float64
		wantLow, wantHigh float64
	}{
		{roundOut, 0.28, 0.998, 0.25, 1},
		{roundOut, -3.2, 7, -4, 7},
		{roundOut, 5, 5, 5, 5},
		{roundOutLog, math.Log10(4.75), math.Log10(1450), math.Log10(2), math.Log10(2000)},
		{roundOutLog, math.Log10(0.02), math.Log10(500), math.Log10(0.02), math.Log10(500)},
		{roundOutLog, 2, 2, 1.7, 2.3},
	} {
		low, high := test.round(test.low, test.high)
		if math.Abs(low-test.wantLow) > 1e-9 || math.Abs(high-test.wantHigh) > 1e-9 {
			t.Errorf("%g to %g widens to %g to %g, want %g to %g", test.low, test.high, low, high, test.wantLow, test.wantHigh)
		}
	}
}

func TestIntegerTicks(t *testing.T) {
	if got, want := labels(integerTicks([]float64{20, 5, 10, 5}).Ticks(0, 0)), []string{"5", "10", "20"}; !slices.Equal(got, want) {
		t.Errorf("ticks %q, want %q", got, want)
	}
	for _, values := range [][]float64{{0.5, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}} {
		if _, ok := integerTicks(values).(roundTicks); !ok {
			t.Errorf("the ticks of %v aren't round ones", values)
		}
	}
}
