package plot

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Trajectory is how a flow moves signals.
type Trajectory struct {
	// Method gives the style of the end; see HasStyle.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Steps are the d×n signals at successive times, at least two: from the start to the end.
	Steps []*mat.Dense
	// Drawn is the number of steps that are drawn, on axes for all of them, so that the
	// pictures of a flow in progress are comparable. 0 draws all.
	Drawn int
	// At and Velocity, both d×N, are points and the velocity field there, drawn as arrows. Nil
	// draws none.
	At, Velocity *mat.Dense
}

func (t Trajectory) name() (method, label string) { return t.Method, t.Label }

const (
	maxPaths = 200
	// maxArrow is the length of the longest arrow, as a share of the panel.
	maxArrow = 0.08
)

// Flow draws the motion of the positions in the plane of signals i and j, both counted from 0.
// Starts are grey, ends have the method's colour, and paths are thin lines, for up to 200
// positions at equal distances. Each trajectory has a panel, up to four in a row, whose axes
// span equal lengths. Arrows show a velocity field on one scale.
//
// It is an error if there are no trajectories or fewer than two steps in one, if sizes differ
// within one, if there is no signal i or j, or if a value isn't finite.
func Flow(i, j int, trajectories ...Trajectory) (*Picture, error) {
	if len(trajectories) == 0 {
		return nil, errors.New("plot: flow: trajectories: none; must be at least one")
	}
	styles := stylesOf(trajectories)
	panels := make([]*gplot.Plot, len(trajectories))
	titles := make([]string, len(trajectories))
	var legend strip
	for k, t := range trajectories {
		if err := t.check(i, j); err != nil {
			return nil, fmt.Errorf("plot: flow: trajectory %q: %w", labelOf(t), err)
		}
		var err error
		if panels[k], err = t.panel(i, j, styles[k], &legend); err != nil {
			return nil, fmt.Errorf("plot: flow: trajectory %q: %w", labelOf(t), err)
		}
		titles[k] = labelOf(t)
	}
	return squares(min(len(panels), 4), panels, titles, legend), nil
}

// check returns an error unless the trajectory can be drawn.
func (t Trajectory) check(i, j int) error {
	if len(t.Steps) < 2 {
		return fmt.Errorf("%d steps; must be at least the start and the end", len(t.Steps))
	}
	for k, step := range t.Steps {
		if step == nil || step.IsEmpty() {
			return fmt.Errorf("step %d: no signals; must be at least one", k+1)
		}
	}
	if t.Drawn < 0 || t.Drawn > len(t.Steps) {
		return fmt.Errorf("drawn is %d; must be 0 to %d", t.Drawn, len(t.Steps))
	}
	d, n := t.Steps[0].Dims()
	for k, step := range t.Steps {
		if rows, columns := step.Dims(); rows != d || columns != n {
			return fmt.Errorf("step %d is %d×%d; must be %d×%d, like the start",
				k+1, rows, columns, d, n)
		}
	}
	if err := checkSignals(i, j, d); err != nil {
		return err
	}
	if (t.At == nil) != (t.Velocity == nil) {
		return errors.New("at and velocity: one is nil; must be both or none")
	}
	all := t.Steps
	if t.At != nil {
		rows, columns := t.At.Dims()
		if r, c := t.Velocity.Dims(); rows != d || r != d || c != columns {
			return fmt.Errorf("at is %d×%d and velocity %d×%d; "+
				"both must have %d rows and as many columns", rows, columns, r, c, d)
		}
		all = append(all[:len(all):len(all)], t.At, t.Velocity)
	}
	for _, values := range all {
		if err := checkDrawable(values, i, j); err != nil {
			return err
		}
	}
	return nil
}

// checkDrawable returns an error unless the values of signals i and j can be scaled to a picture.
func checkDrawable(values *mat.Dense, i, j int) error {
	for _, v := range append(mat.Row(nil, i, values), mat.Row(nil, j, values)...) {
		if math.IsNaN(v) || math.Abs(v) > math.MaxFloat64/8 {
			return fmt.Errorf("a value of signal %d or %d is %g; "+
				"must be finite and not near the largest", i+1, j+1, v)
		}
	}
	return nil
}

