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
	width   float64 // of the prior; 0: the centre
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

// Fine and Rough are tolerances of Newton's method: it stops when a step is expected to gain fewer
// nats in all positions together. The fine one is for densities that are used, the rough one for
// those that are compared with others.
const Fine, Rough = 0.01, 1.

const (
	newtonSteps = 50 // the largest number in a fit
	// keptCurvature is by what factor the expected gain must fall from step to step for the
	// curvature to be kept. Newton's method with curvature that is kept converges linearly, by this
	// factor at least, and computing it takes twice as long as a step. It is a choice.
	keptCurvature = 8
	// maxTries bounds the lengths of a step that are tried. Each is 0.1 to 0.5 of the one before,
	// as usual, so that the last is 1/4096 at most.
	maxTries, minShrink, maxShrink = 12, 0.1, 0.5
	// negligibleMoment is the contribution of a point to a feature's mean square below which
	// the covariance leaves out the point, in the tails. The mean square is 1 under the centre. It
	// is a choice.
	negligibleMoment = 1e-7
)

// A Fitter finds the density of a histogram. Its memory is allocated once.
//
// Newton's method first works on the coarse points of a family. A density that is used is then
// fitted to all points of the grid, with the curvature of the coarse ones.
type Fitter struct {
	histogram histogram
	n         float64

	family *family // the current one
	// compared is the family of the density that Choose compared last, with whose weights the next
	// call begins; nil after Reset.
	compared *family
	mean     [features]float64 // of the features over the positions
	origin   float64           // code length in nats per position at the centre
	w        [features]float64 // the current weights
	coarse   tilted            // the centre with these weights at the coarse points
	fine     tilted            // and at those of the grid
	shares   tilted            // those of the positions
	space    [2]half           // workspace

	gradient   [features]float64
	covariance matrix // of the features in the family curved, with the weights curvedAt
	curved     *family
	curvedAt   [features]float64
	factor     matrix // the Cholesky factor of the covariance plus the prior's precision
	current    bool   // whether covariance and factor are those of the current weights
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

// Reset forgets the density that Choose compared last. Without it the next result depends on that
// density, up to Rough.
func (d *Fitter) Reset() { d.compared = nil }

// Begin sets the values to fit to: u, multiplied by a factor. It must be called first.
func (d *Fitter) Begin(u []float64, factor float64) {
	d.n = float64(len(u))
	d.histogram.count(u, factor)
}

// setFamily sets the current family.
func (d *Fitter) setFamily(f *family) {
	d.family = f
	(*Curve)(&d.histogram).fold(&d.shares.sum, &d.shares.difference)
	f.fine.means(&d.mean, &d.shares)
	d.origin = d.lengthAt(f)
}

// lengthAt returns the code length of the values at the centre of the family, in nats per position.
func (d *Fitter) lengthAt(f *family) float64 { return -floats.Dot(d.histogram[:], f.log[:]) }

// setWeights sets the current weights, and t to the centre with these.
func (d *Fitter) setWeights(t *tilted, b *basis, w *[features]float64) {
	d.w, d.current = *w, false
	t.set(b, w)
}

// objective returns the code length in nats per position with the current weights, their prior
// included. logZ is the logarithm of the mass with these weights.
func (d *Fitter) objective(logZ, scale float64) float64 {
	sum := d.origin + logZ
	for k, v := range d.w {
		sum += v*v*scale*d.family.precision[k]/2 - v*d.mean[k]
	}
	return sum
}

// precision returns that of the prior of the first weight, over the number of positions.
func (d *Fitter) precision(width float64) float64 { return 1 / (width * width * d.n) }

// approach moves from the current weights, or from the centre if that has the shorter code, to
// those with the largest posterior probability, as far as the coarse points say. It returns the
// code length in nats per position.
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

// weightLength returns the code length of the weights in nats per position, less that of their
// prior probability: half the logarithm of the posterior's precision over the prior's.
func (d *Fitter) weightLength(scale float64) float64 {
	logDet := 0.0
	for k := range features {
		v := d.factor[k][k]
		logDet += math.Log(v * v / (scale * d.family.precision[k]))
	}
	return logDet / 2 / d.n
}

// fit returns the density with the largest posterior probability up to the tolerance, and the code
// length in nats per position, that of the weights included. The current weights must be those of
// approach.
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

// newton makes Newton's steps until the next is expected to gain less than the tolerance, in nats
// in all. It returns the objective. t must be the centre with the current weights on the basis b.
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
		before = 0 // try again with the curvature of the current weights
	}
	return lowest
}

