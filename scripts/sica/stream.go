package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// block is how many positions are in memory together.
const block = 1 << 14

// stream is a recording that is read in blocks, and says how far it is. It is in memory
// if its file can't be read so: an image, a pipe, an NPY array in Fortran order.
type stream struct {
	blockwise.Source
	about datasets.Recording // without signals
	ctx   context.Context
	doing string
	tell  func(doing string, fraction float64)
	reads int // how often it will be read for that, if that is known
	begun int // readings so far
}

// openStream opens the recording in a file for a command.
func openStream(cmd *cobra.Command, path string, tell func(doing string, fraction float64)) (*stream, error) {
	s := &stream{ctx: cmd.Context(), tell: tell}
	if streamable(path) {
		tell("reading "+filepath.Base(path), 0)
		file, err := datasets.OpenStream(path)
		if err == nil {
			s.Source, s.about = file, file.About()
			return s, nil
		}
		if !errors.Is(err, datasets.ErrNotBlocks) {
			return nil, err
		}
	}
	r, err := datasets.ReadRecording(path)
	if err != nil {
		return nil, err
	}
	s.Source, s.about = blockwise.InMemory{Dense: r.Signals}, *like(r, nil)
	s.about.Names = r.Names
	return s, nil
}

// streamable is whether a file may be read more than once, and in blocks.
func streamable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && slices.Contains([]string{".csv", ".npy", ".wav"}, strings.ToLower(filepath.Ext(path)))
}

// Blocks are those of the file until the command is interrupted.
func (s *stream) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		_, t := s.Dims()
		read, before := 0, 0.
		if s.reads > 0 {
			before = float64(s.begun)
		}
		s.begun++
		for z, err := range s.Source.Blocks(n) {
			if ended := s.ctx.Err(); err == nil && ended != nil {
				z, err = nil, ended
			}
			if !yield(z, err) || err != nil {
				return
			}
			read += z.RawMatrix().Cols
			s.tell(s.doing, (before+float64(read)/float64(t))/float64(max(s.reads, 1)))
		}
	}
}

// write writes what was made of its blocks to a file; names are those of the signals.
func (s *stream) write(path string, names []string, made blockwise.Blocks) error {
	about := s.about
	about.Names = names
	_, t := s.Dims()
	return datasets.WriteBlocks(path, about, t, made)
}

// learnOn is what --learn-on asks for: "" the default, "all", a time such as 60s, a number
// of positions, or 1/n of them.
type learnOn string

// Of --learn-on.
const (
	learnOnDefault learnOn = ""
	learnOnAll     learnOn = "all"
)

// positions is how many of t positions, so many a second, are learned from; 0 leaves it
// to blockwise.Fit.
func (l learnOn) positions(t int, rate float64) (int, error) {
	n := 0
	switch text, every, share := string(l), 0, false; {
	case l == learnOnDefault:
		return 0, nil
	case l == learnOnAll:
		return t, nil
	default:
		if text, share = strings.CutPrefix(text, "1/"); share {
			var err error
			if every, err = strconv.Atoi(text); err != nil || every < 1 {
				return 0, l.usage()
			}
			n = t / every
			break
		}
		var err error
		if n, err = strconv.Atoi(text); err == nil {
			break
		}
		length, err := time.ParseDuration(text)
		if err != nil {
			return 0, l.usage()
		}
		if rate == 0 {
			return 0, usagef("--learn-on %s: the recording doesn't say how many positions are a second: use a number of positions", l)
		}
		n = int(min(length.Seconds()*rate, float64(t)))
	}
	if n < 2 {
		return 0, usagef("--learn-on %s is %d positions: use more", l, n)
	}
	return min(n, t), nil
}

// learnOnUsage is the help of --learn-on where a part is both learned from and looked at.
const learnOnUsage = "take a `PART` of the positions, spread evenly: 60s, a number, 1/10 or all; 65536 at most by default"

