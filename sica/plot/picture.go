package plot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Format is a file format for pictures.
type Format string

const (
	// PNG has 96 pixels an inch.
	PNG Format = "png"
	// SVG names its font, Liberation Sans or the like, and doesn't contain it.
	SVG Format = "svg"
)

// FormatOf returns the format of a file by the ending of its name, in either case.
func FormatOf(path string) (Format, error) {
	ending := filepath.Ext(path)
	switch f := Format(strings.ToLower(strings.TrimPrefix(ending, "."))); f {
	case PNG, SVG:
		return f, nil
	}
	return "", fmt.Errorf("plot: file %q has the ending %q; must be .png or .svg", path, ending)
}

// Lengths are in points, 72 to the inch; pixels are those of a PNG.
const (
	dpi   = 96
	pixel = vg.Inch / dpi
	width = 900 * pixel
)

// A Picture can be written any number of times; it doesn't change.
type Picture struct {
	width, height vg.Length
	draw          func(draw.Canvas)
	encoded       map[Format][]byte // of a picture that isn't drawn here
}

// Encoded returns the picture of two files that show the same.
func Encoded(png, svg []byte) *Picture {
	return &Picture{encoded: map[Format][]byte{PNG: png, SVG: svg}}
}

// Write writes the picture to w. The same picture gives the same bytes.
func (p *Picture) Write(w io.Writer, format Format) error {
	encoded, err := p.Bytes(format)
	if err != nil {
		return err
	}
	if _, err := w.Write(encoded); err != nil {
		return fmt.Errorf("plot: write the picture: %w", err)
	}
	return nil
}

// Bytes returns what Write writes.
func (p *Picture) Bytes(format Format) ([]byte, error) {
	if p == nil || p.draw == nil && p.encoded == nil {
		return nil, errors.New("plot: the picture is nil or empty; must be one that this package made")
	}
	if encoded := p.encoded[format]; encoded != nil {
		return encoded, nil
	}
	var canvas vg.CanvasWriterTo
	switch format {
	case PNG:
		size, dots := vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dpi)
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(size, dots)}
	case SVG:
		canvas = vgsvg.New(p.width, p.height)
	default:
		return nil, fmt.Errorf("plot: format is %q; must be %q or %q", format, PNG, SVG)
	}
	c := draw.New(canvas)
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	p.draw(c)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("plot: encode the picture: %w", err)
	}
	if format == SVG {
		return repairSVG(drawn.Bytes()), nil
	}
	return drawn.Bytes(), nil
}

// repairSVG mends an SVG file of vgsvg. That names only the fonts of the layout, to which those
// of the same widths are added, and calls PNG images JPEG, which strict readers don't show.
func repairSVG(svg []byte) []byte {
	for _, fault := range []struct{ old, repaired string }{
		{"font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"},
		{`xlink:href="data:image/jpg;base64,`, `xlink:href="data:image/png;base64,`},
	} {
		svg = bytes.ReplaceAll(svg, []byte(fault.old), []byte(fault.repaired))
	}
	return svg
}
