package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// A Stream is a recording in a file, to be read in blocks of positions, as often as
// one likes, so that memory doesn't grow with its length. [MaxEntries] and the limit of
// a file's size aren't for it.
type Stream struct {
	about Recording // without Signals
	path  string
	d, t  int
	timed bool // the first column of the file isn't a signal
}

// ErrNotBlocks is wrapped by the error for a file that can be read as a whole only.
var ErrNotBlocks = errors.New("can't be read in blocks of positions")

// OpenStream looks at a recording in a CSV, WAV or NPY file. It says of it what
// [ReadRecording] does. CSV doesn't tell its number of positions: such a file is read
// through once, and twice if it has a column of times. The file isn't kept open.
//
// It is an error if the file isn't as ReadFile wants it, and one that wraps ErrNotBlocks if
// it is an image, or an NPY array in Fortran order, which has one signal after another.
// Values of other files than CSV that aren't finite are found by Blocks.
func OpenStream(path string) (*Stream, error) {
	s := &Stream{path: path}
	var err error
	switch extension(path) {
	case ".csv":
		err = s.scanCSV()
	case ".wav", ".npy":
		if err = s.scanHeader(); err == nil {
			var about *Recording
			if about, err = withSidecar(path, &s.about, s.d); err == nil {
				s.about = *about
			}
		}
	default:
		err = fmt.Errorf("datasets: %s %w: need .csv, .npy or .wav", path, ErrNotBlocks)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// About is what the file says of the signals: a Recording without Signals.
func (s *Stream) About() Recording { return s.about }

// Dims are the numbers of signals and of positions.
func (s *Stream) Dims() (d, t int) { return s.d, s.t }

// Blocks reads the signals, n positions at a time and then what is left: each block is
// a new matrix d×n. An error, with a nil block, ends them.
func (s *Stream) Blocks(n int) iter.Seq2[*mat.Dense, error] {
	return func(yield func(*mat.Dense, error) bool) {
		if n < 1 {
			yield(nil, fmt.Errorf("datasets: blocks of %d positions: need at least 1", n))
			return
		}
		stopped := false
		err := s.each(n, func(z *mat.Dense) bool {
			stopped = !yield(z, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// each calls use with each block of n positions until it returns false.
func (s *Stream) each(n int, use func(*mat.Dense) bool) error {
	return s.read(func(read func([]float64) error, columns int) error {
		if err := checkSize(columns, min(n, s.t)); err != nil {
			return fmt.Errorf("blocks of %d positions: %w", n, err)
		}
		for from := 0; from < s.t; from += n {
			values := make([]float64, columns*min(n, s.t-from))
			if err := read(values); err != nil {
				return fmt.Errorf("positions %d to %d of %d: %w", from+1, from+len(values)/columns, s.t, err)
			}
			z := fromPositions(values, columns)
			if s.timed {
				_, k := z.Dims()
				z = mat.DenseCopyOf(z.Slice(1, columns, 0, k))
			}
			if err := checkValues(z, from); err != nil {
				return err
			}
			if !use(z) {
				return nil
			}
		}
		return nil
	})
}

// read opens the file and gives work a function that reads the numbers of as many
// positions as there is room for, each with so many columns.
func (s *Stream) read(work func(read func([]float64) error, columns int) error) error {
	return s.open(func(r io.Reader) error {
		now := *s
		read, err := now.reader(r)
		if err != nil {
			return err
		}
		if now.d != s.d || now.t != s.t {
			return fmt.Errorf("%d signals by %d positions, which were %d by %d before", now.d, now.t, s.d, s.t)
		}
		if s.timed {
			return work(read, s.d+1)
		}
		return work(read, s.d)
	})
}

// open has work read the file.
func (s *Stream) open(work func(r io.Reader) error) error {
	f, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	if err := work(bufio.NewReaderSize(f, 1<<16)); err != nil {
		return fmt.Errorf("datasets: read %s: %w", s.path, err)
	}
	return nil
}

// scanHeader reads what comes before the numbers of a WAV or an NPY file.
func (s *Stream) scanHeader() error {
	return s.open(func(r io.Reader) error {
		_, err := s.reader(r)
		return err
	})
}

// reader reads up to the numbers of a file, sets what its header says of it, and returns
// what reads the numbers.
func (s *Stream) reader(r io.Reader) (func([]float64) error, error) {
	switch extension(s.path) {
	case ".csv":
		return newCSVRows(r).read, nil
	case ".wav":
		format, size, err := readWAVHeader(r)
		if err != nil {
			return nil, err
		}
		s.d, s.t = int(format.Channels), int(size/int64(format.BlockAlign))
		if s.about.Rate == 0 {
			s.about.Rate = float64(format.Rate)
		}
		return format.reader(r), s.notEmpty()
	}
	array, d, t, err := readNPYShape(r)
	if err != nil {
		return nil, err
	}
	if array.Header.Descr.Fortran && d > 1 {
		return nil, fmt.Errorf("an array in Fortran order, which has one signal after another, %w: save it in C order", ErrNotBlocks)
	}
	s.d, s.t = d, t
	read, err := npyReader(array)
	if err != nil {
		return nil, err
	}
	return read, s.notEmpty()
}

func (s *Stream) notEmpty() error {
	if s.d < 1 || s.t < 1 {
		return fmt.Errorf("%d signals by %d positions: need at least one of each", s.d, s.t)
	}
	return nil
}

// scanCSV counts positions and columns, and finds out whether the first are times.
func (s *Stream) scanCSV() error {
	var names []string
	var first, last float64
	err := s.scanRows(func(t int, row []float64, rows *csvRows) {
		if names = rows.names; t == 0 {
			first, s.d = row[0], len(row)
		}
		last, s.t = row[0], t+1
	})
	if s.about.Names = names; err != nil || !mayHaveTimes(names, s.d, s.t) {
		return err
	}
	times := newTimes(first, last, s.t)
	if err := s.scanRows(func(t int, row []float64, _ *csvRows) { times.see(t, row[0]) }); err != nil || !times.clock() {
		return err
	}
	s.about, s.timed = *times.recording(names), true
	s.d--
	return times.uneven
}

// scanRows calls use for every row of a CSV file, of which there must be one.
func (s *Stream) scanRows(use func(t int, row []float64, rows *csvRows)) error {
	return s.open(func(r io.Reader) error {
		rows := newCSVRows(r)
		var values []float64
		for t := 0; ; t++ {
			row, err := rows.next()
			if errors.Is(err, io.EOF) && t > 0 {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return errNoRows
			}
			if err == nil {
				values, err = rows.appendTo(values[:0], row)
			}
			if err != nil {
				return err
			}
			use(t, values, rows)
		}
	})
}

// WriteBlocks is [WriteRecording] of signals at t positions that come in blocks, about
// which is known what about says; its Signals aren't looked at. The file
// appears only when all are written: an error, also one of the blocks, leaves what was
// there.
func WriteBlocks(path string, about Recording, t int, blocks iter.Seq2[*mat.Dense, error]) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		var write func(z *mat.Dense) error
		d, written := 0, 0
		for z, err := range blocks {
			if err != nil {
				return err
			}
			if _, _, err := checkSignals(z); err != nil {
				return err
			}
			rows, n := z.Dims()
			if write == nil {
				d = rows
				if write, err = newBlockWriter(w, path, &about, d, t); err != nil {
					return err
				}
			}
			if written += n; rows != d || written > t {
				return fmt.Errorf("a block of %d signals up to position %d: need %d, at %d positions", rows, written, d, t)
			}
			if err := write(z); err != nil {
				return err
			}
		}
		if written < t || write == nil {
			return fmt.Errorf("signals at %d positions: need them at %d", written, t)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	if extension(path) == ".csv" {
		return nil
	}
	return about.writeSidecar(path)
}

// newBlockWriter writes what comes before d signals at t positions, and returns what
// writes blocks of them.
func newBlockWriter(w io.Writer, path string, about *Recording, d, t int) (func(*mat.Dense) error, error) {
	if err := about.check(d); err != nil {
		return nil, err
	}
	switch extension(path) {
	case ".csv":
		if err := about.checkHeader(d); err != nil {
			return nil, err
		}
		columns, err := newCSVColumns(w, about, d)
		if err != nil {
			return nil, err
		}
		return columns.write, nil
	case ".wav":
		written := 0
		write := func(z *mat.Dense) error {
			err := writeWAVSamples(w, z, written)
			written += z.RawMatrix().Cols
			return err
		}
		return write, writeWAVHeader(w, d, t, about.wavRate())
	case ".npy":
		return func(z *mat.Dense) error { return writeNPYValues(w, z) }, writeNPYHeader(w, d, t)
	}
	return nil, fmt.Errorf("ending %q: need .csv, .npy or .wav", extension(path))
}
