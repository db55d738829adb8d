// Package density fits densities of innovations by their description length.
package density

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Density of a signal's innovations u is Gaussian, or one of a family: a usual
// density, the centre, tilted by features f that are orthonormal under it,
//
//	log p(u) = log centre(u) + w·f(u) − log Z(w).
//
// The weights w have a Gaussian prior around 0. It is narrow where few positions
// speak, so that a short signal costs little, and wide where they disagree with
// the centre. What the weights cost is the logarithm of the evidence by Laplace's
// approximation.
type Density struct {
	family  *family // nil: Gaussian
	width   float64 // of the prior
	weights [features]float64
	Log     Curve
	Cost    float64 // nats in all: evidence less likelihood
}

// Gaussian says that the density is Gaussian.
func (f *Density) Gaussian() bool { return f.family == nil }

// String is the name of a density for people.
func (f *Density) String() string {
	if f.family == nil {
		return "Gaussian"
	}
	name := f.family.name
	if f.width > Widths[0] {
		return "near " + name
	}
	return name
}

const (
	newtonSteps = 50 // at most, of the fit of a density
	// negligible and rough are how many nats in all a step must promise at least, for a density
	// that is used and for one that is compared with others. At 0.05 a uniform density isn't
	// separated as well as at 0.01 (an MCC of 0.985 for 0.99); from 0.1 to 2 the comparisons
	// of 8 mixtures end alike, with a quarter of the steps between.
	negligible, rough = 0.01, 1
	// negligibleMoment is what a grid point's share may add to a feature's mean square, which is
	// 1 under the centre, for the curvature to leave it out, in the tails. It is a choice.
	negligibleMoment = 1e-7
)

// A Fitter finds the density of a histogram. What it allocates, it allocates
// once.
type Fitter struct {
	histogram histogram
	n         float64

	// The family and the weights that are looked at.
	family *family
	// compared is the family of the density that Choose returned last, whose weights the next
	// begins with; nil after Reset.
	compared *family
	mean     [features]float64 // of the features over the positions
	origin   float64           // nats a position of the centre
	w        [features]float64
	logZ     float64
	// Of the shares of the grid points: those of u and −u added, and subtracted.
	sum, difference half

	gradient   [features]float64
	covariance matrix // of the features
	current    bool   // whether that is the covariance at the weights
	factor     matrix // Cholesky's, of the covariance with the prior
	step       [features]float64
	next       [features]float64 // weights

	even, odd half // the tilt w·f

	// Of the shares, two neighbouring points taken together.
	pairSum, pairDifference pairs
	weighted                pairs
}

// A matrix is symmetric or triangular; its lower triangle is used.
type matrix [features][features]float64

// Reset makes the Fitter forget the densities before. What it finds depends on them by rough.
func (d *Fitter) Reset() { d.compared = nil }

// Begin is to be called before the others: with n values, which are multiplied by a factor.
func (d *Fitter) Begin(u []float64, factor float64) {
	d.n = float64(len(u))
	d.histogram.count(u, factor)
}

// at sets the family that is looked at.
func (d *Fitter) at(f *family) {
	d.family = f
	(*Curve)(&d.histogram).fold(&d.sum, &d.difference)
	f.means(d.mean[:], &d.sum, &d.difference)
	d.origin = d.distance(f)
}

// distance is the nats a position that the family's centre takes.
func (d *Fitter) distance(f *family) float64 { return -floats.Dot(d.histogram[:], f.log[:]) }

// centre sets the weights to 0, where the features are orthonormal.
func (d *Fitter) centre() {
	d.w, d.even, d.odd, d.logZ = [features]float64{}, half{}, half{}, 0
	d.family.p.fold(&d.sum, &d.difference)
	d.covariance = matrix{}
	for k := range features {
		d.covariance[k][k] = 1
	}
	d.current = true
}

// look sets the weights.
func (d *Fitter) look(w *[features]float64) {
	d.w, d.current = *w, false
	d.family.tilt(w, &d.even, &d.odd)
	d.logZ = tilted(&d.sum, &d.difference, &d.family.logMass, &d.even, &d.odd)
}

