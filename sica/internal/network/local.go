package network

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// local is the innovations of d signals at n positions, and the signals' values one position
// before: the place at which the innovations were mixed.
type local struct {
	d, n int
	// scores are normal scores of the innovations, values those of the signals one position
	// before.
	scores, values [][]float64
	// polynomials are Legendre polynomials of the innovations' ranks, by degree.
	polynomials [][][]float64
	// past spans what past strengths and, of periodic signals, past values explain.
	past *span
}

// strengthWindows are the lengths, in positions, of the windows before a position whose root
// mean squares stand for the strength there: fourfold steps, as those of source models (F. Corsi,
// Journal of Financial Econometrics 7(2), 2009), and one of 2.
var strengthWindows = []int{2, 4, 16, 64}

// periodicLags are the lags, in positions, of the values that are left out of what counts in
// periodic signals: with the last value, they tell the phase of a wave.
var periodicLags = []int{1, 2, 4, 7}

// newLocal returns the innovations of the signals z by a prediction of this order.
func newLocal(z, innovations *mat.Dense, order int) *local {
	d, n := innovations.Dims()
	l := &local{d: d, n: n, past: &span{many: d > calibratedSignals}}
	for i := range d {
		e := mat.Row(nil, i, innovations)
		l.polynomials = append(l.polynomials, legendre(e))
		quantile.Normal(e)
		l.scores = append(l.scores, e)
		v := append([]float64(nil), z.RawRowView(i)[order-1:order-1+n]...)
		quantile.Normal(v)
		l.values = append(l.values, v)
	}
	ones := make([]float64, n)
	floats.AddConst(1, ones)
	l.past.add(ones)
	for i := range d {
		l.past.add(strengths(l.scores[i])...)
		l.past.add(strengths(l.values[i])...)
		for j := range i {
			product := times(l.scores[i], l.scores[j])
			for _, window := range strengthWindows[1:] {
				l.past.add(meanBefore(product, window))
			}
		}
	}
	if order > longOrder {
		for _, v := range l.values {
			for _, lag := range periodicLags {
				l.past.add(append(make([]float64, lag), v[:n-lag]...))
			}
		}
	}
	return l
}

// varying reports whether innovations are strong where they were strong more than longOrder
// positions before, whatever the signals' values: what is nearer may be the values' doing.
func (l *local) varying() bool {
	var all association
	for i := range l.d {
		values := &span{many: l.d > calibratedSignals}
		values.add(l.past.rows[0])
		values.add(selfFeatures(l.values[i])...)
		for j := range l.d {
			values.add(times(l.values[i], l.values[j]), times(l.values[j], l.values[j]))
		}
		delayed := append(make([]float64, longOrder), l.scores[i][:l.n-longOrder]...)
		all.add(strength(l.scores[i]), values.extension(strengths(delayed)...))
	}
	return all.deviation() > curvatureSigmas
}

// odd returns the associations with odd functions of the values: of the products of two
// innovations, by ranks and by signs, with the values; and of each innovation's strength with the
// other signals' values, less what its own signal's value explains.
func (l *local) odd() []association {
	all := make([]association, 3)
	linear := l.past.extension(l.values...)
	for i := range l.d {
		for j := range i {
			product := times(l.polynomials[i][1], l.polynomials[j][1])
			all[0].add(product, linear)
			all[1].add(signs(product), linear)
		}
		self, others, _ := l.around(i)
		all[2].add(strength(l.scores[i]), self.extension(others...))
	}
	return all
}

// even returns the associations with even functions of the values and the innovations together,
// which are all that an odd mixing of symmetric sources leaves, such as tanh(A·s). Surplus
// sources that aren't steady leave them, too.
func (l *local) even() []association {
	all := make([]association, 5)
	withValues := l.past.with(l.values...)
	linear := l.past.extension(l.values...)
	for i := range l.d {
		for j := range i {
			u, v := l.values[i], l.values[j]
			quadratic := withValues.extension(times(u, v), times(u, u), times(v, v))
			a, b := l.polynomials[i], l.polynomials[j]
			product := times(a[1], b[1])
			all[0].add(product, quadratic)
			all[1].add(signs(product), quadratic)
			all[2].add(times(a[1], b[2]), linear)
			all[2].add(times(a[2], b[1]), linear)
			all[3].add(times(a[1], b[3]), quadratic)
			all[3].add(times(a[3], b[1]), quadratic)
		}
		self, others, squares := l.around(i)
		self = self.with(others...)
		all[4].add(strength(l.scores[i]), self.extension(squares...))
	}
	return all
}

// around returns the span of what is left out of the strength of signal i, its own value
// included, and the values of the other signals and their squares.
func (l *local) around(i int) (self *span, others, squares [][]float64) {
	for j, v := range l.values {
		if j != i {
			others, squares = append(others, v), append(squares, times(v, v))
		}
	}
	return l.past.with(selfFeatures(l.values[i])...), others, squares
}

// selfFeatures returns functions of a signal's value: two odd ones, two even ones and its sign.
func selfFeatures(v []float64) [][]float64 {
	square, size := times(v, v), make([]float64, len(v))
	for t, x := range v {
		size[t] = math.Abs(x)
	}
	return [][]float64{v, square, times(v, square), size, signs(v)}
}

// strengthFloor is added to the sizes of normal scores before their logarithm is taken, so that
// the least tenth of them counts as equal. It is a choice: half and twice are a twentieth and a
// sixth of them.
const strengthFloor = 0.1

// strength returns the logarithms of the scores' sizes.
func strength(scores []float64) []float64 {
	s := make([]float64, len(scores))
	for t, v := range scores {
		s[t] = math.Log(math.Abs(v) + strengthFloor)
	}
	return s
}

