package linear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A density of a signal's innovations u is Gaussian, or of the exponential family
//
//	log p(u) = w·f(u) − log Z(w)
//
// with features f that are orthonormal under a density with heavy tails. The
// weights w have a Gaussian prior around those of a usual density, the centre. It
// is narrow where few positions speak, so that a short signal costs little, and
// wide where they disagree with the centre. What the weights cost is the logarithm
// of the evidence by Laplace's approximation.
type density struct {
	gaussian bool
	prior    prior
	weights  [features]float64
	log      curve
	cost     float64 // nats in all: evidence less likelihood, and the choice
}

const (
	knots    = 9 // of the splines, in asinh u from −2.3 to 2.3: a resolution
	lastKnot = 2.3
	features = 4 + knots - 2
	plain    = 4 // features that are not splines
)

// A prior of the weights is Gaussian around centre. Its precisions are those of
// family over the square of width.
type prior struct {
	centre *centre
	width  float64
}

// widths of the prior, each 4 times the one before: nearly the centre itself; about
// as far as Student's t is from Laplace; any density (the distance between a
// uniform one and one with two peaks is 3).
var widths = []float64{0.1, 0.4, 1.6}

// A centre is the weights of a density and the logarithm of their Z.
type centre struct {
	w    [features]float64
	logZ float64
}

const (
	newtonSteps = 50   // at most, of the fit of a density
	negligible  = 0.01 // nats in all that a step must promise
)

// family are the features at the grid points and the precisions of their weights.
var family = newFamily()

type expFamily struct {
	f         [gridSize][features]float64
	precision [features]float64
	centres   []centre
}

func newFamily() *expFamily {
	var columns [features]curve
	var base curve // a density with heavy tails
	for g, u := range gridPoints {
		v := math.Asinh(u)
		columns[0][g] = u * u / 2
		columns[1][g] = math.Sqrt(1 + u*u)
		columns[2][g] = v
		columns[3][g] = u
		for j := range knots - 2 {
			columns[plain+j][g] = naturalSpline(j, v)
		}
		base[g] = gridWidths[g] * (math.Exp(-math.Sqrt(1+u*u))/2 + math.Exp(-u*u/2)/math.Sqrt(2*math.Pi))
	}
	floats.Scale(1/floats.Sum(base[:]), base[:])
	for k := range columns {
		orthonormalise(columns[:k+1], &base)
	}
	f := &expFamily{}
	rotateByRoughness(columns[plain:], &base, f.precision[plain:])
	for k := range plain {
		f.precision[k] = 1
	}
	for g := range f.f {
		for k := range columns {
			f.f[g][k] = columns[k][g]
		}
	}
	f.centres = usual(f)
	return f
}

// naturalSpline is the j-th natural cubic spline: linear beyond the knots, so that
// a density's tails are powers.
func naturalSpline(j int, v float64) float64 {
	knot := func(k int) float64 { return lastKnot * (2*float64(k)/(knots-1) - 1) }
	cube := func(x float64) float64 { return math.Pow(max(x, 0), 3) }
	bend := func(k int) float64 {
		return (cube(v-knot(k)) - cube(v-knot(knots-1))) / (knot(knots-1) - knot(k))
	}
	return bend(j) - bend(knots-2)
}

// orthonormalise makes the last curve orthonormal to 1 and those before under base.
func orthonormalise(columns []curve, base *curve) {
	last := &columns[len(columns)-1]
	inner := func(a, b *curve) (sum float64) {
		for g := range a {
			sum += base[g] * a[g] * b[g]
		}
		return sum
	}
	for range 2 { // the second takes what rounding left
		floats.AddConst(-floats.Dot(base[:], last[:]), last[:])
		for k := range columns[:len(columns)-1] {
			floats.AddScaled(last[:], -inner(last, &columns[k]), columns[k][:])
		}
	}
	floats.Scale(1/math.Sqrt(inner(last, last)), last[:])
}

