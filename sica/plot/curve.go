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

	"github.com/seed-47b1e431/gosica/internal/ticks"
)

// A Series is a line of a Curve: a mean for each x, and its standard error.
type Series struct {
	// Method gives the style; see StyleOf.
	Method string
	// Label is shown, and may say how many runs there are; "" shows Method.
	Label string
	// X and Y are the points, in order. A NaN in Y leaves a gap.
	X, Y []float64
	// SE are the standard errors of Y, which are drawn as bars of one on each
	// side. Nil draws none, and neither does a NaN.
	SE []float64
}

func (s Series) label() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Method
}

// check returns an error unless the series can be drawn along these axes.
func (s Series) check(x, y Axis) error {
	if len(s.X) != len(s.Y) || s.SE != nil && len(s.SE) != len(s.Y) {
		return fmt.Errorf("there are %d x, %d y and %d standard errors; there must be as many of each, or no standard errors",
			len(s.X), len(s.Y), len(s.SE))
	}
	for i := range s.X {
		if math.IsNaN(s.X[i]) || math.IsInf(s.X[i], 0) || math.IsInf(s.Y[i], 0) {
			return fmt.Errorf("point %d is (%g, %g); it must be finite, or y NaN", i+1, s.X[i], s.Y[i])
		}
		if s.SE != nil && (s.SE[i] < 0 || math.IsInf(s.SE[i], 0)) {
			return fmt.Errorf("standard error %d is %g; it must not be negative or infinite", i+1, s.SE[i])
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

// bar is the length of the bar on each side of point i.
func (s Series) bar(i int) float64 {
	if s.SE == nil || math.IsNaN(s.SE[i]) {
		return 0
	}
	return s.SE[i]
}

// Curve draws the series in one panel, such as the MCC of several methods
// against the number of mixing steps; later series lie above earlier ones.
// Series with standard errors lie a little beside one another, so that their
// bars can be told apart, and those of more than 40 points have markers at a few.
//
// It is an error if no series has a point, if the lengths within one differ, if
// a value other than a NaN in Y or SE isn't finite, or if a standard error
// is negative.
func Curve(xLabel, yLabel string, series ...Series) (*Picture, error) {
	panel := Panel{X: Axis{Label: xLabel}, Y: Axis{Label: yLabel}, Series: series}
	drawn, samples, err := panel.draw(stylesOf(seriesMethods(series)))
	if err != nil {
		return nil, fmt.Errorf("plot: curve: %w", err)
	}
	legend := gplot.NewLegend()
	for k, s := range series {
		if samples[k] != nil {
			legend.Add(s.label(), samples[k]...)
		}
	}
	return &Picture{
		width:  width,
		height: 450 * pixel,
		draw: func(c draw.Canvas) {
			drawn.Draw(drawLegend(inset(c), legend))
		},
	}, nil
}

func seriesMethods(series []Series) []string {
	methods := make([]string, len(series))
	for k, s := range series {
		methods[k] = s.Method
	}
	return methods
}

// A Panel is one of the diagrams of Curves.
type Panel struct {
	// Title is shown above it; "" shows nothing.
	Title  string
	X, Y   Axis
	Series []Series
}

// draw returns the panel as a plot, with series in these styles, and what stands
// for each series in the legend, nil for one without a point.
func (p Panel) draw(styles []Style) (*gplot.Plot, [][]gplot.Thumbnailer, error) {
	var x []float64
	for _, s := range p.Series {
		if err := s.check(p.X, p.Y); err != nil {
			return nil, nil, fmt.Errorf("series %q: %w", s.label(), err)
		}
		if hasPoint(s) {
			x = append(x, s.X...)
		}
	}
	if x == nil {
		return nil, nil, errors.New("there is no point to draw; at least one series must have one")
	}
	panel := newPanel()
	p.X.apply(&panel.X)
	p.Y.apply(&panel.Y)
	if !p.X.Log {
		panel.X.Tick.Marker = ticks.Integers(x)
	}
	samples := make([][]gplot.Thumbnailer, len(p.Series))
	for k, shift := range dodge(p.X, p.Series) {
		var err error
		s := p.Series[k]
		if samples[k], err = addSeries(panel, s.points(p.X, p.Y, shift), styles[k]); err != nil {
			return nil, nil, fmt.Errorf("series %q: %w", s.label(), err)
		}
	}
	p.Y.roundOut(&panel.Y)
	if p.X.Log {
		p.X.roundOut(&panel.X)
	}
	return panel, samples, nil
}

// Curves draws panels side by side, up to three in a row, with one legend above
// them, in which series of one label are one.
//
// It is an error if there are no panels, and for each as for Curve; on a
// logarithmic axis x or y − SE must also be positive.
func Curves(panels ...Panel) (*Picture, error) {
	if len(panels) == 0 {
		return nil, errors.New("plot: curves: there are no panels; at least one is needed")
	}
	var series []Series
	for _, p := range panels {
		series = append(series, p.Series...)
	}
	styles := stylesOf(seriesMethods(series))
	var legend strip
	drawn := make([]*gplot.Plot, len(panels))
	titles := make([]string, len(panels))
	for i, p := range panels {
		var samples [][]gplot.Thumbnailer
		var err error
		if drawn[i], samples, err = p.draw(styles[:len(p.Series)]); err != nil {
			return nil, fmt.Errorf("plot: curves: panel %d: %w", i+1, err)
		}
		styles = styles[len(p.Series):]
		titles[i] = p.Title
		for k, s := range p.Series {
			if samples[k] != nil {
				legend.add(s.label(), samples[k]...)
			}
		}
	}
	columns := min(len(panels), 3)
	rows := (len(panels) + columns - 1) / columns
	const height = 330 * pixel
	return &Picture{
		width:  width,
		height: height*vg.Length(rows) + legend.height(width-2*margin) + 2*margin,
		draw: func(c draw.Canvas) {
			drawGrid(legend.draw(inset(c)), columns, drawn, titles)
		},
	}, nil
}

// dodge returns how far each series is moved along the x axis, so that those with
// standard errors lie beside one another: they fill up to .4 of the smallest gap
// between two x in all.
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
				at = append(at, x.at(v))
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	shifts := make([]float64, len(series))
	if barred < 2 || len(at) < 2 {
		return shifts
	}
	span := at[len(at)-1] - at[0]
	gap := span
	for i := range len(at) - 1 {
		gap = min(gap, at[i+1]-at[i])
	}
	step := min(0.4*gap/float64(barred), span/80) // few stay near
	slot := -float64(barred-1) / 2
	for k, s := range series {
		if s.SE != nil && hasPoint(s) {
			shifts[k] = slot * step
			slot++
		}
	}
	return shifts
}

// addSeries adds a series to the panel and returns what stands for it in the
// legend; nothing if it has no point.
func addSeries(panel *gplot.Plot, s seriesPoints, style Style) ([]gplot.Thumbnailer, error) {
	if len(s.points) == 0 {
		return nil, nil
	}
	for _, run := range s.runs {
		line, err := plotter.NewLine(run)
		if err != nil {
			return nil, err
		}
		line.LineStyle = style.line()
		panel.Add(line)
	}
	if len(s.bars.XYs) > 0 {
		bars, err := plotter.NewYErrorBars(s.bars)
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: style.Color, Width: pixel}
		bars.CapWidth = 6 * pixel
		panel.Add(bars)
	}
	glyphs, err := plotter.NewScatter(marked(s.points))
	if err != nil {
		return nil, err
	}
	glyphs.GlyphStyle = style.glyph(4 * pixel)
	panel.Add(glyphs)
	sample := &plotter.Line{LineStyle: style.line()}
	return []gplot.Thumbnailer{sample, glyphs}, nil
}

// marked returns the points that have a marker: all, or where they would hide the
// line, a few at equal distances that tell whose line it is.
func marked(points plotter.XYs) plotter.XYs {
	const most, few = 40, 8
	if len(points) <= most {
		return points
	}
	spread := make(plotter.XYs, few)
	for k := range spread {
		spread[k] = points[(2*k+1)*len(points)/(2*few)]
	}
	return spread
}

// seriesPoints are the points of a series that aren't NaN, along the axes.
type seriesPoints struct {
	points plotter.XYs
	runs   []plotter.XYs // of points between the gaps
	bars   errorPoints   // those with a standard error
}

type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// points returns the points of s, moved by shift along x.
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
		point := plotter.XY{X: x.at(s.X[i]) + shift, Y: y.at(v)}
		p.points = append(p.points, point)
		last := len(p.runs) - 1
		p.runs[last] = append(p.runs[last], point)

		if se := s.bar(i); se > 0 {
			p.bars.XYs = append(p.bars.XYs, point)
			p.bars.YErrors = append(p.bars.YErrors, struct{ Low, High float64 }{
				Low: point.Y - y.at(v-se), High: y.at(v+se) - point.Y,
			})
		}
	}
	return p
}
