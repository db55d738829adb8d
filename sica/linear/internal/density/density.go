// Package density fits probability densities of innovations by code length.
package density

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Density of a signal's innovations u is Gaussian, or a member of a family: a common density, the
// centre, tilted by features f that are orthonormal under the centre,
//
//	log p(u) = log centre(u) + w·f(u) − log Z(w).
//
// The weights w have a Gaussian prior around 0, of one of several Widths. A narrow prior is cheap
// with few positions; a wide one pays if the positions disagree with the centre. The code length of
// the weights follows from the evidence by Laplace's approximation.
type Density struct {
	family  *family // nil: Gaussian
	width   float64 // standard deviation of the prior; 0: the centre itself
	weights [features]float64
	Log     Curve
	Cost    float64 // code length of the weights in nats: log-likelihood minus log-evidence
}

// Gaussian reports whether the density is Gaussian.
func (f *Density) Gaussian() bool { return f.family == nil }

// String returns the name of the density: "Gaussian", the centre's, such as "Laplace", or "near
// Laplace" with more than the narrowest prior.
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

// Fine and Rough are tolerances of Newton's method, in nats over all positions: it stops when a
// step is expected to gain less. Fine is for densities that are used, Rough for densities that are
// only compared.
const Fine, Rough = 0.01, 1.

const (
	newtonSteps = 50 // largest number of steps in a fit
	// keptCurvature is the factor by which the expected gain must fall from step to step for the
	// curvature to be reused. With reused curvature Newton's method converges linearly, by at least
	// this factor; computing the curvature takes twice as long as a step. It is a choice.
	keptCurvature = 8
	// maxTries bounds the number of step lengths that are tried. Each is minShrink to maxShrink
	// times the one before, the usual factors, so the last is at most 1/2048.
	maxTries, minShrink, maxShrink = 12, 0.1, 0.5
	// negligibleMoment is the contribution of a tail point to the mean square of a feature below
	// which the covariance leaves out the point. The mean square is 1 under the centre. It is a
	// choice.
	negligibleMoment = 1e-7
)

// A Fitter fits densities to a histogram. It allocates its memory once.
//
// Newton's method first works on the coarse points of a family. A density that is used is then
// fitted at all grid points, with the curvature from the coarse points.
type Fitter struct {
	histogram histogram
	n         float64

	family *family // current family
	// compared is the family of the last density of Choose, whose weights the next call begins
	// with; nil after Reset.
	compared *family
	mean     [features]float64 // of the features over the positions
	origin   float64           // code length in nats per position at the centre
	w        [features]float64 // current weights
	coarse   tilted            // centre tilted by these weights at the coarse points
	fine     tilted            // and at the grid points
	shares   tilted            // shares of the positions
	space    [2]half           // workspace

	gradient   [features]float64
	covariance matrix // of the features in family curved under weights curvedAt
	curved     *family
	curvedAt   [features]float64
	factor     matrix // Cholesky factor of covariance plus prior precision
	current    bool   // whether covariance and factor are at the current weights
	step       [features]float64
	next       [features]float64 // weights
}

// A matrix is symmetric or triangular; its lower triangle is used.
type matrix [features][features]float64

var identity = func() (m matrix) {
	for k := range features {
		m[k][k] = 1
	}
	return m
}()

// Reset forgets the last density of Choose. Without Reset the next result depends on that density,
// up to Rough.
func (d *Fitter) Reset() { d.compared = nil }

// Begin sets the values to fit, u multiplied by factor. It must be called first.
func (d *Fitter) Begin(u []float64, factor float64) {
	d.n = float64(len(u))
	d.histogram.count(u, factor)
}

// setFamily sets the current family, and the moments of the values in it.
func (d *Fitter) setFamily(f *family) {
	d.family = f
	(*Curve)(&d.histogram).fold(&d.shares.sum, &d.shares.difference)
	f.fine.means(&d.mean, &d.shares)
	d.origin = d.lengthAt(f)
}

// lengthAt returns the code length of the values at the centre of the family, in nats per position.
func (d *Fitter) lengthAt(f *family) float64 { return -floats.Dot(d.histogram[:], f.log[:]) }

// setWeights sets the current weights to w, and t to the centre tilted by w.
func (d *Fitter) setWeights(t *tilted, b *basis, w *[features]float64) {
	d.w, d.current = *w, false
	t.set(b, w)
}

// objective returns the code length in nats per position with the current weights, plus the
// quadratic term of their prior. logZ is the logarithm of the mass with these weights; scale is the
// result of precision.
func (d *Fitter) objective(logZ, scale float64) float64 {
	sum := d.origin + logZ
	for k, v := range d.w {
		sum += v*v*scale*d.family.precision[k]/2 - v*d.mean[k]
	}
	return sum
}

