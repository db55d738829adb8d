package plot

import (
	"errors"
	"fmt"
	"math"
	"slices"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is a line of a Curve, a mean with its standard error for each x, or the points of
// Dots.
type Series struct {
	// Method gives the style; see HasStyle.
	Method string
	// Label is shown, and may say how many runs there are; "" shows Method.
	Label string
	// X and Y are the points, in order. A NaN in Y leaves a gap.
	X, Y []float64
	// SE are the standard errors of Y, which are drawn as bars of one on each
	// side. Nil draws none, and neither does a NaN.
	SE []float64
}

func (s Series) name() (method, label string) { return s.Method, s.Label }

// check returns an error unless the series can be drawn along these axes.
func (s Series) check(x, y Axis) error {
	if len(s.X) != len(s.Y) || s.SE != nil && len(s.SE) != len(s.Y) {
		return fmt.Errorf("%d x, %d y and %d standard errors; must be as many of each, "+
			"or no standard errors", len(s.X), len(s.Y), len(s.SE))
	}
	for i := range s.X {
		if math.IsNaN(s.X[i]) || math.IsInf(s.X[i], 0) || math.IsInf(s.Y[i], 0) {
			return fmt.Errorf("point %d is (%g, %g); must be finite, or y NaN", i+1, s.X[i], s.Y[i])
		}
		if s.SE != nil && (s.SE[i] < 0 || math.IsInf(s.SE[i], 0)) {
			return fmt.Errorf("standard error %d is %g; must be finite and not negative",
				i+1, s.SE[i])
		}
		if math.IsNaN(s.Y[i]) {
			continue
		}
		if err := x.check(s.X[i]); err != nil {
			return fmt.Errorf("x of point %d: %w", i+1, err)
		}
		for _, end := range []float64{s.Y[i] - s.bar(i), s.Y[i] + s.bar(i)} {
			if err := y.check(end); err != nil {
				return fmt.Errorf("y ± SE of point %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// bar returns the length of the bar on each side of point i.
func (s Series) bar(i int) float64 {
	if s.SE == nil || math.IsNaN(s.SE[i]) {
		return 0
	}
	return s.SE[i]
}

// Curve draws series in one panel, such as the MCC of several methods against the number of
// mixing steps. Later series lie above earlier ones. Series with standard errors are shifted a
// little against each other, so that their bars are distinguishable. Series of more than 40
// points have markers at a few.
//
// It is an error if no series has a point, if the lengths within one differ, if a value isn't
// finite (except NaN in Y and SE), or if a standard error is negative.
func Curve(xLabel, yLabel string, series ...Series) (*Picture, error) {
	panel := Panel{X: Axis{Label: xLabel}, Y: Axis{Label: yLabel}, Series: series}
	var legend strip
	drawn, err := panel.draw(stylesOf(series), &legend)
	if err != nil {
		return nil, fmt.Errorf("plot: curve: %w", err)
	}
	return &Picture{
		width:  width,
		height: 450 * pixel,
		draw: func(c draw.Canvas) {
			drawn.Draw(legend.drawRight(inset(c)))
		},
	}, nil
}

// A Panel is one of the diagrams of Curves.
type Panel struct {
	// Title is shown above it; "" shows nothing.
	Title  string
	X, Y   Axis
	Series []Series
}

// draw returns the panel as a plot, with series in these styles, and adds those that have a point
// to the legend.
func (p Panel) draw(styles []style, legend *strip) (*gplot.Plot, error) {
	var x []float64
	for _, s := range p.Series {
		if err := s.check(p.X, p.Y); err != nil {
			return nil, fmt.Errorf("series %q: %w", labelOf(s), err)
		}
		if hasPoint(s) {
			x = append(x, s.X...)
		}
	}
	if x == nil {
		return nil, errors.New("series: no point; must be at least one")
	}
	panel := newPanel()
	p.X.apply(&panel.X)
	p.Y.apply(&panel.Y)
	if !p.X.Log {
		panel.X.Tick.Marker = integerTicks(x)
	}
	for k, shift := range dodge(p.X, p.Series) {
		s := p.Series[k]
		if !hasPoint(s) {
			continue
		}
		samples, err := addSeries(panel, s.points(p.X, p.Y, shift), styles[k])
		if err != nil {
			return nil, fmt.Errorf("series %q: %w", labelOf(s), err)
		}
		legend.add(labelOf(s), samples...)
	}
	p.Y.roundOut(&panel.Y)
	if p.X.Log {
		p.X.roundOut(&panel.X)
	}
	return panel, nil
}

// Curves draws panels side by side, up to four in a row, with one legend above them for the
// labels of all series.
//
// It is an error if there are no panels, and for each as for Curve. On a logarithmic axis x, or
// y − SE, must be positive.
func Curves(panels ...Panel) (*Picture, error) {
	if len(panels) == 0 {
		return nil, errors.New("plot: curves: panels: none; must be at least one")
	}
	var series []Series
	for _, p := range panels {
		series = append(series, p.Series...)
	}
	styles := stylesOf(series)
	var legend strip
	drawn := make([]*gplot.Plot, len(panels))
	titles := make([]string, len(panels))
	for i, p := range panels {
		var err error
		if drawn[i], err = p.draw(styles[:len(p.Series)], &legend); err != nil {
			return nil, fmt.Errorf("plot: curves: panel %d: %w", i+1, err)
		}
		styles = styles[len(p.Series):]
		titles[i] = p.Title
	}
	rows := (len(panels) + 3) / 4
	columns := (len(panels) + rows - 1) / rows
	const height, narrowest = 330 * pixel, 300 * pixel
	wide := max(width, narrowest*vg.Length(columns))
	return &Picture{
		width:  wide,
		height: height*vg.Length(rows) + legend.height(wide-2*margin) + 2*margin,
		draw: func(c draw.Canvas) {
			drawGrid(legend.draw(inset(c)), columns, drawn, titles)
		},
	}, nil
}

// dodge returns how far each series is shifted along the x axis, so that those with standard
// errors don't overlap. Together they fill up to 0.4 of the smallest gap between two x, or of 1
// if there is one x.
func dodge(x Axis, series []Series) []float64 {
	var at []float64
	barred := 0
	for _, s := range series {
		if s.SE == nil || !hasPoint(s) {
			continue
		}
		barred++
		for k, v := range s.X {
			if !math.IsNaN(s.Y[k]) {
				at = append(at, x.place(v))
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	shifts := make([]float64, len(series))
	if barred < 2 {
		return shifts
	}
	step := 0.4 / float64(barred)
	if span := at[len(at)-1] - at[0]; span > 0 {
		gap := span
		for i := range len(at) - 1 {
			gap = min(gap, at[i+1]-at[i])
		}
		step = min(0.4*gap/float64(barred), span/80) // few stay near
	}
	slot := -float64(barred-1) / 2
	for k, s := range series {
		if s.SE != nil && hasPoint(s) {
			shifts[k] = slot * step
			slot++
		}
	}
	return shifts
}

// addSeries adds a series to the panel and returns its samples for a legend.
func addSeries(
	panel *gplot.Plot, s seriesPoints, look style,
) ([]gplot.Thumbnailer, error) {
	for _, run := range s.runs {
		line, err := plotter.NewLine(run)
		if err != nil {
			return nil, err
		}
		line.LineStyle = look.line()
		panel.Add(line)
	}
	if len(s.bars.XYs) > 0 {
		bars, err := plotter.NewYErrorBars(s.bars)
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: look.color, Width: pixel}
		bars.CapWidth = 6 * pixel
		panel.Add(bars)
	}
	glyphs, err := plotter.NewScatter(markedPoints(s.points))
	if err != nil {
		return nil, err
	}
	glyphs.GlyphStyle = look.marker(4 * pixel)
	panel.Add(glyphs)
	sample := &plotter.Line{LineStyle: look.line()}
	return []gplot.Thumbnailer{sample, glyphs}, nil
}

// markedPoints returns the points that have a marker: all, or a few at equal distances if all would
// hide the line.
func markedPoints(points plotter.XYs) plotter.XYs {
	const limit, few = 40, 8
	if len(points) <= limit {
		return points
	}
	spread := make(plotter.XYs, few)
	for k := range spread {
		spread[k] = points[(2*k+1)*len(points)/(2*few)]
	}
	return spread
}

// seriesPoints are the points of a series that aren't NaN, at their places along the axes.
type seriesPoints struct {
	points plotter.XYs
	runs   []plotter.XYs // of points between the gaps
	bars   errorPoints   // those with a standard error
}

type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// points returns the points of s, shifted along x.
func (s Series) points(x, y Axis, shift float64) seriesPoints {
	var p seriesPoints
	gap := true
	for i, v := range s.Y {
		if math.IsNaN(v) {
			gap = true
			continue
		}
		if gap {
			p.runs = append(p.runs, nil)
			gap = false
		}
		point := plotter.XY{X: x.place(s.X[i]) + shift, Y: y.place(v)}
		p.points = append(p.points, point)
		last := len(p.runs) - 1
		p.runs[last] = append(p.runs[last], point)

		if se := s.bar(i); se > 0 {
			p.bars.XYs = append(p.bars.XYs, point)
			p.bars.YErrors = append(p.bars.YErrors, struct{ Low, High float64 }{
				Low: point.Y - y.place(v-se), High: y.place(v+se) - point.Y,
			})
		}
	}
	return p
}

// A History is what one fit measured at its iterations, from number 1 on; see sica.Result.
type History struct {
	// Method gives the style; see HasStyle.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Divergence is in nats. It may be nil, and a NaN leaves a gap.
	Divergence []float64
	// Loss is the training loss. It may be nil, and a NaN leaves a gap.
	Loss []float64
}

// Progress draws the divergence, with a line at zero, and below it the training loss, both
// against the iteration. A panel without values isn't drawn. It is an error if there is no value
// at all or if one is infinite.
func Progress(histories ...History) (*Picture, error) {
	var divergence, loss []Series
	for _, h := range histories {
		divergence = append(divergence, iterations(h, h.Divergence))
		loss = append(loss, iterations(h, h.Loss))
	}
	styles := stylesOf(loss)
	var legend strip
	var panels []*gplot.Plot
	for _, row := range []struct {
		label  string
		series []Series
		zero   bool // with a line at zero
	}{
		{"divergence (nats)", divergence, true},
		{"training loss", loss, false},
	} {
		if !slices.ContainsFunc(row.series, hasPoint) {
			continue
		}
		described := Panel{Y: Axis{Label: row.label}, Series: row.series}
		panel, err := described.draw(styles, &legend)
		if err != nil {
			return nil, fmt.Errorf("plot: progress: %s: %w", row.label, err)
		}
		if row.zero {
			addZero(panel)
		}
		panels = append(panels, panel)
	}
	if panels == nil {
		return nil, fmt.Errorf("plot: progress: histories: none of %d has a value; "+
			"must be at least one", len(histories))
	}
	panels[len(panels)-1].X.Label.Text = "iteration j"
	return &Picture{
		width:  width,
		height: (60 + 240*vg.Length(len(panels))) * pixel,
		draw: func(c draw.Canvas) {
			drawStacked(legend.drawRight(inset(c)), panels)
		},
	}, nil
}

// addZero draws a line at zero and makes room for it.
func addZero(panel *gplot.Plot) {
	line := plotter.NewFunction(func(float64) float64 { return 0 })
	line.LineStyle = draw.LineStyle{Color: black, Width: pixel}
	line.Samples = 2
	panel.Add(line)
	panel.Y.Min = min(panel.Y.Min, 0)
	panel.Y.Max = max(panel.Y.Max, 0)
}

// iterations returns values as a series over the iterations.
func iterations(h History, values []float64) Series {
	x := make([]float64, len(values))
	for j := range x {
		x[j] = float64(j + 1)
	}
	return Series{Method: h.Method, Label: h.Label, X: x, Y: values}
}

// hasPoint reports whether a series has a value.
func hasPoint(s Series) bool {
	return slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
}
