package plot

import (
	"slices"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const thumbnail = 30 * pixel // is the width of a sample in a legend

// A strip is a legend in columns, which lies above what it explains.
type strip struct {
	entries []stripEntry
}

type stripEntry struct {
	text    string
	samples []gplot.Thumbnailer
}

// add adds an entry, unless the strip has one of that text.
func (s *strip) add(text string, samples ...gplot.Thumbnailer) {
	if slices.ContainsFunc(s.entries, func(e stripEntry) bool { return e.text == text }) {
		return
	}
	s.entries = append(s.entries, stripEntry{text, samples})
}

// layout returns the widths of the columns and the height of a line: as few lines
// as fit into the width, and as few columns as these need.
func (s *strip) layout(width vg.Length) (columns []vg.Length, line vg.Length) {
	style := textStyle(labelSize)
	line = 20 * pixel
	for n := len(s.entries); n > 0; n-- {
		lines := (len(s.entries) + n - 1) / n
		columns = make([]vg.Length, (len(s.entries)+lines-1)/lines)
		for k, e := range s.entries {
			column := &columns[k%len(columns)]
			*column = max(*column, thumbnail+6*pixel+style.Width(e.text)+2*margin)
		}
		if sum(columns) <= width {
			break
		}
	}
	return columns, line
}

func sum(lengths []vg.Length) (total vg.Length) {
	for _, l := range lengths {
		total += l
	}
	return total
}

// height returns what draw takes of a canvas of that width.
func (s *strip) height(width vg.Length) vg.Length {
	if len(s.entries) == 0 {
		return 0
	}
	columns, line := s.layout(width)
	return line*vg.Length((len(s.entries)+len(columns)-1)/len(columns)) + margin
}

// draw draws the strip at the top of c, and returns what is left of c.
func (s *strip) draw(c draw.Canvas) draw.Canvas {
	style := textStyle(labelSize)
	style.YAlign = draw.YCenter
	columns, line := s.layout(c.Size().X)
	left := c.Center().X - (sum(columns)-2*margin)/2
	for k, e := range s.entries {
		column, row := k%len(columns), k/len(columns)
		at := vg.Point{
			X: left + sum(columns[:column]),
			Y: c.Max.Y - line*(vg.Length(row)+0.5),
		}
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - line/2},
			Max: vg.Point{X: at.X + thumbnail, Y: at.Y + line/2},
		}}
		for _, sample := range e.samples {
			sample.Thumbnail(&icon)
		}
		c.FillText(style, vg.Point{X: at.X + thumbnail + 6*pixel, Y: at.Y}, e.text)
	}
	return draw.Crop(c, 0, 0, 0, -s.height(c.Size().X))
}
