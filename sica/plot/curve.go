package plot

import (
	"errors"
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is a line of a Curve: a mean for each x, and its standard error.
type Series struct {
	// Method gives the style; see StyleOf.
	Method string
	// Label is shown; "" shows Method.
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

func (s Series) check() error {
	if len(s.X) != len(s.Y) || s.SE != nil && len(s.SE) != len(s.Y) {
		return fmt.Errorf("there are %d x, %d y and %d standard errors; there must be as many of each, or no standard errors",
			len(s.X), len(s.Y), len(s.SE))
	}
	for i := range s.X {
		if math.IsNaN(s.X[i]) || math.IsInf(s.X[i], 0) || math.IsInf(s.Y[i], 0) {
			return fmt.Errorf("point %d (counted from 0) is (%g, %g); it must be finite, or y NaN", i, s.X[i], s.Y[i])
		}
		if s.SE != nil && (s.SE[i] < 0 || math.IsInf(s.SE[i], 0)) {
			return fmt.Errorf("standard error %d (counted from 0) is %g; it must not be negative or infinite", i, s.SE[i])
		}
	}
	return nil
}

// Curve draws the series in one panel, such as the MCC of several methods
// against the number of mixing steps; later series lie above earlier ones.
//
// It is an error if no series has a point, if the lengths within one differ, if
// a value other than a NaN in Y or SE isn't finite, or if a standard error is
// negative.
func Curve(xLabel, yLabel string, series ...Series) (*Picture, error) {
	panel, samples, err := curvePanel(series)
	if err != nil {
		return nil, fmt.Errorf("plot: curve: %w", err)
	}
	panel.X.Label.Text = xLabel
	panel.Y.Label.Text = yLabel
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
			panel.Draw(drawLegend(inset(c), legend))
		},
	}, nil
}

// curvePanel returns a panel with the series and what stands for each in the
// legend, nil for one without a point.
func curvePanel(series []Series) (*gplot.Plot, [][]gplot.Thumbnailer, error) {
	methods := make([]string, len(series))
	for k, s := range series {
		methods[k] = s.Method
	}
	panel := newPanel()
	samples := make([][]gplot.Thumbnailer, len(series))
	var x []float64
	for k, style := range stylesOf(methods) {
		s := series[k]
		err := s.check()
		if err == nil {
			samples[k], err = addSeries(panel, s, style)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("series %q: %w", s.label(), err)
		}
		if samples[k] != nil {
			x = append(x, s.X...)
		}
	}
	if x == nil {
		return nil, nil, errors.New("there is no point to draw; at least one series must have one")
	}
	panel.X.Tick.Marker = integerTicks(x)
	return panel, samples, nil
}

// addSeries adds the lines, points and bars of s to the panel and returns what
// stands for them in the legend; nothing if s has no point.
func addSeries(panel *gplot.Plot, s Series, style Style) ([]gplot.Thumbnailer, error) {
	points, runs := s.points()
	if len(points.XYs) == 0 {
		return nil, nil
	}
	for _, run := range runs {
		line, err := plotter.NewLine(run)
		if err != nil {
			return nil, err
		}
		line.LineStyle = style.line()
		panel.Add(line)
	}
	if s.SE != nil {
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: style.Color, Width: pixel}
		bars.CapWidth = 6 * pixel
		panel.Add(bars)
	}
	glyphs, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	glyphs.GlyphStyle = style.glyph(4 * pixel)
	panel.Add(glyphs)
	sample := &plotter.Line{LineStyle: style.line()}
	return []gplot.Thumbnailer{sample, glyphs}, nil
}

// errorPoints are points with their standard errors.
type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// points returns the points of s that aren't NaN, and their runs between the
// gaps.
func (s Series) points() (errorPoints, []plotter.XYs) {
	var points errorPoints
	var runs []plotter.XYs
	gap := true
	for i, y := range s.Y {
		if math.IsNaN(y) {
			gap = true
			continue
		}
		if gap {
			runs = append(runs, nil)
			gap = false
		}
		point := plotter.XY{X: s.X[i], Y: y}
		last := len(runs) - 1
		runs[last] = append(runs[last], point)

		var se float64
		if s.SE != nil && !math.IsNaN(s.SE[i]) {
			se = s.SE[i]
		}
		points.XYs = append(points.XYs, point)
		points.YErrors = append(points.YErrors, struct{ Low, High float64 }{se, se})
	}
	return points, runs
}
