package datasets_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// A separation is learned without drifts, hum and the stretches that a person marked.
func ExampleFilter_Apply() {
	rec, err := datasets.ECG() // 15 leads, 1000 positions a second
	if err != nil {
		log.Fatal(err)
	}
	bad := datasets.Stretch{Begin: 2000, End: 2500}
	x, err := datasets.Filter{Highpass: 1, Notch: []float64{50}}.Apply(rec.Signals, rec.Rate, bad)
	if err != nil {
		log.Fatal(err)
	}
	if x, err = datasets.Skip(x, bad); err != nil {
		log.Fatal(err)
	}
	d, n := x.Dims()
	_, all := rec.Signals.Dims()
	fmt.Printf("learn from %d leads at %d of %d positions\n", d, n, all)
	// Output: learn from 15 leads at 9500 of 10000 positions
}

// What is in a skipped stretch isn't in the filtered signal around it, a drift isn't either, and
// the argument stays.
func TestFilterSkips(t *testing.T) {
	const n, rate = 2000, 100
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(2, n, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	disturbed := mat.DenseCopyOf(x)
	for k := 900; k < 1000; k++ {
		disturbed.Set(0, k, 1e6)
	}
	before := mat.DenseCopyOf(disturbed)
	skipped := []datasets.Stretch{{Begin: 950, End: 1000}, {Begin: 900, End: 960}}
	f := datasets.Filter{Highpass: 1}
	var kept [2]*mat.Dense
	for k, signals := range []*mat.Dense{x, disturbed} {
		filtered, err := f.Apply(signals, rate, skipped...)
		if err != nil {
			t.Fatal(err)
		}
		if kept[k], err = datasets.Skip(filtered, skipped...); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(kept[0], kept[1]) {
		t.Error("a skipped stretch changes others")
	}
	if d, left := kept[0].Dims(); d != 2 || left != n-100 {
		t.Errorf("%d signals at %d positions are left", d, left)
	}
	if !mat.Equal(disturbed, before) {
		t.Error("the argument was changed")
	}
	x.Apply(func(_, k int, _ float64) float64 { return 5 + 3*float64(k)/n }, x)
	drift, err := f.Apply(x, rate)
	if err != nil || mat.Max(drift) > 1e-6 || mat.Min(drift) < -1e-6 {
		t.Errorf("a drift leaves %g to %g, %v", mat.Min(drift), mat.Max(drift), err)
	}
}

// Values that are skipped needn't be finite.
func TestSkipsNotFinite(t *testing.T) {
	const n = 40
	x := mat.NewDense(2, n, nil)
	x.Apply(func(i, k int, _ float64) float64 { return float64(i + k%7) }, x)
	lacking := mat.DenseCopyOf(x)
	lacking.Set(0, 10, math.NaN())
	lacking.Set(1, 12, math.Inf(-1))
	skipped := datasets.Stretch{Begin: 10, End: 13}
	for name, call := range map[string]func(*mat.Dense, ...datasets.Stretch) (*mat.Dense, error){
		"skip": datasets.Skip,
		"filter": func(x *mat.Dense, skipped ...datasets.Stretch) (*mat.Dense, error) {
			return datasets.Filter{Lowpass: 1}.Apply(x, 10, skipped...)
		},
	} {
		want, err := call(x, skipped)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := call(lacking, skipped); err != nil || !mat.Equal(got, want) {
			t.Errorf("%s: %v; must be as with other values there", name, err)
		}
		_, err = call(lacking, datasets.Stretch{Begin: 10, End: 12})
		const says = "signal 2 is -Inf at position 13; must be finite outside of the skipped stretches"
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", name, err, says)
		}
	}
	if _, err := datasets.Skip(lacking, datasets.Stretch{End: n}); err == nil ||
		!strings.Contains(err.Error(), "all 40 positions are skipped") {
		t.Errorf("skip: error %v", err)
	}
}

func TestFilterErrors(t *testing.T) {
	x := mat.NewDense(1, 10, nil)
	for want, call := range map[string]func() (*mat.Dense, error){
		"rate is 0 Hz; must be positive": func() (*mat.Dense, error) {
			return datasets.Filter{Highpass: 1}.Apply(x, 0)
		},
		"Lowpass: is 6 Hz; must be above 0 and below 5 Hz": func() (*mat.Dense, error) {
			return datasets.Filter{Lowpass: 6}.Apply(x, 10)
		},
		"stretch from 5 to before 11": func() (*mat.Dense, error) {
			return datasets.Filter{}.Apply(x, 10, datasets.Stretch{Begin: 5, End: 11})
		},
		"stretch from 5 to before 5":       func() (*mat.Dense, error) { return datasets.Skip(x, datasets.Stretch{Begin: 5, End: 5}) },
		"all 10 positions are skipped":     func() (*mat.Dense, error) { return datasets.Skip(x, datasets.Stretch{End: 10}) },
		"no signals; must be at least one": func() (*mat.Dense, error) { return datasets.Skip(nil) },
		"NaN": func() (*mat.Dense, error) {
			return datasets.Filter{}.Apply(mat.NewDense(1, 1, []float64{math.NaN()}), 1)
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A channel is found by its name or its electrode.
func TestChannel(t *testing.T) {
	r := &datasets.Recording{Names: []string{"EEG Fp1-REF", "EEG Fp2-REF", "EOG", "Fp2-LE"}}
	for name, want := range map[string]int{"Fp1": 0, "EEG Fp2-REF": 1, "eog": 2} {
		if k, err := r.Channel(name); k != want || err != nil {
			t.Errorf("%s: channel %d, %v; want %d", name, k, err, want)
		}
	}
	for name, want := range map[string]string{
		"Cz":  `channel "Cz" isn't in the recording; must be one of "EEG Fp1-REF", `,
		"fp2": `channel "fp2" is in several names; must be one of "EEG Fp2-REF", "Fp2-LE"`,
	} {
		if _, err := r.Channel(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// Channels of a file without names are found by their numbers in the file, as they are left out.
func TestChannelWithoutName(t *testing.T) {
	r := &datasets.Recording{Signals: mat.NewDense(2, 3, nil), Places: []int{0, 3}}
	if row, err := r.Channel("4"); err != nil || row != 1 {
		t.Errorf("channel 4 is in row %d, %v", row, err)
	}
	if row, err := (&datasets.Recording{Signals: r.Signals}).Channel("2"); err != nil || row != 1 {
		t.Errorf("channel 2 without places is in row %d, %v", row, err)
	}
	for _, name := range []string{"2", "0", "Fp1"} {
		if _, err := r.Channel(name); err == nil || !strings.Contains(err.Error(), "has no names") {
			t.Errorf("channel %s: error %v", name, err)
		}
	}
}
