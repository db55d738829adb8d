package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// A mixture is the recording to separate.
type mixture struct {
	*files.Stream
	truth   *mat.Dense    // the sources; nil if not given
	fitted  *files.Fitted // the recording, or what is left of it to learn from
	isWhole bool          // whether all signals are in memory, to learn from all positions of fitted
	learned *mat.Dense    // the signals of fitted, d×n, if isWhole
	n       int           // the n of blockwise.Fit: how many positions to learn from
}

// open opens the recording, and checks that it can be separated with the settings. It sets their
// Rounding, and the Shape if there is none.
func (opt *separateOptions) open(
	ctx context.Context, cfg *sica.Config, report func(string, float64),
) (*mixture, error) {
	in := new(mixture)
	var err error
	if in.Stream, err = opt.openLong(ctx, *cfg, report); err != nil {
		return nil, err
	}
	in.isWhole = in.Stream == nil
	if in.isWhole {
		if err := opt.readWhole(ctx, in, cfg, report); err != nil {
			return nil, err
		}
	}
	d, total := in.Dims()
	if err := opt.checkLike(d, in.About.Names); err != nil {
		return nil, err
	}
	if err := opt.reading.CheckShape(opt.in[0], total, cfg.Shape); err != nil {
		return nil, err
	}
	if len(cfg.Shape) < 2 {
		in.About.Notes = append(in.About.Notes, opt.reading.LooksTransposed(opt.in[0], d, total)...)
	}
	if err := opt.learnFrom(ctx, in); err != nil {
		return nil, err
	}
	if in.isWhole && !opt.fitting.LeaveOutGaps && in.About.Interpolated != nil {
		in.About.Notes = append(in.About.Notes, interpolatedNote(cfg.Shape))
	}
	if isEDF(opt.out) && in.About.Rate == 0 {
		return nil, usage.Errorf("--out %s: the recording has no sampling rate, which EDF and BDF need: "+
			"use --rate, or a .csv or .npy", opt.out)
	}
	_, left := in.fitted.Source.Dims()
	n := cmp.Or(in.n, left)
	cfg.Rounding = in.fitted.Rounding
	cfg.Shape = files.SequenceShape(&in.About, cfg.Shape, n)
	if err := checkComponents(cfg.Components, d, opt.in[0]); err != nil {
		return nil, err
	}
	isAsked := !in.isWhole && opt.learnOn != files.LearnOnDefault
	if err := cfg.Validate(d, n); isAsked && errors.Is(err, sica.ErrSignals) {
		return nil, usage.Errorf("--learn-on %s: %w", opt.learnOn, err)
	}
	return in, validate(*cfg, d, n, total, opt.in[0])
}

// openLong returns the recording if only a part of it is learned from, otherwise nil. By default a
// part is learned from recordings of more than blockwise.AlwaysLearned positions.
func (opt *separateOptions) openLong(
	ctx context.Context, cfg sica.Config, report func(string, float64),
) (*files.Stream, error) {
	asked := opt.learnOn != files.LearnOnDefault
	obstacle := opt.noPart(cfg)
	switch {
	case opt.learnOn == files.LearnOnAll || !asked && (obstacle != "" || !mayBeLong(opt.in)):
		return nil, nil
	case obstacle != "":
		return nil, usage.Errorf("--learn-on %s: %s", opt.learnOn, obstacle)
	}
	in, err := opt.reading.Open(ctx, opt.in, report)
	if err != nil {
		return nil, err
	}
	if _, total := in.Dims(); !asked && total <= blockwise.AlwaysLearned {
		return nil, nil
	}
	return in, nil
}

// mayBeLong reports whether the files are large enough for more than blockwise.AlwaysLearned
// positions. A position takes at least one byte.
func mayBeLong(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() >= blockwise.AlwaysLearned && files.IsStreamable(path)
	})
}

// noPart says why the fit can't learn from a part of the recording; "" if it can.
func (opt *separateOptions) noPart(cfg sica.Config) string {
	switch {
	case datasets.IsImage(opt.in[0]) || len(cfg.Shape) > 1:
		return "images and videos are separated as a whole"
	case cfg.Flow != nil && cfg.Flow.Family == klflow.Free:
		return opt.seesAll() + ": leave --learn-on out"
	case len(opt.truth) > 0:
		return "--truth is compared with all positions at once: leave it out, and use sica score"
	}
	return ""
}

