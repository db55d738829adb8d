// Package markup draws text with formulas in it.
package markup

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"unicode"

	stdfont "golang.org/x/image/font"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Text is text in which parts between dollars are formulas: letters are
// italic, and _ and ^ lower or raise the character or the {group} after them, as
// in "$s_{1,t}$ given $u_1$". Lines are separated by \n.
type Text struct {
	lines [][]fragment
	size  vg.Length // of the font
}

// A fragment is text in one font.
type fragment struct {
	text string
	font font.Font
	rise vg.Length // above the line
}

// Sans is the font of all text that isn't a formula.
func Sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func serif(size vg.Length, style stdfont.Style) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Serif", Style: style, Size: size}
}

// New returns the text of a string, in a font of that size.
func New(text string, size vg.Length) (Text, error) {
	m := Text{size: size}
	if text == "" {
		return m, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		fragments, err := parseLine(line, size)
		if err != nil {
			return Text{}, fmt.Errorf("text %q: %w", text, err)
		}
		m.lines = append(m.lines, fragments)
	}
	return m, nil
}

func parseLine(line string, size vg.Length) ([]fragment, error) {
	parts := strings.Split(line, "$")
	if len(parts)%2 == 0 {
		return nil, errors.New("a $ has no other; formulas are between two")
	}
	var fragments []fragment
	for i, part := range parts {
		if i%2 == 0 {
			if part != "" {
				fragments = append(fragments, fragment{text: part, font: Sans(size)})
			}
			continue
		}
		formula, err := parseFormula(part, size)
		if err != nil {
			return nil, err
		}
		fragments = append(fragments, formula...)
	}
	return fragments, nil
}

func parseFormula(formula string, size vg.Length) ([]fragment, error) {
	const (
		script  = 0.7 // of the size
		raised  = 0.4
		lowered = -0.25
	)
	size *= 1.15 // serif letters look smaller than the others
	var fragments []fragment
	for rest := []rune(formula); len(rest) > 0; {
		var rise vg.Length
		switch rest[0] {
		case '_':
			rise = lowered * size
		case '^':
			rise = raised * size
		default:
			fragments = append(fragments, mathFragment(rest[0], size, 0))
			rest = rest[1:]
			continue
		}
		group, after, err := cutGroup(rest[1:])
		if err != nil {
			return nil, fmt.Errorf("formula %q: %w", formula, err)
		}
		for _, r := range group {
			fragments = append(fragments, mathFragment(r, script*size, rise))
		}
		rest = after
	}
	return fragments, nil
}

// cutGroup cuts the {group} or the single character at the start of s.
func cutGroup(s []rune) (group, after []rune, err error) {
	if len(s) == 0 {
		return nil, nil, errors.New("nothing follows _ or ^; a character or a {group} must")
	}
	if s[0] != '{' {
		return s[:1], s[1:], nil
	}
	for i, r := range s {
		if r == '}' {
			return s[1:i], s[i+1:], nil
		}
	}
	return nil, nil, errors.New("a { has no }")
}

// mathFragment is a character of a formula.
func mathFragment(r rune, size, rise vg.Length) fragment {
	style := stdfont.StyleNormal
	if unicode.IsLetter(r) {
		style = stdfont.StyleItalic
	}
	if r == '-' {
		r = '−'
	}
	return fragment{string(r), serif(size, style), rise}
}

// Width is that of the longest line.
func (m Text) Width() (width vg.Length) {
	for _, line := range m.lines {
		width = max(width, lineWidth(line))
	}
	return width
}

// Height is that of all lines.
func (m Text) Height() vg.Length {
	return vg.Length(len(m.lines)) * m.leading()
}

// leading is the height of a line.
func (m Text) leading() vg.Length { return 1.35 * m.size }

func lineWidth(line []fragment) (width vg.Length) {
	for _, f := range line {
		face := face(f.font)
		width += face.Width(f.text)
	}
	return width
}

func face(f font.Font) font.Face {
	return gplot.DefaultTextHandler.Cache().Lookup(f, f.Size)
}

// Draw draws the lines in black, each centred at middle, below top.
func (m Text) Draw(c draw.Canvas, middle, top vg.Length) {
	const capital = 0.7 // height of a capital letter, of the size
	c.SetColor(color.Black)
	for i, line := range m.lines {
		at := vg.Point{
			X: middle - lineWidth(line)/2,
			Y: top - m.leading()*(vg.Length(i)+0.5) - capital/2*m.size,
		}
		for _, f := range line {
			face := face(f.font)
			// SVG leaves out spaces at the start.
			text := strings.TrimLeft(f.text, " ")
			at.X += face.Width(f.text[:len(f.text)-len(text)])
			c.FillString(face, at.Add(vg.Point{Y: f.rise}), text)
			at.X += face.Width(text)
		}
	}
}
