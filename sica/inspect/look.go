package inspect

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// moments are the mean and the variance of values that come in blocks, joined as by
// T. F. Chan, G. H. Golub and R. J. LeVeque, The American Statistician 37(3), 1983.
type moments struct{ n, mean, squares float64 }

// add adds row i of a block to moments i.
func add(all []moments, block *mat.Dense) {
	for i := range all {
		values := block.RawRowView(i)
		mean, variance := stat.PopMeanVariance(values, nil)
		m, n := &all[i], float64(len(values))
		delta := mean - m.mean
		m.squares += variance*n + delta*delta*m.n*n/(m.n+n)
		m.mean += delta * n / (m.n + n)
		m.n += n
	}
}

func (m moments) deviation() float64 { return math.Sqrt(m.squares / m.n) }

// standardised are values at mean 0 and variance 1, by the moments of all.
func (m moments) standardised(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - m.mean) / m.deviation()
	}
	return out
}

// look is what has been seen of a recovered signal and the reference, both at mean 0 and
// variance 1.
type look struct {
	n          int
	fourth     float64 // the sum of fourth powers
	correlated float64 // the sum of products with the reference
	repeats    autocorrelation
	shared     spectra
	referred   bool
}

// newLook is that at n positions.
func newLook(n int) look {
	length := min(n, Together)
	return look{repeats: newAutocorrelation(length), shared: newSpectra(max(2*length/segments, shortestSegment))}
}

// add adds a block of values; the reference is nil for none.
func (l *look) add(values, reference []float64) {
	l.n += len(values)
	for _, v := range values {
		l.fourth += v * v * v * v
	}
	l.repeats.add(values)
	if reference != nil {
		l.referred = true
		l.correlated += floats.Dot(values, reference)
		l.shared.add(values, reference)
	}
}

// component is what was seen, without the pattern.
func (l *look) component() Component {
	c := Component{Kurtosis: l.fourth/float64(l.n) - 3}
	c.Period, c.Rhythm = l.repeats.rhythm()
	if l.referred {
		c.Correlation, c.Coherence = l.correlated/float64(l.n), l.shared.coherence()
	}
	return c
}
