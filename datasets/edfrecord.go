package datasets

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/edf"
)

// An edfRecord is the length of the data records of an EDF or BDF file, in positions of the signals
// of a Recording and in seconds.
type edfRecord struct {
	positions int
	seconds   float64
}

// maxRateError is the relative error up to which two rates are the same: one position in 10⁹, less
// than clocks deviate.
const maxRateError = 1e-9

// rate returns the number of positions per second, without the rounding error of the quotient if it
// is a number of nine digits: 41 positions in 0.164 s are 250 Hz.
func (r edfRecord) rate() float64 {
	rate := float64(r.positions) / r.seconds
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'g', 9, 64), 64)
	if err == nil && math.Abs(rounded-rate) <= 1e-14*rate {
		return rounded
	}
	return rate
}

// rateError returns the relative error of a rate that is written as r.
func (r edfRecord) rateError(rate float64) float64 {
	return math.Abs(float64(r.positions)/r.seconds-rate) / rate
}

// check returns an error unless a header holds the rate up to 0.1 %, which is 0.05 Hz of a line at
// 50 Hz. Errors above 0.001 % are those of a few positions at high rates, since seconds have six
// decimals.
func (r edfRecord) check(rate float64) error {
	const maxError, maxSeconds = 1e-3, 99_999_999
	if r.rateError(rate) <= maxError && r.seconds <= maxSeconds {
		return nil
	}
	return fmt.Errorf("Rate is %g Hz; must be that of %d positions in a whole number of "+
		"microseconds up to %d s, as EDF has it: write .csv or .npy", rate, r.positions, maxSeconds)
}

// filled returns by how many positions the records exceed n.
func (r edfRecord) filled(n int) int { return (r.positions - n%r.positions) % r.positions }

// The sizes of data records. EDF recommends at most 61,440 bytes, of which 1 KiB is left for
// annotations. With 256 bytes of signals, the start of a record, about 14 bytes, is 5 %. EDF's
// example of a short record is 0.01 s. References: see package edf.
const (
	maxRecordBytes   = 61440 - 1024
	minRecordBytes   = 256
	minRecordSeconds = 0.01
)

// maxFilledShare is the largest share of a recording that may be filled so that the header has its
// exact rate. A separation of a recording with several per cent filled can be wrong.
const maxFilledShare = 0.01

// chooseRecord returns the length of the data records of a recording to be written in the given
// format. It is the sensible length with which the fewest positions of the last record are filled,
// if possible none. Among several lengths it is a whole number of seconds, or else the nearest to
// one second. If possible, signals of other rates have a whole number of values in it.
func (r *Recording) chooseRecord(format edf.Format) edfRecord {
	d, n := r.Signals.Dims()
	size := 2.
	if format == edf.BDF {
		size = 3
	}
	bytes := size * float64(d) // per position
	step := 1
	for _, c := range r.writtenColumns() {
		bytes += size * float64(len(c.Values)) / float64(n)
		step = min(step*(n/divisor(n, len(c.Values)*step)), n+1) // more than n fits none
	}
	sensible := max(1, int(math.Ceil(min(max(minRecordBytes/bytes, minRecordSeconds*r.Rate), 1<<20))))
	shortest := min(sensible, n)
	longest := max(min(int(maxRecordBytes/bytes), n), sensible)
	if longest/step*step < shortest {
		step = 1
	}
	var best edfRecord
	for positions := (shortest + step - 1) / step * step; positions <= longest; positions += step {
		record := edfRecord{positions, roundSeconds(float64(positions) / r.Rate)}
		if best.positions == 0 || record.compare(best, n, r.Rate) < 0 {
			best = record
		}
	}
	return best
}

// compare returns −1 if r is the better length of the data records for n positions at a rate.
func (r edfRecord) compare(other edfRecord, n int, rate float64) int {
	rank := func(holds bool) int {
		if holds {
			return 0
		}
		return 1
	}
	byCondition := func(holds func(edfRecord) bool) int { return rank(holds(r)) - rank(holds(other)) }
	return cmp.Or(
		byCondition(func(r edfRecord) bool { return r.rateError(rate) < 1000*maxRateError }),
		byCondition(func(r edfRecord) bool {
			return float64(r.filled(n)) <= maxFilledShare*float64(n)
		}),
		byCondition(func(r edfRecord) bool { return r.rateError(rate) < maxRateError }),
		cmp.Compare(r.filled(n), other.filled(n)),
		byCondition(func(r edfRecord) bool { return r.seconds == math.Trunc(r.seconds) }),
		byCondition(func(r edfRecord) bool { return r.rateError(rate) == 0 }), // for other programs
		cmp.Compare(math.Abs(math.Log(r.seconds)), math.Abs(math.Log(other.seconds))),
	)
}

// roundSeconds returns a duration rounded to the eight characters of EDF's field.
func roundSeconds(seconds float64) float64 {
	unit := math.Pow(10, 6-max(0, math.Floor(math.Log10(seconds))))
	return math.Round(seconds*unit) / unit
}

// divisor returns the greatest common divisor of two positive integers.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// minConstantTail is the least number of positions for a note that no signal changes up to the end.
// Fewer do no harm, and slow signals of few bits may keep their values.
const minConstantTail = 16

// constantTail returns the position after which no signal of x, d×n, changes; n if none changes at
// all.
func constantTail(x *mat.Dense) int {
	d, n := x.Dims()
	begin := 0
	for i := range d {
		row := x.RawRowView(i)
		t := n - 1
		for t > 0 && row[t-1] == row[n-1] {
			t--
		}
		begin = max(begin, t)
	}
	if begin == 0 {
		return n
	}
	return begin
}
