// Package filter removes slow drifts and the hum of power lines from signals, without shifting
// them in time.
//
// The gains are those of Butterworth filters that are applied forward and backward: squared and
// without phase (S. Butterworth, Experimental Wireless 7, 1930; A. V. Oppenheim, R. W. Schafer,
// Discrete-Time Signal Processing, 3rd ed., 2010, problem 5.69).
package filter

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
)

const (
	// order is that of the high-pass filter: at half of the frequency it leaves 1/257 of an
	// amplitude. A choice, and that of most programs for electroencephalograms; order 2
	// leaves 1/17, and order 8 rings for twice as long.
	order = 4
	// notchWidth is the width of a notch in Hz, between the frequencies at which it leaves half of
	// the amplitude. Power lines keep to 0.2 Hz. A choice: half of it rings for twice as long,
	// twice of it takes twice as much of the signals along.
	notchWidth = 2
	// reflected is the length of the reflection of a signal that is put before and behind it,
	// in periods of the lowest frequency. By then the filter has forgotten the end.
	reflected = 3
)

// A Filter is a filter of signals. The zero value leaves them as they are.
type Filter struct {
	// Highpass is the frequency in Hz at which half of the amplitude is left, and below which
	// less; 0 for none.
	Highpass float64
	// Notch is the frequency in Hz that is removed, with its multiples; 0 for none.
	Notch float64
}

// IsZero reports whether the filter leaves signals as they are.
func (f Filter) IsZero() bool { return f == Filter{} }

// Check returns an error unless the filter can be applied to signals at a rate in Hz.
func (f Filter) Check(rate float64) error {
	if !(rate > 0) || math.IsInf(rate, 0) {
		return fmt.Errorf("filter: rate is %g Hz; must be positive", rate)
	}
	for _, c := range []struct {
		name string
		hz   float64
	}{{"high-pass", f.Highpass}, {"notch", f.Notch}} {
		if c.hz != 0 && !(c.hz > 0 && c.hz < rate/2) {
			return fmt.Errorf("filter: %s is at %g Hz; must be above 0 and below %g Hz, half of the rate",
				c.name, c.hz, rate/2)
		}
	}
	return nil
}

// String says what the filter does.
func (f Filter) String() string {
	low := fmt.Sprintf("without what is below %g Hz", f.Highpass)
	hum := fmt.Sprintf("without %g Hz and its multiples", f.Notch)
	switch {
	case f.Highpass == 0:
		return hum
	case f.Notch == 0:
		return low
	}
	return low + " and " + hum
}

// Apply filters a signal at a rate in Hz, for which Check has returned nil, in place. The mean of
// the signal is 0 afterwards if there is a high-pass filter, and stays otherwise.
func (f Filter) Apply(signal []float64, rate float64) {
	n := len(signal)
	if f.IsZero() || n < 2 {
		return
	}
	lowest := notchWidth / 2.
	if f.Highpass > 0 {
		lowest = min(lowest, f.Highpass)
	}
	border := int(min(math.Ceil(reflected*rate/lowest), float64(n-1)))
	length := 1
	for length < n+2*border {
		length *= 2
	}
	mean := stat.Mean(signal, nil)
	// The signal, behind and before its odd reflections, and a line from the end to the beginning.
	padded := make([]float64, length)
	for k := range n {
		padded[border+k] = signal[k] - mean
	}
	first, last := padded[border], padded[border+n-1]
	for k := 1; k <= border; k++ {
		padded[border-k] = 2*first - padded[border+k]
		padded[border+n-1+k] = 2*last - padded[border+n-1-k]
	}
	from, to := padded[n+2*border-1], padded[0]
	for rest, k := length-n-2*border, 0; k < rest; k++ {
		padded[n+2*border+k] = from + (to-from)*float64(k+1)/float64(rest+1)
	}
	fft := fourier.NewFFT(length)
	spectrum := fft.Coefficients(nil, padded)
	for i := range spectrum {
		spectrum[i] *= complex(f.gain(fft.Freq(i)*rate)/float64(length), 0)
	}
	fft.Sequence(padded, spectrum)
	if f.Highpass > 0 {
		mean = -stat.Mean(padded[border:border+n], nil)
	}
	for k := range n {
		signal[k] = padded[border+k] + mean
	}
}

// gain returns the share of the amplitude that is left at a frequency in Hz.
func (f Filter) gain(hz float64) float64 {
	gain := 1.0
	if f.Highpass > 0 {
		gain = 1 / (1 + math.Pow(f.Highpass/hz, 2*order))
	}
	if f.Notch > 0 {
		// The distance from the nearest multiple, of which 0 isn't one.
		away := hz - f.Notch*max(1, math.Round(hz/f.Notch))
		gain *= 1 - 1/(1+math.Pow(2*away/notchWidth, 2*order))
	}
	return gain
}
