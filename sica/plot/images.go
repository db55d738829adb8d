package plot

import (
	"fmt"
	"image"
	"math"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Images draws signals over images of rows×columns pixels, row-major: a row for each group and a
// column for each signal. Each image goes from black at its minimum to white at its maximum.
// Small ones are enlarged by a whole factor, so that their pixels stay sharp.
//
// It is an error if there are no groups, if their sizes differ, if there aren't rows·columns
// positions, or if a value isn't finite.
func Images(rows, columns int, groups ...Group) (*Picture, error) {
	d, n, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: images: %w", err)
	}
	if rows < 1 || columns < 1 || rows*columns != n {
		return nil, fmt.Errorf("plot: images: rows × columns is %d × %d; must be %d positions",
			rows, columns, n)
	}
	labels := textStyle(labelSize)
	var labelWidth vg.Length
	for _, g := range groups {
		labelWidth = max(labelWidth, labels.Width(labelOf(g)))
	}

	// The layout is in whole pixels. All of its sizes are choices.
	const (
		gap           = 8   // between images
		top           = 30  // of the header
		maxWidth      = 900 // of the picture, unless images get smaller than minSide
		maxHeight     = 960 // of all rows together, unless images get smaller than minSideOfRows
		minSide       = 16  // of an image
		minSideOfRows = 64  // of an image in a picture of many rows
		maxSide       = 192 // of an image
	)
	left := int(math.Ceil(float64(labelWidth/pixel))) + 3*gap
	byHeight := min(maxSide, max(maxHeight/len(groups), minSideOfRows))
	byWidth := max((maxWidth-left)/d-gap, minSide)
	cellWidth, cellHeight := fit(columns, rows, min(byWidth, byHeight))
	pictureWidth := left + d*(cellWidth+gap)
	pictureHeight := top + len(groups)*(cellHeight+gap)

	cells := make([][]image.Image, len(groups))
	for k, g := range groups {
		for i := range d {
			grey, err := greyImage(g.Signals.RawRowView(i), rows, columns)
			if err != nil {
				return nil, fmt.Errorf("plot: images: group %q, signal %d: %w", labelOf(g), i+1, err)
			}
			cells[k] = append(cells[k], resize(grey, cellWidth, cellHeight))
		}
	}
	return &Picture{
		width:  vg.Length(pictureWidth) * pixel,
		height: vg.Length(pictureHeight) * pixel,
		draw: func(c draw.Canvas) {
			// at converts from pixels to the right of and below the top left corner.
			at := func(x, y float64) vg.Point {
				y = float64(pictureHeight) - y
				return vg.Point{X: vg.Length(x) * pixel, Y: vg.Length(y) * pixel}
			}
			header := textStyle(tickSize)
			header.XAlign, header.YAlign = draw.XCenter, draw.YCenter
			label := labels
			label.XAlign, label.YAlign = draw.XRight, draw.YCenter
			for k, g := range groups {
				y := top + k*(cellHeight+gap)
				middle := float64(y) + float64(cellHeight)/2
				c.FillText(label, at(float64(left-gap-gap/2), middle), labelOf(g))
				for i, cell := range cells[k] {
					x := left + i*(cellWidth+gap)
					if k == 0 {
						above := at(float64(x)+float64(cellWidth)/2, float64(top)/2)
						c.FillText(header, above, fmt.Sprintf("signal %d", i+1))
					}
					c.DrawImage(vg.Rectangle{
						Min: at(float64(x), float64(y+cellHeight)),
						Max: at(float64(x+cellWidth), float64(y)),
					}, cell)
				}
			}
		},
	}, nil
}

// fit returns the size at which to show an image so that its longer side takes
// up to room pixels: enlarged by a whole factor, or shrunk.
func fit(width, height, room int) (int, int) {
	longer := max(width, height)
	if factor := room / longer; factor >= 1 {
		return factor * width, factor * height
	}
	return max(1, width*room/longer), max(1, height*room/longer)
}

// greyImage returns the values as grey from black, the smallest, to white. If
// they are all the same it is mid-grey.
func greyImage(values []float64, rows, columns int) (*image.Gray, error) {
	for t, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the value at position %d is %g; must be finite", t+1, v)
		}
	}
	low, high := floats.Min(values), floats.Max(values)
	grey := image.NewGray(image.Rect(0, 0, columns, rows))
	for t, v := range values {
		grey.Pix[t] = 128
		if high > low {
			// Halves don't overflow.
			grey.Pix[t] = uint8(math.Round(255 * (v/2 - low/2) / (high/2 - low/2)))
		}
	}
	return grey, nil
}

// resize returns the image at the given size: sharp pixels where it grows, smooth
// where it shrinks.
func resize(src *image.Gray, width, height int) *image.Gray {
	dst := image.NewGray(image.Rect(0, 0, width, height))
	scaler := xdraw.Scaler(xdraw.CatmullRom)
	if width >= src.Rect.Dx() {
		scaler = xdraw.NearestNeighbor
	}
	scaler.Scale(dst, dst.Rect, src, src.Rect, xdraw.Src, nil)
	return dst
}
