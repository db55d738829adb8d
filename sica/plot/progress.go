package plot

import (
	"fmt"
	"math"
	"slices"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A History is what one fit measured at its iterations, of which the first is
// number 1; see sica.Result.
type History struct {
	// Method gives the style; see StyleOf.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Divergence is in nats. It may be nil, and a NaN leaves a gap.
	Divergence []float64
	// Loss is the training loss. It may be nil, and a NaN leaves a gap.
	Loss []float64
}

// Progress draws the divergence, with a line at zero, and below it the training
// loss, both against the iteration. A panel without a value is left out.
//
// It is an error if there is no value at all or if one is infinite.
func Progress(histories ...History) (*Picture, error) {
	var divergence, loss []Series
	for _, h := range histories {
		divergence = append(divergence, iterations(h, h.Divergence))
		loss = append(loss, iterations(h, h.Loss))
	}
	styles := stylesOf(seriesMethods(loss))
	samples := make([][]gplot.Thumbnailer, len(histories))
	var panels []*gplot.Plot
	for _, row := range []struct {
		label  string
		series []Series
		zero   bool // is shown as a line
	}{
		{"divergence (nats)", divergence, true},
		{"training loss", loss, false},
	} {
		if !slices.ContainsFunc(row.series, hasPoint) {
			continue
		}
		panel, rowSamples, err := Panel{Y: Axis{Label: row.label}, Series: row.series}.draw(styles)
		if err != nil {
			return nil, fmt.Errorf("plot: progress: %s: %w", row.label, err)
		}
		if row.zero {
			addZero(panel)
		}
		panels = append(panels, panel)
		for k, sample := range rowSamples {
			if sample != nil {
				samples[k] = sample
			}
		}
	}
	if panels == nil {
		return nil, fmt.Errorf("plot: progress: none of the %d histories has a value; at least one is needed", len(histories))
	}
	panels[len(panels)-1].X.Label.Text = "iteration j"

	legend := gplot.NewLegend()
	for k, s := range loss {
		if samples[k] != nil {
			legend.Add(s.label(), samples[k]...)
		}
	}
	return &Picture{
		width:  width,
		height: (60 + 240*vg.Length(len(panels))) * pixel,
		draw: func(c draw.Canvas) {
			drawStacked(drawLegend(inset(c), legend), panels)
		},
	}, nil
}

// addZero draws a line at zero, and makes room for it.
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

func hasPoint(s Series) bool {
	return slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
}
