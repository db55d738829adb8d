package datasets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/npy"
)

// The codes of a WAVE file's sample formats (IBM and Microsoft, "Multimedia Programming
// Interface and Data Specifications 1.0", 1991).
const (
	wavPCM        = 1
	wavFloat      = 3
	wavALaw       = 6
	wavMuLaw      = 7
	wavExtensible = 0xFFFE // The code is in the first bytes of the sub-format.
)

// defaultRate is the rate in Hz of a WAV file for signals without a rate: that of a compact disc.
const defaultRate = 44100

// wavRate returns the rate in Hz of a WAV file of r, which is an integer.
func (r *Recording) wavRate() int {
	if r.Rate > 0 {
		return int(math.Round(r.Rate))
	}
	return defaultRate
}

// A wavFormat is the start of a "fmt " chunk.
type wavFormat struct {
	Code, Channels uint16
	Rate           uint32 // positions per second
	BytesPerSecond uint32
	BlockAlign     uint16 // bytes per position
	Bits           uint16 // per sample
}

// openWAV reads a WAV file up to its samples.
func openWAV(r io.Reader, _ *openOptions) (*content, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	r = buffered
	format, size, err := readWAVHeader(buffered)
	if err != nil {
		return nil, err
	}
	c := &content{
		about: Recording{Rate: float64(format.Rate)}, d: int(format.Channels), n: unknownLength,
	}
	readSamples := npy.Number{Size: int(format.Bits / 8), Decode: format.sample()}.Reader(r)
	done, total := 0, size/int64(format.Bits/8) // samples
	c.read = func(values []float64) (int, error) {
		wanted := len(values)
		if size != unknownLength { // chunks of other kinds may follow the samples
			values = values[:min(int64(len(values)), total-int64(done))]
		}
		k, err := readSamples(values)
		done += k
		switch {
		case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		case err != nil && size == unknownLength:
			c.about.Notes = append(c.about.Notes, fmt.Sprintf("the header doesn't say how long "+
				"the recording is: read to the end of the file, %d positions", done/c.d))
			err = io.EOF
		case err != nil:
			c.about.Notes = append(c.about.Notes, fmt.Sprintf("the file is cut off: the header "+
				"says %d positions, it has %d", total/int64(c.d), done/c.d))
			err = io.EOF
		case k < wanted:
			err = io.EOF
		}
		return k, err
	}
	return c, nil
}

// minStreamedSize is the least size of samples in a header that may be a placeholder. Programs that
// don't know the size yet write one, such as 0x7ffff000 (sox), 0xffffffff (ffmpeg) or 0. The file
// is then read to its end, as are files of 2 GiB or more.
const minStreamedSize = 0x7ffff000

// readWAVHeader reads the chunks of a RIFF file up to its samples. size is their size in bytes, or
// unknownLength if the header doesn't say.
func readWAVHeader(r *bufio.Reader) (format wavFormat, size int64, err error) {
	var riff struct {
		ID   [4]byte
		Size uint32
		Form [4]byte
	}
	if err := binary.Read(r, binary.LittleEndian, &riff); err != nil {
		return format, 0, fmt.Errorf("RIFF header: %w", unexpectedEOF(err))
	}
	long := string(riff.ID[:]) == "RF64" || string(riff.ID[:]) == "BW64"
	if !long && string(riff.ID[:]) != "RIFF" || string(riff.Form[:]) != "WAVE" {
		return format, 0, errors.New("no WAV file; must be RIFF of form WAVE: write it so, by ffmpeg -i in.wav out.wav")
	}
	longSize := uint64(0) // of the samples, of a file that may have more than 4 GiB; 0 if unknown
	for {
		var chunk struct {
			ID   [4]byte
			Size uint32
		}
		if err := binary.Read(r, binary.LittleEndian, &chunk); err != nil {
			return format, 0, fmt.Errorf("the file ends before its samples: %w", unexpectedEOF(err))
		}
		rest := int64(chunk.Size)
		switch string(chunk.ID[:]) {
		case "fmt ":
			f, n, err := readWAVFormat(r, int64(chunk.Size))
			if err != nil {
				return format, 0, fmt.Errorf("chunk of the format: %w", err)
			}
			format, rest = f, rest-n
		case "ds64":
			var sizes struct{ File, Samples uint64 }
			if err := binary.Read(r, binary.LittleEndian, &sizes); err != nil {
				return format, 0, fmt.Errorf("chunk of sizes: %w", unexpectedEOF(err))
			}
			longSize, rest = sizes.Samples, rest-int64(binary.Size(sizes))
		case "data":
			size, err := format.samplesSize(chunk.Size, longSize)
			return format, size, err
		}
		if _, err := io.CopyN(io.Discard, r, rest); err != nil {
			return format, 0, fmt.Errorf("chunk %q: %w", chunk.ID, unexpectedEOF(err))
		}
		if chunk.Size&1 == 1 {
			skipPadding(r)
		}
	}
}

