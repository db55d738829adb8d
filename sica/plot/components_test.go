package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A bar for each channel, a trace for each row, and all names.
func TestComponentsHaveBarsTracesAndNames(t *testing.T) {
	wave := waves(2, 100)
	rows := []Component{
		{Label: "1: 60 %", Trace: wave.RawRowView(0), Pattern: []float64{1, -1, 0, .5}},
		{Label: "2: 40 %", Trace: wave.RawRowView(1), Pattern: []float64{0, 0, -.01, 0}},
	}
	p, err := Components(10, 50, []string{"Fp1", "Cz", "O2", "EOG"}, rows...)
	if err != nil {
		t.Fatal(err)
	}
	img := decode(t, p)
	up, down := count(img, orange), count(img, darkBlue)
	// Of the first row 1.5 bars go up and 1 down, of the second one down.
	if ratio := float64(down) / float64(up); math.Abs(ratio-2/1.5) > .1 {
		t.Errorf("%d pixels of bars up and %d down", up, down)
	}
	if count(img, blue) < 20 {
		t.Error("the picture has hardly a pixel of the traces")
	}
	text := textOf(t, p)
	for _, want := range []string{"1: 60 %", "2: 40 %", "Fp1", "Cz", "O2", "EOG", "time, s", "10.0"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
	if p, err = Components(0, 0, nil, Component{Label: "constant", Trace: make([]float64, 3), Pattern: make([]float64, 2)}); err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, p); !strings.Contains(text, "position\n") || !strings.Contains(text, "1\n") {
		t.Errorf("without rate and names it says %q", text)
	}
}

func TestComponentsErrors(t *testing.T) {
	two, nan := []float64{1, 2}, math.NaN()
	for want, f := range map[string]func() (*Picture, error){
		"rows: none": func() (*Picture, error) { return Components(0, 1, nil) },
		"rate -1;": func() (*Picture, error) {
			return Components(0, -1, nil, Component{Trace: two, Pattern: two})
		},
		"start is NaN": func() (*Picture, error) {
			return Components(nan, 1, nil, Component{Trace: two, Pattern: two})
		},
		"has 1 positions": func() (*Picture, error) {
			return Components(0, 1, nil, Component{Trace: two[:1], Pattern: two})
		},
		"and 2, like the first": func() (*Picture, error) {
			return Components(0, 1, nil, Component{Trace: two, Pattern: two}, Component{Trace: []float64{1, 2, 3}, Pattern: two})
		},
		"of 2 channels": func() (*Picture, error) {
			return Components(0, 1, []string{"a"}, Component{Trace: two, Pattern: two})
		},
		"of 0 channels": func() (*Picture, error) { return Components(0, 1, nil, Component{Trace: two, Pattern: nil}) },
		"value that isn't ": func() (*Picture, error) {
			return Components(0, 1, nil, Component{Trace: two, Pattern: []float64{1, nan}})
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Where names of channels would overlap, only some are shown.
func TestChannelNamesDontOverlap(t *testing.T) {
	for _, d := range []int{10, 60} {
		names := make([]string, d)
		for i := range names {
			names[i] = fmt.Sprintf("Q%02d", i+1)
		}
		p, err := Components(0, 1, names, Component{Trace: []float64{1, 2}, Pattern: make([]float64, d)})
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.Count(textOf(t, p), "Q")
		if d == 10 && shown != d || d == 60 && (shown < 15 || shown > 30) {
			t.Errorf("%d of %d names are shown", shown, d)
		}
	}
}
