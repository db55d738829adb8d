package network

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// innovationData holds the innovations of d signals, and the signals' values one position earlier,
// at which the nonlinear map mixed the innovations.
type innovationData struct {
	d int
	// scores are normal scores of the innovations; values are those of the signals one position
	// earlier.
	scores, values [][]float64
	// polynomials are Legendre polynomials of the innovations' ranks, for each signal and degree.
	polynomials [][][]float64
	// past is the span of past strengths and, for periodic signals, of past values. What it
	// explains is no evidence.
	past *span
}

// strengthWindows are the lengths, in positions, of the windows before a position whose root mean
// squares are the past strengths: 2, and the fourfold steps of the source models (F. Corsi, Journal
// of Financial Econometrics 7(2), 2009).
var strengthWindows = []int{2, 4, 16, 64}

// periodicLags are the lags, in positions, of the past values of periodic signals. Together with
// the last value they determine the phase of a wave.
var periodicLags = []int{1, 2, 4, 7}

// newInnovationData returns the data of the signals z, d×(n+order), and of their innovations, d×n,
// from a prediction of the given order.
func newInnovationData(z, innovations *mat.Dense, order int) *innovationData {
	d, n := innovations.Dims()
	l := &innovationData{d: d, past: &span{}}
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
			product := multiply(l.scores[i], l.scores[j])
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

// oddAssociations returns the associations with odd functions of the values:
//
//   - of the products of two innovations, by ranks and by signs, with the values,
//   - of each innovation's strength with the other signals' values, beyond what its own signal's
//     value explains.
func (l *innovationData) oddAssociations() []association {
	all := make([]association, 3)
	linear := l.past.extension(l.values...)
	for i := range l.d {
		for j := range i {
			product := multiply(l.polynomials[i][1], l.polynomials[j][1])
			all[0].add(product, linear)
			all[1].add(signs(product), linear)
		}
		self, others, _ := l.selfAndOthers(i)
		all[2].add(strength(l.scores[i]), self.extension(others...))
	}
	return all
}

// evenAssociations returns the associations of functions of the innovations with functions of the
// values that are even together. An odd mixing of symmetric sources, such as tanh(A·s), leaves only
// these. Waves and pulses of surplus sources leave them, too.
func (l *innovationData) evenAssociations() []association {
	all := make([]association, 5)
	withValues := l.past.extended(l.values...)
	linear := l.past.extension(l.values...)
	for i := range l.d {
		for j := range i {
			u, v := l.values[i], l.values[j]
			quadratic := withValues.extension(multiply(u, v), multiply(u, u), multiply(v, v))
			a, b := l.polynomials[i], l.polynomials[j]
			product := multiply(a[1], b[1])
			all[0].add(product, quadratic)
			all[1].add(signs(product), quadratic)
			all[2].add(multiply(a[1], b[2]), linear)
			all[2].add(multiply(a[2], b[1]), linear)
			all[3].add(multiply(a[1], b[3]), quadratic)
			all[3].add(multiply(a[3], b[1]), quadratic)
		}
		self, others, squares := l.selfAndOthers(i)
		self = self.extended(others...)
		all[4].add(strength(l.scores[i]), self.extension(squares...))
	}
	return all
}

// selfAndOthers returns, for the strength of signal i, the span that is no evidence, of the past
// and of functions of the signal's own value, and the values of the other signals and their
// squares.
func (l *innovationData) selfAndOthers(i int) (self *span, others, squares [][]float64) {
	for j, v := range l.values {
		if j != i {
			others, squares = append(others, v), append(squares, multiply(v, v))
		}
	}
	return l.past.extended(selfFeatures(l.values[i])...), others, squares
}

// selfFeatures returns functions of a signal's value: two odd ones, two even ones and the sign.
func selfFeatures(v []float64) [][]float64 {
	square, size := multiply(v, v), make([]float64, len(v))
	for t, x := range v {
		size[t] = math.Abs(x)
	}
	return [][]float64{v, square, multiply(v, square), size, signs(v)}
}

// strengthFloor is added to the absolute values of normal scores before taking their logarithms, so
// that these are about equal for the smallest tenth.
const strengthFloor = 0.1

// strength returns the logarithms of the scores' absolute values.
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
	square := multiply(v, v)
	for _, window := range strengthWindows {
		s := meanBefore(square, window)
		for t := range s {
			s[t] = math.Sqrt(max(0, s[t]))
		}
		all = append(all, s)
	}
	return all
}

