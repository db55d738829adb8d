package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// decoders read images from files with these endings.
var decoders = map[string]func(io.Reader) (greyImage, error){".png": decodePNG, ".pgm": decodePGM}

// IsImage reports whether a file name has the ending of an image that [ReadImages] and
// [WriteImages] handle: .png or .pgm.
func IsImage(path string) bool { return decoders[extension(path)] != nil }

// ReadImages reads one signal from each image file, PNG or PGM (plain or binary) by the ending of
// its name. It returns the signals d×(height·width), row by row, and the shape [height, width] of
// the images, which must be the same for all. Black is 0 and white 1; colours become their luma,
// transparent pixels black.
func ReadImages(paths ...string) (z *mat.Dense, shape []int, err error) {
	r, shape, err := ReadOptions{}.Images(paths...)
	if err != nil {
		return nil, nil, err
	}
	return r.Signals, shape, nil
}

// Images is [ReadImages] with Notes on what the signals lack of the images. It ignores the options.
func (o ReadOptions) Images(paths ...string) (r *Recording, shape []int, err error) {
	if len(paths) == 0 {
		return nil, nil, errors.New("datasets: paths: no images; must be one file for each signal")
	}
	r = new(Recording)
	kinds := map[string]int{}
	for i, path := range paths {
		decode := decoders[extension(path)]
		if decode == nil {
			return nil, nil, fmt.Errorf("datasets: read %s: ending %q; must be .png or .pgm",
				path, extension(path))
		}
		img, err := readFrom(path, decode)
		if err != nil {
			return nil, nil, err
		}
		kinds[img.kind]++
		if i == 0 {
			shape = []int{img.height, img.width}
			if r.Signals, err = newSignals(len(paths), img.height*img.width); err != nil {
				return nil, nil, err
			}
		}
		if !slices.Equal(shape, []int{img.height, img.width}) {
			return nil, nil, fmt.Errorf("datasets: read %s: %d×%d pixels; must be %d×%d, like %s",
				path, img.height, img.width, shape[0], shape[1], paths[0])
		}
		r.Signals.SetRow(i, img.pixels)
	}
	for _, kind := range []string{colourImage, alphaImage, deepImage} {
		if count := kinds[kind]; count > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of %d images %s", count, len(paths), kind))
		}
	}
	return r, shape, nil
}

// readImage returns the function that reads the signal in an image, and its shape.
func readImage(
	decode func(io.Reader) (greyImage, error),
) func(string, io.Reader, *ReadOptions) (*Recording, error) {
	return func(_ string, r io.Reader, _ *ReadOptions) (*Recording, error) {
		img, err := decode(r)
		if err != nil {
			return nil, err
		}
		return &Recording{
			Signals: mat.NewDense(1, len(img.pixels), img.pixels), Shape: []int{img.height, img.width},
		}, nil
	}
}

// The unusual features of an image.
const (
	colourImage = "have colours, which became shades of grey"
	alphaImage  = "are transparent in places, which became black, or darker"
	deepImage   = "have 16 bits a pixel, all of which are used; images that are written have 8"
)

// kindOf returns the unusual features of an image; "" for an opaque grey image of 8 bits.
func kindOf(img image.Image) string {
	if o, ok := img.(interface{ Opaque() bool }); ok && !o.Opaque() {
		return alphaImage
	}
	switch img.ColorModel() {
	case color.GrayModel:
		return ""
	case color.Gray16Model:
		return deepImage
	}
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
				return colourImage
			}
		}
	}
	return ""
}

// WriteImages writes each signal of z, d×(height·width), as an 8-bit grey image of shape [height,
// width] to a separate file, PNG or binary PGM by the ending of the name. Each file is written
// whole or not at all. As recovered signals have no scale, each is stretched: its minimum becomes
// black and its maximum white. A constant signal becomes black.
func WriteImages(z *mat.Dense, shape []int, paths ...string) error {
	d, n, err := checkSignals(z)
	if err != nil {
		return fmt.Errorf("datasets: write images: %w", err)
	}
	if len(paths) != d {
		return fmt.Errorf("datasets: write images: %d files for %d signals; must be one for each",
			len(paths), d)
	}
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || checkedProduct(shape) != n {
		return fmt.Errorf("datasets: write images: shape is %v; "+
			"must be [height, width] of product %d", shape, n)
	}
	encoded := make([]bytes.Buffer, d)
	for i, path := range paths {
		img := stretch(z.RawRowView(i), shape)
		switch extension(path) {
		case ".png":
			err = png.Encode(&encoded[i], img)
		case ".pgm":
			err = encodePGM(&encoded[i], img)
		default:
			err = fmt.Errorf("ending %q; must be .png or .pgm", extension(path))
		}
		if err != nil {
			return fmt.Errorf("datasets: write %s: %w", path, err)
		}
	}
	for i, path := range paths {
		err := atomicfile.Write(path, func(w io.Writer) error {
			_, err := encoded[i].WriteTo(w)
			return err
		})
		if err != nil {
			return fmt.Errorf("datasets: %w", err)
		}
	}
	return nil
}

