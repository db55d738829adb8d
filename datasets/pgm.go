package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"strconv"
)

// decodePGM reads a portable graymap, plain (P2) or binary (P5), as the Netpbm
// manual describes it.
func decodePGM(r io.Reader) (greyImage, error) {
	p := bufio.NewReader(r)
	magic := make([]byte, 2)
	if _, err := io.ReadFull(p, magic); err != nil || magic[0] != 'P' || magic[1] != '2' && magic[1] != '5' {
		return greyImage{}, errors.New("no PGM: need a file that begins with P2 or P5")
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
		return greyImage{}, fmt.Errorf("PGM greatest value is %d: need 1 to 65535", white)
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
			err = fmt.Errorf("%d is more than the greatest value, %d", v, white)
		}
		if err != nil {
			return greyImage{}, fmt.Errorf("PGM row %d, column %d: %w", i/width+1, i%width+1, err)
		}
		img.pixels = append(img.pixels, float64(v)/float64(white))
	}
	return img, nil
}

// readPGMNumber reads a decimal number and the one white space after it,
// passing over white space and comments, from # to the end of the line, before
// it.
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
			return 0, fmt.Errorf("%q after %q is no number of at most 9 digits", c, digits)
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

// unexpectedEOF is for where a file may not end.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func encodePGM(w io.Writer, img *image.Gray) error {
	size := img.Bounds().Size()
	if _, err := fmt.Fprintf(w, "P5\n%d %d\n255\n", size.X, size.Y); err != nil {
		return err
	}
	_, err := w.Write(img.Pix)
	return err
}
