package notebook

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// smaller is a PNG image with at most 256 colours, its most frequent ones, which takes
// about a third of the bytes; the smoothed edges of lines are drawn with the nearest of
// them. An image that isn't smaller so is returned as it is.
func smaller(original []byte) []byte {
	drawn, err := png.Decode(bytes.NewReader(original))
	if err != nil {
		return original
	}
	count := make(map[color.NRGBA]int)
	bounds := drawn.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.NRGBAModel.Convert(drawn.At(x, y)).(color.NRGBA)]++
		}
	}
	var colors []color.NRGBA
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.NRGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return key(a) - key(b) // the same image gives the same bytes
	})
	var palette color.Palette
	for _, c := range colors[:min(256, len(colors))] {
		palette = append(palette, c)
	}
	index := make(map[color.NRGBA]uint8)
	for _, c := range colors {
		index[c] = uint8(palette.Index(c))
	}
	indexed := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			indexed.SetColorIndex(x, y, index[color.NRGBAModel.Convert(drawn.At(x, y)).(color.NRGBA)])
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, indexed); err != nil || b.Len() >= len(original) {
		return original
	}
	return b.Bytes()
}

func key(c color.NRGBA) int { return int(c.R)<<24 | int(c.G)<<16 | int(c.B)<<8 | int(c.A) }