// precision returns the prior precision of the first weight divided by the number of positions.
func (d *Fitter) precision(width float64) float64 { return 1 / (width * width * d.n) }

// approach moves from the current weights, or from the centre if that has the shorter code, to the
// weights of largest posterior probability on the coarse points. It returns the code length in nats
// per position, weights included.
func (d *Fitter) approach(width, tolerance float64) float64 {
	scale := d.precision(width)
	d.setWeights(&d.coarse, &d.family.coarse, &d.w)
	if d.origin < d.objective(d.coarse.logZ, scale) {
		d.setWeights(&d.coarse, &d.family.coarse, new([features]float64))
	}
	d.curve(scale)
	lowest := d.newton(&d.coarse, &d.family.coarse, scale, tolerance)
	return lowest + d.weightLength(scale)
}

// weightLength returns the Occam term of the weights in nats per position: half the log-determinant
// of the posterior precision relative to the prior precision.
func (d *Fitter) weightLength(scale float64) float64 {
	logDet := 0.0
	for k := range features {
		v := d.factor[k][k]
		logDet += math.Log(v * v / (scale * d.family.precision[k]))
	}
	return logDet / 2 / d.n
}

// fit returns the density of largest posterior probability, up to the tolerance, and its code
// length in nats per position, weights included. approach must have set the current weights.
func (d *Fitter) fit(width, tolerance float64) (Density, float64) {
	scale := d.precision(width)
	d.fine.set(&d.family.fine, &d.w)
	lowest := d.newton(&d.fine, &d.family.fine, scale, tolerance)
	if !d.current {
		d.curve(scale)
	}
	nats := lowest + d.weightLength(scale)
	f := Density{family: d.family, width: width, weights: d.w}
	f.Log.unfold(&d.fine.even, &d.fine.odd)
	for g, log := range d.family.log {
		f.Log[g] += log - d.fine.logZ
	}
	f.Cost = (nats - d.origin - d.fine.logZ + floats.Dot(d.w[:], d.mean[:])) * d.n
	return f, nats
}

// newton makes Newton steps until the next is expected to gain less than the tolerance, in nats in
// all, and returns the objective. t must be the centre tilted by the current weights on the basis
// b.
func (d *Fitter) newton(t *tilted, b *basis, scale, tolerance float64) (lowest float64) {
	lowest = d.objective(t.logZ, scale)
	before := math.Inf(1)
	for range newtonSteps {
		b.means(&d.gradient, t)
		for k := range features {
			d.gradient[k] += scale*d.family.precision[k]*d.w[k] - d.mean[k]
		}
		gain := d.expectedGain()
		if !d.current && (gain < tolerance || gain*keptCurvature > before) {
			if !d.curve(scale) {
				return lowest
			}
			gain = d.expectedGain()
		}
		if gain < tolerance {
			return lowest
		}
		before = gain
		d.factor.solveTransposed(&d.step)
		floats.Scale(-1, d.step[:])
		if lower := d.searchLine(t, b, &lowest, scale, gain/d.n); lower {
			continue
		}
		if d.current {
			return lowest
		}
		before = 0 // try again with the curvature at the current weights
	}
	return lowest
}

// expectedGain sets step to L⁻¹·gradient, where L is the factor, and returns twice the expected
// gain of a Newton step, in nats in all.
func (d *Fitter) expectedGain() float64 {
	d.step = d.gradient
	d.factor.solve(&d.step)
	return floats.Dot(d.step[:], d.step[:]) * d.n
}

// searchLine moves along the step by a length, at most 1, that lowers the objective, whose slope
// along the step is −decrease. It reports whether one was found.
func (d *Fitter) searchLine(t *tilted, b *basis, lowest *float64, scale, decrease float64) bool {
	w, current, logZ := d.w, d.current, t.logZ
	length := 1.0
	for try := range maxTries {
		floats.AddScaledTo(d.next[:], w[:], length, d.step[:])
		d.setWeights(t, b, &d.next)
		v := d.objective(t.logZ, scale)
		if v < *lowest {
			*lowest = v
			return true
		}
		// The minimum of the parabola through both values with the initial slope.
		best := decrease * length / (2 * (v - *lowest + decrease*length))
		if !(best > minShrink) { // or NaN
			best = minShrink
		}
		length *= min(best, maxShrink)
		if try == 0 {
			length = min(length, t.maxLength(&d.step, logZ, decrease, &d.space))
		}
	}
	d.setWeights(t, b, &w)
	d.current = current
	return false
}

