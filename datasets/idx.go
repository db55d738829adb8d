package datasets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// The magic numbers of IDX files of unsigned bytes: in three dimensions
// (images) and in one (labels).
const (
	idxImages = 0x0803
	idxLabels = 0x0801
)

// Images are N grey images of Rows×Cols pixels.
type Images struct {
	N, Rows, Cols int
	// Pixels are those of one image after another, row by row, 0 to 255.
	Pixels []byte
}

// Image returns the pixels of image i, row by row. It panics if there is no
// image i.
func (im Images) Image(i int) []byte {
	n := im.Rows * im.Cols
	return im.Pixels[i*n : (i+1)*n]
}

// readIDXImages reads an IDX file of images, MNIST's format, uncompressed. It
// fails if the file is longer or shorter than its header says, or its header
// says more than [maxIDXBytes].
func readIDXImages(r io.Reader) (Images, error) {
	dims, err := readIDXHeader(r, idxImages, 3)
	if err != nil {
		return Images{}, fmt.Errorf("IDX images: %w", err)
	}
	pixels, err := readIDXBytes(r, dims)
	if err != nil {
		return Images{}, fmt.Errorf("IDX images: %w", err)
	}
	return Images{N: dims[0], Rows: dims[1], Cols: dims[2], Pixels: pixels}, nil
}

// readIDXLabels reads an IDX file of labels, one byte each, uncompressed. It
// fails as [readIDXImages] does.
func readIDXLabels(r io.Reader) ([]byte, error) {
	dims, err := readIDXHeader(r, idxLabels, 1)
	if err != nil {
		return nil, fmt.Errorf("IDX labels: %w", err)
	}
	labels, err := readIDXBytes(r, dims)
	if err != nil {
		return nil, fmt.Errorf("IDX labels: %w", err)
	}
	return labels, nil
}

func readIDXHeader(r io.Reader, magic uint32, n int) (dims []int, err error) {
	header := make([]uint32, 1+n)
	if err := binary.Read(r, binary.BigEndian, header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if header[0] != magic {
		return nil, fmt.Errorf("magic number is %#08x: need %#08x", header[0], magic)
	}
	for _, v := range header[1:] {
		dims = append(dims, int(v))
	}
	return dims, nil
}

func readIDXBytes(r io.Reader, dims []int) ([]byte, error) {
	n := 1
	for _, v := range dims {
		if v < 1 || v > maxIDXBytes/n {
			return nil, fmt.Errorf("size %v: need 1 to %d bytes", dims, maxIDXBytes)
		}
		n *= v
	}
	// ReadAll grows with what is there, so a header cannot make it allocate.
	data, err := io.ReadAll(io.LimitReader(r, int64(n)+1))
	if err != nil {
		return nil, err
	}
	if len(data) != n {
		return nil, fmt.Errorf("size %v: need %d bytes, found %s", dims, n, found(len(data), n))
	}
	return slices.Clip(data), nil
}

func found(have, want int) string {
	if have > want {
		return "more"
	}
	return fmt.Sprint(have)
}

// Digits are images and the label of each.
type Digits struct {
	Images
	Labels []byte
}

// LoadIDX reads images and their labels from two IDX files, which are
// decompressed if their names end in .gz.
func LoadIDX(imagesPath, labelsPath string) (*Digits, error) {
	var d Digits
	err := openIDX(imagesPath, func(r io.Reader) (err error) {
		d.Images, err = readIDXImages(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = openIDX(labelsPath, func(r io.Reader) (err error) {
		d.Labels, err = readIDXLabels(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(d.Labels) != d.N {
		return nil, fmt.Errorf("datasets: %s has %d images and %s %d labels: need one for each", imagesPath, d.N, labelsPath, len(d.Labels))
	}
	return &d, nil
}

func openIDX(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if filepath.Ext(path) == ".gz" {
		if r, err = gzip.NewReader(r); err != nil {
			return fmt.Errorf("datasets: read %s: %w", path, err)
		}
	}
	if err := read(r); err != nil {
		return fmt.Errorf("datasets: read %s: %w", path, err)
	}
	return nil
}
