package plot

import (
	"math"
	"strings"
	"testing"
)

var tenTwenty = []string{"EEG Fp1-REF", "Fp2.", "f3", "F4", "T3", "C4", "Pz", "Cz", "O1", "EOG1", "T7"}

// Electrodes are found by the names that recorders use, at their positions on the head.
func TestElectrodesHavePositions(t *testing.T) {
	all := findElectrodes(tenTwenty)
	if len(all) != 9 {
		t.Fatalf("%d electrodes of %q", len(all), tenTwenty)
	}
	at := map[int]sensor{}
	for _, e := range all {
		at[e.channel] = e
	}
	fp1, fp2, t3, cz, o1 := at[0], at[1], at[4], at[7], at[8]
	if fp1.x >= 0 || fp1.y < 0.9 || math.Abs(fp1.x+fp2.x) > 1e-9 || t3.x != -1 || cz.x != 0 ||
		o1.y > -0.9 || o1.x >= 0 {
		t.Errorf("Fp1 %v, Fp2 %v, T3 %v, Cz %v, O1 %v", fp1, fp2, t3, cz, o1)
	}
	if findElectrodes([]string{"Fp1", "Fp2", "Cz", "Pz", "I", "II", "V1"}) != nil {
		t.Error("four electrodes make a map")
	}
}

// A thin-plate spline interpolates all values, and a plane exactly.
func TestThinPlateInterpolates(t *testing.T) {
	all := findElectrodes(tenTwenty)
	values, plane := make([]float64, len(all)), make([]float64, len(all))
	for i, e := range all {
		values[i], plane[i] = math.Sin(float64(i*i)), 2+e.x-3*e.y
	}
	curved, flat := thinPlate(all, values), thinPlate(all, plane)
	for i, e := range all {
		if math.Abs(curved(e.x, e.y)-values[i]) > 1e-9 {
			t.Errorf("%g at electrode %d, want %g", curved(e.x, e.y), i, values[i])
		}
	}
	if v := flat(0.3, -0.2); math.Abs(v-2.9) > 1e-9 {
		t.Errorf("a plane is %g, want 2.9", v)
	}
	line := findElectrodes([]string{"Fpz", "AFz", "Fz", "FCz", "Cz", "CPz", "Pz"})
	if v := thinPlate(line, make([]float64, 7))(0.5, 0.5); v != 0 {
		t.Errorf("electrodes in a line make %g of zeros", v)
	}
}

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