// curve sets the covariance of the features at the current weights, and the factor. It reports
// whether the matrix was positive definite.
func (d *Fitter) curve(scale float64) bool {
	switch {
	case d.w == [features]float64{}: // where the features are orthonormal
		d.covariance = identity
	case d.curved != d.family || d.curvedAt != d.w:
		d.coarse.set(&d.family.coarse, &d.w)
		d.family.coarse.covariance(&d.covariance, &d.coarse, d.space[0][:])
	}
	d.curved, d.curvedAt = d.family, d.w
	d.factor = d.covariance
	for k := range features {
		d.factor[k][k] += scale * d.family.precision[k]
	}
	d.current = true
	return d.factor.cholesky()
}

// cholesky replaces m by its factor L, m = L·Lᵀ, and reports whether m is positive definite.
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

// Refit fits a density with the family and the prior of before, which must not be Gaussian, and
// returns it with its code length in nats per position.
func (d *Fitter) Refit(before *Density) (Density, float64) {
	d.setFamily(before.family)
	if before.width == 0 {
		return d.centre(), d.centreLength()
	}
	d.w = before.weights
	d.approach(before.width, Fine)
	return d.fit(before.width, Fine)
}

// Widths are the standard deviations of the prior of the weights, each four times the one before.
// They allow densities hardly different from the centre, about as different as neighbouring
// centres, and any density. They are a choice.
var Widths = [...]float64{0.1, 0.4, 1.6}

// middleWidth is the index of the middle one of the Widths.
const middleWidth = 1

// Choose chooses a density for comparison, and returns its code length in nats per position. Its
// family is the one whose centre has the shortest code, and it is that centre or a density under
// the middle one of the Widths. Its code may be longer than the shortest by Rough, in nats in all.
func (d *Fitter) Choose() float64 {
	shortest := math.Inf(1)
	var nearestFamily *family
	for _, f := range allFamilies() {
		if v := d.lengthAt(f); v < shortest {
			nearestFamily, shortest = f, v
		}
	}
	d.setFamily(nearestFamily)
	if d.compared != nearestFamily {
		d.w = [features]float64{}
	}
	d.compared = nearestFamily
	return min(d.approach(Widths[middleWidth], Rough), d.centreLength())
}

// Compared returns the last density of Choose, and its code length in nats per position.
func (d *Fitter) Compared() (Density, float64) {
	return d.orCentre(d.fit(Widths[middleWidth], Rough))
}

// orCentre returns the density f and its code length nats, or the centre of the current family if
// that has the shorter code.
func (d *Fitter) orCentre(f Density, nats float64) (Density, float64) {
	if centre := d.centreLength(); centre < nats {
		return d.centre(), centre
	}
	return f, nats
}

// centreLength returns the code length of the values with the centre of the current family, in nats
// per position.
func (d *Fitter) centreLength() float64 { return d.origin + d.shapeLength()/d.n }

// shapeLength returns the code length in nats of the choice of a centre: that of one shape
// parameter, for which the centres stand (J. Rissanen, Annals of Statistics 11(2), 1983). A tilted
// density doesn't pay it, since other centres lead to about the same density.
func (d *Fitter) shapeLength() float64 { return math.Log(d.n) / 2 }

// centre returns the centre of the current family as a density.
func (d *Fitter) centre() Density {
	return Density{family: d.family, Log: d.family.log, Cost: d.shapeLength()}
}

// Finish returns the density with the shortest code, and its code length in nats per position. It
// compares the last density of Choose, fitted to the tolerance, with a density under the narrower
// or the wider prior, whichever direction increases the evidence.
//
// With the narrower prior the fit begins at the centre. Begun with the weights of a wider prior, it
// would leave the tails too heavy: they hardly affect the likelihood, so Newton's method doesn't
// move them, but they affect the evidence.
func (d *Fitter) Finish(tolerance float64) (Density, float64) {
	middle, other := Widths[middleWidth], Widths[middleWidth+1]
	shortest, weights := d.approach(middle, tolerance), d.w
	if d.prefersNarrower(middle) {
		other = Widths[middleWidth-1]
		d.w = [features]float64{}
	}
	d.compared = nil
	width := middle
	if d.approach(other, tolerance) < shortest {
		width = other
	} else {
		d.w = weights
		d.curve(d.precision(middle))
	}
	return d.orCentre(d.fit(width, tolerance))
}

// prefersNarrower reports whether the evidence grows as the prior becomes narrower: whether the sum
// of the squared weights over their prior variances is less than the number of weights that the
// data determine, Σ_k 1 − (H⁻¹)_kk/variance_k (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (d *Fitter) prefersNarrower(width float64) bool {
	scale := d.precision(width)
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
