// Package density fits densities of innovations by their description length.
package density

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
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

// Widths are the standard deviations of the prior of the weights, each 4 times the
// one before: hardly away from the centre; about as far as neighbouring centres
// are from each other; any density.
var Widths = []float64{0.1, 0.4, 1.6}

const (
	newtonSteps = 50   // at most, of the fit of a density
	negligible  = 0.01 // nats in all that a step must promise
)

// A Fitter finds the density of a histogram. What it allocates, it allocates
// once.
type Fitter struct {
	histogram histogram
	n         float64

	// The family and the weights that are looked at.
	family *family
	mean   [features]float64 // of the features over the positions
	origin float64           // nats a position of the centre
	w      [features]float64
	tilt   Curve // w·f
	p      Curve // of a grid point
	logZ   float64

	gradient [features]float64
	hessian  [features * features]float64 // lower triangle
	step     [features]float64
	next     [features]float64 // weights

	// Space: a local array would be allocated at each call, as gonum gets a slice of it.
	sum, difference     half
	even, odd, weighted half
}

// Begin is to be called before the others: with n values.
func (d *Fitter) Begin(u []float64) {
	d.n = float64(len(u))
	d.histogram.count(u)
	d.family = nil
}

// at sets the family that is looked at, at its centre.
func (d *Fitter) at(f *family) {
	d.family = f
	(*Curve)(&d.histogram).fold(&d.sum, &d.difference)
	f.means(d.mean[:], &d.sum, &d.difference)
	d.origin = d.distance(f)
	d.centre()
}

// distance is the nats a position that the family's centre takes.
func (d *Fitter) distance(f *family) float64 { return -floats.Dot(d.histogram[:], f.log[:]) }

// centre sets the weights to 0.
func (d *Fitter) centre() {
	d.w, d.tilt, d.p, d.logZ = [features]float64{}, Curve{}, d.family.p, 0
}

// look sets the weights.
func (d *Fitter) look(w *[features]float64) {
	d.w = *w
	d.even, d.odd = half{}, half{}
	for k := range features {
		of := &d.even
		if k >= evens {
			of = &d.odd
		}
		floats.AddScaled(of[:], w[k], d.family.f[k][:])
	}
	d.tilt.unfold(&d.even, &d.odd)
	floats.AddTo(d.p[:], d.tilt[:], d.family.logMass[:])
	largest := floats.Max(d.p[:])
	z := 0.0
	for g, l := range d.p {
		if l -= largest; l > -50 {
			d.p[g] = math.Exp(l)
			z += d.p[g]
		} else {
			d.p[g] = 0
		}
	}
	floats.Scale(1/z, d.p[:])
	d.logZ = largest + math.Log(z)
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
// position that it takes with its cost.
func (d *Fitter) fit(width float64) (Density, float64) {
	least := d.objective(width)
	if d.origin < least {
		d.centre()
		least = d.origin
	}
	scale := 1 / (width * width * d.n)
	logDet := 0.0 // of the posterior's precision over the prior's
	for range newtonSteps {
		d.moments()
		for k := range features {
			d.hessian[k*features+k] += scale * d.family.precision[k]
			d.gradient[k] += scale*d.family.precision[k]*d.w[k] - d.mean[k]
		}
		lower, ok := lapack64.Potrf(blas64.Symmetric{N: features, Stride: features, Data: d.hessian[:], Uplo: blas.Lower})
		if !ok {
			break
		}
		logDet = 0
		for k := range features {
			v := d.hessian[k*features+k]
			logDet += math.Log(v * v / (scale * d.family.precision[k]))
		}
		d.step = d.gradient
		right := blas64.Vector{N: features, Inc: 1, Data: d.step[:]}
		blas64.Trsv(blas.NoTrans, lower, right)
		if floats.Dot(d.step[:], d.step[:])*d.n < negligible {
			break
		}
		blas64.Trsv(blas.Trans, lower, right)
		if !d.line(&least, width) {
			break
		}
	}
	nats := least + logDet/2/d.n
	f := Density{family: d.family, width: width, weights: d.w, Log: d.family.log}
	for g, tilt := range d.tilt {
		f.Log[g] = f.Log[g] + tilt - d.logZ
	}
	f.Cost = (nats - d.origin - d.logZ + floats.Dot(d.w[:], d.mean[:])) * d.n
	return f, nats
}

// line goes along −step as far as it lowers the objective.
func (d *Fitter) line(least *float64, width float64) bool {
	w := d.w
	length := 1.0
	for range 12 {
		d.next = w
		floats.AddScaled(d.next[:], -length, d.step[:])
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

// moments sets gradient to the mean of the features, and hessian to their
// covariance. The product of two even or two odd features is even, and needs of p the sum
// of both sides; that of an even and an odd one is odd, and needs their difference.
func (d *Fitter) moments() {
	f := &d.family.f
	d.p.fold(&d.sum, &d.difference)
	d.family.means(d.gradient[:], &d.sum, &d.difference)
	weighted := &d.weighted
	for k := range features {
		row := d.hessian[k*features : k*features+k+1]
		from := 0
		if k >= evens {
			from = evens
			floats.MulTo(weighted[:], d.difference[:], f[k][:])
			for l := range evens {
				row[l] = floats.Dot(weighted[:], f[l][:])
			}
		}
		floats.MulTo(weighted[:], d.sum[:], f[k][:])
		for l := from; l <= k; l++ {
			row[l] = floats.Dot(weighted[:], f[l][:])
		}
		floats.AddScaled(row, -d.gradient[k], d.gradient[:k+1])
	}
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

// Refit returns the density with the family and the prior of before.
func (d *Fitter) Refit(before *Density) (Density, float64) {
	d.at(before.family)
	d.look(&before.weights)
	return d.fit(before.width)
}

// Choose returns the density with the least description length: of the nearest of
// the usual families, with the best of the widths.
func (d *Fitter) Choose(widths []float64) (best Density, least float64) {
	least = math.Inf(1)
	for _, f := range usual() {
		if v := d.distance(f); v < least {
			d.family, least = f, v
		}
	}
	d.at(d.family)
	least = math.Inf(1)
	for _, width := range widths {
		if f, nats := d.fit(width); nats < least {
			best, least = f, nats
		}
	}
	return best, least
}
