package plot

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The names of the methods that have a style of their own.
const (
	Mixed           = "mixed"
	Truth           = "truth"
	Default         = "Default"     // sica.Default
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

// A style is how a method looks in every picture.
type style struct {
	color color.NRGBA
	width vg.Length // of its lines
	// dashes are the lengths of dashes and gaps in turn; nil is a solid line.
	dashes []vg.Length
	glyph  draw.GlyphDrawer // of its points
}

// The palette of Okabe and Ito without its yellow, which is too faint on white, with two greys,
// and with its orange, blue and green at half their lightness.
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

// styles are those of the methods. Related methods share a hue: linear ones are blue, other
// nonlinear ones green, and those without training grey. In grey print they differ in
// lightness, dashes and glyph. Linear methods that aren't in the paper are thin.
var styles = map[string]style{
	Truth:           {black, 1, nil, draw.CrossGlyph{}},
	Mixed:           {skyBlue, 1.2, nil, draw.CircleGlyph{}},
	Default:         {vermillion, 2, nil, draw.CircleGlyph{}},
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

// HasStyle reports whether a method has a style of its own: its color, dashes and glyph in
// every picture.
func HasStyle(method string) bool {
	_, ok := styles[method]
	return ok
}

// others are the styles of names that aren't methods, such as seeds or variants.
var others = []style{
	{blue, 1.5, nil, draw.CircleGlyph{}},
	{orange, 1.5, dashed, draw.BoxGlyph{}},
	{green, 1.5, nil, draw.PyramidGlyph{}},
	{purple, 1.5, dashed, draw.RingGlyph{}},
	{skyBlue, 1.5, nil, draw.SquareGlyph{}},
	{vermillion, 1.5, dotted, draw.TriangleGlyph{}},
	{darkGrey, 1.5, dashed, draw.PlusGlyph{}},
}

// stylesOf returns the styles of the items of one picture. Names that aren't methods get the styles
// of others in turn; the same name has the same style.
func stylesOf[T named](items []T) []style {
	assigned := make(map[string]style) // by names that aren't methods
	looks := make([]style, len(items))
	for i, item := range items {
		name, _ := item.name()
		look, ok := styles[name]
		if !ok {
			if look, ok = assigned[name]; !ok {
				look = others[len(assigned)%len(others)]
				assigned[name] = look
			}
		}
		looks[i] = look
	}
	return looks
}

// named is an item of a picture: its method gives the style, its label is shown.
type named interface {
	name() (method, label string)
}

// labelOf returns the label of an item, or its method if it has none.
func labelOf(s named) string {
	method, label := s.name()
	if label != "" {
		return label
	}
	return method
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: s.width, Dashes: s.dashes}
}

func (s style) marker(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: radius, Shape: s.glyph}
}

// A Group is signals to be shown: mixed ones, the truth, or those that a method recovered. To
// be comparable, recovered signals should be in the order, sign and scale of the truth; see
// metric.Align.
type Group struct {
	// Method gives the style; see HasStyle.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Signals are d×n.
	Signals *mat.Dense
}

func (g Group) name() (method, label string) { return g.Method, g.Label }

// checkGroups returns the size of all groups, or an error if they have none or differ.
func checkGroups(groups []Group) (d, n int, err error) {
	if len(groups) == 0 {
		return 0, 0, errors.New("groups: none; must be at least one")
	}
	for i, g := range groups {
		if g.Signals == nil || g.Signals.IsEmpty() {
			return 0, 0, fmt.Errorf("group %q: no signals; must be at least one", labelOf(g))
		}
		rows, columns := g.Signals.Dims()
		if i == 0 {
			d, n = rows, columns
		}
		if rows != d || columns != n {
			return 0, 0, fmt.Errorf("group %q: %d×%d; must be %d×%d, like group %q",
				labelOf(g), rows, columns, d, n, labelOf(groups[0]))
		}
	}
	return d, n, nil
}
