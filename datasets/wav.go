package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The codes of a WAVE file's sample formats.
const (
	wavPCM        = 1
	wavFloat      = 3
	wavExtensible = 0xFFFE // The code is in the first bytes of the sub-format.
)

// ReadWAV reads the channels of a WAV file as signals, d×T, and the sampling
// rate in Hz. Samples may be integers of 8, 16, 24 or 32 bits, which come to lie
// in [−1, 1), or floats of 32 or 64 bits, which are taken as they are and must
// be finite.
func ReadWAV(path string) (z *mat.Dense, rate int, err error) {
	s, err := readFrom(path, decodeWAV)
	return s.signals, s.rate, err
}

// WriteWAV writes the signals z, d×T, whole or not at all, as the channels of a
// WAV file of 32-bit floats at the given sampling rate in Hz. The samples are
// not rescaled; players take ±1 for full loudness.
func WriteWAV(path string, z *mat.Dense, rate int) error {
	if rate < 1 || rate > math.MaxInt32 {
		return fmt.Errorf("datasets: write %s: rate is %d Hz: need 1 to %d", path, rate, math.MaxInt32)
	}
	if extension(path) != ".wav" {
		return writeTo(path, z, func(w io.Writer, z *mat.Dense) error { return encodeWAV(w, z, rate) })
	}
	return WriteRecording(path, &Recording{Signals: z, Rate: float64(rate)})
}

type sound struct {
	signals *mat.Dense
	rate    int
}

type wavFormat struct {
	Code, Channels uint16
	Rate           uint32
	BytesPerSecond uint32
	BlockAlign     uint16
	Bits           uint16
}

// decodeWAV reads the samples of a RIFF file.
func decodeWAV(r io.Reader) (sound, error) {
	format, size, err := readWAVHeader(r)
	if err != nil {
		return sound{}, err
	}
	z, err := readWAVSamples(r, format, size)
	return sound{z, int(format.Rate)}, err
}

// readWAVHeader reads the chunks of a RIFF file up to its samples, which have size bytes.
func readWAVHeader(r io.Reader) (format wavFormat, size int64, err error) {
	var riff struct {
		ID   [4]byte
		Size uint32
		Form [4]byte
	}
	if err := binary.Read(r, binary.LittleEndian, &riff); err != nil {
		return format, 0, fmt.Errorf("RIFF header: %w", unexpectedEOF(err))
	}
	if string(riff.ID[:]) != "RIFF" || string(riff.Form[:]) != "WAVE" {
		return format, 0, errors.New("no WAV: need a RIFF file of form WAVE")
	}
	for {
		var chunk struct {
			ID   [4]byte
			Size uint32
		}
		if err := binary.Read(r, binary.LittleEndian, &chunk); err != nil {
			return format, 0, fmt.Errorf("no chunk of samples: %w", unexpectedEOF(err))
		}
		// A chunk of odd size is followed by a byte that is not counted.
		rest := int64(chunk.Size) + int64(chunk.Size&1)
		switch string(chunk.ID[:]) {
		case "fmt ":
			f, n, err := readWAVFormat(r, int64(chunk.Size))
			if err != nil {
				return format, 0, fmt.Errorf("chunk of the format: %w", err)
			}
			format, rest = f, rest-n
		case "data":
			size := int64(chunk.Size)
			if format.Channels == 0 {
				return format, 0, errors.New("the samples come before their format")
			}
			if size%int64(format.BlockAlign) != 0 {
				return format, 0, fmt.Errorf("%d bytes of samples are no whole number of blocks of %d", size, format.BlockAlign)
			}
			return format, size, nil
		}
		if _, err := io.CopyN(io.Discard, r, rest); err != nil {
			return format, 0, fmt.Errorf("chunk %q: %w", chunk.ID, unexpectedEOF(err))
		}
	}
}

// readWAVFormat reads the format from a chunk of the given size and returns how
// much of it was read.
func readWAVFormat(r io.Reader, size int64) (f wavFormat, n int64, err error) {
	const sizePlain, sizeExtensible = 16, 40
	if size < sizePlain {
		return f, 0, fmt.Errorf("%d bytes: need at least %d", size, sizePlain)
	}
	if err := binary.Read(r, binary.LittleEndian, &f); err != nil {
		return f, 0, unexpectedEOF(err)
	}
	n = sizePlain
	if f.Code == wavExtensible && size >= sizeExtensible {
		var extension struct {
			Size, ValidBits uint16
			Speakers        uint32
			Code            uint16
			GUID            [14]byte
		}
		if err := binary.Read(r, binary.LittleEndian, &extension); err != nil {
			return f, 0, unexpectedEOF(err)
		}
		n, f.Code = sizeExtensible, extension.Code
	}
	if f.sample() == nil {
		return f, 0, fmt.Errorf("samples of %d bits in format %d: need integers (%d) of 8, 16, 24 or 32 bits, or floats (%d) of 32 or 64", f.Bits, f.Code, wavPCM, wavFloat)
	}
	if f.Channels < 1 || int(f.BlockAlign) != int(f.Channels)*int(f.Bits/8) {
		return f, 0, fmt.Errorf("%d channels of %d bits in %d bytes do not fit", f.Channels, f.Bits, f.BlockAlign)
	}
	return f, n, nil
}

