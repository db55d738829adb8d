package inspect

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Numbers of the search for beats, of a heart at rest or of an unborn child.
const (
	// minBeatSeconds and maxBeatSeconds bound the median time between beats: 200 to 40 a minute.
	minBeatSeconds, maxBeatSeconds = 0.3, 1.5
	// minBeats is the smallest number of beats.
	minBeats = 5
	// complexSeconds is about the length of the fast part of a beat, over which its energy is
	// averaged (0.15 s in J. Pan, W. J. Tompkins, IEEE Trans. Biomedical Engineering 32(3), 1985).
	complexSeconds = 0.15
	// minEnergy is the smallest energy of a beat, as a share of the 0.98 quantile of all energies.
	minEnergy = 0.3
	// maxIrregular is how far an interval is from the median if it is regular, as a share, and
	// minRegular the smallest share of such intervals.
	maxIrregular, minRegular = 0.25, 0.7
)

// beats returns the positions of the beats in a signal, and the median interval; none where its
// energy doesn't come and go as regularly as a heart.
func beats(z []float64, rate float64) (at []int, interval int) {
	n := len(z)
	energy := make([]float64, n)
	lag := max(1, int(rate/100))
	for t := lag; t < n; t++ {
		energy[t] = (z[t] - z[t-lag]) * (z[t] - z[t-lag])
	}
	energy = movingMean(energy, max(1, int(complexSeconds*rate)))
	sorted := slices.Sorted(slices.Values(energy))
	limit := minEnergy * stat.Quantile(0.98, stat.Empirical, sorted, nil)
	reach := int(minBeatSeconds * rate)
	for t := 0; t < n; t++ {
		if energy[t] <= limit {
			continue
		}
		begin, end := max(0, t-reach), min(n, t+reach+1)
		if begin+floats.MaxIdx(energy[begin:end]) == t {
			at = append(at, t)
		}
	}
	if len(at) < minBeats {
		return nil, 0
	}
	var intervals []float64
	for k := 1; k < len(at); k++ {
		intervals = append(intervals, float64(at[k]-at[k-1]))
	}
	middle := median(intervals)
	regular := 0
	for _, v := range intervals {
		if math.Abs(v-middle) <= maxIrregular*middle {
			regular++
		}
	}
	if middle > maxBeatSeconds*rate || float64(regular) < minRegular*float64(len(intervals)) ||
		float64(len(at))*middle < minRegular*float64(n) {
		return nil, 0
	}
	return at, int(middle)
}

// movingMean returns the mean of width values around each.
func movingMean(x []float64, width int) []float64 {
	sums := make([]float64, len(x)+1)
	floats.CumSum(sums[1:], x)
	mean := make([]float64, len(x))
	for t := range x {
		begin, end := max(0, t-width/2), min(len(x), t+(width+1)/2)
		mean[t] = (sums[end] - sums[begin]) / float64(max(end-begin, 1))
	}
	return mean
}

// A train is beats of one interval in positions, and the beginnings of windows around them: two
// fifths of the interval before.
type train struct {
	begins   []int
	interval int
}

// newTrain returns the beats of a signal, moved by up to half of complexSeconds to where it is most
// like their mean.
func newTrain(z []float64, rate float64) train {
	at, interval := beats(z, rate)
	b := train{interval: interval}
	reach := int(complexSeconds / 2 * rate)
	for _, t := range at {
		if begin := t - interval*2/5; begin >= reach && begin+interval+reach <= len(z) {
			b.begins = append(b.begins, begin)
		}
	}
	const passes = 2 // the second hardly moves any
	for range passes {
		mean := b.mean(z)
		for i, begin := range b.begins {
			best, most := begin, math.Inf(-1)
			for t := max(0, begin-reach); t <= min(begin+reach, len(z)-interval); t++ {
				if v := floats.Dot(mean, z[t:t+interval]); v > most {
					best, most = t, v
				}
			}
			b.begins[i] = best
		}
	}
	return b
}

// mean returns the mean of the signal over the beats.
func (b train) mean(z []float64) []float64 {
	mean := make([]float64, b.interval)
	for _, t := range b.begins {
		floats.Add(mean, z[t:t+b.interval])
	}
	floats.Scale(1/float64(max(len(b.begins), 1)), mean)
	return mean
}

// share returns the share of the variance of a signal around the beats that their mean explains,
// less its mean by chance; 0 with fewer than minBeats.
func (b train) share(z []float64) float64 {
	k := float64(len(b.begins))
	if k < minBeats {
		return 0
	}
	mean := b.mean(z)
	level := stat.Mean(mean, nil)
	explained, all := 0.0, 0.0
	for _, t := range b.begins {
		for i, v := range z[t : t+b.interval] {
			explained += (mean[i] - level) * (mean[i] - level)
			all += (v - level) * (v - level)
		}
	}
	if !(all > 0) {
		return 0
	}
	return max(0, (k*explained/all-1)/(k-1))
}

// A lock is how far a signal is locked to beats, and their interval.
type lock struct {
	share    float64
	interval int
}

// lockedShares returns how far each signal is locked to beats: to its own, or to those of the
// signal that is locked most to its own.
func lockedShares(z *mat.Dense, rate float64) []lock {
	d, _ := z.Dims()
	locks := make([]lock, d)
	var strongest train
	most := 0.0
	for i := range d {
		row := z.RawRowView(i)
		own := newTrain(row, rate)
		locks[i] = lock{own.share(row), own.interval}
		if locks[i].share > most {
			most, strongest = locks[i].share, own
		}
	}
	for i := range d {
		if share := strongest.share(z.RawRowView(i)); share > locks[i].share {
			locks[i] = lock{share, strongest.interval}
		}
	}
	return locks
}

// median returns the median of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