// rotateByRoughness turns orthonormal curves so that their mean square second
// derivatives in asinh u are uncorrelated, the smoothest first, and sets precision
// to these over the first: smooth densities are likelier, as in smoothing splines.
func rotateByRoughness(columns []curve, base *curve, precision []float64) {
	second := make([]curve, len(columns))
	for k := range columns {
		var first curve
		derivative(&columns[k], &first)
		derivative(&first, &second[k])
	}
	rough := mat.NewSymDense(len(columns), nil)
	for k := range columns {
		for l := range k + 1 {
			sum := 0.0
			for g := range base {
				sum += base[g] * second[k][g] * second[l][g]
			}
			rough.SetSym(k, l, sum)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(rough, true) {
		panic("linear: the roughness of the splines has no eigenvalues")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	turned := make([]curve, len(columns))
	for k := range turned {
		precision[k] = values[k] / values[0]
		for l := range columns {
			floats.AddScaled(turned[k][:], vectors.At(l, k), columns[l][:])
		}
	}
	copy(columns, turned)
}

// derivative is that in asinh u.
func derivative(c, to *curve) {
	c.slope(to)
	for g, u := range gridPoints {
		to[g] *= math.Sqrt(1 + u*u)
	}
}

// usual are the weights of densities that signals often have, with mean |u| that of
// a standard normal one.
func usual(f *expFamily) (centres []centre) {
	for _, log := range []func(u float64) float64{
		func(u float64) float64 { return -u * u / 2 },                // Gaussian
		func(u float64) float64 { return -math.Sqrt(0.01 + u*u) },    // Laplace
		func(u float64) float64 { return -2.5 * math.Log(1+u*u/4) },  // Student's t, 4 degrees
		func(u float64) float64 { return -1.5 * math.Log(0.05+u*u) }, // a peak with heavy tails
		func(u float64) float64 { return -math.Pow(math.Abs(u), 6) }, // flat
		func(u float64) float64 { return 4*u*u - 2*math.Pow(u, 4) },  // two peaks
	} {
		d := densityFitter{family: f}
		d.look(f.project(standardScale(log)))
		centres = append(centres, centre{d.w, d.logZ})
	}
	return centres
}

// standardScale returns log at the scale at which the mean of |u| is √(2/π).
func standardScale(log func(float64) float64) func(float64) float64 {
	mean := func(scale float64) float64 {
		p := func(u float64) float64 { return math.Exp(log(u / scale)) }
		moment := func(u float64) float64 { return u * p(u) }
		return quad.Fixed(moment, 0, 127, 5000, nil, 0) / quad.Fixed(p, 0, 127, 5000, nil, 0)
	}
	low, high := math.Log(0.01), math.Log(10.)
	for range 40 {
		middle := (low + high) / 2
		if mean(math.Exp(middle)) < math.Sqrt(2/math.Pi) {
			low = middle
		} else {
			high = middle
		}
	}
	scale := math.Exp(low)
	return func(u float64) float64 { return log(u / scale) }
}

// project returns the weights that are nearest to a log density, by least squares
// under that density.
func (f *expFamily) project(log func(float64) float64) *[features]float64 {
	a := mat.NewDense(gridSize+features, features+1, nil)
	b := mat.NewVecDense(gridSize+features, nil)
	var p curve
	for g, u := range gridPoints {
		p[g] = math.Exp(log(u)) * gridWidths[g]
	}
	total := floats.Sum(p[:])
	for g, u := range gridPoints {
		root := math.Sqrt(p[g]/total + 1e-9*gridWidths[g]) // a little everywhere
		for k, v := range f.f[g] {
			a.Set(g, k, root*v)
		}
		a.Set(g, features, root)
		b.SetVec(g, root*max(log(u), -30))
	}
	for k := range features {
		a.Set(gridSize+k, k, 1e-3)
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		panic("linear: a usual density has no weights: " + err.Error())
	}
	var weights [features]float64
	copy(weights[:], w.RawVector().Data)
	return &weights
}

// A densityFitter finds the density of a histogram. What it allocates, it allocates
// once.
type densityFitter struct {
	family *expFamily
	mean   [features]float64 // of the features over the positions
	n      float64

	// The weights that are looked at, and their density.
	w    [features]float64
	log  curve // w·f
	p    curve // of a grid point
	logZ float64

	gradient    [features]float64
	information [features * features]float64 // of a position
	hessian     [features * features]float64
}

// begin is to be called before the others: with the histogram of n values.
func (d *densityFitter) begin(h *histogram, n int) {
	d.n = float64(n)
	d.mean = [features]float64{}
	for g, share := range h {
		if share == 0 {
			continue
		}
		for k, v := range d.family.f[g] {
			d.mean[k] += share * v
		}
	}
}

// look sets the weights that are looked at.
func (d *densityFitter) look(w *[features]float64) {
	d.w = *w
	largest := math.Inf(-1)
	for g := range d.log {
		f := &d.family.f[g]
		// Two sums, which the processor takes side by side.
		a, b := w[features-1]*f[features-1], 0.0
		for k := 0; k+1 < features; k += 2 {
			a += w[k] * f[k]
			b += w[k+1] * f[k+1]
		}
		d.log[g] = a + b
		largest = max(largest, a+b)
	}
	z := 0.0
	for g, l := range d.log {
		if l -= largest; l < -40 {
			d.p[g] = 0
			continue
		}
		d.p[g] = math.Exp(l) * gridWidths[g]
		z += d.p[g]
	}
	floats.Scale(1/z, d.p[:])
	d.logZ = largest + math.Log(z)
}

// objective is the nats a position that weights w take, with their prior, from the
// logarithm of their Z.
func (d *densityFitter) objective(w *[features]float64, logZ float64, prior prior) float64 {
	sum := logZ
	scale := 1 / (prior.width * prior.width * d.n)
	for k, v := range w {
		away := v - prior.centre.w[k]
		sum += away*away*scale*d.family.precision[k]/2 - v*d.mean[k]
	}
	return sum
}

// fit goes from the weights that are looked at, or the prior's centre if that is
// better, to those with the largest posterior probability, by Newton's method. It
// returns the nats a position that they take with their cost.
func (d *densityFitter) fit(prior prior) (nats float64) {
	least := d.objective(&d.w, d.logZ, prior)
	if v := d.objective(&prior.centre.w, prior.centre.logZ, prior); v < least {
		d.look(&prior.centre.w)
		least = v
	}
	scale := 1 / (prior.width * prior.width * d.n)
	logDet := 0.0 // of the posterior's precision over the prior's
	for range newtonSteps {
		d.moments()
		copy(d.hessian[:], d.information[:])
		for k := range features {
			d.hessian[k*features+k] += scale * d.family.precision[k]
			d.gradient[k] += scale*d.family.precision[k]*(d.w[k]-prior.centre.w[k]) - d.mean[k]
		}
		symmetric := blas64.Symmetric{N: features, Stride: features, Data: d.hessian[:], Uplo: blas.Lower}
		lower, ok := lapack64.Potrf(symmetric)
		if !ok {
			break
		}
		logDet = 0
		for k := range features {
			logDet += 2*math.Log(d.hessian[k*features+k]) - math.Log(scale*d.family.precision[k])
		}
		step := d.gradient
		right := blas64.Vector{N: features, Inc: 1, Data: step[:]}
		blas64.Trsv(blas.NoTrans, lower, right)
		decrement := floats.Dot(step[:], step[:])
		if decrement*d.n < negligible {
			break
		}
		blas64.Trsv(blas.Trans, lower, right)
		if !d.line(&step, &least, prior) {
			break
		}
	}
	return least + logDet/2/d.n
}

// line goes along −step as far as it lowers the objective.
func (d *densityFitter) line(step *[features]float64, least *float64, prior prior) bool {
	w := d.w
	length := 1.0
	for range 12 {
		next := w
		floats.AddScaled(next[:], -length, step[:])
		d.look(&next)
		if v := d.objective(&next, d.logZ, prior); v < *least {
			*least = v
			return true
		}
		length /= 3
	}
	d.look(&w)
	return false
}

// moments sets gradient to the mean of the features under p, and information to
// their covariance, its lower triangle.
func (d *densityFitter) moments() {
	d.gradient, d.information = [features]float64{}, [features * features]float64{}
	for g, p := range d.p {
		if p < 1e-12 { // rounding
			continue
		}
		f := &d.family.f[g]
		for k := range features {
			v := p * f[k]
			d.gradient[k] += v
			row := d.information[k*features : k*features+k+1]
			for l := range row {
				row[l] += v * f[l]
			}
		}
	}
	for k := range features {
		for l := range k + 1 {
			d.information[k*features+l] -= d.gradient[k] * d.gradient[l]
		}
	}
}

// refit returns the density with the prior of before, and the nats a position
// that it takes with its cost.
func (d *densityFitter) refit(before *density) (density, float64) {
	d.look(&before.weights)
	return d.density(before.prior, d.fit(before.prior))
}

// choose returns the density of the family with the least description length: that
// around the nearest of the usual densities, or around pooled, if there is one,
// with the best of the widths.
func (d *densityFitter) choose(before *density, widths []float64, pooled *centre) (best density, least float64) {
	var nearest *centre
	distance := math.Inf(1)
	for k := range d.family.centres {
		c := &d.family.centres[k]
		if v := d.objective(&c.w, c.logZ, prior{c, 1}); v < distance {
			nearest, distance = c, v
		}
	}
	if before != nil && !before.gaussian {
		d.look(&before.weights)
	} else {
		d.look(&nearest.w)
	}
	least = math.Inf(1)
	for _, c := range []*centre{nearest, pooled} {
		if c == nil {
			continue
		}
		for _, width := range widths {
			if f, nats := d.density(prior{c, width}, d.fit(prior{c, width})); nats < least {
				best, least = f, nats
			}
		}
	}
	return best, least
}

// density sets out that which is looked at, and adds the cost of its choice to
// nats.
func (d *densityFitter) density(p prior, nats float64) (density, float64) {
	f := density{prior: p, weights: d.w, log: d.log}
	floats.AddConst(-d.logZ, f.log[:])
	likelihood := d.logZ
	for k, v := range d.w {
		likelihood -= v * d.mean[k]
	}
	nats += math.Log(2*float64(len(d.family.centres)+1)*float64(len(widths))) / d.n // Gaussian or not, and which
	f.cost = (nats - likelihood) * d.n
	return f, nats
}