// objective is the nats a position that the weights take, with their prior.
func (d *Fitter) objective(width float64) float64 {
	sum := d.origin + d.logZ
	scale := 1 / (width * width * d.n)
	for k, v := range d.w {
		sum += v*v*scale*d.family.precision[k]/2 - v*d.mean[k]
	}
	return sum
}

// fit goes from the weights that are looked at to those with the largest posterior
// probability, by Newton's method, and returns the density with the nats a
// position that it takes with its cost. It ends when a step promises less than enough.
func (d *Fitter) fit(width, enough float64) (Density, float64) {
	least := d.objective(width)
	if d.origin < least {
		d.centre()
		least = d.origin
	}
	scale := 1 / (width * width * d.n)
	d.newton(&least, width, scale, enough)
	logDet := 0.0 // of the posterior's precision over the prior's
	for k := range features {
		v := d.factor[k][k]
		logDet += math.Log(v * v / (scale * d.family.precision[k]))
	}
	nats := least + logDet/2/d.n
	f := Density{family: d.family, width: width, weights: d.w}
	f.Log.unfold(&d.even, &d.odd)
	for g, log := range d.family.log {
		f.Log[g] += log - d.logZ
	}
	f.Cost = (nats - d.origin - d.logZ + floats.Dot(d.w[:], d.mean[:])) * d.n
	return f, nats
}

// newton makes Newton's steps until they promise less than enough, in nats in all. The factor
// is that of the last.
func (d *Fitter) newton(least *float64, width, scale, enough float64) {
	for range newtonSteps {
		if !d.current {
			d.moments()
		}
		d.family.means(d.gradient[:], &d.sum, &d.difference)
		for k := range features {
			d.gradient[k] += scale*d.family.precision[k]*d.w[k] - d.mean[k]
		}
		d.factor = d.covariance
		for k := range features {
			d.factor[k][k] += scale * d.family.precision[k]
		}
		if !d.factor.cholesky() {
			return
		}
		d.step = d.gradient
		d.factor.solve(&d.step)
		if floats.Dot(d.step[:], d.step[:])*d.n < enough {
			return
		}
		d.factor.solveTransposed(&d.step)
		floats.Scale(-1, d.step[:])
		if !d.line(least, width) {
			return
		}
	}
}

// line goes along the step as far as it lowers the objective.
func (d *Fitter) line(least *float64, width float64) bool {
	w := d.w
	length := 1.0
	for range 12 {
		floats.AddScaledTo(d.next[:], w[:], length, d.step[:])
		d.look(&d.next)
		if v := d.objective(width); v < *least {
			*least = v
			return true
		}
		length /= 3
	}
	d.look(&w)
	return false
}

// moments sets covariance to that of the features. The product of two even or two odd
// features is even, and needs of p the sum of both sides; that of an even and an odd one is
// odd, and needs their difference. Two neighbouring grid points are taken together, as products
// of features hardly differ between them, and tails of negligible mass are left out.
func (d *Fitter) moments() {
	f := d.family
	d.sum.pair(&d.pairSum)
	d.difference.pair(&d.pairDifference)
	end := len(d.pairSum)
	for end > 1 && d.pairSum[end-1]*f.largest[end-1] < negligibleMoment {
		end--
	}
	sum, difference, weighted := d.pairSum[:end], d.pairDifference[:end], d.weighted[:end]
	var means [features]float64
	for k := range features {
		row := d.covariance[k][:k+1]
		of, from := sum, 0
		if k >= evens {
			of, from = difference, evens
			floats.MulTo(weighted, difference, f.paired[k][:end])
			for l := range evens {
				row[l] = floats.Dot(weighted, f.paired[l][:end])
			}
		}
		means[k] = floats.Dot(of, f.paired[k][:end])
		floats.MulTo(weighted, sum, f.paired[k][:end])
		for l := from; l <= k; l++ {
			row[l] = floats.Dot(weighted, f.paired[l][:end])
		}
		floats.AddScaled(row, -means[k], means[:k+1])
	}
	d.current = true
}

