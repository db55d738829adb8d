package datasets

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Two channels of three 16-bit samples at 8000 Hz, as Python's wave module
// writes them, with a chunk of odd size put in.
const wavOf16Bits = "RIFF\x3a\x00\x00\x00WAVE" +
	"fmt \x10\x00\x00\x00\x01\x00\x02\x00\x40\x1f\x00\x00\x00\x7d\x00\x00\x04\x00\x10\x00" +
	"note\x01\x00\x00\x00!\x00" +
	"data\x0c\x00\x00\x00\x00\x00\x01\x00\xff\x7f\x00\x80\x00\x40\xff\xff"

// One channel of two floats, 1 and -0.5, byte by byte as they must be written
// at 44 100 Hz.
const wavOfFloats = "RIFF\x3a\x00\x00\x00WAVE" +
	"fmt \x12\x00\x00\x00\x03\x00\x01\x00\x44\xac\x00\x00\x10\xb1\x02\x00\x04\x00\x20\x00\x00\x00" +
	"fact\x04\x00\x00\x00\x02\x00\x00\x00" +
	"data\x08\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\xbf"

// The same in an extensible format, whose GUID begins with the code.
const wavExtended = "RIFF\x44\x00\x00\x00WAVE" +
	"fmt \x28\x00\x00\x00\xfe\xff\x01\x00\x44\xac\x00\x00\x10\xb1\x02\x00\x04\x00\x20\x00\x16\x00\x20\x00\x04\x00\x00\x00" +
	"\x03\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71" +
	"data\x08\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\xbf"

// The values ½, −1 and −½ in the other formats, one channel at 8000 Hz.
func wavOf(code, bits byte, samples string) string {
	n := byte(len(samples))
	return "RIFF" + string([]byte{36 + n, 0, 0, 0}) + "WAVE" +
		"fmt \x10\x00\x00\x00" + string([]byte{code, 0, 1, 0}) + "\x40\x1f\x00\x00" +
		string([]byte{0x40, 0x1f, 0, 0, bits / 8, 0, bits, 0}) +
		"data" + string([]byte{n, 0, 0, 0}) + samples
}

const riff = "RIFF0000WAVE"

// fuzzedWAVs are files that fuzzing found, most of which are cut off or have impossible sizes.
var fuzzedWAVs = []string{
	riff + "fmt 0000\xfe\xff000000000000 \x0000000000\x03\x0000000000000000",
	"RIFF00000000",
	riff + "fmt \x12\x00\x00\x00\x03\x00\x01\x0000000000\x04\x00 \x0000data0000",
	riff + "fmt 00000000000000000000",
	riff + "fmt \x00\x00\x00\x00",
	riff + "fmt \x12\x00\x00\x00\x03\x00\x01\x0000000000\x04\x00 \x0000data\x00\x00\x00\x00",
	riff + "fmt \x12\x00\x00\x00\x03\x00\x01\x0000000000\x04\x00 \x0000data1000",
	"0",
	riff + "fmt \x12\x00\x00\x00\x03\x00\x01\x0000000000\x04\x00 \x0000data000\x000000",
	riff + "fmt (\x00\x00\x00\xfe\xff\x01\x0000000000\x04\x00 \x0000000000\x03\x0000000000000000" +
		"data\b\x00\x00\x0000\xff\xff0000",
	riff + "fmt 0000",
	riff + "fmt 0000\xfe\xff00000000000000",
	riff + "Ȉĩ0000",
	riff + "fmt \x12\x00\x00\x00\x03\x00\x01\x0000000000\x04\x00 \x00000000\x04\x00\x00\x000000",
	riff + "data0000",
	riff + "fmt \x0f\x00\x00\x00",
	riff + "fmt \x10\x00\x00\x00\x01\x00\x02\x0000000000\x04\x00\x10\x00data000\x000000000000000",
	riff + "fmt 00000",
	riff + "000\"0000",
	riff + "0",
	riff + "fmt \x10\x00\x00\x00\x01\x00\x02\x0000000000\x04\x00\x10\x00data0000",
}

