// Package density fits densities of innovations by their code length.
package density

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Density of a signal's innovations u is Gaussian, or one of a family: a common density, the
// centre, tilted by features f that are orthonormal under it,
//
//	log p(u) = log centre(u) + w·f(u) − log Z(w).
//
// The weights w have a Gaussian prior around 0. It is narrow if there are few positions, so that a
// density has a short code, and wide if the positions disagree with the centre. The code length of
// the weights is the logarithm of the evidence by Laplace's approximation.
type Density struct {
	family  *family // nil: Gaussian
	width   float64 // of the prior
	weights [features]float64
	Log     Curve
	Cost    float64 // code length of the weights in nats: log-likelihood minus log-evidence
}

// Gaussian reports whether the density is Gaussian.
func (f *Density) Gaussian() bool { return f.family == nil }

// String returns the name of the density, for people.
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
	newtonSteps = 50 // the largest number in a fit
	// fineTolerance and roughTolerance end Newton's method: it stops when a step is expected to
	// gain fewer nats in all positions together. The fine one is for densities that are used, the
	// rough one for those that are compared with others. With a fine one of 0.05 a uniform density
	// isn't separated as well as with 0.01 (an MCC of 0.985 in place of 0.99). With rough ones from
	// 0.1 to 2 the comparisons for 8 mixtures end in the same choices, the last with a quarter of
	// the steps.
	fineTolerance, roughTolerance = 0.01, 1
	// negligibleMoment is the contribution of a grid point to a feature's mean square below which
	// the covariance leaves out the point, in the tails. The mean square is 1 under the centre. It
	// is a choice.
	negligibleMoment = 1e-7
)

// A Fitter finds the density of a histogram. Its memory is allocated once.
type Fitter struct {
	histogram histogram
	n         float64

	family *family // the current one
	// compared is the family of the density that Choose returned last, with whose weights the next
	// call begins; nil after Reset.
	compared *family
	mean     [features]float64 // of the features over the positions
	origin   float64           // code length in nats per position at the centre
	w        [features]float64 // the current weights
	logZ     float64
	// Of the shares of the grid points: sums and differences of those of u and −u.
	sum, difference half

	gradient   [features]float64
	covariance matrix // of the features
	current    bool   // whether the covariance is that of the current weights
	factor     matrix // the Cholesky factor of the covariance plus the prior's precision
	step       [features]float64
	next       [features]float64 // weights

	even, odd half // parts of the tilt w·f

	// The same shares, of two neighbouring grid points together.
	pairSum, pairDifference pairs
	weighted                pairs
}

// A matrix is symmetric or triangular; its lower triangle is used.
type matrix [features][features]float64

// Reset forgets the density that Choose returned last. Without it the next result depends on that
// density, up to roughTolerance.
func (d *Fitter) Reset() { d.compared = nil }

// Begin sets the values to fit to: u, multiplied by a factor. It must be called first.
func (d *Fitter) Begin(u []float64, factor float64) {
	d.n = float64(len(u))
	d.histogram.count(u, factor)
}

// setFamily sets the current family.
func (d *Fitter) setFamily(f *family) {
	d.family = f
	(*Curve)(&d.histogram).fold(&d.sum, &d.difference)
	f.means(d.mean[:], &d.sum, &d.difference)
	d.origin = d.centreLength(f)
}

// centreLength returns the code length of the values with the centre of the family, in nats per
// position.
func (d *Fitter) centreLength(f *family) float64 { return -floats.Dot(d.histogram[:], f.log[:]) }

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

// setWeights sets the current weights.
func (d *Fitter) setWeights(w *[features]float64) {
	d.w, d.current = *w, false
	d.family.tilt(w, &d.even, &d.odd)
	d.logZ = tilted(&d.sum, &d.difference, &d.family.logMass, &d.even, &d.odd)
}

// objective returns the code length in nats per position with the current weights, their prior
// included.
func (d *Fitter) objective(width float64) float64 {
	sum := d.origin + d.logZ
	scale := 1 / (width * width * d.n)
	for k, v := range d.w {
		sum += v*v*scale*d.family.precision[k]/2 - v*d.mean[k]
	}
	return sum
}

// fit moves from the current weights to those with the largest posterior probability, by Newton's
// method up to the tolerance. It returns the density, and the code length in nats per position,
// that of the weights included.
func (d *Fitter) fit(width, tolerance float64) (Density, float64) {
	lowest := d.objective(width)
	if d.origin < lowest {
		d.centre()
		lowest = d.origin
	}
	scale := 1 / (width * width * d.n)
	d.newton(&lowest, width, scale, tolerance)
	logDet := 0.0 // of the posterior's precision over the prior's
	for k := range features {
		v := d.factor[k][k]
		logDet += math.Log(v * v / (scale * d.family.precision[k]))
	}
	nats := lowest + logDet/2/d.n
	f := Density{family: d.family, width: width, weights: d.w}
	f.Log.unfold(&d.even, &d.odd)
	for g, log := range d.family.log {
		f.Log[g] += log - d.logZ
	}
	f.Cost = (nats - d.origin - d.logZ + floats.Dot(d.w[:], d.mean[:])) * d.n
	return f, nats
}

