// Package inspect says which recovered signal of a recording is what: how much of the
// channels it makes up and where, how its values are distributed, what rhythm it has,
// and how much it has in common with a channel of reference, such as that of the heart
// or the eyes.
package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
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
// It is an error if the result isn't a linear demixing (sica.ErrNotLinear), if x doesn't fit
// it or has fewer than 16 positions, or if the reference has another length.
func Components(r *sica.Result, x *mat.Dense, opts Options) ([]Component, error) {
	all, err := components(r, x, opts)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return all, nil
}

func components(r *sica.Result, x *mat.Dense, opts Options) ([]Component, error) {
	demixing, err := r.Demixing()
	if err != nil {
		return nil, err
	}
	if err := signal.CheckNew("x", x, len(demixing.Mean)); err != nil {
		return nil, err
	}
	channels, n := x.Dims()
	if n < 16 {
		return nil, fmt.Errorf("x has %d positions: want at least 16", n)
	}
	if opts.Reference != nil && len(opts.Reference) != n {
		return nil, fmt.Errorf("the reference has %d positions and x %d: want as many", len(opts.Reference), n)
	}
	var reference []float64
	if opts.Reference != nil {
		if reference = standardised(opts.Reference); reference == nil {
			return nil, errors.New("the reference has the same value at every position: it must vary")
		}
	}
	var z mat.Dense
	z.Mul(demixing.W, signal.Added(x, demixing.Mean, -1))
	variances := make([]float64, channels)
	for i := range variances {
		variances[i] = stat.PopVariance(x.RawRowView(i), nil)
	}
	k, _ := z.Dims()
	all := make([]Component, k)
	for i := range all {
		values := standardised(z.RawRowView(i))
		if values == nil {
			return nil, fmt.Errorf("recovered signal %d of x is constant", i+1)
		}
		c := Component{Signal: i, Pattern: mat.Col(nil, i, demixing.A), Kurtosis: stat.ExKurtosis(values, nil)}
		floats.Scale(math.Sqrt(stat.PopVariance(z.RawRowView(i), nil)), c.Pattern)
		if floats.Max(c.Pattern) < -floats.Min(c.Pattern) {
			floats.Scale(-1, c.Pattern)
			floats.Scale(-1, values)
		}
		most := 0.0
		for j, v := range c.Pattern {
			if variances[j] > 0 {
				share := v * v / variances[j]
				c.Share += share / float64(channels)
				if share > most {
					most, c.Channel = share, j
				}
			}
		}
		c.Period, c.Rhythm = rhythm(values)
		if reference != nil {
			c.Correlation = floats.Dot(values, reference) / float64(n)
			c.Coherence = coherence(values, reference)
		}
		all[i] = c
	}
	slices.SortStableFunc(all, func(a, b Component) int {
		if reference != nil {
			return cmp.Compare(b.Coherence, a.Coherence)
		}
		return cmp.Compare(b.Share, a.Share)
	})
	return all, nil
}

// standardised are values at mean 0 and variance 1, nil if they are all the same.
func standardised(values []float64) []float64 {
	mean, sd := stat.PopMeanStdDev(values, nil)
	if !(sd > 0) {
		return nil
	}
	out := slices.Clone(values)
	floats.AddConst(-mean, out)
	floats.Scale(1/sd, out)
	return out
}
