package plot

import (
	"strings"
	"testing"
)

var tenTwenty = []string{"EEG Fp1-REF", "Fp2.", "f3", "F4", "T3", "C4", "Pz", "Cz", "O1", "EOG1", "T7"}

// Maps are drawn for channels with electrode names, spectra where there are spectra.
func TestMapsAndSpectraAreDrawn(t *testing.T) {
	wave := waves(2, 100)
	frontal, left := make([]float64, len(tenTwenty)), make([]float64, len(tenTwenty))
	frontal[0], frontal[1], left[4] = 1, 1, -1
	spectrum := []float64{1, 4, 2, 1, 0, 0, 0.001}
	rows := []Component{
		{Label: "1", Trace: wave.RawRowView(0), Pattern: frontal, Spectrum: spectrum},
		{Label: "2", Trace: wave.RawRowView(1), Pattern: left, Spectrum: spectrum},
	}
	p, err := Components(0, 250, tenTwenty, rows...)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, p)
	for _, want := range []string{"spectrum, dB", "Hz", "its pattern in the channels"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
	img := decode(t, p)
	bounds := img.Bounds()
	// Of the upper map the upper half is orange, of the lower one the left half blue.
	var orangeAbove, orangeBelow, blueLeft, blueRight int
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Max.X - 90; x < bounds.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			switch {
			case y < 110 && r > b+0x3000:
				if y < 72 {
					orangeAbove++
				} else {
					orangeBelow++
				}
			case y >= 110 && b > r+0x3000 && g > r:
				if x < bounds.Max.X-50 {
					blueLeft++
				} else {
					blueRight++
				}
			}
		}
	}
	if orangeAbove < 5*orangeBelow || orangeAbove < 100 || blueLeft < 5*blueRight || blueLeft < 100 {
		t.Errorf("orange above %d and below %d, blue left %d and right %d", orangeAbove, orangeBelow,
			blueLeft, blueRight)
	}
	rows[1].Spectrum = nil
	if _, err := Components(0, 250, tenTwenty, rows...); err == nil ||
		!strings.Contains(err.Error(), "spectrum of 0 bands") {
		t.Errorf("a row without a spectrum: %v", err)
	}
}
