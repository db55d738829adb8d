package sica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Blocks are signals that come a block of positions after the other, each d×n. An
// error, with a nil block, ends them.
type Blocks = iter.Seq2[*mat.Dense, error]

// A Stream is a recording that can be read in blocks of n positions, as often as need
// be: a datasets.Stream is one.
type Stream interface {
	Dims() (d, t int)
	Blocks(n int) Blocks
}

// ErrNotStreamed is wrapped by the error of TransformBlocks for a result that looks at
// other positions than the one that it maps.
var ErrNotStreamed = errors.New("it can't be applied in blocks")

// TransformBlocks is Transform, block by block: it returns those of the recovered
// signals, which come as x is read and are no more than one in memory. That is possible
// where each position is mapped by itself, as by Default and every start. The error,
// before the first block of x is read, wraps ErrNotStreamed for what networks of the
// family Free have learned, and for a transform of a caller's own, which may look
// elsewhere.
func (r *Result) TransformBlocks(x Blocks) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		maps, err := r.pointwise()
		if err != nil {
			yield(nil, fmt.Errorf("sica: transform blocks: %w", err))
			return
		}
		first := 0
		mapped(x, func(block *mat.Dense) (*mat.Dense, error) {
			z, err := follow(block, maps)
			_, n := block.Dims()
			first += n
			if err != nil {
				return nil, fmt.Errorf("sica: transform blocks: positions %d to %d: %w", first-n+1, first, err)
			}
			return z, nil
		}, r.channels(), yield)
	}
}

// RemoveBlocks is Remove, block by block; see TransformBlocks.
func (r *Result) RemoveBlocks(x Blocks, rows ...int) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		remove, err := r.remover(rows)
		if err != nil {
			yield(nil, fmt.Errorf("sica: remove: %w", err))
			return
		}
		mapped(x, func(block *mat.Dense) (*mat.Dense, error) { return remove(block), nil }, r.channels(), yield)
	}
}