func TestDecodeWAV(t *testing.T) {
	halves := mat.NewDense(1, 3, []float64{.5, -1, -.5})
	for _, c := range []struct {
		name, file string
		rate       float64
		want       *mat.Dense
	}{
		{"16 bits", wavOf16Bits, 8000, mat.NewDense(2, 3, []float64{0, 32767. / 32768, .5, 1. / 32768, -1, -1. / 32768})},
		{"floats", wavOfFloats, 44100, mat.NewDense(1, 2, []float64{1, -.5})},
		{"8 bits", wavOf(1, 8, "\xc0\x00\x40"), 8000, halves},
		{"24 bits", wavOf(1, 24, "\x00\x00\x40\x00\x00\x80\x00\x00\xc0"), 8000, halves},
		{"32 bits", wavOf(1, 32, "\x00\x00\x00\x40\x00\x00\x00\x80\x00\x00\x00\xc0"), 8000, halves},
		{"64-bit floats", wavOf(3, 64, "\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00\x00\x00\xf0\xbf\x00\x00\x00\x00\x00\x00\xe0\xbf"), 8000, halves},
		{"µ-law", wavOf(7, 8, "\x00\x2a\xff"), 8000, mat.NewDense(1, 3, []float64{-32124. / 32768, -5372. / 32768, 0})},
		{"A-law", wavOf(6, 8, "\x00\x2a\xd5"), 8000, mat.NewDense(1, 3, []float64{-5504. / 32768, -32256. / 32768, 8. / 32768})},
		{"an odd chunk without its last byte", strings.Replace(wavOf(1, 8, "\xc0\x00\x40"), "WAVE", "WAVEnote\x01\x00\x00\x00x", 1), 8000, halves},
		{"an odd chunk", strings.Replace(wavOf(1, 8, "\xc0\x00\x40"), "WAVE", "WAVEnote\x01\x00\x00\x00x\x00", 1), 8000, halves},
		{"long, with a chunk behind", strings.NewReplacer("RIFF", "RF64", "WAVE", "WAVEds64\x1c\x00\x00\x00"+
			strings.Repeat("\x00", 8)+"\x03"+strings.Repeat("\x00", 19), "data\x03\x00\x00\x00",
			"data\xff\xff\xff\xff").Replace(wavOf(1, 8, "\xc0\x00\x40")) + "axml\x02\x00\x00\x00<>", 8000, halves},
		{"extensible", wavExtended, 44100, mat.NewDense(1, 2, []float64{1, -.5})},
	} {
		r, err := formatOf(".wav").read(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if r.Rate != c.rate || !mat.Equal(r.Signals, c.want) {
			t.Errorf("%s: %g Hz, %v", c.name, r.Rate, mat.Formatted(r.Signals))
		}
	}
}

func TestEncodeWAV(t *testing.T) {
	var b bytes.Buffer
	if err := EncodeWAV(&b, mat.NewDense(1, 2, []float64{1, -.5}), 44100, 32); err != nil {
		t.Fatal(err)
	}
	if b.String() != wavOfFloats {
		t.Errorf("wrote %q, want %q", b.String(), wavOfFloats)
	}
}

func TestWAVFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sound.wav")
	write := func(z *mat.Dense, rate float64) error {
		return WriteRecording(path, &Recording{Signals: z, Rate: rate})
	}
	z := mat.NewDense(3, 2, []float64{0, 1, -1, 1e30, 1.0 / (1 << 20), -7})
	if err := write(z, 16000); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRecording(path)
	if err != nil || got.Rate != 16000 || !mat.EqualApprox(got.Signals, z, 1e23) || got.Signals.At(2, 0) != z.At(2, 0) {
		t.Errorf("%v, %v", got, err)
	}
	for name, err := range map[string]error{
		"beyond float32": write(mat.NewDense(1, 1, []float64{1e39}), 16000),
		"no rate":        EncodeWAV(io.Discard, z, 0, 32),
		"8 bits":         EncodeWAV(io.Discard, z, 8000, 8),
		"beyond 1":       EncodeWAV(io.Discard, z, 8000, 16),
		"NaN":            write(mat.NewDense(1, 1, []float64{math.NaN()}), 16000),
		"channels":       write(mat.NewDense(20_000, 1, nil), 16000),
		"rate too high":  write(z, math.MaxInt32),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if r, err := ReadRecording(path); err != nil || r.Rate != 16000 {
		t.Errorf("a write that failed changed the file: %v", err)
	}
}

func TestDecodeWAVErrors(t *testing.T) {
	replace := func(file, old, new string) string {
		if !strings.Contains(file, old) {
			t.Fatalf("no %q to replace", old)
		}
		return strings.Replace(file, old, new, 1)
	}
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "unexpected EOF"},
		{"another form", replace(wavOfFloats, "WAVE", "AVI "), "no WAV"},
		{"no samples", wavOfFloats[:strings.Index(wavOfFloats, "data")], "the file ends before its samples"},
		{"no format", replace(wavOfFloats, "fmt ", "xxxx"), "before their format"},
		{"short format", replace(wavOfFloats, "fmt \x12", "fmt \x0f"), "must be at least 16"},
		{"cut chunk", "RIFF\x00\x00\x00\x00WAVEnote\xff\x00\x00\x00", `unexpected EOF`},
		{"part of a block", replace(wavOfFloats, "data\x08", "data\x07"), "must be a multiple of 4"},
		{"no position", wavOfFloats[:strings.Index(wavOfFloats, "data")] + "data\x00\x00\x00\x00", "0 positions"},
		{"8 bits", replace(wavOfFloats, "\x04\x00\x20\x00\x00\x00", "\x04\x00\x08\x00\x00\x00"), "samples of 8 bits"},
		{"no channel", replace(wavOfFloats, "\x03\x00\x01\x00", "\x03\x00\x00\x00"), "0 channels"},
		{"blocks do not fit", replace(wavOfFloats, "\x04\x00\x20\x00\x00\x00", "\x05\x00\x20\x00\x00\x00"), "must be at least one, and fill them"},
		{"extensible of no kind", replace(wavOfFloats, "\x03\x00\x01\x00", "\xfe\xff\x01\x00"), "in format 65534"},
		{"NaN", replace(wavOfFloats, "\x00\x00\x80\x3f", "\x00\x00\xc0\x7f"), "NaN at position 1"},
	} {
		_, err := formatOf(".wav").read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A file from a pipe, whose header has no sizes, and one that is cut off are read to the end.
func TestWAVWithoutSize(t *testing.T) {
	for _, c := range []struct{ name, file, note string }{
		{"of ffmpeg", strings.Replace(wavOf16Bits, "data\x0c\x00\x00\x00", "data\xff\xff\xff\xff", 1), "doesn't say"},
		{"of sox", strings.Replace(wavOf16Bits, "data\x0c\x00\x00\x00", "data\x00\xf0\xff\x7f", 1), "doesn't say"},
		{"zero", strings.Replace(wavOf16Bits, "data\x0c\x00\x00\x00", "data\x00\x00\x00\x00", 1), "doesn't say"},
		{"cut off", strings.Replace(wavOf16Bits, "data\x0c\x00", "data\x0c\x01", 1), "says 67 positions, it has 3"},
		{"cut off in a position", strings.Replace(wavOf16Bits, "data\x0c\x00", "data\x0c\x01", 1) + "\x01\x00\x01", "it has 3"},
	} {
		r, err := formatOf(".wav").read(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d, n := r.Signals.Dims(); d != 2 || n != 3 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], c.note) {
			t.Errorf("%s: %d×%d, %q", c.name, d, n, r.Notes)
		}
		path := filepath.Join(t.TempDir(), "a.wav")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStream(path)
		if err != nil {
			t.Fatal(err)
		}
		if d, n := s.Dims(); d != 2 || n != 3 || !mat.Equal(gathered(t, s.Blocks(2)), r.Signals) || len(s.About().Notes) != 1 {
			t.Errorf("%s in blocks: %d×%d, %q", c.name, d, n, s.About().Notes)
		}
	}
}

