package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// IsImage reports whether the ending of a file's name is that of an image which
// [ReadImages] and [WriteImages] handle: .png or .pgm.
func IsImage(path string) bool {
	ext := extension(path)
	return ext == ".png" || ext == ".pgm"
}

// ReadImages reads one signal from each image file, PNG or PGM (plain or
// binary) by the ending of its name, and returns them d×(height·width), row by
// row, with their shape [height, width]. The images must have the same shape.
// Black is 0 and white 1; colours become their luma, and what is transparent
// black.
func ReadImages(paths ...string) (z *mat.Dense, shape []int, err error) {
	if len(paths) == 0 {
		return nil, nil, errors.New("datasets: no images: need one file for each signal")
	}
	for i, path := range paths {
		read := decodePNG
		switch {
		case !IsImage(path):
			return nil, nil, fmt.Errorf("datasets: read %s: ending %q: need .png or .pgm", path, extension(path))
		case extension(path) == ".pgm":
			read = decodePGM
		}
		img, err := readFrom(path, read)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			shape = []int{img.height, img.width}
			if z, err = newSignals(len(paths), img.height*img.width); err != nil {
				return nil, nil, err
			}
		}
		if !slices.Equal(shape, []int{img.height, img.width}) {
			return nil, nil, fmt.Errorf("datasets: %s is %d×%d pixels: need %d×%d, as %s", path, img.height, img.width, shape[0], shape[1], paths[0])
		}
		z.SetRow(i, img.pixels)
	}
	return z, shape, nil
}

// WriteImages writes each signal of z, d×(height·width), as an 8-bit grey image
// of shape [height, width] to its own file, PNG or binary PGM by the ending of
// the name, each whole or not at all. Recovered signals have no scale of their own, so
// each is stretched: its least entry is black and its greatest white. A signal
// that is constant is black.
func WriteImages(z *mat.Dense, shape []int, paths ...string) error {
	d, T, err := checkSignals(z)
	if err != nil {
		return fmt.Errorf("datasets: write images: %w", err)
	}
	if len(paths) != d {
		return fmt.Errorf("datasets: write images: %d files for %d signals: need one for each", len(paths), d)
	}
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || shape[0] > T || shape[1] > T || shape[0]*shape[1] != T {
		return fmt.Errorf("datasets: write images: shape %v: need [height, width] of product %d", shape, T)
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
			err = fmt.Errorf("ending %q: need .png or .pgm", extension(path))
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
			return err
		}
	}
	return nil
}

// stretch maps a signal's range to that of 8-bit grey.
func stretch(signal []float64, shape []int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, shape[1], shape[0]))
	lo, hi := floats.Min(signal), floats.Max(signal)
	halfRange := hi/2 - lo/2 // Halved, for hi − lo may be beyond float64.
	if halfRange == 0 {
		return img
	}
	for p, v := range signal {
		img.Pix[p] = uint8((v/2-lo/2)/halfRange*255 + .5)
	}
	return img
}

// greyImage is an image as a signal, black 0 and white 1.
type greyImage struct {
	height, width int
	pixels        []float64
}

// maxPNGRatio is the most pixels that a byte of a PNG file can hold: 8 in a byte
// that DEFLATE has made of a 1032nd.
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
		return greyImage{}, fmt.Errorf("%d×%d pixels can't be in %d bytes", config.Height, config.Width, len(data))
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return greyImage{}, err
	}
	grey := image.NewGray16(image.Rect(0, 0, config.Width, config.Height))
	draw.Draw(grey, grey.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	img := greyImage{config.Height, config.Width, make([]float64, 0, config.Height*config.Width)}
	for y := range img.height {
		for x := range img.width {
			img.pixels = append(img.pixels, float64(grey.Gray16At(x, y).Y)/65535)
		}
	}
	return img, nil
}

func checkImage(height, width int) error {
	if height < 1 || width < 1 || height > maxImagePixels/width {
		return fmt.Errorf("%d×%d pixels: need at least one and at most %d", height, width, maxImagePixels)
	}
	return nil
}
