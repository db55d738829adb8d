package datasets

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestDecodePGM(t *testing.T) {
	want := []float64{0, .5, 1, .25, .75, 0}
	for name, file := range map[string]string{
		"plain":          "P2\n3 2\n4\n0 2 4\n1 3 0\n",
		"plain, at once": "P2 3 2 4 0 2 4 1 3 0",
		"comments":       "P2 # plain\n#\n3 # wide\n2\n4\n0 2 4\n# a row\n1 3 0",
		"binary":         "P5\n3 2\n4\n\x00\x02\x04\x01\x03\x00",
		"two bytes":      "P5 3 2 400\n\x00\x00\x00\xc8\x01\x90\x00\x64\x01\x2c\x00\x00",
	} {
		img, err := decodePGM(strings.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if img.height != 2 || img.width != 3 || !slices.Equal(img.pixels, want) {
			t.Errorf("%s: got %v", name, img)
		}
	}
	// A binary pixel may look like a comment or like white space.
	if img, err := decodePGM(strings.NewReader("P5 2 1 255\n\n#")); err != nil || !slices.Equal(img.pixels, []float64{10. / 255, 35. / 255}) {
		t.Errorf("binary white space: %v, %v", img, err)
	}
}

func TestDecodePGMErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "no PGM"},
		{"colour", "P6 1 1 255\nabc", "no PGM"},
		{"no size", "P5", "width: unexpected EOF"},
		{"no number", "P5 one 1 255\n", "width"},
		{"negative", "P5 -1 1 255\n", "width"},
		{"no pixels", "P5 0 1 255\n", "1×0 pixels"},
		{"too large", "P5 100000 100000 255\n", "must be at least one and at most"},
		{"many digits", "P5 1000000000000 1 255\n", "at most 9 digits"},
		{"no white", "P2 1 1 0\n0", "must be 1 to 65535"},
		{"white too great", "P2 1 1 65536\n0", "must be 1 to 65535"},
		{"brighter than white", "P2 1 1 4\n5", "row 1, column 1: the pixel is 5"},
		{"cut", "P2 2 2 4\n1 2 3", "row 2, column 2: unexpected EOF"},
		{"cut binary", "P5 2 2 4\n\x01\x02", "row 2, column 1: unexpected EOF"},
		{"cut pair", "P5 1 1 400\n\x01", "row 1, column 1: unexpected EOF"},
		{"cut comment", "P5 # 1 1", "unexpected EOF"},
		{"comment in a number", "P5 1#\n", "width"},
	} {
		_, err := decodePGM(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The luma weights of ITU-R BT.601 are .299, .587 and .114.
func TestDecodePNG(t *testing.T) {
	grey16 := image.NewGray16(image.Rect(0, 0, 1, 1))
	grey16.SetGray16(0, 0, color.Gray16{Y: 1000})
	grey := image.NewGray(image.Rect(0, 0, 1, 1))
	grey.Pix[0] = 51
	for name, c := range map[string]struct {
		img  image.Image
		want float64
	}{
		"8-bit grey":  {grey, .2},
		"16-bit grey": {grey16, 1000. / 65535},
		"red":         {one(color.NRGBA{255, 0, 0, 255}), .299},
		"green":       {one(color.NRGBA{0, 255, 0, 255}), .587},
		"blue":        {one(color.NRGBA{0, 0, 255, 255}), .114},
		"half clear":  {one(color.NRGBA{255, 255, 255, 51}), .2},
		"clear":       {one(color.NRGBA{255, 255, 255, 0}), 0},
	} {
		var b bytes.Buffer
		if err := png.Encode(&b, c.img); err != nil {
			t.Fatal(err)
		}
		img, err := decodePNG(&b)
		if err != nil || img.height != 1 || img.width != 1 || math.Abs(img.pixels[0]-c.want) > 1e-5 {
			t.Errorf("%s: %v, %v, want %v", name, img, err, c.want)
		}
	}
}

func one(c color.NRGBA) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, c)
	return img
}

// pngHeader builds the beginning of a PNG file of 8-bit grey, up to its pixels.
func pngHeader(width, height uint32) string {
	chunk := []byte("IHDR")
	chunk = binary.BigEndian.AppendUint32(chunk, width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, 8, 0, 0, 0, 0)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + string(chunk) + string(sum)
}

func TestDecodePNGErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "EOF"},
		{"too large", pngHeader(1e6, 1e6), "must be at least one and at most"},
		{"cut", pngHeader(3, 3), "EOF"},
	} {
		_, err := decodePNG(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Writing stretches each signal to black and white, so signals that span [0, 1]
// in steps of 1/255 come back as they were, whatever their scale was.
func TestImages(t *testing.T) {
	const height, width = 16, 32
	z := mat.NewDense(2, height*width, nil)
	z.Apply(func(i, p int, _ float64) float64 { return float64((p*(3+4*i))%256) / 255 }, z)
	scaled := mat.DenseCopyOf(z)
	scaled.Apply(func(i, _ int, v float64) float64 { return []float64{1e300, 1e-3}[i]*v - 7 }, z)
	for _, ending := range []string{".png", ".pgm", ".PNG"} {
		dir := t.TempDir()
		paths := []string{filepath.Join(dir, "a"+ending), filepath.Join(dir, "b"+ending)}
		if err := WriteImages(scaled, []int{height, width}, paths...); err != nil {
			t.Fatal(err)
		}
		got, shape, err := ReadImages(paths...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(shape, []int{height, width}) || !mat.Equal(got, z) {
			t.Errorf("%s: another image of shape %v came back", ending, shape)
		}
		first, err := ReadFile(paths[0])
		if err != nil || !mat.Equal(first, z.Slice(0, 1, 0, height*width)) {
			t.Errorf("%s: ReadFile gives another image (%v)", ending, err)
		}
	}
}

func TestStretch(t *testing.T) {
	for _, c := range []struct {
		signal []float64
		want   []uint8
	}{
		{[]float64{-1, 0, 1}, []uint8{0, 128, 255}},
		{[]float64{5, 5, 5}, []uint8{0, 0, 0}},
		{[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, []uint8{0, 128, 255}},
		{[]float64{0, 0, math.SmallestNonzeroFloat64}, []uint8{0, 0, 0}},
	} {
		if got := stretch(c.signal, []int{1, 3}).Pix; !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.signal, got, c.want)
		}
	}
}

func TestImagesErrors(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.pgm")
	z := mat.NewDense(2, 6, nil)
	for name, err := range map[string]error{
		"one file for two":  WriteImages(z, []int{2, 3}, a),
		"shape of 5":        WriteImages(z, []int{1, 5}, a, b),
		"shape of one":      WriteImages(z, []int{6}, a, b),
		"negative shape":    WriteImages(z, []int{-2, -3}, a, b),
		"shape overflows":   WriteImages(z, []int{math.MaxInt, math.MaxInt}, a, b),
		"unknown ending":    WriteImages(z, []int{2, 3}, a, filepath.Join(dir, "b.gif")),
		"nothing":           WriteImages(nil, []int{2, 3}),
		"no such folder":    WriteImages(z.Slice(0, 1, 0, 6).(*mat.Dense), []int{2, 3}, filepath.Join(dir, "none", "a.png")),
		"image in a matrix": WriteFile(a, z),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}

	os.WriteFile(b, []byte("P2 1 2 1 0 1"), 0o666)
	os.WriteFile(filepath.Join(dir, "c.pgm"), []byte("P2 2 1 1 0 1"), 0o666)
	for name, paths := range map[string][]string{
		"none":           nil,
		"missing":        {a},
		"not an image":   {filepath.Join(dir, "a.csv")},
		"unequal shapes": {b, filepath.Join(dir, "c.pgm")},
	} {
		if _, _, err := ReadImages(paths...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecodePGM(f *testing.F) {
	for _, seed := range []string{"P2\n3 2\n4\n0 2 4\n1 3 0\n", "P5 # c\n2 1 255\n\n#", "P5 1 1 65535\n\xff\xff", "P5 4096 4096 1\n",
		"P2#", "P51 1 1 0", "P20", "P2'", "P21 1 0", "P20 0 0", "", "P51 2 65535 00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if img := checkImageOf(t, data, decodePGM, encodePGM); len(img.pixels) > len(data) {
			t.Fatalf("%d pixels from %d bytes", len(img.pixels), len(data))
		}
	})
}

func FuzzDecodePNG(f *testing.F) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(grey.Pix, []byte{0, 51, 102, 153, 204, 255})
	palette := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White, color.NRGBA{1, 2, 3, 4}})
	copy(palette.Pix, []byte{0, 1, 2, 1})
	deep := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	deep.SetNRGBA64(0, 0, color.NRGBA64{1, 2, 3, 40_000})
	for _, img := range []image.Image{grey, palette, deep, one(color.NRGBA{1, 2, 3, 4})} {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(pngHeader(4096, 4096)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, withChecksums(data)} {
			checkImageOf(t, file, decodePNG, func(w io.Writer, img *image.Gray) error { return png.Encode(w, img) })
		}
	})
}

// withChecksums is a PNG file with the checksum of each of its chunks made right,
// so that fuzzing gets behind them.
func withChecksums(file []byte) []byte {
	file = slices.Clone(file)
	const signature, overhead = 8, 12 // of a chunk: its size, its name and its checksum
	for at := signature; len(file)-at >= overhead; {
		size := int(binary.BigEndian.Uint32(file[at:]))
		if size > len(file)-at-overhead {
			break
		}
		end := at + 8 + size
		binary.BigEndian.PutUint32(file[end:], crc32.ChecksumIEEE(file[at+4:end]))
		at = end + 4
	}
	return file
}

// checkImageOf fails unless data is an image whose pixels lie in [0, 1] and that,
// stretched, is written and read to the same, or an error.
func checkImageOf(t *testing.T, data []byte, decode func(io.Reader) (greyImage, error), encode func(io.Writer, *image.Gray) error) greyImage {
	t.Helper()
	img, err := decode(bytes.NewReader(data))
	if err != nil {
		checkError(t, err)
		return greyImage{}
	}
	if img.height < 1 || img.width < 1 || len(img.pixels) != img.height*img.width {
		t.Fatalf("%d×%d with %d pixels", img.height, img.width, len(img.pixels))
	}
	for _, v := range img.pixels {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("pixel %v", v)
		}
	}
	shape := []int{img.height, img.width}
	wrote := stretch(img.pixels, shape)
	var b bytes.Buffer
	if err := encode(&b, wrote); err != nil {
		t.Fatal(err)
	}
	again, err := decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got := stretch(again.pixels, shape); !slices.Equal(got.Pix, wrote.Pix) {
		t.Fatalf("wrote %v, read %v", wrote.Pix, got.Pix)
	}
	return img
}

// A recording of an image carries its shape.
func TestRecordingOfImageHasShape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image.png")
	z := mat.NewDense(1, 6, []float64{0, .2, .4, .6, .8, 1})
	if err := WriteImages(z, []int{2, 3}, path); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Shape, []int{2, 3}) {
		t.Errorf("shape %v, want [2 3]", r.Shape)
	}
}