// meanBefore returns the mean of v over up to window positions before each; 0 at the first.
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

func multiply(a, b []float64) []float64 { return floats.MulTo(make([]float64, len(a)), a, b) }

func signs(v []float64) []float64 {
	s := make([]float64, len(v))
	for t, x := range v {
		s[t] = math.Copysign(1, x)
	}
	return s
}

// A span is a linear space spanned by signals.
type span struct {
	rows [][]float64 // an orthonormal basis
}

// residual returns the part of v that is orthogonal to the span. If the first pass of Gram-Schmidt
// leaves less than half of the power of v, a second one removes the rounding error (J. Daniel, W.
// Gragg, L. Kaufman, G. Stewart, Mathematics of Computation 30, 1976).
func (sp *span) residual(v []float64) []float64 {
	const half = 0.5
	v = append([]float64(nil), v...)
	square := floats.Dot(v, v)
	for range 2 {
		for _, r := range sp.rows {
			floats.AddScaled(v, -floats.Dot(r, v), r)
		}
		if floats.Dot(v, v) > half*square {
			break
		}
	}
	return v
}

// add extends the span by signals, except signals that lie in it up to rounding.
func (sp *span) add(signals ...[]float64) {
	const rounding = 1e-4 // of a signal's norm
	for _, v := range signals {
		r := sp.residual(v)
		if norm := floats.Norm(r, 2); norm > rounding*floats.Norm(v, 2) {
			floats.Scale(1/norm, r)
			sp.rows = append(sp.rows, r)
		}
	}
}

// extended returns the span extended by signals.
func (sp *span) extended(signals ...[]float64) *span {
	larger := &span{append([][]float64(nil), sp.rows...)}
	larger.add(signals...)
	return larger
}

// extension returns what signals add to the span.
func (sp *span) extension(signals ...[]float64) *extension {
	x := &extension{known: sp, rows: sp.extended(signals...).rows[len(sp.rows):]}
	if len(x.rows) == 0 {
		return x
	}
	for _, u := range x.rows {
		for k := 1; k <= remainingShifts; k++ {
			shift := len(u) * k / (remainingShifts + 1)
			shifted := slices.Concat(u[shift:], u[:shift])
			x.remaining++
			for _, r := range sp.rows {
				share := floats.Dot(r, shifted)
				x.remaining -= share * share
			}
		}
	}
	x.remaining /= float64(len(x.rows) * remainingShifts)
	return x
}

// remainingShifts is the number of shifts over which extension.remaining is averaged. It differs
// little between shifts.
const remainingShifts = 3

// An extension is what signals add to a known span.
type extension struct {
	known *span
	rows  [][]float64 // an orthonormal basis of the extension
	// remaining is the mean share of a shifted row's power that is orthogonal to known.
	remaining float64
}

// An association is a sum of squared correlations, and the same sums for signals shifted against
// each other.
type association struct {
	sum     float64
	shifted [curvatureShifts]float64
}

// curvatureShifts is the number of shifts that estimate the distribution under the null hypothesis;
// they give its standard deviation to a seventh.
const curvatureShifts = 24

// add adds the squared correlations of y with the rows of x, without what x.known explains of y.
//
// Unlike y, shifted rows aren't orthogonal to x.known, which makes their chance correlations
// smaller. The sum is multiplied by x.remaining, to shrink it as much. Otherwise many independent
// signals would deviate significantly.
func (a *association) add(y []float64, x *extension) {
	y = x.known.residual(y)
	n, power := len(y), floats.Dot(y, y)
	if power == 0 {
		return
	}
	for _, u := range x.rows {
		for k := range curvatureShifts + 1 {
			shift := n * k / (curvatureShifts + 1)
			product := floats.Dot(y[:n-shift], u[shift:]) + floats.Dot(y[n-shift:], u[:shift])
			if share := product * product / power; k == 0 {
				a.sum += share * x.remaining
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

// deviation returns the sum minus its mean over the shifts, in standard deviations over the shifts.
func (a *association) deviation() float64 {
	mean, std := stat.MeanStdDev(a.shifted[:], nil)
	if std == 0 {
		return 0
	}
	return (a.sum - mean) / std
}
