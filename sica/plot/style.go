package plot

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The names of the methods that have a style of their own.
const (
	Mixed           = "mixed"
	Truth           = "truth"
	SICA            = "SICA"        // sica.Default
	SICALinear      = "SICA linear" // linear.Separate
	SICADirect      = "SICA direct" // sica.Direct
	SICAFast        = "FastWGF"     // sica.FastWGF
	SICAWGF         = "SICA-WGF"
	SICARF          = "SICA-RF"
	StandardisedRF  = "SICA-RF, standardised" // after each iteration
	FastICA         = "FastICA"
	LICA            = "LICA"
	PCL             = "PCL"
	IVAE            = "iVAE"
	SOBI            = "SOBI"
	JADE            = "JADE"
	Picard          = "Picard"
	ZCA             = "ZCA"
	GaussianisedZCA = "Gaussianise+ZCA"
	Conditional     = "conditional"
)

// A Style is how a method looks in every picture.
type Style struct {
	Color color.NRGBA
	// Width is that of its lines.
	Width vg.Length
	// Dashes alternate between drawn and left out; nil is a solid line.
	Dashes []vg.Length
	// Glyph marks its points.
	Glyph draw.GlyphDrawer
}

// The palette of Okabe and Ito without its yellow, which is too faint on white,
// with two greys, and with its orange, blue and green at half their lightness.
var (
	black      = color.NRGBA{A: 255}
	darkGrey   = color.NRGBA{R: 89, G: 89, B: 89, A: 255}
	lightGrey  = color.NRGBA{R: 153, G: 153, B: 153, A: 255}
	orange     = color.NRGBA{R: 230, G: 159, A: 255}
	skyBlue    = color.NRGBA{R: 86, G: 180, B: 233, A: 255}
	green      = color.NRGBA{G: 158, B: 115, A: 255}
	blue       = color.NRGBA{G: 114, B: 178, A: 255}
	vermillion = color.NRGBA{R: 213, G: 94, A: 255}
	purple     = color.NRGBA{R: 204, G: 121, B: 167, A: 255}
	darkOrange = color.NRGBA{R: 115, G: 80, A: 255}
	darkBlue   = color.NRGBA{G: 57, B: 89, A: 255}
	darkGreen  = color.NRGBA{G: 79, B: 57, A: 255}
)

var (
	dashed = []vg.Length{6, 3}
	dotted = []vg.Length{1.5, 2.5}
)

// Related methods share a hue or are grey: the linear ones are blue, the other
// nonlinear ones green, the starts that need no training grey. In grey print
// they differ in lightness, dash and glyph. Linear methods that the paper doesn't
// compare with are thin.
var styles = map[string]Style{
	Truth:           {black, 1, nil, draw.CrossGlyph{}},
	Mixed:           {skyBlue, 1.2, nil, draw.CircleGlyph{}},
	SICA:            {vermillion, 2, nil, draw.CircleGlyph{}},
	SICALinear:      {vermillion, 1.5, dashed, draw.SquareGlyph{}},
	SICADirect:      {vermillion, 1.5, dotted, draw.TriangleGlyph{}},
	SICAFast:        {purple, 1.5, dashed, draw.TriangleGlyph{}},
	SICAWGF:         {purple, 2, nil, draw.BoxGlyph{}},
	SICARF:          {orange, 2, nil, draw.PyramidGlyph{}},
	StandardisedRF:  {darkOrange, 1.5, dashed, draw.RingGlyph{}},
	FastICA:         {blue, 1.5, nil, draw.SquareGlyph{}},
	LICA:            {darkBlue, 1.5, dashed, draw.TriangleGlyph{}},
	PCL:             {green, 1.5, nil, draw.RingGlyph{}},
	IVAE:            {darkGreen, 1.5, dotted, draw.CrossGlyph{}},
	SOBI:            {skyBlue, 1, dashed, draw.TriangleGlyph{}},
	JADE:            {blue, 1, dotted, draw.RingGlyph{}},
	Picard:          {darkBlue, 1, nil, draw.BoxGlyph{}},
	ZCA:             {darkGrey, 1.5, dashed, draw.RingGlyph{}},
	GaussianisedZCA: {lightGrey, 1.5, nil, draw.SquareGlyph{}},
	Conditional:     {darkGrey, 1.5, dotted, draw.TriangleGlyph{}},
}

// StyleOf returns the style of a method, and whether it has one.
func StyleOf(method string) (Style, bool) {
	style, ok := styles[method]
	return style, ok
}

// others are the styles, in turn, of what isn't a named method, such as seeds
// or variants.
var others = []Style{
	{blue, 1.5, nil, draw.CircleGlyph{}},
	{orange, 1.5, dashed, draw.BoxGlyph{}},
	{green, 1.5, nil, draw.PyramidGlyph{}},
	{purple, 1.5, dashed, draw.RingGlyph{}},
	{skyBlue, 1.5, nil, draw.SquareGlyph{}},
	{vermillion, 1.5, dotted, draw.TriangleGlyph{}},
	{darkGrey, 1.5, dashed, draw.PlusGlyph{}},
}

// stylesOf returns the styles of the methods of one picture. Those without one
// of their own take turns among others, the same name always getting the same.
func stylesOf(methods []string) []Style {
	given := make(map[string]Style)
	chosen := make([]Style, len(methods))
	for i, method := range methods {
		style, ok := StyleOf(method)
		if !ok {
			if style, ok = given[method]; !ok {
				style = others[len(given)%len(others)]
				given[method] = style
			}
		}
		chosen[i] = style
	}
	return chosen
}

func (s Style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.Color, Width: s.Width, Dashes: s.Dashes}
}

func (s Style) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.Color, Radius: radius, Shape: s.Glyph}
}
