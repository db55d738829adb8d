package plot

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Trajectory is how a flow moves signals.
type Trajectory struct {
	// Method gives the style of the end; see StyleOf.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Steps are the d×T signals at successive times, the start first and the
	// end last; at least two.
	Steps []*mat.Dense
	// Drawn is how many of the steps are drawn, in the axes that all of them need, so
	// that pictures of a flow as it goes on can be laid over one another. 0 draws all.
	Drawn int
	// At and Velocity, d×N both, are where arrows of the velocity field start
	// and what it is there. Nil draws none.
	At, Velocity *mat.Dense
}

func (t Trajectory) label() string {
	if t.Label != "" {
		return t.Label
	}
	return t.Method
}

const (
	mostPaths = 200
	// longestArrow is the length of the largest velocity's arrow, as a share of
	// the panel.
	longestArrow = 0.08
)

// Flow draws the motion of every position in the plane of signals i and j, both
// counted from 0: where it starts in grey, where it ends in the method's colour,
// and the path between as a thin line, for up to 200 positions at equal distances.
// Each trajectory has a panel, up to four in a row, whose axes span equal lengths.
// Arrows show a velocity field, all on one scale of their own.
//
// It is an error if there are no trajectories or fewer than two steps in one, if
// sizes differ within one, if there is no signal i or j, or if a value isn't
// finite.
func Flow(i, j int, trajectories ...Trajectory) (*Picture, error) {
	if len(trajectories) == 0 {
		return nil, errors.New("plot: flow: there are no trajectories; at least one is needed")
	}
	methods := make([]string, len(trajectories))
	for k, t := range trajectories {
		methods[k] = t.Method
	}
	styles := stylesOf(methods)
	panels := make([]*gplot.Plot, len(trajectories))
	titles := make([]string, len(trajectories))
	var legend strip
	for k, t := range trajectories {
		if err := t.check(i, j); err != nil {
			return nil, fmt.Errorf("plot: flow: trajectory %q: %w", t.label(), err)
		}
		var err error
		if panels[k], err = t.panel(i, j, styles[k], &legend); err != nil {
			return nil, fmt.Errorf("plot: flow: trajectory %q: %w", t.label(), err)
		}
		titles[k] = t.label()
	}

	columns := min(len(panels), 4)
	rows := (len(panels) + columns - 1) / columns
	side := width / vg.Length(max(columns, 2))
	legendHeight := legend.height(side*vg.Length(columns) - 2*margin)
	return &Picture{
		width:  side * vg.Length(columns),
		height: side*vg.Length(rows) + legendHeight,
		draw: func(c draw.Canvas) {
			drawGrid(legend.draw(inset(c)), columns, panels, titles)
		},
	}, nil
}

func (t Trajectory) check(i, j int) error {
	if len(t.Steps) < 2 {
		return fmt.Errorf("there are %d steps; at least the start and the end are needed", len(t.Steps))
	}
	for k, step := range t.Steps {
		if step == nil || step.IsEmpty() {
			return fmt.Errorf("step %d has no signals", k+1)
		}
	}
	if t.Drawn < 0 || t.Drawn > len(t.Steps) {
		return fmt.Errorf("%d steps are to be drawn; valid are 0 to %d", t.Drawn, len(t.Steps))
	}
	d, n := t.Steps[0].Dims()
	for k, step := range t.Steps {
		if rows, columns := step.Dims(); rows != d || columns != n {
			return fmt.Errorf("step %d is %d×%d and the start is %d×%d; all must have the same size", k+1, rows, columns, d, n)
		}
	}
	for _, signal := range []int{i, j} {
		if signal < 0 || signal >= d {
			return fmt.Errorf("there is no signal %d; valid are 0 to %d", signal, d-1)
		}
	}
	if (t.At == nil) != (t.Velocity == nil) {
		return errors.New("at and velocity must both be given or both be nil")
	}
	all := t.Steps
	if t.At != nil {
		rows, columns := t.At.Dims()
		if r, c := t.Velocity.Dims(); rows != d || r != d || c != columns {
			return fmt.Errorf("at is %d×%d and velocity %d×%d; both must have %d rows and as many columns", rows, columns, r, c, d)
		}
		all = append(all[:len(all):len(all)], t.At, t.Velocity)
	}
	for _, values := range all {
		for _, v := range append(mat.Row(nil, i, values), mat.Row(nil, j, values)...) {
			if math.IsNaN(v) || math.Abs(v) > math.MaxFloat64/8 {
				return fmt.Errorf("a value of signal %d or %d is %g; it must be finite and not near the largest", i+1, j+1, v)
			}
		}
	}
	return nil
}

// panel returns the trajectory as a plot, and adds what it shows to the legend.
func (t Trajectory) panel(i, j int, style Style, legend *strip) (*gplot.Plot, error) {
	panel := newPanel()
	panel.X.Label.Text = fmt.Sprintf("signal %d", i+1)
	panel.Y.Label.Text = fmt.Sprintf("signal %d", j+1)

	faint := style.Color
	faint.A = 110
	pathStyle := draw.LineStyle{Color: faint, Width: 0.8 * pixel}
	_, n := t.Steps[0].Dims()
	count := min(n, mostPaths)
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
	start, err := t.points(i, j, 0, translucent)
	if err != nil {
		return nil, err
	}
	end, err := t.points(i, j, len(drawn)-1, style.Color)
	if err != nil {
		return nil, err
	}
	panel.Add(start, end)
	if t.Drawn > 0 {
		t.widen(panel, i, j)
	}
	legend.add("start", start)
	legend.add("path and end, "+t.label(), &plotter.Line{LineStyle: draw.LineStyle{Color: faint, Width: pixel}}, end)
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

// points returns the positions at a step.
func (t Trajectory) points(i, j, step int, c color.NRGBA) (*plotter.Scatter, error) {
	_, n := t.Steps[step].Dims()
	points := make(plotter.XYs, n)
	for k := range points {
		points[k] = plotter.XY{X: t.Steps[step].At(i, k), Y: t.Steps[step].At(j, k)}
	}
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 1.8 * pixel, Shape: draw.CircleGlyph{}}
	return scatter, nil
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

// makeRoom widens the ranges so that arrows that start within them end in the
// panel.
func makeRoom(p *gplot.Plot) {
	for _, axis := range []*gplot.Axis{&p.X, &p.Y} {
		room := (axis.Max - axis.Min) * longestArrow / (1 - 2*longestArrow)
		axis.Min -= room
		axis.Max += room
	}
}

var arrowStyle = draw.LineStyle{Color: black, Width: pixel}

// arrows is a plotter of a velocity field.
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

// DataRange makes room for the feet of the arrows.
func (a *arrows) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(a.at)
}

func (a *arrows) Plot(c draw.Canvas, p *gplot.Plot) {
	if a.largest == 0 {
		return
	}
	x, y := p.Transforms(&c)
	scale := longestArrow * min(c.Size().X, c.Size().Y)
	for k, at := range a.at {
		v := vg.Point{X: vg.Length(a.velocity[k].X / a.largest), Y: vg.Length(a.velocity[k].Y / a.largest)}
		drawArrow(c, vg.Point{X: x(at.X), Y: y(at.Y)}, v.Scale(scale))
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