// read is readSignals of the part of a recording that is asked for. Of sequences, not of
// images or of what has a shape, it is by default no more than blockwise.AlwaysLearned
// positions. It returns its shape, nil for a sequence, and how many positions the recording
// has, too.
func (l learnOn) read(cmd *cobra.Command, in []string, given []int) (x *mat.Dense, shape []int, of int, err error) {
	if _, err := l.positions(1<<30, 1); err != nil { // before anything is read
		return nil, nil, 0, err
	}
	whole := len(given) > 1 || len(in) > 1 || datasets.IsImage(in[0])
	if whole && l != learnOnDefault && l != learnOnAll {
		return nil, nil, 0, usagef("--learn-on %s: images and videos are taken as a whole", l)
	}
	if whole || l == learnOnAll {
		if x, shape, err = readSignals(in); err != nil {
			return nil, nil, 0, err
		}
		if given != nil {
			shape = given
		}
		return x, shape, x.RawMatrix().Cols, nil
	}
	progress := newLateParts(cmd.ErrOrStderr())
	defer progress.done()
	s, err := openStream(cmd, in[0], progress.part)
	if err != nil {
		return nil, nil, 0, err
	}
	_, t := s.Dims()
	if err := checkSequence(in[0], t, given); err != nil {
		return nil, nil, 0, err
	}
	n, err := l.positions(t, s.about.Rate)
	if err != nil {
		return nil, nil, 0, err
	}
	if n == 0 {
		n = min(t, blockwise.AlwaysLearned)
	}
	s.doing = "reading " + filepath.Base(in[0])
	x, err = blockwise.Part(s.ctx, s, n)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("%s: %w", in[0], err)
	}
	return x, nil, t, nil
}

// checkSequence returns a usage error unless the shape, given or nil, is that of t positions
// in a row.
func checkSequence(file string, t int, shape []int) error {
	if len(shape) == 1 && shape[0] != t {
		return usagef("--shape %d: %s has %d positions", shape[0], file, t)
	}
	return nil
}

// partOf says what was taken of a recording, nothing if it was all.
func partOf(n, of int) string {
	if n == of {
		return ""
	}
	return fmt.Sprintf("%d of %d positions, in blocks spread evenly; --learn-on takes others", n, of)
}

func (l learnOn) usage() error {
	return usagef("--learn-on %q: use a time such as 60s, a number of positions, a share such as 1/10, or all", string(l))
}

// long is the recording if it is to be learned from in part: asked for, or by default,
// where it has more positions than are always learned from. It is nil if it isn't.
func (opt *separateOptions) long(cmd *cobra.Command, cfg sica.Config, tell func(string, float64)) (*stream, int, error) {
	asked := opt.learnOn != learnOnDefault
	if _, err := opt.learnOn.positions(1<<30, 1); err != nil { // before anything is read
		return nil, 0, err
	}
	sees := ""
	switch {
	case len(opt.in) > 1 || datasets.IsImage(opt.in[0]) || len(cfg.Shape) > 1:
		sees = "images and videos are separated as a whole"
	case cfg.Iterations > 0 && cfg.Family == sica.Free:
		sees = "networks of the family free can't be applied in blocks"
	case len(opt.truth) > 0:
		sees = "--truth is compared with all positions at once: leave it out, and use sica score"
	}
	if opt.learnOn == learnOnAll || sees != "" && !asked {
		return nil, 0, nil
	}
	if sees != "" {
		return nil, 0, usagef("--learn-on %s: %s", opt.learnOn, sees)
	}
	if info, err := os.Stat(opt.in[0]); !asked && (!streamable(opt.in[0]) || err != nil || info.Size() < blockwise.AlwaysLearned) {
		return nil, 0, nil // it can't have so many positions
	}
	s, err := openStream(cmd, opt.in[0], tell)
	if err != nil {
		return nil, 0, err
	}
	d, t := s.Dims()
	n, err := opt.learnOn.positions(t, s.about.Rate)
	if err != nil {
		return nil, 0, err
	}
	if !asked && t <= blockwise.AlwaysLearned {
		return nil, 0, nil
	}
	part := t
	if n > 0 {
		part = n
	}
	if err := cfg.Validate(d, part); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	return s, n, nil
}
