package plot

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// oneMove moves a single position from (0, 0) to (4, 2).
func oneMove() Trajectory {
	return Trajectory{Method: Default, Steps: []*mat.Dense{
		mat.NewDense(2, 1, []float64{0, 0}),
		mat.NewDense(2, 1, []float64{2, 1}),
		mat.NewDense(2, 1, []float64{4, 2}),
	}}
}

func TestFlow(t *testing.T) {
	p, err := Flow(0, 1, oneMove())
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, p)
	for _, want := range []string{"Default", "start", "path and end, Default", "signal 1", "signal 2"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
	img := decode(t, p)
	below := img.Bounds()
	below.Min.Y = 60 // the legend and the title
	end := extent(img, below, vermillion)
	if end.Empty() || end.Dx() > 6 || end.Dy() > 6 {
		t.Errorf("the end is in %v, want a dot", end)
	}
	// The path leads from the lower left to the dot, rising by 1 in 2, as the axes
	// span equal lengths of about as many pixels.
	blank := func(x, y int) bool { return color.NRGBAModel.Convert(img.At(x, y)) == color.Color(white) }
	x, y := (end.Min.X+end.Max.X)/2, (end.Min.Y+end.Max.Y)/2
	for _, back := range []int{50, 150, 250} {
		found := false
		for aside := -10; aside <= 10; aside++ {
			found = found || !blank(x-back, y+back/2+aside)
		}
		if !found {
			t.Errorf("there is no path %d pixels before the end", back)
		}
	}
}

func TestFlowPanels(t *testing.T) {
	field := oneMove()
	field.Method = SICARF
	field.At = mat.NewDense(2, 2, []float64{0, 4, 0, 4})
	field.Velocity = mat.NewDense(2, 2, []float64{1, 3, 0, 4})
	p, err := Flow(1, 0, oneMove(), field)
	if err != nil {
		t.Fatal(err)
	}
	if size := decode(t, p).Bounds().Size(); size.X != 900 || size.Y < 450 || size.Y > 500 {
		t.Errorf("two panels have %v pixels", size)
	}
	if !strings.Contains(textOf(t, p), "velocity\n") {
		t.Error("the legend has no velocity")
	}
	// No arrow, even the longest at the edge, leaves the panel.
	panel, err := field.panel(0, 1, styles[SICARF], new(strip))
	if err != nil {
		t.Fatal(err)
	}
	length := maxArrow * (panel.X.Max - panel.X.Min)
	if panel.X.Max < 4+length-1e-9 || panel.Y.Max < 4+length-1e-9 || math.Abs((panel.X.Max-panel.X.Min)-(panel.Y.Max-panel.Y.Min)) > 1e-9 {
		t.Errorf("axes %g to %g and %g to %g, with arrows of %g", panel.X.Min, panel.X.Max, panel.Y.Min, panel.Y.Max, length)
	}

	field.Velocity = mat.NewDense(2, 2, nil) // no motion: nothing to scale by
	if p, err = Flow(0, 1, field); err != nil {
		t.Fatal(err)
	}
	decode(t, p)
}

// The axes of a part of the trajectory are those of all of it.
func TestDrawnPartKeepsAxes(t *testing.T) {
	whole := oneMove()
	legend := new(strip)
	want, err := whole.panel(0, 1, styles[Default], legend)
	if err != nil {
		t.Fatal(err)
	}
	for drawn := 1; drawn <= 3; drawn++ {
		part := oneMove()
		part.Drawn = drawn
		if _, err := Flow(0, 1, part); err != nil {
			t.Fatal(err)
		}
		got, err := part.panel(0, 1, styles[Default], legend)
		if err != nil {
			t.Fatal(err)
		}
		for _, axis := range [][2]float64{{got.X.Min, want.X.Min}, {got.X.Max, want.X.Max}, {got.Y.Min, want.Y.Min}, {got.Y.Max, want.Y.Max}} {
			if axis[0] != axis[1] {
				t.Errorf("%d of 3 steps: an axis ends at %g, that of all at %g", drawn, axis[0], axis[1])
			}
		}
	}
	for _, drawn := range []int{-1, 4} {
		part := oneMove()
		part.Drawn = drawn
		if _, err := Flow(0, 1, part); err == nil {
			t.Errorf("there is no error for %d of 3 steps", drawn)
		}
	}
}

func TestFlowErrors(t *testing.T) {
	with := func(change func(*Trajectory)) func() (*Picture, error) {
		move := oneMove()
		change(&move)
		return func() (*Picture, error) { return Flow(0, 1, move) }
	}
	for _, test := range []struct {
		name  string
		draw  func() (*Picture, error)
		error string
	}{
		{"none", func() (*Picture, error) { return Flow(0, 1) }, "trajectories: none"},
		{"no such signal", func() (*Picture, error) { return Flow(0, 2, oneMove()) }, "signal 2; must be 0 to 1"},
		{"negative signal", func() (*Picture, error) { return Flow(-1, 0, oneMove()) }, "signal -1; must be"},
		{"one step", with(func(m *Trajectory) { m.Steps = m.Steps[:1] }), `trajectory "Default": 1 steps`},
		{"nil", with(func(m *Trajectory) { m.Steps[1] = nil }), "step 2: no signals"},
		{"sizes", with(func(m *Trajectory) { m.Steps[2] = mat.NewDense(2, 2, nil) }), "step 3 is 2×2; must be 2×1"},
		{"NaN", with(func(m *Trajectory) { m.Steps[1].Set(1, 0, math.NaN()) }), "a value of signal 1 or 2 is NaN"},
		{"no velocity", with(func(m *Trajectory) { m.At = mat.NewDense(2, 1, nil) }), "one is nil"},
		{"field's size", with(func(m *Trajectory) { m.At, m.Velocity = mat.NewDense(2, 1, nil), mat.NewDense(2, 3, nil) }), "at is 2×1 and velocity 2×3"},
		{"infinite velocity", with(func(m *Trajectory) {
			m.At, m.Velocity = mat.NewDense(2, 1, nil), mat.NewDense(2, 1, []float64{math.Inf(1), 0})
		}), "is +Inf"},
	} {
		if _, err := test.draw(); err == nil || !strings.HasPrefix(err.Error(), "plot: flow: ") || !strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
}