// means sets to to the means of the features under shares of the grid points, folded.
func (f *family) means(to []float64, sum, difference *half) {
	for k := range f.f {
		of := sum
		if k >= evens {
			of = difference
		}
		to[k] = floats.Dot(of[:], f.f[k][:])
	}
}

// cholesky replaces m by its factor L, m = L·Lᵀ. It reports whether m is positive definite.
func (m *matrix) cholesky() bool {
	for j := range features {
		row := &m[j]
		v := row[j]
		for _, l := range row[:j] {
			v -= l * l
		}
		if !(v > 0) {
			return false
		}
		v = math.Sqrt(v)
		row[j] = v
		for i := j + 1; i < features; i++ {
			below := &m[i]
			sum := below[j]
			for k, l := range row[:j] {
				sum -= l * below[k]
			}
			below[j] = sum / v
		}
	}
	return true
}

// solve replaces x by L⁻¹·x.
func (m *matrix) solve(x *[features]float64) {
	for i := range features {
		v := x[i]
		for k, l := range m[i][:i] {
			v -= l * x[k]
		}
		x[i] = v / m[i][i]
	}
}

// solveTransposed replaces x by L⁻ᵀ·x.
func (m *matrix) solveTransposed(x *[features]float64) {
	for i := features - 1; i >= 0; i-- {
		x[i] /= m[i][i]
		for k, l := range m[i][:i] {
			x[k] -= l * x[i]
		}
	}
}

// Refit returns the density with the family and the prior of before.
func (d *Fitter) Refit(before *Density) (Density, float64) {
	d.at(before.family)
	d.look(&before.weights)
	return d.fit(before.width, negligible)
}

// Widths are the standard deviations of the prior of the weights, each 4 times the
// one before: hardly away from the centre; about as far as neighbouring centres
// are from each other; any density.
var Widths = []float64{0.1, 0.4, 1.6}

// middle is that of the Widths.
const middle = 1

// Choose returns, for comparison with others, a density with the nats a position that it takes,
// which may be more than the least by rough over the positions: of the nearest of the usual
// families, with the middle one of the Widths.
func (d *Fitter) Choose() (Density, float64) {
	least := math.Inf(1)
	var nearest *family
	for _, f := range usual() {
		if v := d.distance(f); v < least {
			nearest, least = f, v
		}
	}
	d.at(nearest)
	if d.compared == nearest {
		d.look(&d.w)
	} else {
		d.centre()
	}
	d.compared = nearest
	return d.fit(Widths[middle], rough)
}

// Finish returns the density with the least description length, with the nats a position that
// it takes: the one that Choose returned last, fitted to the end, or the one with the narrower or
// the wider prior, whichever has more evidence to first order. With the narrower prior
// the fit begins at the centre: begun with a wider one the tails would be as heavy as that
// allows. They cost little likelihood, so that Newton's method leaves them there, but much
// evidence.
func (d *Fitter) Finish() (Density, float64) {
	best, least := d.fit(Widths[middle], negligible)
	width := Widths[middle+1]
	if d.narrower(Widths[middle]) {
		width = Widths[middle-1]
		d.centre()
	}
	d.compared = nil
	if f, nats := d.fit(width, negligible); nats < least {
		best, least = f, nats
	}
	return best, least
}

// narrower reports whether the evidence grows as the prior becomes narrower: whether the squared
// weights over their variances sum to less than the number of weights that the data determine,
// Σ_k 1 − (H⁻¹)_kk/variance_k (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (d *Fitter) narrower(width float64) bool {
	scale := 1 / (width * width * d.n)
	squares, determined := 0.0, 0.0
	for k := range features {
		precision := scale * d.family.precision[k]
		squares += d.n * precision * d.w[k] * d.w[k]
		var column [features]float64 // of L⁻¹
		column[k] = 1
		d.factor.solve(&column)
		determined += 1 - precision*floats.Dot(column[:], column[:])
	}
	return squares < determined
}
