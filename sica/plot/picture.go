package plot

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/seed-47b1e431/gosica/sica/plot/internal/svg"
)

// Format is a file format for pictures.
type Format string

const (
	// PNG has 96 pixels an inch.
	PNG Format = "png"
	// SVG names its font, Liberation Sans or the like, and doesn't contain it.
	SVG Format = "svg"
)

// FormatOf returns the format that the extension of a file's name stands for,
// in either case.
func FormatOf(path string) (Format, error) {
	extension := filepath.Ext(path)
	switch f := Format(strings.ToLower(strings.TrimPrefix(extension, "."))); f {
	case PNG, SVG:
		return f, nil
	}
	return "", fmt.Errorf("plot: file %q has the extension %q; valid are .png and .svg", path, extension)
}

// Lengths are in points, 72 to the inch; pixels are those of a PNG.
const (
	dpi   = 96
	pixel = vg.Inch / dpi
	width = 900 * pixel
)

// A Picture is ready to be written. It doesn't change, and may be written more
// than once.
type Picture struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Write writes the picture to w. The same picture gives the same bytes.
func (p *Picture) Write(w io.Writer, format Format) error {
	var canvas vg.CanvasWriterTo
	switch format {
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dpi))}
	case SVG:
		canvas = vgsvg.New(p.width, p.height)
	default:
		return fmt.Errorf("plot: unknown format %q; valid are %q and %q", format, PNG, SVG)
	}
	c := draw.New(canvas)
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	p.draw(c)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return fmt.Errorf("plot: encode the picture: %w", err)
	}
	encoded := drawn.Bytes()
	if format == SVG {
		encoded = svg.Repair(encoded)
	}
	if _, err := w.Write(encoded); err != nil {
		return fmt.Errorf("plot: write the picture: %w", err)
	}
	return nil
}

// Bytes returns what Write writes.
func (p *Picture) Bytes(format Format) ([]byte, error) {
	var buffer bytes.Buffer
	if err := p.Write(&buffer, format); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