// newton makes Newton's steps until the next is expected to gain less than the tolerance, in nats
// in all. It keeps lowest, the objective, up to date. The factor is that of the last step.
func (d *Fitter) newton(lowest *float64, width, scale, tolerance float64) {
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
		if floats.Dot(d.step[:], d.step[:])*d.n < tolerance {
			return
		}
		d.factor.solveTransposed(&d.step)
		floats.Scale(-1, d.step[:])
		if !d.searchLine(lowest, width) {
			return
		}
	}
}

// searchLine goes along the step, or a part of it that lowers the objective. It reports whether
// there is one.
func (d *Fitter) searchLine(lowest *float64, width float64) bool {
	w := d.w
	length := 1.0
	for range 12 {
		floats.AddScaledTo(d.next[:], w[:], length, d.step[:])
		d.setWeights(&d.next)
		if v := d.objective(width); v < *lowest {
			*lowest = v
			return true
		}
		length /= 3
	}
	d.setWeights(&w)
	return false
}

// moments sets the covariance of the features. The product of two even or two odd features is even,
// so its mean needs the sums of the shares of u and −u; that of an even and an odd feature is odd
// and needs their differences. Two neighbouring grid points are taken together, as products of
// features hardly differ between them. Tails of negligible mass are left out.
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
		shares, first := sum, 0
		if k >= evens {
			shares, first = difference, evens
			floats.MulTo(weighted, difference, f.paired[k][:end])
			for l := range evens {
				row[l] = floats.Dot(weighted, f.paired[l][:end])
			}
		}
		means[k] = floats.Dot(shares, f.paired[k][:end])
		floats.MulTo(weighted, sum, f.paired[k][:end])
		for l := first; l <= k; l++ {
			row[l] = floats.Dot(weighted, f.paired[l][:end])
		}
		floats.AddScaled(row, -means[k], means[:k+1])
	}
	d.current = true
}

// means sets means to those of the features, under shares of the grid points given by their sums
// and differences for u and −u.
func (f *family) means(means []float64, sum, difference *half) {
	for k := range f.f {
		shares := sum
		if k >= evens {
			shares = difference
		}
		means[k] = floats.Dot(shares[:], f.f[k][:])
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

// Refit returns the density with the family and the prior of an earlier one, and its code length.
func (d *Fitter) Refit(before *Density) (Density, float64) {
	d.setFamily(before.family)
	d.setWeights(&before.weights)
	return d.fit(before.width, fineTolerance)
}

// Widths are the standard deviations of the prior of the weights, each four times the one before:
// hardly away from the centre; about as far as neighbouring centres are from each other; any
// density. They are a choice.
var Widths = []float64{0.1, 0.4, 1.6}

// middleWidth is the place of the middle one of the Widths.
const middleWidth = 1

// Choose returns a density for comparison with others, and its code length in nats per position.
// The density is of the family whose centre has the shortest code, with the middle one of the
// Widths. Its code may be longer than the shortest by roughTolerance in all.
func (d *Fitter) Choose() (Density, float64) {
	shortest := math.Inf(1)
	var nearestFamily *family
	for _, f := range allFamilies() {
		if v := d.centreLength(f); v < shortest {
			nearestFamily, shortest = f, v
		}
	}
	d.setFamily(nearestFamily)
	if d.compared == nearestFamily {
		d.setWeights(&d.w)
	} else {
		d.centre()
	}
	d.compared = nearestFamily
	return d.fit(Widths[middleWidth], roughTolerance)
}

// Finish returns the density with the shortest code, and its code length in nats per position. It
// compares the one that Choose returned last, fitted to the fine tolerance, with the one of the
// narrower or of the wider prior, whichever has more evidence to first order.
//
// With the narrower prior the fit begins at the centre. If it began with the weights of a wider
// prior, the tails would stay too heavy: they change the likelihood little, so that Newton's method
// leaves them there, but the evidence much.
func (d *Fitter) Finish() (Density, float64) {
	best, shortest := d.fit(Widths[middleWidth], fineTolerance)
	width := Widths[middleWidth+1]
	if d.prefersNarrower(Widths[middleWidth]) {
		width = Widths[middleWidth-1]
		d.centre()
	}
	d.compared = nil
	if f, nats := d.fit(width, fineTolerance); nats < shortest {
		best, shortest = f, nats
	}
	return best, shortest
}

// prefersNarrower reports whether the evidence grows as the prior becomes narrower. That is so if
// the sum of the squared weights over their variances is less than the number of weights that the
// data determine, Σ_k 1 − (H⁻¹)_kk/variance_k (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (d *Fitter) prefersNarrower(width float64) bool {
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
