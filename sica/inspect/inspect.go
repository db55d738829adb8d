// Package inspect says which recovered signal of a recording is what: how much of the
// channels it makes up and where, how its values are distributed, what rhythm it has,
// and how much it has in common with a channel of reference, such as that of the heart
// or the eyes.
package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// A Component is what is known of a recovered signal.
type Component struct {
	// Signal is its row, counted from 0.
	Signal int `json:"signal"`
	// Share is the share of the channels' variance, each channel brought to variance 1,
	// that it makes up.
	Share float64 `json:"share"`
	// Pattern is what it adds to each channel, in the channel's units, for a value of one
	// standard deviation. Its sign is such that the largest entry is positive.
	Pattern []float64 `json:"pattern"`
	// Channel is the channel of whose variance it makes up most.
	Channel int `json:"channel"`
	// Kurtosis is 0 for Gaussian values, and above 0 for rare large ones.
	Kurtosis float64 `json:"excess_kurtosis"`
	// Period is that of its strongest rhythm, in positions, and Rhythm the
	// autocorrelation there, 0 if there is none.
	Period float64 `json:"period"`
	Rhythm float64 `json:"rhythm"`
	// Correlation is that with the reference, and Coherence the share of the
	// reference's variance that some filter of the component would give. Both are 0
	// without a reference.
	Correlation float64 `json:"correlation"`
	Coherence   float64 `json:"coherence"`
}

// Options say what Components looks at.
type Options struct {
	// Reference, if set, is a signal at the positions of the recording, such as the
	// channel of an electrode beside the eye.
	Reference []float64
}

// Components looks at the recovered signals of the mixed signals x, d×T: those that the
// result was made from, or others of their kind. They come by decreasing Share, or, with a
// reference, by decreasing Coherence.
//
// Of more than Together positions, the rhythms and the coherences are averages over blocks
// of so many.
//
// It is an error if the result isn't a linear demixing (sica.ErrNotLinear), if x doesn't fit
// it or has fewer than 16 positions, or if the reference has another length.
func Components(r *sica.Result, x *mat.Dense, opts Options) ([]Component, error) {
	var reference blockwise.Source
	if opts.Reference != nil {
		if len(opts.Reference) == 0 {
			return nil, errors.New("inspect: the reference has no positions: want those of x, or nil for none")
		}
		reference = blockwise.InMemory{Dense: mat.NewDense(1, len(opts.Reference), opts.Reference)}
	}
	if x == nil {
		x = new(mat.Dense) // of no positions, which are too few
	}
	return Recording(r, blockwise.InMemory{Dense: x}, reference)
}

// Together is how many positions of a recording are looked at together: of a longer one,
// no rhythm slower than a quarter of it is found.
const Together = 1 << 16

// Recording is Components of a recording that may be longer than memory, and is read
// twice. The reference is nil or a recording of one signal; it is read beside x.
func Recording(r *sica.Result, x, reference blockwise.Source) ([]Component, error) {
	all, err := components(r, x, reference)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return all, nil
}

func components(r *sica.Result, x, reference blockwise.Source) ([]Component, error) {
	if r == nil {
		return nil, errors.New("the result is nil; make one with sica.Fit or sica.Load")
	}
	demixing, err := r.Demixing()
	if err != nil {
		return nil, err
	}
	channels, n := x.Dims()
	if n < 16 {
		return nil, fmt.Errorf("x has %d positions: want at least 16", n)
	}
	if reference != nil {
		switch d, t := reference.Dims(); {
		case d != 1:
			return nil, fmt.Errorf("the reference has %d signals: want one", d)
		case t != n:
			return nil, fmt.Errorf("the reference has %d positions and x %d: want as many", t, n)
		}
	}
	k, _ := demixing.W.Dims()
	// First the means and the variances, of which the rest is made.
	ofX, ofZ, ofReference := make([]moments, channels), make([]moments, k), make([]moments, 1)
	for b, err := range recovered(demixing, x, reference) {
		if err != nil {
			return nil, err
		}
		add(ofX, b.x)
		add(ofZ, b.z)
		if b.reference != nil {
			add(ofReference, b.reference)
		}
	}
	if reference != nil && !(ofReference[0].deviation() > 0) {
		return nil, errors.New("the reference has the same value at every position: it must vary")
	}
	looks := make([]look, k)
	for i := range looks {
		if !(ofZ[i].deviation() > 0) {
			return nil, fmt.Errorf("recovered signal %d of x is constant", i+1)
		}
		looks[i] = newLook(n)
	}
	for b, err := range recovered(demixing, x, reference) {
		if err != nil {
			return nil, err
		}
		var values []float64
		if reference != nil {
			values = ofReference[0].standardised(b.reference.RawRowView(0))
		}
		for i := range looks {
			looks[i].add(ofZ[i].standardised(b.z.RawRowView(i)), values)
		}
	}
	all := make([]Component, k)
	for i := range all {
		all[i] = looks[i].component()
		all[i].Signal = i
		all[i].Pattern = mat.Col(nil, i, demixing.A)
		floats.Scale(ofZ[i].deviation(), all[i].Pattern)
		if floats.Max(all[i].Pattern) < -floats.Min(all[i].Pattern) {
			floats.Scale(-1, all[i].Pattern)
			all[i].Correlation *= -1
		}
		all[i].weigh(ofX)
	}
	slices.SortStableFunc(all, func(a, b Component) int {
		if reference != nil {
			return cmp.Compare(b.Coherence, a.Coherence)
		}
		return cmp.Compare(b.Share, a.Share)
	})
	return all, nil
}

// weigh finds what share of the channels' variance the pattern makes up, and where most.
func (c *Component) weigh(channels []moments) {
	most := 0.0
	for j, v := range c.Pattern {
		if sd := channels[j].deviation(); sd > 0 {
			share := math.Pow(v/sd, 2)
			c.Share += share / float64(len(channels))
			if share > most {
				most, c.Channel = share, j
			}
		}
	}
}

// together are positions of a recording, its recovered signals and the reference, if any.
type together struct{ x, z, reference *mat.Dense }

// recovered are the blocks of x and of the signals that the demixing recovers of it, with
// those of the reference, nil for none.
func recovered(demixing *sica.Demixing, x, reference blockwise.Source) iter.Seq2[together, error] {
	return func(yield func(together, error) bool) {
		beside := func() (*mat.Dense, error, bool) { return nil, nil, true }
		if reference != nil {
			next, stop := iter.Pull2(reference.Blocks(Together))
			defer stop()
			beside = next
		}
		for block, err := range x.Blocks(Together) {
			var b together
			if err == nil {
				b, err = demixed(demixing, block, beside)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// demixed is a block of x beside the next one of the reference.
func demixed(demixing *sica.Demixing, x *mat.Dense, beside func() (*mat.Dense, error, bool)) (together, error) {
	if err := signal.CheckNew("x", x, len(demixing.Mean)); err != nil {
		return together{}, err
	}
	reference, err, more := beside()
	if err != nil {
		return together{}, fmt.Errorf("the reference: %w", err)
	}
	if !more {
		return together{}, fmt.Errorf("the reference: %w", io.ErrUnexpectedEOF)
	}
	if reference != nil {
		if err := signal.CheckNew("the reference", reference, 1); err != nil {
			return together{}, err
		}
	}
	z := new(mat.Dense)
	z.Mul(demixing.W, signal.Added(x, demixing.Mean, -1))
	return together{x, z, reference}, nil
}