// strengths returns the root mean squares of v in the windows before each position.
func strengths(v []float64) [][]float64 {
	var all [][]float64
	square := times(v, v)
	for _, window := range strengthWindows {
		s := meanBefore(square, window)
		for t := range s {
			s[t] = math.Sqrt(max(0, s[t]))
		}
		all = append(all, s)
	}
	return all
}

// meanBefore returns the mean of v over up to window positions before each, 0 at the first.
func meanBefore(v []float64, window int) []float64 {
	mean := make([]float64, len(v))
	sum := 0.0
	for t := 1; t < len(v); t++ {
		sum += v[t-1]
		if t > window {
			sum -= v[t-1-window]
		}
		mean[t] = sum / float64(min(t, window))
	}
	return mean
}

func times(a, b []float64) []float64 { return floats.MulTo(make([]float64, len(a)), a, b) }

func signs(v []float64) []float64 {
	s := make([]float64, len(v))
	for t, x := range v {
		s[t] = math.Copysign(1, x)
	}
	return s
}

// span is a linear space of signals, by an orthonormal basis.
type span struct {
	rows [][]float64
	many bool // of more than calibratedSignals signals
}

// calibratedSignals is the largest number of signals that the constants of Curvature were measured
// with. Up to it an extension's left is 1: its correction, of at most one deviation, is contained
// in the constants.
const calibratedSignals = 4

// rest returns the part of v that is orthogonal to the span. A second pass removes the rounding
// of the first, where that left less than most of v (J. Daniel, W. Gragg, L. Kaufman, G. Stewart,
// Mathematics of Computation 30, 1976).
func (s *span) rest(v []float64) []float64 {
	const most = 0.5 // of the square of the norm
	v = append([]float64(nil), v...)
	square := floats.Dot(v, v)
	for range 2 {
		for _, r := range s.rows {
			floats.AddScaled(v, -floats.Dot(r, v), r)
		}
		if floats.Dot(v, v) > most*square {
			break
		}
	}
	return v
}

// add extends the span by signals, except those that lie in it up to rounding.
func (s *span) add(signals ...[]float64) {
	const rounding = 1e-4 // of a signal's norm
	for _, v := range signals {
		rest := s.rest(v)
		if norm := floats.Norm(rest, 2); norm > rounding*floats.Norm(v, 2) {
			floats.Scale(1/norm, rest)
			s.rows = append(s.rows, rest)
		}
	}
}

// with returns the span extended by signals.
func (s *span) with(signals ...[]float64) *span {
	more := &span{append([][]float64(nil), s.rows...), s.many}
	more.add(signals...)
	return more
}

// extension returns an orthonormal basis of what signals add to the span.
func (s *span) extension(signals ...[]float64) *extension {
	x := &extension{known: s, rows: s.with(signals...).rows[len(s.rows):], left: 1}
	if !s.many || len(x.rows) == 0 {
		return x
	}
	x.left = 0
	for _, u := range x.rows {
		for k := 1; k <= leftShifts; k++ {
			shifted := slices.Concat(u[len(u)*k/(leftShifts+1):], u[:len(u)*k/(leftShifts+1)])
			x.left++
			for _, r := range s.rows {
				share := floats.Dot(r, shifted)
				x.left -= share * share
			}
		}
	}
	x.left /= float64(len(x.rows) * leftShifts)
	return x
}

// leftShifts is how many shifts extension.left is the mean of. It differs little between shifts.
const leftShifts = 3

// extension is an orthonormal basis of what signals add to a known span.
type extension struct {
	known *span
	rows  [][]float64
	// left is the mean square of what known leaves of a row that is shifted, where there are many
	// signals; otherwise 1, as of a row that isn't shifted.
	left float64
}

// association is a sum of squared correlations, and the same of signals that are shifted against
// each other.
type association struct {
	sum     float64
	shifted [curvatureShifts]float64
}

// curvatureShifts is how many shifts the null hypothesis is known from: its standard deviation
// to a seventh. With half as many it is to a fifth; twice as many take twice the time.
const curvatureShifts = 24

// add adds the squared correlations of y with the rows of x, less what x.known explains of both.
// That leaves of shifted rows a share less, by which chance makes their correlations smaller: of 8
// signals at 1,024 positions, where known has 149 dimensions, by a seventh and more. The sum is
// made smaller by as much. Otherwise it would be evidence of 3 to 10 deviations.
func (a *association) add(y []float64, x *extension) {
	y = x.known.rest(y)
	n, power := len(y), floats.Dot(y, y)
	if power == 0 {
		return
	}
	for _, u := range x.rows {
		for k := range curvatureShifts + 1 {
			shift := n * k / (curvatureShifts + 1)
			product := floats.Dot(y[:n-shift], u[shift:]) + floats.Dot(y[n-shift:], u[:shift])
			if share := product * product / power; k == 0 {
				a.sum += share * x.left
			} else {
				a.shifted[k-1] += share
			}
		}
	}
}

// join adds the squared correlations of b.
func (a *association) join(b association) {
	a.sum += b.sum
	floats.Add(a.shifted[:], b.shifted[:])
}

// excess returns the sum less its mean over the shifts.
func (a *association) excess() float64 { return a.sum - stat.Mean(a.shifted[:], nil) }

// deviation returns the excess in standard deviations over the shifts.
func (a *association) deviation() float64 {
	_, std := stat.MeanStdDev(a.shifted[:], nil)
	if std == 0 {
		return 0
	}
	return a.excess() / std
}