// seesAll says why a method of the family klflow.Free can't learn from a part of a recording.
func (opt *separateOptions) seesAll() string {
	return "--method " + opt.method + " learns from all positions, as its networks see the whole " +
		"sequence"
}

// readWhole reads the recording of the mixed signals, whose shape applies if none is set, and the
// truth if given.
func (opt *separateOptions) readWhole(
	ctx context.Context, in *mixture, cfg *sica.Config, report func(string, float64),
) (err error) {
	if in.Stream, err = opt.reading.Whole(ctx, opt.in, report); err != nil {
		return err
	}
	if cfg.Shape == nil || in.About.Shape != nil {
		cfg.Shape = in.Shape
	}
	if len(opt.truth) > 0 {
		reading := opt.reading
		reading.Without, reading.Variable = nil, ""
		s, _, err := reading.Recording(opt.truth)
		if err != nil {
			return err
		}
		if err := checkSizes(opt.truth[0], s, opt.in[0], &in.About); err != nil {
			if asManyPositions(s.Signals, in.About.Signals) {
				err = fmt.Errorf("%w: leave --truth out, and use sica score", err)
			}
			return err
		}
		in.truth = s.Signals
	}
	return files.CheckVaries(opt.in[0], &in.About)
}

// learnFrom sets what is learned from, with notes: the recording or what is left of it, as a whole
// or in part.
func (opt *separateOptions) learnFrom(ctx context.Context, in *mixture) error {
	recording := blockwise.Source(in.Stream)
	if in.isWhole {
		recording = in.Stream.Source
	}
	fitted, err := opt.fitting.Apply(ctx, recording, &in.About)
	if err != nil {
		return err
	}
	in.fitted = fitted
	in.About.Notes = append(in.About.Notes, fitted.Notes...)
	if fitted.Source != recording {
		note := "what is filtered or left out is so for learning only: the recovered signals have all " +
			"positions"
		if !opt.fitting.Filter.IsZero() {
			note += ", and no filter"
		}
		in.About.Notes = append(in.About.Notes, note)
	}
	_, left := fitted.Source.Dims()
	if !in.isWhole {
		in.n, err = opt.learnOn.Positions(left, in.About.Rate)
		return err
	}
	in.n, in.learned = left, in.About.Signals
	if fitted.Source != recording {
		in.learned, err = blockwise.Part(ctx, fitted.Source, left)
	}
	return err
}

// interpolatedNote returns the note that interpolated values can't be left out of learning. Only a
// sequence can drop positions.
func interpolatedNote(shape []int) string {
	note := "interpolated values were learned from, which can spoil a separation"
	if len(shape) < 2 {
		note += ": --missing drop leaves them out"
	}
	return note
}

// clipped returns which channels are clipped; none if the signals aren't in memory.
func (in *mixture) clipped() files.ClippedIn {
	if !in.isWhole {
		return files.ClippedIn{}
	}
	return files.FindClipped(in.learned, in.fitted.Source)
}

// recovered returns the recovered signals at the positions of learning, without outliers.
func (in *mixture) recovered(res *sica.Result) *mat.Dense {
	if len(res.Outliers) == 0 {
		return res.Z
	}
	return signal.Columns(res.Z, in.kept(res))
}

// kept returns which of the positions of learning aren't outliers. Outliers are positions of the
// recording.
func (in *mixture) kept(res *sica.Result) []int {
	_, n := res.Z.Dims()
	return without(blockwise.Positions(in.fitted.Source, n), res.Outliers)
}

// without returns the indices of the positions that aren't in leftOut.
func without(positions, leftOut []int) (kept []int) {
	isLeftOut := make(map[int]bool, len(leftOut))
	for _, t := range leftOut {
		isLeftOut[t] = true
	}
	for k, t := range positions {
		if !isLeftOut[t] {
			kept = append(kept, k)
		}
	}
	return kept
}