// expectedGain sets step to the gradient, solved by the factor, and returns how many nats in all,
// times two, a Newton step is expected to gain.
func (d *Fitter) expectedGain() float64 {
	d.step = d.gradient
	d.factor.solve(&d.step)
	return floats.Dot(d.step[:], d.step[:]) * d.n
}

// searchLine goes along the step, or a part of it that lowers the objective, whose slope along the
// step is −decrease. It reports whether there is one.
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
		// The minimum of the parabola with this value, the slope and the value at the beginning.
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

// curve sets the covariance of the features with the current weights, and the factor. It reports
// whether there is one.
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

// Refit returns the density with the family and the prior of an earlier one, which isn't Gaussian, and
// its code length.
func (d *Fitter) Refit(before *Density) (Density, float64) {
	d.setFamily(before.family)
	if before.width == 0 {
		return d.centre(), d.centreLength()
	}
	d.w = before.weights
	d.approach(before.width, Fine)
	return d.fit(before.width, Fine)
}

// Widths are the standard deviations of the prior of the weights, each four times the one before:
// hardly away from the centre; about as far as neighbouring centres are from each other; any
// density. They are a choice.
var Widths = [...]float64{0.1, 0.4, 1.6}

// middleWidth is the place of the middle one of the Widths.
const middleWidth = 1

// Choose chooses a density for comparison with others, and returns its code length in nats per
// position. The density is of the family whose centre has the shortest code: that centre, or one with
// the middle one of the Widths. Its code may be longer than the shortest by Rough in all.
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

// Compared returns the density that Choose chose last, and its code length in nats per position.
func (d *Fitter) Compared() (Density, float64) {
	return d.orCentre(d.fit(Widths[middleWidth], Rough))
}

// orCentre returns the density f with its code length, or the centre of the current family if that
// has the shorter code.
func (d *Fitter) orCentre(f Density, nats float64) (Density, float64) {
	if centre := d.centreLength(); centre < nats {
		return d.centre(), centre
	}
	return f, nats
}

// centreLength returns the code length of the centre of the current family as a density, in nats per
// position.
func (d *Fitter) centreLength() float64 { return d.origin + d.shapeLength()/d.n }

// shapeLength returns the code length in nats of which centre it is: that of one parameter of a shape,
// for which the centres stand (J. Rissanen, Annals of Statistics 11(2), 1983). A tilted density doesn't
// pay it: about the same one is reached from other centres, too.
func (d *Fitter) shapeLength() float64 { return math.Log(d.n) / 2 }

// centre returns the centre of the current family as a density.
func (d *Fitter) centre() Density {
	return Density{family: d.family, Log: d.family.log, Cost: d.shapeLength()}
}

// Finish returns the density with the shortest code, and its code length in nats per position. It
// compares the one that Choose chose last, fitted to the tolerance, with the one of the narrower or
// of the wider prior, whichever has more evidence to first order.
//
// With the narrower prior the fit begins at the centre. If it began with the weights of a wider
// prior, the tails would stay too heavy: they change the likelihood little, so that Newton's method
// leaves them there, but the evidence much.
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

// prefersNarrower reports whether the evidence grows as the prior becomes narrower. That is so if
// the sum of the squared weights over their variances is less than the number of weights that the
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
