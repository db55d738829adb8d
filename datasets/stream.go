package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Stream is a recording in a file that is read in blocks of positions, any number of times. Its
// memory doesn't grow with the length, and neither [MaxEntries] nor the limit on file sizes
// applies.
type Stream struct {
	path     string
	format   format
	options  openOptions
	about    Recording // without Signals
	columns  int       // number of columns of the file
	kept     []int     // the columns that are signals, in their order; nil for all
	d, n     int       // numbers of signals and positions
	hasTimes bool      // whether the first column of the file holds times
	times    timing

	mayHaveTimes bool // whether findTimes examines the first column
}

// ErrNotBlocks is wrapped by the error for a file that can only be read as a whole.
var ErrNotBlocks = errors.New("can't be read in blocks of positions")

// OpenStream opens a recording in a text file (.csv, .tsv, .txt, or EyeLink's .asc), WAV or NPY
// file, and describes it like [ReadRecording], except that it doesn't compare the means of runs. It
// reads the file once, to count the positions and to find the columns that aren't signals, once
// more if there is a column of times, and once more if columns were set aside. The file isn't kept
// open.
//
// The error wraps ErrNotBlocks for the other formats, .edf, .bdf, .vhdr, .set, .mat, .png and .pgm,
// and for times that drift or are rounded. Values that aren't finite are errors of [Stream.Blocks],
// or for text of OpenStream.
func OpenStream(path string) (*Stream, error) { return ReadOptions{}.Stream(path) }

