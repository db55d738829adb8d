package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/npy"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A format reads, and perhaps writes, files of signals, position by position or as a whole.
type format struct {
	ending string // ending of its file names, in lower case
	// open reads a file up to its numbers.
	open func(r io.Reader, o *openOptions) (*content, error)
	// create writes what precedes the numbers of d signals at n positions, and returns the function
	// that writes the signals of the next positions.
	create func(w io.Writer, about *Recording, d, n int) (func(*mat.Dense) error, error)
	// complete formats hold everything in a Recording. The others have a sidecar for the rest.
	complete bool
	// fixed formats say which numbers belong to a signal, so that they can't be transposed.
	fixed bool
	// whole reads, and save writes, a whole file: the format has no blocks, and open and create are
	// nil. The path serves to find further files beside it.
	whole func(path string, r io.Reader, o *ReadOptions) (*Recording, error)
	save  func(w io.Writer, r *Recording) error
}

// formats are all formats.
var formats = []format{
	{ending: ".csv", open: openCSV, create: createCSV, complete: true},
	{ending: ".tsv", open: openCSV, create: createCSV, complete: true},
	{ending: ".txt", open: openCSV, create: createCSV, complete: true},
	{ending: ".npy", open: openNPY, create: createNPY},
	{ending: ".wav", open: openWAV, create: createWAV, fixed: true},
	{ending: ".edf", whole: readEDF, save: writeEDF, complete: true, fixed: true},
	{ending: ".bdf", whole: readEDF, save: writeBDF, complete: true, fixed: true},

	// These are only read.
	{ending: ".vhdr", whole: readBrainVision, complete: true, fixed: true},
	{ending: ".set", whole: readEEGLAB, complete: true, fixed: true},
	{ending: ".mat", whole: readMAT},
	{ending: ".asc", open: openEyeLink, complete: true},
	{ending: ".png", whole: readImage(decodePNG), complete: true},
	{ending: ".pgm", whole: readImage(decodePGM), complete: true},
}

// formatOf returns the format of a file by the ending of its name. An unknown format has no ending.
func formatOf(path string) format {
	ending := extension(path)
	for _, f := range formats {
		if f.ending == ending {
			return f
		}
	}
	return format{}
}

