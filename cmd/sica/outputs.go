package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// images reports whether the recovered signals are written as images to a folder.
func (opt *separateOptions) images() bool {
	return files.WritesImages(opt.in[0], opt.shape, opt.out)
}

// openBackend returns the backend once all files are known to be writable.
func (opt *separateOptions) openBackend(cmd *cobra.Command) (compute.Backend, error) {
	if _, err := os.Lstat(opt.save); err == nil { // without --save, "" doesn't exist
		return nil, fmt.Errorf("--save %s: must be a new folder, and is there already: "+
			"delete it, or choose a new name", opt.save)
	}
	out := opt.out
	if opt.images() {
		out = ""
	}
	if err := files.CheckWritable(out, opt.json, opt.save); err != nil {
		return nil, err
	}
	return openBackend(cmd, opt.backend, backend.Lazily) // most mixtures need no network
}

// writeRecovered writes the recovered signals at all positions of a recording, and returns them if
// they are in memory.
func (opt *separateOptions) writeRecovered(
	in *mixture, shape []int, res *sica.Result,
) (z *mat.Dense, err error) {
	d, _ := res.Z.Dims()
	if !in.isWhole {
		in.Doing = "recovering all"
		recovered := blockwise.Transform(res, in.Blocks(files.BlockSize))
		if err := in.WriteRecovered(opt.out, d, nil, recovered); err != nil {
			return nil, fmt.Errorf("%s: %w", opt.in[0], err)
		}
		return nil, nil
	}
	z = res.Z
	if in.learned != in.About.Signals {
		if z, err = res.Transform(in.About.Signals); err != nil {
			return nil, fmt.Errorf("%s: %w", opt.in[0], err)
		}
	}
	if opt.images() {
		return z, files.WriteImages(opt.out, z, shape)
	}
	return z, in.WriteRecovered(opt.out, d, nil, files.AtOnce(z))
}

// write says that the signals were written and, if the flags ask for them, writes the result and
// the report.
func (opt *separateOptions) write(
	out io.Writer, in *mixture, res *sica.Result, rep *separation,
) error {
	if !opt.images() {
		files.NoteAside(out, &in.About, opt.out)
	}
	files.Wrote(out, opt.out)
	noteRate(out, opt.out, in.About.Rate, "use --rate")
	noteRecovered(out, opt.out, res)
	if opt.save != "" {
		if err := opt.saveResult(opt.save, in, res, rep); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.save)
	}
	if opt.json != "" {
		rep.finish(res)
		if in.isWhole {
			rep.Clipped = opt.clipped(in, res)
		}
		if err := files.WriteJSON(opt.json, rep); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.json)
	}
	if res.CheckPointwise() == nil && opt.save != "" && len(opt.in) == 1 && len(res.Shape) < 2 {
		next := slices.Concat([]string{"next: sica inspect"}, inFlags(opt.in), opt.rereading)
		fmt.Fprintln(out, strings.Join(next, " "), "--model", quoted(opt.save), "--html components.html")
	}
	return nil
}

// saveResult saves the result to a folder, with further information: how the recording was read,
// which channels were left out, and what is said about the signals.
func (opt *separateOptions) saveResult(
	folder string, in *mixture, res *sica.Result, rep *separation,
) error {
	if err := res.Save(folder); err != nil {
		return err
	}
	var without []string
	if res.Channels == nil {
		without = opt.reading.Without
	}
	err := opt.fitting.Keep(folder, rep.Positions, in.fitted.Skip, without, &opt.reading)
	if err == nil && rep.Labels != nil {
		err = files.WriteJSON(filepath.Join(folder, labelsFile), rep.Labels)
	}
	if err == nil && rep.Grades != nil {
		err = files.WriteJSON(filepath.Join(folder, gradesFile), rep.Grades)
	}
	return err
}

// keepFit saves the fit to a part of a recording if, because of err, not all of it could be
// recovered: in the folder of --save, or else beside the file of --out. It returns err with advice.
func (opt *separateOptions) keepFit(
	in *mixture, res *sica.Result, rep *separation, err error,
) error {
	folder := cmp.Or(opt.save, opt.out+".fit")
	if saving := opt.saveResult(folder, in, res, rep); saving != nil {
		return fmt.Errorf("%w; the fit isn't kept: %w", err, saving)
	}
	words := slices.Concat([]string{"sica transform --model", quoted(folder)}, inFlags(opt.in),
		opt.rereading)
	return fmt.Errorf("%w; the fit is kept: %s --out %s recovers the signals by it", err,
		strings.Join(words, " "), quoted(opt.out))
}

// clipped returns the stretches in which a channel is clipped, before any filter.
func (opt *separateOptions) clipped(in *mixture, res *sica.Result) [][2]int {
	clipped := in.fitted.Clipped
	if opt.fitting.Filter.IsZero() && len(res.Clipped) > 0 {
		clipped = in.clipped()
	}
	return files.Pairs(clipped.Stretches)
}

// removeCheckpoint removes the state of a fit whose result is written. Fit has ensured that the
// folder holds nothing else.
func removeCheckpoint(cfg sica.Config) error {
	if cfg.Checkpoint == "" {
		return nil
	}
	return os.RemoveAll(cfg.Checkpoint)
}