// Stream opens a recording like [OpenStream], with these options. For Transpose, or a Missing other
// than MissingError, which need the whole recording, the error wraps ErrNotBlocks.
func (o ReadOptions) Stream(path string) (*Stream, error) {
	f := formatOf(path)
	if !f.isStreamed() {
		return nil, fmt.Errorf("datasets: %s %w; must be %s", path, ErrNotBlocks,
			listEndings(format.isStreamed))
	}
	if err := o.checkVariable(path); err != nil {
		return nil, err
	}
	if o.Transpose || o.Missing != "" && o.Missing != MissingError {
		return nil, fmt.Errorf("datasets: %s %w if it is transposed or has missing values; "+
			"must be read as a whole", path, ErrNotBlocks)
	}
	s := &Stream{path: path, format: f, options: openOptions{ReadOptions: o}}
	var columns []column.Stats
	err := s.open(func(c *content) (err error) {
		columns, err = s.observe(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.options.skipText = true
	err = s.findTimes(columns)
	if err == nil && !f.complete {
		err = s.about.readSidecar(path, s.d)
	}
	if err == nil {
		err = s.setAside(columns)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// maxObservedColumns is the largest number of columns of an NPY or WAV file that is searched for
// columns to set aside. A wider table doesn't consist of channels and counters.
const maxObservedColumns = 1 << 12

// observe reads the file for the first time and returns the statistics of its columns. It returns
// nil if nothing is to be set aside: for a wide NPY or WAV file, or for one with an error.
func (s *Stream) observe(c *content) ([]column.Stats, error) {
	s.columns, s.d, s.n = c.d, c.d, c.n
	if c.d < 1 || c.n < 1 && c.n != unknownLength {
		return nil, signal.CheckSize(c.d, c.n)
	}
	if c.d > maxObservedColumns && c.n != unknownLength {
		s.about = c.about
		return nil, nil
	}
	columns := make([]column.Stats, c.d)
	n := 0
	err := c.rows(func(t int, row []float64) {
		for i, v := range row {
			columns[i].Observe(v)
		}
		n = t + 1
	})
	if c.n != unknownLength && err != nil {
		columns, err = nil, nil // Blocks returns the error at its position
	}
	if c.n == unknownLength {
		if s.n = n; n == 0 && err == nil {
			err = signal.CheckSize(c.d, 0)
		}
	}
	if err == nil && c.check != nil {
		err = c.check()
	}
	s.about = c.about
	if c.complete != nil {
		c.complete(&s.about)
	}
	s.mayHaveTimes, s.times = c.mayHaveTimes(s.d, s.n), c.times
	return columns, err
}

// setAside decides by their statistics which columns are signals, and reads the others.
func (s *Stream) setAside(columns []column.Stats) error {
	if columns == nil {
		return nil
	}
	first := 0 // index of the first column that may be a signal
	if s.hasTimes {
		first = 1
	}
	columns = columns[first:]
	kept, notes, err := s.options.selectColumns(&s.about, s.about.Aside, columns)
	if err != nil {
		return fmt.Errorf("datasets: read %s: %w", s.path, err)
	}
	s.about.Notes = append(s.about.Notes, notes...)
	if slices.Equal(kept, grid.Range(s.d)) {
		return nil
	}
	aside := remaining(s.d, kept)
	values, err := s.readAside(columns, aside, first)
	if err != nil {
		return err
	}
	(&reading{Recording: &s.about}).split(kept, aside, columns, values)
	s.d, s.kept = len(kept), kept
	if values == nil {
		s.about.Notes = append(s.about.Notes, "the recording is too long for the columns that "+
			"were set aside to be kept")
	}
	return nil
}

// readAside returns the values of the columns that are set aside, which follow the first ones in
// the file; nil if they are too many to keep. It sets the joints shown by a column of times among
// them.
func (s *Stream) readAside(
	columns []column.Stats, aside []int, first int,
) ([][]float64, error) {
	clock := slices.IndexFunc(aside, func(i int) bool {
		return columns[i].BeginsRuns(s.about.columnName(i), s.n)
	})
	var values [][]float64
	if len(aside)*s.n <= maxAsideValues {
		values = make([][]float64, len(aside))
	} else if clock < 0 {
		return nil, nil
	}
	var falls column.Joints
	err := s.open(func(c *content) error {
		return c.rows(func(t int, row []float64) {
			for k := range values {
				values[k] = append(values[k], row[first+aside[k]])
			}
			if clock >= 0 {
				falls.Observe(t, row[first+aside[clock]])
			}
		})
	})
	s.about.Joints = append(s.about.Joints, falls.Positions...)
	return values, err
}

// rows calls use with the numbers of each position.
func (c *content) rows(use func(t int, row []float64)) error {
	t := 0
	return c.pieces(c.d*max(1, pieceSize/c.d), func(piece []float64) error {
		for ; len(piece) >= c.d; piece = piece[c.d:] {
			use(t, piece[:c.d])
			t++
		}
		return nil
	})
}

// findTimes reads the first column if it may hold times. columns are nil after an error that Blocks
// returns.
func (s *Stream) findTimes(columns []column.Stats) error {
	if columns == nil || !s.mayHaveTimes {
		return nil
	}
	clock := columns[0].Clock()
	err := s.open(func(c *content) error {
		return c.rows(func(t int, row []float64) { clock.Observe(t, row[0]) })
	})
	if err != nil || !clock.Rises() {
		return err
	}
	if clock.Drifts() || clock.CoarseRate() > 0 {
		return fmt.Errorf("datasets: %s has times that drift or are rounded, and %w", s.path,
			ErrNotBlocks)
	}
	s.about.setTimes(clock, s.times.unit)
	s.about.noteSeconds(s.times.hasUnit())
	s.hasTimes = true
	s.d--
	if err := clock.Uneven(s.times.firstLine, false); err != nil {
		return fmt.Errorf("datasets: read %s: %w", s.path, err)
	}
	return nil
}

// open opens the file for use.
func (s *Stream) open(use func(*content) error) error {
	file, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	defer file.Close()
	c, err := s.format.open(bufio.NewReaderSize(file, 1<<16), &s.options)
	if err == nil {
		if c.bySignal && c.d > 0 && c.n > 0 {
			c.read, c.bySignal = c.array.byPosition(file, c.d, c.n), false
		}
		err = use(c)
	}
	if err != nil {
		return fmt.Errorf("datasets: read %s: %w", s.path, err)
	}
	return nil
}

// About returns what the file says about the signals: a Recording without Signals.
func (s *Stream) About() Recording { return s.about }

// Dims returns the numbers of signals and of positions.
func (s *Stream) Dims() (d, n int) { return s.d, s.n }

// Blocks reads the signals, size positions at a time and then the rest. Each block is a new matrix
// d×size. After an error, which comes with a nil block, there are no more blocks.
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
	columns := s.columns
	if c.d != columns || c.n != unknownLength && c.n != s.n {
		return fmt.Errorf("%d columns by %d positions; must be %d by %d, as it was before",
			c.d, c.n, columns, s.n)
	}
	if err := signal.CheckSize(columns, min(size, s.n)); err != nil {
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
		if s.kept != nil {
			z = signal.Rows(selected(signal.RowsOf(z), s.kept)).Dense()
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