// stretch returns a signal as an 8-bit grey image from black to white.
func stretch(signal []float64, shape []int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, shape[1], shape[0]))
	lo, hi := floats.Min(signal), floats.Max(signal)
	halfRange := hi/2 - lo/2 // halved, as hi − lo may overflow
	if halfRange == 0 {
		return img
	}
	for p, v := range signal {
		img.Pix[p] = uint8((v/2-lo/2)/halfRange*255 + 0.5)
	}
	return img
}

// A greyImage is an image as a signal, black 0 and white 1.
type greyImage struct {
	height, width int
	pixels        []float64
	kind          string // see kindOf
}

// maxPNGRatio is the largest number of pixels per byte of a PNG file: 8 pixels per byte of an
// image, of which DEFLATE packs at most 1032 into one byte.
const maxPNGRatio = 8 * 1032

func decodePNG(r io.Reader) (greyImage, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return greyImage{}, err
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return greyImage{}, err
	}
	if err := checkImage(config.Height, config.Width); err != nil {
		return greyImage{}, err
	}
	// The decoder allocates what the header promises, up to 8 bytes a pixel.
	if len(data) < config.Height*config.Width/maxPNGRatio {
		return greyImage{}, fmt.Errorf("%d×%d pixels can't be in %d bytes",
			config.Height, config.Width, len(data))
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return greyImage{}, err
	}
	grey := image.NewGray16(image.Rect(0, 0, config.Width, config.Height))
	draw.Draw(grey, grey.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	img := greyImage{
		height: config.Height, width: config.Width, kind: kindOf(decoded),
		pixels: make([]float64, 0, config.Height*config.Width),
	}
	for y := range img.height {
		for x := range img.width {
			img.pixels = append(img.pixels, float64(grey.Gray16At(x, y).Y)/65535)
		}
	}
	return img, nil
}

func checkImage(height, width int) error {
	if height < 1 || width < 1 || height > maxImagePixels/width {
		return fmt.Errorf("%d×%d pixels; must be at least one and at most %d",
			height, width, maxImagePixels)
	}
	return nil
}

// decodePGM reads a portable graymap, plain (P2) or binary (P5) (Netpbm's manual, pgm).
func decodePGM(r io.Reader) (greyImage, error) {
	p := bufio.NewReader(r)
	magic := make([]byte, 2)
	_, err := io.ReadFull(p, magic)
	if err != nil || magic[0] != 'P' || magic[1] != '2' && magic[1] != '5' {
		return greyImage{}, errors.New("no PGM; must begin with P2 or P5: write it as PNG")
	}
	var header [3]int
	for i, name := range []string{"width", "height", "greatest value"} {
		v, err := readPGMNumber(p)
		if err != nil {
			return greyImage{}, fmt.Errorf("PGM %s: %w", name, err)
		}
		header[i] = v
	}
	width, height, white := header[0], header[1], header[2]
	if err := checkImage(height, width); err != nil {
		return greyImage{}, err
	}
	if white < 1 || white > 65535 {
		return greyImage{}, fmt.Errorf("PGM greatest value is %d; must be 1 to 65535", white)
	}
	read := readPGMNumber
	switch {
	case magic[1] == '5' && white < 256:
		read = readPGMByte
	case magic[1] == '5':
		read = readPGMPair
	}
	img := greyImage{height: height, width: width}
	for i := range height * width {
		v, err := read(p)
		if err == nil && v > white {
			err = fmt.Errorf("the pixel is %d; must be at most the greatest value, %d", v, white)
		}
		if err != nil {
			return greyImage{}, fmt.Errorf("PGM row %d, column %d: %w", i/width+1, i%width+1, err)
		}
		img.pixels = append(img.pixels, float64(v)/float64(white))
	}
	return img, nil
}

// readPGMNumber reads a decimal number and the one whitespace character after it. It skips
// whitespace and comments before it, from # to the end of the line.
func readPGMNumber(p *bufio.Reader) (int, error) {
	var digits []byte
	for {
		c, err := p.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(digits) > 0:
			return strconv.Atoi(string(digits))
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case '0' <= c && c <= '9' && len(digits) < 9:
			digits = append(digits, c)
		case isSpace(c) && len(digits) > 0:
			return strconv.Atoi(string(digits))
		case isSpace(c):
		case c == '#' && len(digits) == 0:
			if err := skipLine(p); err != nil {
				return 0, err
			}
		default:
			return 0, fmt.Errorf("%q after %q; must be a number of at most 9 digits", c, digits)
		}
	}
}

func readPGMByte(p *bufio.Reader) (int, error) {
	c, err := p.ReadByte()
	return int(c), unexpectedEOF(err)
}

func readPGMPair(p *bufio.Reader) (int, error) {
	high, err := readPGMByte(p)
	if err != nil {
		return 0, err
	}
	low, err := readPGMByte(p)
	return high<<8 | low, err
}

func skipLine(p *bufio.Reader) error {
	for {
		c, err := p.ReadByte()
		if err != nil {
			return unexpectedEOF(err)
		}
		if c == '\n' || c == '\r' {
			return nil
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func encodePGM(w io.Writer, img *image.Gray) error {
	size := img.Bounds().Size()
	if _, err := fmt.Fprintf(w, "P5\n%d %d\n255\n", size.X, size.Y); err != nil {
		return err
	}
	_, err := w.Write(img.Pix)
	return err
}
