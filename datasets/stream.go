package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"

	"gonum.org/v1/gonum/mat"
)

// A Stream is a recording in a file that is read in blocks of positions, any number of
// times. Memory doesn't grow with its length, and neither [MaxEntries] nor the limit of a
// file's size applies to it.
type Stream struct {
	path     string
	format   format
	about    Recording // without Signals
	d, n     int       // signals and positions
	hasTimes bool      // the first column of the file isn't a signal
	timed    bool      // the first column may hold times, timeUnit seconds for 1
	timeUnit float64
}

// ErrNotBlocks is wrapped by the error for a file that can only be read as a whole.
var ErrNotBlocks = errors.New("can't be read in blocks of positions")

// OpenStream opens a recording in a CSV, WAV or NPY file, of which it says what
// [ReadRecording] does. The file isn't kept open. As CSV doesn't tell its number of
// positions, such a file is read through once, and twice if it has a column of times.
//
// The error wraps ErrNotBlocks for images and for NPY arrays in Fortran order. Values that
// aren't finite are errors of [Stream.Blocks], for CSV already of OpenStream.
func OpenStream(path string) (*Stream, error) {
	f, ok := formats[extension(path)]
	if !ok || f.isWhole() {
		return nil, fmt.Errorf("datasets: %s %w; must be %s", path, ErrNotBlocks, streamEndings)
	}
	s := &Stream{path: path, format: f}
	var first, last float64
	err := s.open(func(c *content) error {
		if c.bySignal && c.d > 1 {
			return fmt.Errorf("an array in Fortran order, which has one signal after another, %w; "+
				"must be saved in C order", ErrNotBlocks)
		}
		s.about, s.d, s.n = c.about, c.d, c.n
		if s.d < 1 || s.n < 1 && s.n != unknownLength {
			return checkSize(s.d, s.n)
		}
		if c.n != unknownLength {
			return nil
		}
		s.n = 0
		err := s.rows(c, func(t int, row []float64) {
			if t == 0 {
				first = row[0]
			}
			last, s.n = row[0], t+1
		})
		s.timed, s.timeUnit = c.hasTimes(s.d, s.n), c.timeUnit
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.complete {
		err = s.findTimes(first, last)
	} else {
		err = s.about.readSidecar(path, s.d)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// rows calls use with the numbers of each position.
func (s *Stream) rows(c *content, use func(t int, row []float64)) error {
	t := 0
	return c.pieces(c.d*max(1, pieceSize/c.d), func(piece []float64) error {
		for ; len(piece) > 0; piece = piece[c.d:] {
			use(t, piece[:c.d])
			t++
		}
		return nil
	})
}

// findTimes reads the first column, which begins with first and ends with last, if it may
// hold times.
func (s *Stream) findTimes(first, last float64) error {
	if !s.timed {
		return nil
	}
	clock := newClock(first, last, s.n)
	err := s.open(func(c *content) error {
		return s.rows(c, func(t int, row []float64) { clock.observe(t, row[0]) })
	})
	if err != nil || !clock.rises() {
		return err
	}
	clock.describe(&s.about, s.timeUnit)
	s.hasTimes = true
	s.d--
	return clock.uneven
}

// open opens the file for use.
func (s *Stream) open(use func(*content) error) error {
	file, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	defer file.Close()
	c, err := s.format.open(bufio.NewReaderSize(file, 1<<16), &ReadOptions{})
	if err == nil {
		err = use(c)
	}
	if err != nil {
		return fmt.Errorf("datasets: read %s: %w", s.path, err)
	}
	return nil
}

// About returns what the file says of the signals: a Recording without Signals.
func (s *Stream) About() Recording { return s.about }

// Dims returns the numbers of signals and of positions.
func (s *Stream) Dims() (d, n int) { return s.d, s.n }

// Blocks reads the signals, size positions at a time and then the rest. Each block is a new
// matrix d×size. An error, with a nil block, ends them.
func (s *Stream) Blocks(size int) iter.Seq2[*mat.Dense, error] {
	return func(yield func(*mat.Dense, error) bool) {
		if size < 1 {
			yield(nil, fmt.Errorf("datasets: blocks: size is %d; must be at least 1", size))
			return
		}
		stopped := false
		err := s.open(func(c *content) error {
			return s.blocks(c, size, func(z *mat.Dense) bool {
				stopped = !yield(z, nil)
				return !stopped
			})
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// blocks calls use with each block until that returns false.
func (s *Stream) blocks(c *content, size int, use func(*mat.Dense) bool) error {
	columns := s.d
	if s.hasTimes {
		columns++
	}
	if c.d != columns || c.n != unknownLength && c.n != s.n {
		return fmt.Errorf("%d columns by %d positions; must be %d by %d, as it was before",
			c.d, c.n, columns, s.n)
	}
	if err := checkSize(columns, min(size, s.n)); err != nil {
		return fmt.Errorf("blocks of %d positions: %w", size, err)
	}
	for first := 0; first < s.n; first += size {
		values := make([]float64, columns*min(size, s.n-first))
		if _, err := c.read(values); err != nil {
			return fmt.Errorf("positions %d to %d of %d: %w",
				first+1, first+len(values)/columns, s.n, unexpectedEOF(err))
		}
		z := byPosition(values, columns)
		if s.hasTimes {
			z = mat.DenseCopyOf(z.Slice(1, columns, 0, len(values)/columns))
		}
		if err := checkValues(z, first); err != nil {
			return err
		}
		if !use(z) {
			return nil
		}
	}
	return nil
}
