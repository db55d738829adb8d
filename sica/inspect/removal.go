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
	// least was taken out of all channels, and QuietChannel is the channel's own there, both in its
	// units. If an artefact comes and goes, and it alone was taken out, Quiet is about 0. A heart
	// is never quiet, as its waves P and T fill the time between beats. So the median beat, where
	// what was taken out repeats with beats, is subtracted from both before.
	Quiet, QuietChannel float64
}

// A Removal measures what was taken out of a recording, such as by [sica.Result.Remove]. The
// recording may come in blocks of any length. The zero value is an empty one, without a rate.
//
// Drift hides what happens in the band of a separation after a high-pass filter: filter both before
// and after by the same datasets.Filter. Leave skipped stretches out.
type Removal struct {
	// Rate is the sampling rate in Hz, 250 by default, but without it beats aren't looked for.
	// Quiet moments are pieces of 0.2 s.
	Rate float64

	total  []change        // of each channel
	after  []stats.Moments // of each channel
	pieces [][]change      // the last of them isn't full
	every  int             // one in so many pieces is kept
	count  int             // pieces so far
	left   int             // positions that the last piece lacks
	// begin is what each channel has at first, to look for beats.
	begin []beginning
}

// A beginning is the first values of a channel before, and what was taken out of them.
type beginning struct{ before, taken []float64 }

// A change is the values of a channel before, and what was taken out of them.
type change struct{ before, taken stats.Moments }

const (
	// quietSeconds is the length of pieces, in seconds.
	quietSeconds = 0.2
	// maxPieces bounds memory: 25 MB of 64 channels. Of longer recordings pieces are spread evenly.
	maxPieces = 1 << 13
	// maxBeginning bounds the positions in which beats are looked for, and maxBegun the positions
	// times the channels: 67 MB.
	maxBeginning, maxBegun = 1 << 16, 1 << 22
	// sameLoss is the |correlation| from which two channels lost the same, so that beats are looked
	// for in one of them. That only saves time.
	sameLoss = 0.99
	// maxTrains is how many hearts are looked for: a mother's and a child's.
	maxTrains = 2
)

// Add adds a block of the recording before and after the removal, each d×n.
func (r *Removal) Add(before, after *mat.Dense) error {
	if before == nil || after == nil || before.IsEmpty() {
		return errors.New("inspect: removal: before or after is nil or empty; must be mixed signals")
	}
	d, n := before.Dims()
	if d2, n2 := after.Dims(); d2 != d || n2 != n || r.total != nil && d != len(r.total) {
		return fmt.Errorf("inspect: removal: after: is %d×%d; must be %d×%d, as before and "+
			"earlier blocks", d2, n2, cmp.Or(len(r.total), d), n)
	}
	if r.total == nil {
		r.total, r.after, r.every = make([]change, d), make([]stats.Moments, d), 1
		r.begin = make([]beginning, d)
	}
	r.keep(before, after)
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

// keep keeps what the beginning of the recording lacks of a block.
func (r *Removal) keep(before, after *mat.Dense) {
	d, n := before.Dims()
	n = min(n, min(maxBeginning, maxBegun/d)-len(r.begin[0].before))
	if n <= 0 || r.Rate <= 0 {
		return
	}
	for i := range r.begin {
		b, x := &r.begin[i], before.RawRowView(i)[:n]
		b.before = append(b.before, x...)
		b.taken = append(b.taken, floats.SubTo(make([]float64, n), x, after.RawRowView(i)[:n])...)
	}
}

// withoutBeats returns the beginning's pieces without the median beats of what was taken out; nil
// if it doesn't repeat with beats.
func (r *Removal) withoutBeats() (pieces [][]change) {
	rest := make([]beginning, len(r.begin))
	for i, b := range r.begin {
		rest[i] = beginning{slices.Clone(b.before), slices.Clone(b.taken)}
	}
	subtract := func(b train) {
		for _, c := range rest {
			b.subtract(c.taken, c.before)
		}
	}
	var trains []train
	for range maxTrains {
		b, ok := r.strongestTrain(rest)
		if !ok {
			break
		}
		subtract(b)
		trains = append(trains, b)
	}
	if trains == nil {
		return nil
	}
	for _, b := range trains[1:] { // what the first one's median took for the others
		subtract(trains[0])
		subtract(b)
	}
	length := max(1, int(quietSeconds*r.Rate))
	for begin, n := 0, len(rest[0].taken); begin < n; begin += length {
		end, piece := min(begin+length, n), make([]change, len(rest))
		for i, c := range rest {
			piece[i].before.Add(c.before[begin:end])
			piece[i].taken.Add(c.taken[begin:end])
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// strongestTrain returns the beats of the channel that lost the largest share of its variance,
// among those that lost beats.
func (r *Removal) strongestTrain(rest []beginning) (b train, ok bool) {
	lost := make([]float64, len(rest))
	for i, c := range rest {
		if v := r.total[i].before.Variance(); v > 0 && len(c.taken) > 0 {
			lost[i] = stat.PopVariance(c.taken, nil) / v
		}
	}
	order := grid.Range(len(rest))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(lost[j], lost[i]) })
	var tried [][]float64
	for _, i := range order {
		z := rest[i].taken
		isTried := slices.ContainsFunc(tried, func(other []float64) bool {
			return math.Abs(stat.Correlation(z, other, nil)) > sameLoss
		})
		if lost[i] == 0 || isTried {
			continue
		}
		tried = append(tried, z)
		for _, look := range looks {
			band := look.band(z, r.Rate)
			b := newTrain(band, look.energy(band, r.Rate), r.Rate)
			l := b.lock(band)
			if l.share >= minPower && l.overtones >= minOvertones && look.isIn(band, z) {
				return b, true
			}
		}
	}
	return train{}, false
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
	pieces := r.withoutBeats()
	if pieces == nil {
		pieces = r.pieces
	}
	size := make([]float64, len(pieces)) // of what was taken out
	for k, piece := range pieces {
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
			quiet.merge(pieces[k][i])
		}
		changes[i] = Change{Quiet: quiet.taken.Deviation(), QuietChannel: quiet.before.Deviation()}
		if v := total.before.Variance(); v > 0 {
			changes[i].Share, changes[i].Left = total.taken.Variance()/v, r.after[i].Variance()/v
		}
	}
	return changes, nil
}