// readWAVSamples reads one block, a sample of each channel, after another.
func readWAVSamples(r io.Reader, f wavFormat, size int64) (*mat.Dense, error) {
	blocks := size / int64(f.BlockAlign)
	d, T := int(f.Channels), int(min(blocks, MaxEntries+1))
	if err := checkSize(d, T); err != nil {
		return nil, err
	}
	read := f.reader(r)
	var values []float64
	piece := make([]float64, d)
	for t := range T {
		if err := read(piece); err != nil {
			return nil, fmt.Errorf("after %d of %d positions: %w", t, T, err)
		}
		values = append(values, piece...)
	}
	z := fromPositions(values, d)
	_, _, err := checkSignals(z)
	return z, err
}

// reader returns a function that reads as many samples as it is given room for, a whole
// number of blocks.
func (f wavFormat) reader(r io.Reader) func([]float64) error {
	d, bytes, sample := int(f.Channels), int(f.Bits/8), f.sample()
	block := make([]byte, f.BlockAlign)
	return func(values []float64) error {
		for ; len(values) >= d; values = values[d:] {
			if _, err := io.ReadFull(r, block); err != nil {
				return unexpectedEOF(err)
			}
			for i := range d {
				values[i] = sample(block[i*bytes:])
			}
		}
		return nil
	}
}

// sample returns what reads a sample from its bytes, nil for a format that isn't known.
// Integers have a sign, but for those of 8 bits, whose middle is 128.
func (f wavFormat) sample() func(b []byte) float64 {
	little := binary.LittleEndian
	switch {
	case f.Code == wavPCM && f.Bits == 8:
		return func(b []byte) float64 { return (float64(b[0]) - 128) / (1 << 7) }
	case f.Code == wavPCM && f.Bits == 16:
		return func(b []byte) float64 { return float64(int16(little.Uint16(b))) / (1 << 15) }
	case f.Code == wavPCM && f.Bits == 24:
		return func(b []byte) float64 {
			return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		}
	case f.Code == wavPCM && f.Bits == 32:
		return func(b []byte) float64 { return float64(int32(little.Uint32(b))) / (1 << 31) }
	case f.Code == wavFloat && f.Bits == 32:
		return func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) }
	case f.Code == wavFloat && f.Bits == 64:
		return func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) }
	}
	return nil
}

func encodeWAV(w io.Writer, z *mat.Dense, rate int) error {
	d, T := z.Dims()
	if err := writeWAVHeader(w, d, T, rate); err != nil {
		return err
	}
	return writeWAVSamples(w, z, 0)
}

// writeWAVHeader writes all that comes before T samples of d channels.
func writeWAVHeader(w io.Writer, d, T, rate int) error {
	// "fmt ", "fact" and "data", each with its 8 bytes of name and size, and
	// the form's 4.
	const sizeBeforeSamples = 4 + (8 + 18) + (8 + 4) + 8
	blockAlign := 4 * int64(d)
	samples := blockAlign * int64(T)
	if blockAlign > math.MaxUint16 || samples > math.MaxUint32-sizeBeforeSamples || blockAlign*int64(rate) > math.MaxUint32 {
		return fmt.Errorf("%d channels of %d samples at %d Hz are more than a WAV file can hold", d, T, rate)
	}
	header := struct {
		RIFF      [4]byte
		Size      uint32
		Form, Fmt [4]byte
		FmtSize   uint32
		Format    wavFormat
		Extension uint16
		Fact      [4]byte
		FactSize  uint32
		Positions uint32
		Data      [4]byte
		DataSize  uint32
	}{
		RIFF: [4]byte([]byte("RIFF")), Size: uint32(sizeBeforeSamples + samples),
		Form: [4]byte([]byte("WAVE")), Fmt: [4]byte([]byte("fmt ")), FmtSize: 18,
		Format: wavFormat{
			Code: wavFloat, Channels: uint16(d), Rate: uint32(rate),
			BytesPerSecond: uint32(blockAlign) * uint32(rate), BlockAlign: uint16(blockAlign), Bits: 32,
		},
		Fact: [4]byte([]byte("fact")), FactSize: 4, Positions: uint32(T),
		Data: [4]byte([]byte("data")), DataSize: uint32(samples),
	}
	return binary.Write(w, binary.LittleEndian, header)
}

// writeWAVSamples writes those of the positions from first on.
func writeWAVSamples(w io.Writer, z *mat.Dense, first int) error {
	d, n := z.Dims()
	block := make([]byte, 4*d)
	for t := range n {
		for i := range d {
			v := float32(z.At(i, t))
			if math.IsInf(float64(v), 0) {
				return fmt.Errorf("signal %d is %v at position %d, beyond 32-bit floats: rescale it", i+1, z.At(i, t), first+t+1)
			}
			binary.LittleEndian.PutUint32(block[4*i:], math.Float32bits(v))
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}
