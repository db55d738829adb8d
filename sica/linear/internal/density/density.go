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
	d.mean = [features]float64{}
	for g, share := range d.histogram {
		if share == 0 {
			continue
		}
		for k, v := range f.f[g] {
			d.mean[k] += share * v
		}
	}
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
	largest := math.Inf(-1)
	for g := range d.tilt {
		f := &d.family.f[g]
		// Two sums, which the processor takes side by side.
		a, b := w[features-1]*f[features-1], 0.0
		for k := 0; k+1 < features; k += 2 {
			a += w[k] * f[k]
			b += w[k+1] * f[k+1]
		}
		d.tilt[g] = a + b
		d.p[g] = a + b + d.family.logMass[g]
		largest = max(largest, d.p[g])
	}
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
		step := d.gradient
		right := blas64.Vector{N: features, Inc: 1, Data: step[:]}
		blas64.Trsv(blas.NoTrans, lower, right)
		if floats.Dot(step[:], step[:])*d.n < negligible {
			break
		}
		blas64.Trsv(blas.Trans, lower, right)
		if !d.line(&step, &least, width) {
			break
		}
	}
	nats := least + logDet/2/d.n
	f := Density{family: d.family, width: width, weights: d.w, Log: d.family.log}
	floats.Add(f.Log[:], d.tilt[:])
	floats.AddConst(-d.logZ, f.Log[:])
	f.Cost = (nats - d.origin - d.logZ + floats.Dot(d.w[:], d.mean[:])) * d.n
	return f, nats
}

// line goes along −step as far as it lowers the objective.
func (d *Fitter) line(step *[features]float64, least *float64, width float64) bool {
	w := d.w
	length := 1.0
	for range 12 {
		next := w
		floats.AddScaled(next[:], -length, step[:])
		d.look(&next)
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
// covariance.
func (d *Fitter) moments() {
	d.gradient, d.hessian = [features]float64{}, [features * features]float64{}
	for g, p := range d.p {
		if p < 1e-12 { // rounding
			continue
		}
		f := &d.family.f[g]
		for k := range features {
			v := p * f[k]
			d.gradient[k] += v
			row := d.hessian[k*features : k*features+k+1]
			for l := range row {
				row[l] += v * f[l]
			}
		}
	}
	for k := range features {
		for l := range k + 1 {
			d.hessian[k*features+l] -= d.gradient[k] * d.gradient[l]
		}
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
	for _, f := range usual {
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