// mapped yields what by makes of the blocks of d signals.
func mapped(x Blocks, by func(*mat.Dense) (*mat.Dense, error), d int, yield func(*mat.Dense, error) bool) {
	for block, err := range x {
		if err == nil {
			err = signal.CheckNew("x", block, d)
		}
		if err == nil {
			block, err = by(block)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(block, nil) {
			return
		}
	}
}

// pointwise are the maps of the result, if each maps a position by itself.
func (r *Result) pointwise() ([]preprocess.Map, error) {
	if r.flow == nil {
		return nil, errNotFitted
	}
	var maps []preprocess.Map
	for k, s := range r.flow {
		switch {
		case s.learned != nil:
			return nil, fmt.Errorf("stage %d of %d is a step of the family %q, whose networks see other positions: %w", k+1, len(r.flow), Free, ErrNotStreamed)
		case !preprocess.ByPosition(s.fixed):
			return nil, fmt.Errorf("stage %d of %d is a transform of the caller's, which may see other positions: %w", k+1, len(r.flow), ErrNotStreamed)
		}
		maps = append(maps, s.fixed)
	}
	return maps, nil
}

// AlwaysLearned is how many positions of a recording FitStream learns from before it
// asks whether more are worth it.
const AlwaysLearned = 1 << 16

const (
	// spread is how many positions of a part lie together: many times what a linear
	// demixing looks back and around.
	spread = 1 << 13
	// learnMost is the most values, signals times positions, that are chosen.
	learnMost = 1 << 22
	// worthLearning is the error that more positions must save: half of the last digit
	// in which this project gives an MCC.
	worthLearning = .0005
)

// FitStream is Fit on a part of a recording: on n of its positions, in blocks of 8192
// spread evenly over it, where one is joined to the next as if nothing was between them.
// All of it is learned from where n is all, and the result is that of Fit. Apply it by
// TransformBlocks.
//
// With n = 0 it chooses n so that all positions would be worth less than .0005 of
// correlation: the linear rule gives each signal an expected error, 1 − |correlation|
// with its source (linear.Findings.ExpectedError), that falls as 1/n, and is 1 for signals
// that nothing tells apart; a quarter of what the two halves of the part disagree by takes
// its place where that is more. It begins with AlwaysLearned positions, and takes as many more as
// the error calls for, up to 2²² values in all, which is the most in memory; Result.Why
// says what was taken and what is expected of it. Where the settings aren't LinearRule's
// or AnyRule's, or make iterations, there is no such error, and n is all or those 2²²
// values.
//
// Config.Shape must be that of a sequence: nil.
func FitStream(ctx context.Context, backend compute.Backend, x Stream, cfg Config, n int) (*Result, error) {
	_, t := x.Dims()
	if len(cfg.Shape) > 1 {
		return nil, fmt.Errorf("sica: fit stream: %w", settingError{fmt.Errorf("shape %v: want a sequence; fit images and videos as a whole", cfg.Shape)})
	}
	if n < 0 {
		return nil, fmt.Errorf("sica: fit stream: %w", settingError{fmt.Errorf("%d positions: want a positive number, or 0 to choose", n)})
	}
	cfg.Shape = nil
	why := ""
	part := new(mat.Dense)
	var err error
	if n == 0 {
		if part, why, err = cfg.choosePart(ctx, backend, x); err != nil {
			return nil, err
		}
	} else if part, err = readPart(ctx, x, min(n, t)); err != nil {
		return nil, err
	}
	_, n = part.Dims()
	if why == "" && n < t {
		why = fmt.Sprintf("Learned from %d of %d positions, as asked.", n, t)
	}
	r, err := Fit(ctx, backend, part, cfg)
	if r != nil && why != "" {
		r.Why = why + " " + r.Why
	}
	return r, err
}

// choosePart is the part of a recording that FitStream chooses, and why.
func (c Config) choosePart(ctx context.Context, backend compute.Backend, x Stream) (*mat.Dense, string, error) {
	d, t := x.Dims()
	if err := c.Validate(d, t); err != nil {
		return nil, "", err
	}
	most := min(t, max(learnMost/d, 2))
	rule := c
	rule.Rule, rule.Iterations, rule.Checkpoint = LinearRule, 0, ""
	n := min(most, AlwaysLearned)
	if c.Rule != LinearRule && c.Rule != AnyRule || c.Iterations > 0 {
		n = most
	}
	for {
		part, err := readPart(ctx, x, n)
		if err != nil || n == t {
			return part, "", err
		}
		if c.Rule != LinearRule && c.Rule != AnyRule || c.Iterations > 0 {
			return part, fmt.Sprintf("Learned from %d of %d positions, the most at once; nothing tells what more would be worth.", n, t), nil
		}
		worst, err := rule.expectedError(ctx, backend, part)
		if err != nil {
			return nil, "", err
		}
		// All positions have the error worst·n/t.
		saved := worst * (1 - float64(n)/float64(t))
		if saved <= worthLearning {
			return part, fmt.Sprintf("Learned from %d of %d positions: the linear rule expects of them an error, 1 − |correlation| with a source, of %.2g, and %.2g of all.", n, t, worst, worst*float64(n)/float64(t)), nil
		}
		if n == most {
			return part, fmt.Sprintf("Learned from %d of %d positions, the most at once: the linear rule expects of them an error, 1 − |correlation| with a source, of up to %.2g; more positions may save %.2g.", n, t, worst, saved), nil
		}
		n = min(most, max(2*n, int(1.2*float64(n)*worst/worthLearning)))
	}
}

// expectedError is the largest that the linear rule has on the part: by its own standard
// errors, or, where that is more, by how much its demixings of the two halves of the part,
// whose blocks alternate, differ. Each half has the error twice, so that
// 1 − |correlation| of the two is four times it. Standard errors are those of models that are
// right, which the halves don't ask for.
func (c Config) expectedError(ctx context.Context, backend compute.Backend, part *mat.Dense) (float64, error) {
	whole, err := Fit(ctx, backend, part, c)
	if err != nil {
		return 0, err
	}
	if whole.Linear == nil {
		return 0, ctx.Err() // which has ended in the rule
	}
	worst := slices.Max(whole.Linear.ExpectedError)
	c.Components = whole.components()
	var recovered [2]*mat.Dense
	for k := range recovered {
		half, err := Fit(ctx, backend, everySecond(part, k), c)
		if err != nil {
			return 1, ctx.Err() // a half can't be separated by itself
		}
		if recovered[k], err = half.Transform(part); err != nil {
			return 0, err
		}
	}
	for i := range c.Components {
		most := 0.0
		for j := range c.Components {
			most = max(most, math.Abs(stat.Correlation(recovered[0].RawRowView(i), recovered[1].RawRowView(j), nil)))
		}
		worst = max(worst, (1-most)/4)
	}
	return worst, nil
}

// everySecond are the blocks of a part at even places, or at odd ones. A part that is too
// short has shorter blocks.
func everySecond(part *mat.Dense, odd int) *mat.Dense {
	d, n := part.Dims()
	length := max(min(spread, n/8), 1)
	half := new(mat.Dense)
	for from := odd * length; from < n; from += 2 * length {
		block := part.Slice(0, d, from, min(from+length, n))
		if half.IsEmpty() {
			half.CloneFrom(block)
			continue
		}
		var longer mat.Dense
		longer.Augment(half, block)
		half = &longer
	}
	return half
}

// readPart reads n of the positions in blocks spread evenly.
func readPart(ctx context.Context, x Stream, n int) (*mat.Dense, error) {
	d, t := x.Dims()
	part := mat.NewDense(d, n, nil)
	blocks := (n + spread - 1) / spread
	// start is where block k of the part is in the recording, its share of what is left
	// out, and half of that, before it.
	start := func(k int) int { return k*n/blocks + (t-n)*(2*k+1)/(2*blocks) }
	from := 0 // of the block that was read
	k := 0
	for z, err := range x.Blocks(spread) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("sica: %w", err)
		}
		_, length := z.Dims()
		for k < blocks {
			// What of block k of the part lies in the block that was read.
			first, last := start(k), start(k)+(k+1)*n/blocks-k*n/blocks
			low, high := max(first, from), min(last, from+length)
			if low < high {
				to := k*n/blocks + low - first
				part.Slice(0, d, to, to+high-low).(*mat.Dense).Copy(z.Slice(0, d, low-from, high-from))
			}
			if last > from+length {
				break
			}
			k++
		}
		if from += length; k == blocks {
			break
		}
	}
	if k < blocks {
		return nil, fmt.Errorf("sica: the recording ended at position %d of %d: %w", from, t, io.ErrUnexpectedEOF)
	}
	return part, nil
}
