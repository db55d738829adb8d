// Package plot draws pictures about a separation, to be read in a notebook: PNG or SVG, about
// 900 pixels wide.
//
// Signals are drawn by [Traces], one over another, or compared in a [TraceGrid]; by [Scatter],
// or [Matched] to the truth; as [Images]; and as the [Components] of a recording. [Flow] shows how
// they move, [Progress] how a fit went. Scores are a [Curve], [Curves] or [Dots]. Start with a
// [Group] of signals, one of these functions, and [Picture.Write]:
//
//	picture, err := plot.Scatter(0, 1, plot.Group{Method: plot.Default, Signals: z})
//	err = picture.Write(file, plot.PNG)
//
// A method has one colour, dash and glyph in every picture; see [HasStyle]. Traces over the truth
// are solid, as it would show through gaps.
//
// Reference: M. Okabe, K. Ito, "Color universal design", 2008, for the colours, which people with
// any common colour blindness can distinguish, and for darker shades of them.
package plot
