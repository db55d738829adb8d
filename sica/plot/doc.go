// Package plot draws figures about a separation: Traces of signals, over one
// another or in a TraceGrid, a Scatter of two of them, Images, how they move in a
// Flow, the Progress of a fit, the Components of a recording, scores as a Curve, as
// Curves or as Dots, and graphical models as a Diagram. Each is a Picture, which is written as PNG or
// SVG and is about 900 pixels wide, to be read in a notebook.
//
// A method has one colour, dash and glyph in every picture; see StyleOf. The
// colours are those of Okabe and Ito, "Color universal design" (2008), which
// people with any common colour blindness can tell apart, and darker shades of
// them.
package plot
