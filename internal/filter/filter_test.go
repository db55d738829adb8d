package filter

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// amplitude returns that of a frequency in a signal away from its ends.
func amplitude(signal []float64, hz, rate float64) float64 {
	var re, im, n float64
	for k := len(signal) / 5; k < 4*len(signal)/5; k++ {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(k) / rate)
		re, im, n = re+signal[k]*cos, im+signal[k]*sin, n+1
	}
	return 2 * math.Hypot(re, im) / n
}

// The amplitude of each frequency is multiplied by the gain.
func TestApplyHasItsGain(t *testing.T) {
	const n, rate = 5000, 250
	f := Filter{Highpass: 1, Notch: []float64{50}}
	if err := f.Check(rate); err != nil {
		t.Fatal(err)
	}
	for hz, want := range map[float64]float64{
		0.1: 0.01, 0.5: 0.2, 1: 0.5, 3: 0.9, 10: 1, 40: 1, 50: 0, 51: math.Sqrt(0.5), 60: 1,
		100: 0, 120: 1,
	} {
		signal := make([]float64, n)
		for k := range signal {
			signal[k] = 7 + math.Sin(2*math.Pi*hz*float64(k)/rate+0.3)
		}
		f.Apply(signal, rate)
		if got := amplitude(signal, hz, rate); math.Abs(got-want) > 0.02 {
			t.Errorf("of %g Hz %.3f is left, want %g", hz, got, want)
		}
	}
}

// A filter is refused for less than a period of its lowest frequency.
func TestCheckLength(t *testing.T) {
	for _, c := range []struct {
		f    Filter
		n    int
		isOK bool
	}{
		{Filter{Highpass: 1}, 25, false}, {Filter{Highpass: 1}, 249, false}, {Filter{Highpass: 1}, 250, true},
		{Filter{Highpass: 0.1}, 2000, false}, {Filter{Highpass: 10}, 25, true}, {Filter{}, 1, true},
		{Filter{Notch: []float64{50}}, 100, false}, {Filter{Notch: []float64{50}}, 125, true},
		{Filter{Lowpass: 30}, 10, true}, {Filter{Notch: []float64{0}}, 1, true},
	} {
		if err := c.f.CheckLength(c.n, 250); (err == nil) != c.isOK {
			t.Errorf("%v of %d positions: %v", c.f, c.n, err)
		}
	}
}

// Several notches remove all of their frequencies and multiples, each once.
func TestNotches(t *testing.T) {
	const n, rate = 5000, 500
	f := Filter{Notch: []float64{60, 50, 100, 0, 50}}
	if got := len(f.sections(rate)); got != 4+4 {
		t.Errorf("%d sections", got)
	}
	for hz, want := range map[float64]float64{50: 0, 60: 0, 100: 0, 120: 0, 200: 0, 240: 0, 55: 0.9, 80: 1} {
		signal := make([]float64, n)
		for k := range signal {
			signal[k] = math.Sin(2 * math.Pi * hz * float64(k) / rate)
		}
		f.Apply(signal, rate)
		if got := amplitude(signal, hz, rate); math.Abs(got-want) > 0.1 {
			t.Errorf("of %g Hz %.3f is left, want %g", hz, got, want)
		}
	}
}

// The filter keeps innovations: the first value of the filtered signal after an innovation is the
// innovation times the first coefficient of the filter, near 1.
func TestFilterIsMinimumPhase(t *testing.T) {
	f := Filter{Highpass: 1, Notch: []float64{50}}
	signal := make([]float64, 1000)
	signal[900] = 1
	f.Apply(signal, 250)
	for k, v := range signal[:900] {
		if math.Abs(v) > 1e-9 {
			t.Fatalf("%g at %d, before the innovation", v, k)
		}
	}
	if signal[900] < 0.9 {
		t.Errorf("%g of the innovation is left", signal[900])
	}
}

// A signal that comes in pieces is filtered as a whole one is.
func TestStream(t *testing.T) {
	f := Filter{Highpass: 1, Lowpass: 40, Notch: []float64{50}}
	whole, pieces := make([]float64, 3000), make([]float64, 3000)
	for k := range whole {
		whole[k] = 1000 + float64(k*k%97)
		pieces[k] = whole[k]
	}
	f.Apply(whole, 250)
	s := f.Stream(250)
	for _, ends := range [][2]int{{0, 1000}, {1000, 1001}, {1001, 3000}} {
		s.Apply(pieces[ends[0]:ends[1]])
	}
	if !slices.Equal(pieces, whole) {
		t.Error("pieces are filtered otherwise")
	}
}

// A drift is removed up to the ends, and a straight line completely.
func TestHighpassRemovesDrift(t *testing.T) {
	signal := make([]float64, 2000)
	for k := range signal {
		signal[k] = 5 + float64(k)/100
	}
	Filter{Highpass: 1}.Apply(signal, 100)
	for k, v := range signal {
		if math.Abs(v) > 0.1 {
			t.Fatalf("%.3f of the drift is left at %d", v, k)
		}
	}
	for _, n := range []int{0, 1, 2, 3, 17} {
		short := make([]float64, n)
		Filter{Highpass: 1, Notch: []float64{20}}.Apply(short, 100)
		for _, v := range short {
			if v != 0 {
				t.Errorf("of %d zeros one became %g", n, v)
			}
		}
	}
	same := []float64{1, 5, 2}
	if (Filter{}).Apply(same, 100); same[1] != 5 {
		t.Error("a filter that is none changed a signal")
	}
}

func TestCheck(t *testing.T) {
	for _, f := range []Filter{{Highpass: -1}, {Highpass: 30, Lowpass: 10}, {Notch: []float64{125}}, {Notch: []float64{math.NaN()}}} {
		if f.Check(250) == nil {
			t.Errorf("%+v is taken", f)
		}
	}
	if (Filter{Highpass: 1}).Check(0) == nil {
		t.Error("a rate of 0 is taken")
	}
}

// A low-pass filter keeps slow waves, half of the power at its frequency, and little above.
func TestLowpassHalvesPowerAtItsFrequency(t *testing.T) {
	const rate, n = 250, 4000
	f := Filter{Lowpass: 30}
	if err := f.Check(rate); err != nil || !strings.Contains(f.String(), "low-pass at 30 Hz") {
		t.Fatalf("%v: %v", f, err)
	}
	for _, c := range []struct{ hz, low, high float64 }{{1, 0.999, 1.001}, {30, 0.70, 0.71}, {90, 0, 0.01}} {
		signal := make([]float64, n)
		for t := range signal {
			signal[t] = math.Sin(2 * math.Pi * c.hz * float64(t) / rate)
		}
		f.Apply(signal, rate)
		power := 0.0
		for _, v := range signal[n/2:] {
			power += v * v / (n / 2)
		}
		if amplitude := math.Sqrt(2 * power); amplitude < c.low || amplitude > c.high {
			t.Errorf("%g Hz: amplitude %.4f, want %g to %g", c.hz, amplitude, c.low, c.high)
		}
	}
	if err := (Filter{Lowpass: 125}).Check(rate); err == nil {
		t.Error("half of the rate was accepted")
	}
}
