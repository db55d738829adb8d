package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// What of a file decides on its dialect: sniffedBytes, some hundred rows, and as many more as are
// needed for minSniffedLines that aren't all comments, up to maxSniffedBytes.
const (
	sniffedBytes    = 1 << 16
	minSniffedLines = 4
	maxSniffedBytes = minSniffedLines * MaxRowBytes
)

// decode returns the text of r as UTF-8, without the mark that spreadsheets begin a file with, and
// what decides about its dialect, without reading on; whole is whether that is all of it. Text with
// a mark of UTF-16 is read as that, and text that doesn't begin as UTF-8 does as Windows-1252, of
// which Latin-1 is a part. Lines may end as those of old Macintosh programs.
func decode(r io.Reader) (text *bufio.Reader, start []byte, whole bool, err error) {
	raw := bufio.NewReaderSize(r, sniffedBytes)
	first, err := raw.Peek(sniffedBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, false, err
	}
	decoder := transform.Transformer(transform.Nop)
	switch order, isUTF16 := utf16Order(first); {
	case isUTF16:
		decoder = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	case !beginsAsUTF8(first):
		decoder = charmap.Windows1252.NewDecoder()
	}
	decoder = unicode.BOMOverride(decoder)
	if bytes.IndexByte(first, '\n') < 0 && bytes.IndexByte(first, '\r') >= 0 {
		decoder = transform.Chain(decoder, runes.Map(func(c rune) rune {
			if c == '\r' {
				return '\n'
			}
			return c
		}))
	}
	text = bufio.NewReaderSize(transform.NewReader(raw, decoder), sniffedBytes)
	for size := sniffedBytes; ; size *= 2 {
		text = bufio.NewReaderSize(text, size)
		start, err = text.Peek(size)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, false, err
		}
		whole := len(start) < size
		isEnough := bytes.Count(start, []byte{'\n'}) >= minSniffedLines && !onlyComments(start)
		if whole || isEnough || size >= maxSniffedBytes {
			return text, start, whole, nil
		}
	}
}

// utf16Order returns the byte order of a text in UTF-16, and whether it is one: whether every other
// byte of its first characters is 0.
func utf16Order(first []byte) (order unicode.Endianness, isUTF16 bool) {
	const characters = 16
	if len(first) < 2*characters {
		return order, false
	}
	var zeros [2]int
	for k, c := range first[:2*characters] {
		if c == 0 {
			zeros[k%2]++
		}
	}
	switch zeros {
	case [2]int{0, characters}:
		return unicode.LittleEndian, true
	case [2]int{characters, 0}:
		return unicode.BigEndian, true
	}
	return order, false
}

// beginsAsUTF8 reports whether the first bytes of a text are UTF-8. The last character may be cut.
func beginsAsUTF8(first []byte) bool {
	for range utf8.UTFMax {
		if utf8.Valid(first) {
			return true
		}
		if len(first) < sniffedBytes-utf8.UTFMax {
			return false // it isn't cut
		}
		first = first[:len(first)-1]
	}
	return false
}

// onlyComments reports whether all lines of a text are comments. The last may be cut.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !new(dialect).isComment(string(line)) {
			return false
		}
	}
	return true
}
