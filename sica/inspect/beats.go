package inspect

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Numbers of the search for beats, of a heart at rest or of an unborn child, and for its pulse.
const (
	// minBeatSeconds and maxBeatSeconds bound the median time between beats: 200 to 40 a minute.
	minBeatSeconds, maxBeatSeconds = 0.3, 1.5
	// minBeats is the smallest number of beats.
	minBeats = 5
	// smoothSeconds is the width of the moving mean before: half of the amplitude at 30 Hz is left,
	// and nothing of a line of 50 Hz. Beats are below, and most of the sensors' noise is above.
	smoothSeconds = 0.02
	// complexSeconds is about the length of the fast part of a beat, over which its energy is
	// averaged (0.15 s in J. Pan, W. J. Tompkins, IEEE Trans. Biomedical Engineering 32(3), 1985; a
	// child's is shorter).
	complexSeconds = 0.1
	// minEnergy is the smallest energy of a beat, as a share of the 0.98 quantile of all energies.
	minEnergy = 0.3
	// maxIrregular is how far a regular interval is from the median at most, as a share, and
	// minRegular the smallest share of regular intervals.
	maxIrregular, minRegular = 0.25, 0.7
	// minWander is the least standard deviation of beats from those of a clock, in intervals. It is
	// a choice: real hearts at rest had 0.01 in 10 s and more than 0.02 from 16 s on, clocks 0.
	minWander = 0.005
)

// slopes returns the energy of the slopes of a signal, which is largest in the fast part of a beat.
func slopes(z []float64, rate float64) []float64 {
	energy := make([]float64, len(z))
	lag := max(1, int(rate/100))
	for t := lag; t < len(z); t++ {
		energy[t] = (z[t] - z[t-lag]) * (z[t] - z[t-lag])
	}
	return movingMean(energy, max(1, int(complexSeconds*rate)))
}

// crests returns a signal without what is slower than beats, which is largest at the crests of a
// pulse.
func crests(z []float64, rate float64) []float64 {
	height := movingMean(z, max(1, int(complexSeconds*rate)))
	return floats.SubTo(height, height, movingMean(z, max(1, int(maxBeatSeconds*rate))))
}

// beats returns the positions of the beats in a signal, and the median interval; none where its
// energy doesn't come and go as regularly as a heart.
func beats(energy []float64, rate float64) (at []int, interval int) {
	n := len(energy)
	sorted := slices.Sorted(slices.Values(energy))
	limit := minEnergy * stat.Quantile(0.98, stat.Empirical, sorted, nil)
	reach := int(minBeatSeconds * rate)
	for t := 0; t < n; {
		if energy[t] <= limit {
			t++
			continue
		}
		begin, end := max(0, t-reach), min(n, t+reach+1)
		highest := begin + floats.MaxIdx(energy[begin:end])
		if highest > t {
			t = highest // none before has the largest energy within its reach
			continue
		}
		if highest == t {
			at = append(at, t)
		}
		for t = highest; t < n && energy[t] > limit; t++ { // a beat ends, a tone doesn't
		}
		t = max(t, highest+reach+1)
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

// newTrain returns the beats of a signal with an energy, moved by up to half of complexSeconds to
// where it is most like their mean.
func newTrain(z, energy []float64, rate float64) train {
	at, interval := beats(energy, rate)
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

// subtract subtracts the median beat of each signal, without its level, from it. Blinks and another
// heart change it little.
func (b train) subtract(signals ...[]float64) {
	for _, z := range signals {
		beat, values := make([]float64, b.interval), make([]float64, len(b.begins))
		for i := range beat {
			for k, begin := range b.begins {
				values[k] = z[begin+i]
			}
			beat[i] = median(values)
		}
		floats.AddConst(-stat.Mean(beat, nil), beat)
		for k, begin := range b.begins {
			end := begin + b.interval
			if k+1 < len(b.begins) {
				end = min(end, b.begins[k+1])
			}
			floats.Sub(z[begin:end], beat[:end-begin])
		}
	}
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

// wander returns the standard deviation of the beats, at least minBeats, from those of the clock
// nearest to them, in intervals.
func (b train) wander() float64 {
	times, numbers := make([]float64, len(b.begins)), make([]float64, len(b.begins))
	for k := 1; k < len(times); k++ {
		step := float64(b.begins[k] - b.begins[k-1])
		times[k] = times[k-1] + step
		numbers[k] = numbers[k-1] + math.Round(step/float64(b.interval)) // some may be missing
	}
	offset, step := stat.LinearRegression(times, numbers, nil, false)
	return math.Sqrt(1-stat.RSquared(times, numbers, nil, offset, step)) * stat.StdDev(numbers, nil)
}

// A lock is how far a signal is locked to beats.
type lock struct {
	share    float64 // of the variance around the beats that their mean explains
	interval int
	// overtones is the share of the mean beat's variance that isn't its best sine of one cycle.
	overtones float64
}

// lock returns how far a signal is locked to the beats; not at all to those of a clock.
func (b train) lock(z []float64) lock {
	l := lock{share: b.share(z), interval: b.interval}
	if l.share == 0 || b.wander() < minWander {
		return lock{}
	}
	wave := b.mean(z)
	floats.AddConst(-stat.Mean(wave, nil), wave)
	cycle := fourier.NewFFT(len(wave)).Coefficients(nil, wave)[1]
	power := real(cycle)*real(cycle) + imag(cycle)*imag(cycle)
	l.overtones = 1 - 2*power/(float64(len(wave))*floats.Dot(wave, wave))
	return l
}

// looks are the two ways to look for beats in a signal: by its slopes, in all of it, or by its
// crests, if at least minPower of its power is in their band.
var looks = []struct {
	band, energy func(z []float64, rate float64) []float64
	isIn         func(band, z []float64) bool
}{
	{smooth, slopes, func(_, _ []float64) bool { return true }},
	{crests, unchanged, func(band, z []float64) bool {
		return stat.Variance(band, nil) >= minPower*stat.Variance(z, nil)
	}},
}

// smooth returns a signal without most of what is faster than beats.
func smooth(z []float64, rate float64) []float64 {
	return movingMean(z, max(1, int(smoothSeconds*rate)))
}

func unchanged(z []float64, _ float64) []float64 { return z }

// locks returns how far each signal is locked to beats: to its own, or to those of another signal
// that is locked to its own by minPower. A mother's and her child's beats are two trains.
func locks(z *mat.Dense, rate float64) []lock {
	d, _ := z.Dims()
	all := make([]lock, d)
	for _, look := range looks {
		bands, trains := make([][]float64, d), make([]train, 0, d)
		keep := func(i int, l lock) {
			if l.share > all[i].share && look.isIn(bands[i], z.RawRowView(i)) {
				all[i] = l
			}
		}
		for i := range d {
			bands[i] = look.band(z.RawRowView(i), rate)
			own := newTrain(bands[i], look.energy(bands[i], rate), rate)
			l := own.lock(bands[i])
			if l.share >= minPower {
				trains = append(trains, own)
			}
			keep(i, l)
		}
		for i := range d {
			for _, other := range trains {
				keep(i, other.lock(bands[i]))
			}
		}
	}
	return all
}

// median returns the median of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