// skipPadding skips the uncounted byte after a chunk of odd size. Some programs omit it.
func skipPadding(r *bufio.Reader) {
	if next, err := r.Peek(1); err == nil && next[0] == 0 {
		r.Discard(1)
	}
}

// samplesSize returns the size of the samples, or unknownLength, from the size of their chunk and
// the size for long files, which is 0 if there is none.
func (f *wavFormat) samplesSize(chunkSize uint32, longSize uint64) (int64, error) {
	size := int64(chunkSize)
	if chunkSize == math.MaxUint32 && longSize > 0 && longSize < math.MaxInt64 {
		size = int64(longSize)
	} else if size >= minStreamedSize {
		size = 0
	}
	if f.Channels == 0 {
		return 0, errors.New("the samples come before their format")
	}
	if size == 0 {
		return unknownLength, nil
	}
	if size%int64(f.BlockAlign) != 0 {
		return 0, fmt.Errorf("%d bytes of samples; must be a multiple of %d, those of a position",
			size, f.BlockAlign)
	}
	return size, nil
}

// readWAVFormat reads the format from a chunk of the given size and returns how many bytes it read.
func readWAVFormat(r io.Reader, size int64) (f wavFormat, n int64, err error) {
	const sizePlain, sizeExtensible = 16, 40
	if size < sizePlain {
		return f, 0, fmt.Errorf("%d bytes; must be at least %d", size, sizePlain)
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
		return f, 0, fmt.Errorf("samples of %d bits in format %d; must be integers (%d) of "+
			"8, 16, 24 or 32 bits, floats (%d) of 32 or 64, or of telephones (%d, %d): write it so, "+
			"by ffmpeg -i in.wav out.wav", f.Bits, f.Code, wavPCM, wavFloat, wavALaw, wavMuLaw)
	}
	if f.Channels < 1 || int(f.BlockAlign) != int(f.Channels)*int(f.Bits/8) {
		return f, 0, fmt.Errorf("%d channels of %d bits in %d bytes; "+
			"must be at least one, and fill them", f.Channels, f.Bits, f.BlockAlign)
	}
	return f, n, nil
}

// sample returns the function that decodes a sample; nil for an unknown format. Integers are
// signed, except those of 8 bits, whose middle is 128.
func (f wavFormat) sample() func(b []byte) float64 {
	little := binary.LittleEndian
	switch {
	case f.Code == wavPCM && f.Bits == 8:
		return func(b []byte) float64 { return (float64(b[0]) - 128) / (1 << 7) }
	case f.Code == wavPCM && f.Bits == 16:
		return func(b []byte) float64 { return float64(int16(little.Uint16(b))) / (1 << 15) }
	case f.Code == wavPCM && f.Bits == 24:
		return func(b []byte) float64 {
			v := uint32(b[0])<<8 | uint32(b[1])<<16 | uint32(b[2])<<24 // in the upper bits of 32
			return float64(int32(v)) / (1 << 31)
		}
	case f.Code == wavPCM && f.Bits == 32:
		return func(b []byte) float64 { return float64(int32(little.Uint32(b))) / (1 << 31) }
	case f.Code == wavFloat && f.Bits == 32:
		return func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) }
	case f.Code == wavFloat && f.Bits == 64:
		return func(b []byte) float64 { return math.Float64frombits(little.Uint64(b)) }
	case f.Code == wavALaw && f.Bits == 8:
		return func(b []byte) float64 { return aLaw(b[0]) }
	case f.Code == wavMuLaw && f.Bits == 8:
		return func(b []byte) float64 { return muLaw(b[0]) }
	}
	return nil
}

// Samples of telephones have 8 bits: a sign, a three-bit exponent and four bits after a leading 1
// (ITU-T Recommendation G.711, 1988).