// listEndings lists, for an error, the endings of the formats of a kind.
func listEndings(isOfKind func(format) bool) string {
	var all []string
	for _, f := range formats {
		if isOfKind(f) {
			all = append(all, f.ending)
		}
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

func (f format) isKnown() bool { return f.ending != "" }

// isWhole reports whether files of the format can only be read and written as a whole.
func (f format) isWhole() bool { return f.whole != nil }

// isStreamed reports whether files of the format are read in blocks of positions.
func (f format) isStreamed() bool { return f.open != nil }

func (f format) isWritten() bool { return f.create != nil || f.save != nil }

// IsWritable reports whether a file name has the ending of a format of signals that
// [WriteRecording] writes. For images see [WriteImages].
func IsWritable(path string) bool { return formatOf(path).isWritten() }

// Sidecar returns the path of the JSON file beside a file of signals that has what their format
// can't hold; empty if the format holds all, or is unknown.
func Sidecar(path string) string {
	if f := formatOf(path); !f.isKnown() || f.complete {
		return ""
	}
	return path + sidecarEnding
}

// extension returns the ending of a file's name, in lower case.
func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// conversion returns advice on converting a file of another format, by its ending: ": " and a
// command, or general advice.
func conversion(path string) string {
	switch extension(path) {
	case ".xlsx", ".xls", ".ods":
		return ": save the sheet as CSV"
	case ".nii":
		return ": save the voxels of a mask, times × voxels, by numpy.save(path, " +
			"nibabel.load(nii).get_fdata()[mask].T)"
	case ".gz":
		if strings.HasSuffix(strings.ToLower(path), ".nii.gz") {
			return conversion(strings.TrimSuffix(strings.ToLower(path), ".gz"))
		}
		return ": unpack it by gunzip"
	case ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz":
		return ": unpack it"
	case ".zip":
		return ": unpack it by unzip"
	case ".npz", ".h5", ".hdf5":
		return ": save the array by numpy.save"
	case ".parquet", ".feather", ".pkl", ".json":
		return ": save the table by to_csv in pandas"
	case ".fif", ".gdf", ".cnt", ".mff", ".cdt", ".lay", ".nwb", ".snirf":
		return `: export it by raw.export("rec.edf") in MNE-Python`
	case ".fdt":
		return ": give a data set of EEGLAB by its .set"
	case ".eeg", ".vmrk":
		return ": give a BrainVision recording by its header, .vhdr"
	case ".hea":
		return ": write it as EDF, by wfdb.io.convert.wfdb_to_edf in Python"
	case ".dat":
		return ": write it as EDF, or as CSV with a row for each position"
	case ".mp3", ".flac", ".ogg", ".aiff", ".w64", ".m4a":
		return ": write it as WAV, by ffmpeg -i in" + extension(path) + " out.wav"
	case ".adicht", ".smr", ".smrx", ".acq":
		return ": export it as text, or as a MAT-file, in the program that wrote it"
	case ".lvm", ".tab", ".log", ".prn", ".arff", ".sto":
		return ": rename a text file to .txt"
	case ".rec":
		return ": rename an EDF file to .edf"
	case ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".ppm":
		return ": write it as PNG"
	}
	return ": export it as EDF, or as CSV with a row for each position"
}

// A content is the content of an open file of signals.
type content struct {
	about Recording // what the file says about its columns, without Signals
	d     int       // number of columns
	n     int       // number of positions, or unknownLength
	// bySignal is whether the numbers are ordered by signal. Otherwise they are ordered by
	// position.
	bySignal bool
	array    *fixedArray // location of the numbers; nil unless they have one size and are adjacent
	// read fills values with the next numbers, and returns how many it read before an error. At the
	// end of a file of unknown length the error is io.EOF.
	read func(values []float64) (int, error)

	times    timing
	complete func(*Recording) // adds what is known after reading all; nil for nothing
	check    func() error     // returns an error known after reading all; nil for none
}

// A timing describes the first column of a file, in case it holds times.
type timing struct {
	isSure    bool    // whether it does, whatever its name
	unit      float64 // of the times, in seconds
	firstLine int     // line of a text with the first position; 1 without a text
}

// hasUnit reports whether the unit isn't merely the default.
func (t timing) hasUnit() bool { return t.isSure || t.unit != 1 }

// unknownLength is content.n of a file that doesn't say how many positions it has.
const unknownLength = -1

// pieceSize is the number of numbers read at once, 64 KiB. Memory grows by it with the content of
// the file, and not at once to what the header promises.
const pieceSize = 1 << 13

// pieces calls use with the numbers of the file, size at a time and then the rest.
func (c *content) pieces(size int, use func(values []float64) error) error {
	total := math.MaxInt
	if c.n != unknownLength {
		total = c.d * c.n
	}
	piece := make([]float64, min(size, total))
	for done := 0; done < total; {
		piece = piece[:min(len(piece), total-done)]
		k, err := c.read(piece)
		if k > 0 {
			if err := use(piece[:k]); err != nil {
				return err
			}
		}
		done += k
		switch {
		case errors.Is(err, io.EOF) && c.n == unknownLength:
			return nil
		case err != nil && c.n == unknownLength:
			return err
		case err != nil:
			return fmt.Errorf("the file is cut off after %d of %d numbers: %w", done, total,
				unexpectedEOF(err))
		}
	}
	return nil
}

// A reading is a Recording while its file is read, with information needed only then.
type reading struct {
	*Recording
	hasMeanRate bool           // whether Rate is the mean for unevenly spaced times
	filled      [][]int        // the interpolated positions of each signal; nil for none
	judged      []column.Stats // of each signal before positions were left out; nil if none were
}

// finish interpolates or drops the missing values, and sets aside the columns that aren't signals.
func (r *reading) finish(o *ReadOptions) (*Recording, error) {
	if err := r.fill(o.Missing); err != nil {
		return nil, err
	}
	if err := r.setAside(o); err != nil {
		return nil, err
	}
	return r.Recording, nil
}

// recording reads the signals, with what the file says about them.
func (c *content) recording(o *ReadOptions) (*reading, error) {
	if c.n != unknownLength {
		if err := signal.CheckSize(c.d, c.n); err != nil {
			return nil, err
		}
	}
	var values []float64
	err := c.pieces(pieceSize, func(piece []float64) error {
		if len(values) > MaxEntries-len(piece) {
			return fmt.Errorf("more numbers than the limit of %d", MaxEntries)
		}
		values = append(values, piece...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(values) < c.d {
		return nil, signal.CheckSize(c.d, 0)
	}
	values = values[:len(values)/c.d*c.d] // without an incomplete last position
	about := c.about
	r := &reading{Recording: &about}
	switch {
	case o.Transpose && c.bySignal:
		r.Signals = byPosition(values, c.n)
	case o.Transpose:
		r.Signals = mat.NewDense(len(values)/c.d, c.d, values)
	case c.bySignal:
		r.Signals = mat.NewDense(c.d, c.n, values)
	default:
		r.Signals = byPosition(values, c.d)
	}
	if c.check != nil {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	if c.complete != nil {
		c.complete(r.Recording)
	}
	if err := r.checkWide(); err != nil {
		return nil, err
	}
	if o.Transpose {
		r.nameRows()
	} else if err := c.splitTimes(r, o.Missing); err != nil {
		return nil, err
	}
	return r, nil
}

const transposedNote = "each row is a signal"

// nameRows names signals that are rows by the first column of text, if any.
func (r *Recording) nameRows() {
	r.Names, r.Units, r.Places, r.NoHeader = nil, nil, nil, false
	if d, _ := r.Signals.Dims(); len(r.Aside) > 0 && len(r.Aside[0].Text) == d {
		r.Names = r.Aside[0].Text
	}
	r.Aside, r.Notes = nil, append(r.Notes, transposedNote)
}

// byPosition returns the signals, d×n, from d·n numbers ordered by position.
func byPosition(values []float64, d int) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(len(values)/d, d, values).T())
}

// read reads all of a file with the default options.
func (f format) read(r io.Reader) (*Recording, error) { return f.readRecording(r, &ReadOptions{}) }

// readRecording reads all of a file.
func (f format) readRecording(r io.Reader, o *ReadOptions) (*Recording, error) {
	columns, err := f.columns("", r, &openOptions{ReadOptions: *o})
	if err != nil {
		return nil, err
	}
	return columns.finish(o)
}

// columns reads all of the file at path without finishing it: Signals has all columns of numbers,
// with NaN for missing values.
func (f format) columns(path string, r io.Reader, o *openOptions) (*reading, error) {
	if o.Transpose && f.fixed {
		return nil, errTranspose
	}
	if f.isWhole() {
		recording, err := f.whole(path, r, &o.ReadOptions)
		return &reading{Recording: recording}, err
	}
	c, err := f.open(r, o)
	if err != nil {
		return nil, err
	}
	return c.recording(&o.ReadOptions)
}

// inPieces returns content.read for numbers that next returns, at least one per call.
func inPieces(next func() ([]float64, error)) func([]float64) (int, error) {
	var pending []float64
	return func(values []float64) (int, error) {
		for k := 0; ; {
			copied := copy(values[k:], pending)
			pending = pending[copied:]
			if k += copied; k == len(values) {
				return k, nil
			}
			var err error
			if pending, err = next(); err != nil {
				return k, err
			}
		}
	}
}

// readFrom opens a file of at most maxFileBytes, and reads it with read.
func readFrom[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	v, err := read(bufio.NewReaderSize(&boundedReader{f, maxFileBytes, errTooLong}, 1<<16))
	if err != nil {
		return none, fmt.Errorf("datasets: read %s: %w", path, err)
	}
	return v, nil
}

// The limits of reading. No file takes more memory than a small multiple of these, and most take a
// small multiple of their own size.
const (
	// MaxEntries is the largest number of entries of a matrix that this package makes or reads:
	// 2²⁶, which are 0.5 GiB of float64.
	MaxEntries = signal.MaxEntries
	// maxFileBytes is the largest size of a file that is read as a whole: 1 GiB.
	maxFileBytes = 1 << 30
	// maxAsideValues is the largest number of values kept of columns set aside: 32 MiB of numbers,
	// a day of one channel at 48 Hz.
	maxAsideValues = 1 << 22
	// maxSidecarBytes is the largest size of a sidecar: 1 MiB.
	maxSidecarBytes = 1 << 20
	// maxImagePixels is the largest size of an image: 4096×4096 pixels.
	maxImagePixels = 1 << 24
)

var errTooLong = errors.New("the file is longer than the limit of 1 GiB")

// A boundedReader is an io.LimitedReader that fails with err if there is more to read.
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

// unexpectedEOF returns err, with io.EOF replaced by io.ErrUnexpectedEOF.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A fixedArray is the numbers of a file, d×n, ordered by signal.
type fixedArray struct {
	first  int64 // offset of the first number in bytes
	number npy.Number
}

// byPosition returns content.read for the numbers of file, ordered by position.
func (a *fixedArray) byPosition(file io.ReaderAt, d, n int) func([]float64) (int, error) {
	length := max(1, pieceSize/d) // positions read at once
	rows := mat.NewDense(d, min(length, n), nil)
	next, column := 0, make([]float64, d)
	var piece []float64
	return inPieces(func() ([]float64, error) {
		rows := rows.Slice(0, d, 0, min(length, n-next)).(*mat.Dense)
		for i := range d {
			from := a.first + int64(a.number.Size)*(int64(i)*int64(n)+int64(next))
			read := a.number.Reader(io.NewSectionReader(file, from, math.MaxInt64-from))
			if _, err := read(rows.RawRowView(i)); err != nil {
				return nil, err
			}
		}
		_, width := rows.Dims()
		next += width
		piece = slices.Grow(piece[:0], d*width)
		for t := range width {
			piece = append(piece, mat.Col(column, t, rows)...)
		}
		return piece, nil
	})
}
