package notebook

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
)

// smaller is a PNG image with at most 256 colours, its most frequent ones, which takes
// about a third of the bytes; the smoothed edges of lines are drawn with the nearest of
// them. What isn't smaller so, or no such image, is returned as it is.
func smaller(original []byte) []byte {
	decoded, err := png.Decode(bytes.NewReader(original))
	if err != nil {
		return original
	}
	drawn := image.NewNRGBA(decoded.Bounds())
	draw.Draw(drawn, drawn.Rect, decoded, drawn.Rect.Min, draw.Src)
	pixel := func(k int) uint32 { return binary.BigEndian.Uint32(drawn.Pix[4*k:]) }

	count := make(map[uint32]int)
	for k := range len(drawn.Pix) / 4 {
		count[pixel(k)]++
	}
	var colors []uint32
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b uint32) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return int(int64(a) - int64(b)) // the same image gives the same bytes
	})

	var palette color.Palette
	index := make(map[uint32]uint8)
	for k, c := range colors {
		exact := color.NRGBA{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)}
		if k < 256 {
			palette = append(palette, exact)
			index[c] = uint8(k)
		} else {
			index[c] = uint8(palette.Index(exact))
		}
	}
	indexed := image.NewPaletted(drawn.Rect, palette)
	for k := range indexed.Pix {
		indexed.Pix[k] = index[pixel(k)]
	}
	var b bytes.Buffer
	if err := png.Encode(&b, indexed); err != nil || b.Len() >= len(original) {
		return original
	}
	return b.Bytes()
}
