// Package svg mends the SVG files that gonum writes.
package svg

import "bytes"

// Repair puts right what vgsvg leaves to the reader's luck: it names only the
// fonts that the layout was made with, to which those of the same widths are added
// here, and it calls PNG images JPEG, which strict readers then don't show.
func Repair(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg,
		[]byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	svg = bytes.ReplaceAll(svg,
		[]byte("font-family:Liberation Serif;"),
		[]byte("font-family:Liberation Serif,Times New Roman,Times,serif;"))
	return bytes.ReplaceAll(svg,
		[]byte(`xlink:href="data:image/jpg;base64,`),
		[]byte(`xlink:href="data:image/png;base64,`))
}
