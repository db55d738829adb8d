package column

import (
	"math"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Gap is a place where times lack positions.
type Gap struct {
	At      int // position of the file after the gap
	Lacking int // number of lacking positions
}

// Gaps are the gaps of a column, in order.
type Gaps []Gap

// Lacking returns the total number of lacking positions.
func (gaps Gaps) Lacking() (lacking int) {
	for _, g := range gaps {
		lacking += g.Lacking
	}
	return lacking
}

// The shortest gaps that are detected, in steps.
const (
	minExactGap = 1.5           // for times whole numbers of steps apart
	minLongGap  = MaxJitter + 1 // for rounded or jittering times
)

// maxInexact is the largest deviation of time differences from whole numbers of steps with which
// gaps of one position are detected. Times at 256 Hz that are rounded to 0.001 s deviate by 0.23.
const maxInexact = 0.25

// FindGaps returns the gaps of increasing times, and the clock by which the times are evenly spaced
// if the lacking positions count. It returns nil if there is no such clock.
func FindGaps(times []float64) (Gaps, *Clock) {
	for _, minGap := range []float64{minExactGap, minLongGap} {
		step := stepBetweenGaps(times, minGap)
		if !(step > 0) {
			continue
		}
		var gaps Gaps
		isExact := true
		for t := 1; t < len(times); t++ {
			steps := (times[t] - times[t-1]) / step
			if steps > signal.MaxEntries {
				return nil, nil
			}
			whole := math.Round(steps)
			isExact = isExact && whole >= 1 && math.Abs(steps-whole) <= maxInexact
			if steps > minGap {
				gaps = append(gaps, Gap{t, int(whole) - 1})
			}
		}
		if gaps == nil || minGap == minExactGap && !isExact {
			continue
		}
		if c := clockOf(times, gaps); c.IsEven() {
			return gaps, c
		}
	}
	return nil, nil
}

// stepBetweenGaps returns the mean step of the times, without steps above minGap mean steps.
func stepBetweenGaps(times []float64, minGap float64) float64 {
	limit := math.Inf(1)
	for {
		sum, count := 0.0, 0
		for t := 1; t < len(times); t++ {
			if step := times[t] - times[t-1]; step <= limit {
				sum += step
				count++
			}
		}
		step := sum / float64(count)
		if !(minGap*step < limit) { // also without any
			return step
		}
		limit = minGap * step
	}
}
