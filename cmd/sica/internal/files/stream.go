package files

import (
	"context"
	"fmt"
	"os"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// BlockSize is the number of positions that are in memory together: 2 MiB for 16 channels.
const BlockSize = 1 << 14

// A Stream is a recording that is read in blocks and reports its progress. It is in memory if its
// file is small or can't be read in blocks, as an image or a pipe, and by Reading.Whole.
type Stream struct {
	blockwise.Source
	About datasets.Recording // its Signals are nil unless they are in memory
	Shape []int              // of the positions of images, or of an array of several axes; else nil
	Doing string             // what is done with the blocks, for the report
	// Reads is the number of times that all blocks are read in one piece of work, whose progress
	// is reported as a whole; 0 reports the progress of each reading.
	Reads int
	// MustVary is whether it is an error if a channel has the same value at every position, at
	// minVarying positions or more.
	MustVary bool

	ctx    context.Context
	report func(doing string, fraction float64)
	begun  int // readings so far
}

// A Channel is one channel of a recording.
type Channel struct {
	blockwise.Source
	Row int
}

// Dims returns 1 and the number of positions.
func (c Channel) Dims() (d, n int) {
	_, n = c.Source.Dims()
	return 1, n
}

// Blocks returns blocks of n positions.
func (c Channel) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		for x, err := range c.Source.Blocks(n) {
			if err == nil {
				x = mat.NewDense(1, x.RawMatrix().Cols, x.RawRowView(c.Row))
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// IsStreamable reports whether a file may be read in blocks and more than once.
func IsStreamable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && datasets.IsWritable(path)
}

// minVarying is how many positions with one value make a channel dead. Fewer may be a short piece
// of a recording of few bits.
const minVarying = 100

// checkVaries returns an error that names a channel with the same value at every one of n
// positions: low and high are the least and the largest values of each.
func (s *Stream) checkVaries(low, high []float64, n int) error {
	for i := range low {
		if n >= minVarying && low[i] == high[i] {
			return fmt.Errorf("channel %q has the same value at every position, so what is recovered is wrong: "+
				"separate this recording itself", ChannelName(ChannelNames(&s.About), i))
		}
	}
	return nil
}

// Blocks returns the blocks of the file, and the error of the context once it has ended.
func (s *Stream) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		_, total := s.Dims()
		reads := max(s.Reads, 1)
		before := 0.0 // earlier readings of the same piece of work
		if s.Reads > 0 {
			before = float64(s.begun)
		}
		s.begun++
		read := 0
		var low, high []float64 // of each channel
		for z, err := range s.Source.Blocks(n) {
			if ended := s.ctx.Err(); err == nil && ended != nil {
				z, err = nil, ended
			}
			if s.MustVary && err == nil {
				low, high = extremes(z, low, high)
			}
			if !yield(z, err) || err != nil {
				return
			}
			read += z.RawMatrix().Cols
			s.report(s.Doing, (before+float64(read)/float64(total))/float64(reads))
		}
		if err := s.checkVaries(low, high, read); err != nil {
			yield(nil, err)
		}
	}
}

// extremes returns the least and the largest value of each row of z and of earlier blocks, whose
// low and high are nil if there are none.
func extremes(z *mat.Dense, low, high []float64) (_, _ []float64) {
	if low == nil {
		low, high = mat.Col(nil, 0, z), mat.Col(nil, 0, z)
	}
	for i := range low {
		low[i] = min(low[i], floats.Min(z.RawRowView(i)))
		high[i] = max(high[i], floats.Max(z.RawRowView(i)))
	}
	return low, high
}

// Write writes the stream's signals, changed in blocks, to a file, with the channels that were left
// out.
func (s *Stream) Write(path string, blocks blockwise.Blocks) error {
	_, n := s.Dims()
	return datasets.WriteBlocks(path, &s.About, n, blocks)
}

// WriteRecovered writes d signals that were recovered from the stream to a file: at its times, with
// its annotations and with the columns that can't be channels. Names are nil if they have none.
func (s *Stream) WriteRecovered(path string, d int, names []string, blocks blockwise.Blocks) error {
	_, n := s.Dims()
	about := recovered(s.About, d, path)
	about.Names = names
	return datasets.WriteBlocks(path, &about, n, blocks)
}

// AtOnce are signals as one block.
func AtOnce(z *mat.Dense) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) { yield(z, nil) }
}