func FuzzDecodeWAV(f *testing.F) {
	for _, seed := range append([]string{wavOf16Bits, wavOfFloats, wavExtended}, fuzzedWAVs...) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := formatOf(".wav").read(bytes.NewReader(data))
		if err != nil {
			checkError(t, err)
			return
		}
		d, n := r.Signals.Dims()
		if d*n > len(data) {
			t.Fatalf("%d×%d from %d bytes", d, n, len(data))
		}
		if 4*d > math.MaxUint16 || 4*int64(d)*int64(r.Rate) > math.MaxUint32 {
			return // Read as 16 bits, too much for twice as many.
		}
		for _, v := range r.Signals.RawMatrix().Data {
			if v != float64(float32(v)) {
				return // of 32-bit integers or 64-bit floats
			}
		}
		checkRoundTrip(t, r.Signals, ".wav")
	})
}

// Files that libsndfile wrote are read, of every width, plain and extensible.
func TestWAVOfLibsndfile(t *testing.T) {
	tolerances := map[string]float64{ // half a step, or a step where it cuts off
		"pcm_u8": 1. / 128, "pcm_16": 1. / 32768, "pcm_24": 1. / 8388608, "pcm_32": 1e-9,
		"float": 1e-7, "double": 1e-15,
	}
	for kind, tolerance := range tolerances {
		for _, prefix := range []string{"", "extensible_"} {
			path := filepath.Join("testdata", "wav", prefix+kind+".wav")
			r, err := ReadRecording(path)
			if err != nil {
				t.Error(err)
				continue
			}
			if d, n := r.Signals.Dims(); d != 2 || n != 50 || r.Rate != 8000 || r.Notes != nil {
				t.Errorf("%s: %d×%d at %g Hz, notes %q", path, d, n, r.Rate, r.Notes)
				continue
			}
			for k := range 50 {
				a, b := 0.9*math.Sin(float64(k)/3), -0.5*math.Cos(float64(k)/7)
				if e := max(math.Abs(r.Signals.At(0, k)-a), math.Abs(r.Signals.At(1, k)-b)); e > tolerance {
					t.Errorf("%s: off by %g at %d", path, e, k)
					break
				}
			}
		}
	}
}