// panel returns the trajectory as a plot and adds it to the legend.
func (t Trajectory) panel(
	i, j int, look style, legend *strip,
) (*gplot.Plot, error) {
	panel := newPanel()
	panel.X.Label.Text = fmt.Sprintf("signal %d", i+1)
	panel.Y.Label.Text = fmt.Sprintf("signal %d", j+1)

	faint := look.color
	faint.A = 110
	pathStyle := draw.LineStyle{Color: faint, Width: 0.8 * pixel}
	_, n := t.Steps[0].Dims()
	count := min(n, maxPaths)
	drawn := t.Steps
	if t.Drawn > 0 {
		drawn = t.Steps[:t.Drawn]
	}
	for k := range count {
		position := k * n / count
		path := make(plotter.XYs, len(drawn))
		for s, step := range drawn {
			path[s] = plotter.XY{X: step.At(i, position), Y: step.At(j, position)}
		}
		line, err := plotter.NewLine(path)
		if err != nil {
			return nil, err
		}
		line.LineStyle = pathStyle
		panel.Add(line)
	}

	translucent := lightGrey
	translucent.A = 150
	const radius = 1.8 * pixel
	first, last := drawn[0], drawn[len(drawn)-1]
	start, err := newScatter(first.RowView(i), first.RowView(j), translucent, radius)
	if err != nil {
		return nil, err
	}
	end, err := newScatter(last.RowView(i), last.RowView(j), look.color, radius)
	if err != nil {
		return nil, err
	}
	panel.Add(start, end)
	if t.Drawn > 0 {
		t.widen(panel, i, j)
	}
	legend.add("start", start)
	path := &plotter.Line{LineStyle: draw.LineStyle{Color: faint, Width: pixel}}
	legend.add("path and end, "+labelOf(t), path, end)
	if t.At != nil {
		field := newArrows(i, j, t.At, t.Velocity)
		panel.Add(field)
		legend.add("velocity", &plotter.Line{LineStyle: arrowStyle})
	}
	squareRange(panel)
	if t.At != nil {
		makeRoom(panel)
	}
	return panel, nil
}

// widen gives the panel the ranges of all steps, drawn or not.
func (t Trajectory) widen(panel *gplot.Plot, i, j int) {
	for _, step := range t.Steps {
		x, y := step.RowView(i), step.RowView(j)
		panel.X.Min, panel.X.Max = min(panel.X.Min, mat.Min(x)), max(panel.X.Max, mat.Max(x))
		panel.Y.Min, panel.Y.Max = min(panel.Y.Min, mat.Min(y)), max(panel.Y.Max, mat.Max(y))
	}
}

// squareRange gives both axes the larger of their ranges, about the middles.
func squareRange(p *gplot.Plot) {
	half := max(p.X.Max-p.X.Min, p.Y.Max-p.Y.Min) / 2
	for _, axis := range []*gplot.Axis{&p.X, &p.Y} {
		middle := axis.Min/2 + axis.Max/2
		axis.Min, axis.Max = middle-half, middle+half
	}
}

// makeRoom widens the ranges for the arrows that start within them.
func makeRoom(p *gplot.Plot) {
	for _, axis := range []*gplot.Axis{&p.X, &p.Y} {
		room := (axis.Max - axis.Min) * maxArrow / (1 - 2*maxArrow)
		axis.Min -= room
		axis.Max += room
	}
}

var arrowStyle = draw.LineStyle{Color: black, Width: pixel}

// An arrows is a plotter of a velocity field.
type arrows struct {
	at       plotter.XYs
	velocity plotter.XYs
	largest  float64
}

func newArrows(i, j int, at, velocity *mat.Dense) *arrows {
	_, n := at.Dims()
	a := new(arrows)
	for k := range n {
		v := plotter.XY{X: velocity.At(i, k), Y: velocity.At(j, k)}
		a.at = append(a.at, plotter.XY{X: at.At(i, k), Y: at.At(j, k)})
		a.velocity = append(a.velocity, v)
		a.largest = max(a.largest, math.Hypot(v.X, v.Y))
	}
	return a
}

// DataRange implements plot.DataRanger.
func (a *arrows) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(a.at)
}

// Plot implements plot.Plotter.
func (a *arrows) Plot(c draw.Canvas, p *gplot.Plot) {
	if a.largest == 0 {
		return
	}
	x, y := p.Transforms(&c)
	scale := maxArrow * min(c.Size().X, c.Size().Y)
	for k, at := range a.at {
		v := a.velocity[k]
		by := vg.Point{X: vg.Length(v.X / a.largest), Y: vg.Length(v.Y / a.largest)}
		drawArrow(c, vg.Point{X: x(at.X), Y: y(at.Y)}, by.Scale(scale))
	}
}

// drawArrow draws a line with a small head that shrinks with it.
func drawArrow(c draw.Canvas, foot, by vg.Point) {
	const head = 0.3 // of its length
	tip := foot.Add(by)
	across := vg.Point{X: -by.Y, Y: by.X}.Scale(head / 2)
	back := tip.Sub(by.Scale(head))
	c.StrokeLines(arrowStyle,
		[]vg.Point{foot, tip},
		[]vg.Point{back.Add(across), tip, back.Sub(across)})
}
