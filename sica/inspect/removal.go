package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/stats"
)

// A Change is what was taken out of a channel.
type Change struct {
	// Share is the variance of what was taken out, and Left that of what is left, both as shares of
	// the channel's variance. They add up to 1 if the two don't correlate, and to more if more was
	// taken out than is in the channel.
	Share, Left float64
	// Quiet is the standard deviation of what was taken out in the half of the recording in which
	// least was taken out of all channels, and QuietChannel that of the channel there, both in the
	// channel's units. If an artefact comes and goes, and it alone was taken out, Quiet is about 0.
	Quiet, QuietChannel float64
}

// A Removal measures what was taken out of a recording, such as by [sica.Result.Remove]. The recording
// may come in blocks of any length. The zero value is an empty one, without a rate.
//
// Drift hides what happens in the band of a separation after a high-pass filter: filter both before and
// after by the same datasets.Filter. Leave skipped stretches out.
type Removal struct {
	// Rate is the sampling rate in Hz, 250 by default. Quiet moments are pieces of 0.2 s.
	Rate float64

	total  []change        // of each channel
	after  []stats.Moments // of each channel
	pieces [][]change      // the last of them isn't full
	every  int             // one in so many pieces is kept
	count  int             // pieces so far
	left   int             // positions that the last piece lacks
}

// A change is the values of a channel before, and what was taken out of them.
type change struct{ before, taken stats.Moments }

const (
	// quietSeconds is the length of pieces: between two heartbeats there are some. A choice: from a
	// simulated EEG a blink's component took 4.9 µV in stretches without blinks, and Quiet is 4.6; of
	// the heart's 0.9, and 0.9. With 0.1 s the former is 4.5, with 1 s the latter 1.8.
	quietSeconds = 0.2
	// maxPieces bounds memory: 25 MB of 64 channels. Of longer recordings pieces are spread evenly.
	maxPieces = 1 << 13
)

// Add adds a block of the recording before and after the removal, each d×n.
func (r *Removal) Add(before, after *mat.Dense) error {
	d, n := before.Dims()
	if d2, n2 := after.Dims(); d2 != d || n2 != n || r.total != nil && d != len(r.total) {
		return fmt.Errorf("inspect: removal: after: is %d×%d; must be %d×%d, as before and earlier blocks",
			d2, n2, cmp.Or(len(r.total), d), n)
	}
	if r.total == nil {
		r.total, r.after, r.every = make([]change, d), make([]stats.Moments, d), 1
	}
	taken := make([]float64, n)
	for begin := 0; begin < n; {
		if r.left == 0 {
			r.next(d)
		}
		end := min(begin+r.left, n)
		last := r.pieces[len(r.pieces)-1]
		for i := range d {
			x, y := before.RawRowView(i)[begin:end], after.RawRowView(i)[begin:end]
			r.after[i].Add(y)
			var c change
			c.before.Add(x)
			c.taken.Add(floats.SubTo(taken[begin:end], x, y))
			r.total[i].merge(c)
			last[i].merge(c)
		}
		r.left -= end - begin
		begin = end
	}
	return nil
}

func (c *change) merge(other change) {
	c.before.Merge(other.before)
	c.taken.Merge(other.taken)
}

// next begins a piece.
func (r *Removal) next(d int) {
	r.left = max(1, int(quietSeconds*cmp.Or(r.Rate, 250)))
	if (r.count-1)%r.every != 0 && r.count > 0 {
		r.pieces = r.pieces[:len(r.pieces)-1] // one that isn't kept
	}
	if len(r.pieces) == maxPieces {
		for k := range maxPieces / 2 {
			r.pieces[k] = r.pieces[2*k]
		}
		r.pieces, r.every = r.pieces[:maxPieces/2], 2*r.every
	}
	r.pieces = append(r.pieces, make([]change, d))
	r.count++
}

// Changes returns what was taken out of each channel. It is an error if nothing was added.
func (r *Removal) Changes() ([]Change, error) {
	if r.total == nil {
		return nil, errors.New("inspect: removal: is empty; must have at least one block")
	}
	size := make([]float64, len(r.pieces)) // of what was taken out
	for k, piece := range r.pieces {
		for i, c := range piece {
			if v := r.total[i].before.Variance(); v > 0 {
				size[k] += c.taken.MeanSquare(r.total[i].taken.Mean()) / v
			}
		}
	}
	order := grid.Range(len(size))
	slices.SortFunc(order, func(j, k int) int { return cmp.Compare(size[j], size[k]) })
	changes := make([]Change, len(r.total))
	for i, total := range r.total {
		var quiet change
		for _, k := range order[:(len(order)+1)/2] {
			quiet.merge(r.pieces[k][i])
		}
		changes[i] = Change{Quiet: quiet.taken.Deviation(), QuietChannel: quiet.before.Deviation()}
		if v := total.before.Variance(); v > 0 {
			changes[i].Share, changes[i].Left = total.taken.Variance()/v, r.after[i].Variance()/v
		}
	}
	return changes, nil
}
