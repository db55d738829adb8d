package main

import (
	"fmt"
	"io"

	"github.com/seed-47b1e431/gosica/sica"
)

// minAlike is the least correlation of a signal that counts as one of --like, the same as for
// signals that repeat.
const minAlike = 0.95

// checkLike returns an error unless the d channels with these names are those of --like, if given.
func (opt *separateOptions) checkLike(d int, names []string) error {
	if opt.earlier == nil {
		return nil
	}
	if err := opt.earlier.CheckChannels(d, names); err != nil {
		return fmt.Errorf("%s: --like %s: %w", opt.in[0], opt.like, err)
	}
	return nil
}

// orderLike returns the result with its signals in the order of those of --like, if given, and says
// how well they match.
func (opt *separateOptions) orderLike(
	out io.Writer, res *sica.Result, rep *separation,
) (*sica.Result, error) {
	if opt.earlier == nil {
		return res, nil
	}
	ordered, correlations, err := res.OrderedLike(opt.earlier)
	if err != nil {
		return nil, fmt.Errorf("%s: --like %s: %w; nothing was written", opt.in[0], opt.like, err)
	}
	alike := 0
	for _, c := range correlations {
		if c >= minAlike {
			alike++
		}
	}
	fmt.Fprintf(out, "ordered like %s: %d of %d signals match at %g or more\n", opt.like, alike,
		len(correlations), minAlike)
	rep.Like = correlations
	return ordered, nil
}
