package datasets

import (
	"errors"
	"io"
	"strings"
)

// The limits of what is read. No file takes more memory than a small multiple of
// these, whatever it holds, and most take a small multiple of their own size:
// nothing is allocated because a header promises it.
const (
	// MaxEntries is the most entries, signals times positions, of the signals
	// that are made or read here: half a GiB of float64.
	MaxEntries = 1 << 26
	// maxFileBytes is the most that is read of any file of signals: 1 GiB.
	maxFileBytes = 1 << 30
	// maxRowBytes is the most that one row of a CSV file may take: 1 MiB.
	maxRowBytes = 1 << 20
	// maxImagePixels is the most pixels of an image file: 4096×4096.
	maxImagePixels = 1 << 24
	// maxIDXBytes is the most bytes of pixels or labels of an IDX file,
	// decompressed. MNIST's largest has 47 040 000.
	maxIDXBytes = 1 << 28
)

// errTooLong is a boundedReader's for a file of signals.
var errTooLong = errors.New("the file is longer than the limit of 1 GiB")

// boundedReader fails with err, where an io.LimitedReader ends, when there is
// more to read than is left.
type boundedReader struct {
	r    io.Reader
	left int64
	err  error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		return int(b.left), b.err
	}
	b.left -= int64(n)
	return n, err
}

// shortened is as much of a file's text as belongs into an error.
func shortened(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