// muLaw returns the value of a µ-law sample.
func muLaw(b byte) float64 {
	const bias = 0x84
	b = ^b
	size := (int(b&0xf)<<3+bias)<<(b>>4&7) - bias
	if b&0x80 != 0 {
		size = -size
	}
	return float64(size) / (1 << 15)
}

// aLaw returns the value of an A-law sample.
func aLaw(b byte) float64 {
	b ^= 0x55
	size := int(b&0xf)<<4 + 8
	if exponent := b >> 4 & 7; exponent > 0 {
		size = (size + 0x100) << (exponent - 1)
	}
	if b&0x80 == 0 {
		size = -size
	}
	return float64(size) / (1 << 15)
}

// EncodeWAV writes the signals z, d×n, to w as the channels of a WAV file with this rate in Hz.
// Samples of 32 bits are floats. Samples of 16 bits are integers, for which z must lie in [−1, 1];
// they suffice for listening.
func EncodeWAV(w io.Writer, z *mat.Dense, rate, bits int) error {
	d, n, err := checkSignals(z)
	if err != nil {
		return fmt.Errorf("datasets: WAV: %w", err)
	}
	if bits != 16 && bits != 32 {
		return fmt.Errorf("datasets: WAV: bits is %d; must be 16 or 32", bits)
	}
	if err := writeWAVHeader(w, d, n, rate, bits); err != nil {
		return fmt.Errorf("datasets: WAV: %w", err)
	}
	if err := writeWAVSamples(w, z, bits, 0); err != nil {
		return fmt.Errorf("datasets: WAV: %w", err)
	}
	return nil
}

// createWAV writes everything before the samples, which are 32-bit floats, and returns the function
// that writes the samples of the next positions.
func createWAV(w io.Writer, about *Recording, d, n int) (func(*mat.Dense) error, error) {
	position := 0
	return func(z *mat.Dense) error {
		err := writeWAVSamples(w, z, 32, position)
		position += z.RawMatrix().Cols
		return err
	}, writeWAVHeader(w, d, n, about.wavRate(), 32)
}

// writeWAVHeader writes everything before n samples of d channels.
func writeWAVHeader(w io.Writer, d, n, rate, bits int) error {
	// "fmt ", "fact" and "data", each with its 8 bytes of name and size, and the form's 4.
	const sizeBeforeSamples = 4 + (8 + 18) + (8 + 4) + 8
	blockAlign := int64(d) * int64(bits/8)
	samples := blockAlign * int64(n)
	if rate < 1 || blockAlign > math.MaxUint16 || samples > math.MaxUint32-sizeBeforeSamples ||
		blockAlign > math.MaxUint32/int64(rate) {
		return fmt.Errorf("%d channels of %d samples at %d Hz don't fit a WAV file; "+
			"must be at least 1 Hz, and at most 64 KiB a position and 4 GiB a second and in all",
			d, n, rate)
	}
	code := uint16(wavPCM)
	if bits == 32 {
		code = wavFloat
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
			Code: code, Channels: uint16(d), Rate: uint32(rate),
			BytesPerSecond: uint32(blockAlign) * uint32(rate),
			BlockAlign:     uint16(blockAlign), Bits: uint16(bits),
		},
		Fact: [4]byte([]byte("fact")), FactSize: 4, Positions: uint32(n),
		Data: [4]byte([]byte("data")), DataSize: uint32(samples),
	}
	return binary.Write(w, binary.LittleEndian, header)
}

// writeWAVSamples writes samples; first is the index of the first position.
func writeWAVSamples(w io.Writer, z *mat.Dense, bits, first int) error {
	d, n := z.Dims()
	size := bits / 8
	limit := math.MaxFloat32
	if bits == 16 {
		limit = 1
	}
	block := make([]byte, size*d)
	for t := range n {
		for i := range d {
			v := z.At(i, t)
			if math.Abs(v) > limit {
				return fmt.Errorf("signal %d is %v at position %d; must be within ±%.4g",
					i+1, v, first+t+1, limit)
			}
			if bits == 16 {
				sample := int16(math.Round(v * math.MaxInt16))
				binary.LittleEndian.PutUint16(block[size*i:], uint16(sample))
			} else {
				binary.LittleEndian.PutUint32(block[size*i:], math.Float32bits(float32(v)))
			}
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}
