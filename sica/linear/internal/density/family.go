package density

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// knots is the number of knots of the splines, equally spaced in asinh u from −lastKnot to
	// lastKnot, which is u = ±4.9. Both are choices. The time of a Newton step grows with the
	// square of the number of features.
	knots    = 9
	lastKnot = 2.3
	numPlain = 4 // number of features that aren't splines
	features = numPlain + knots - 2
	// evens is the number of features that are even in u, which come first; the others are odd.
	evens = 2 + (knots-1)/2
)

// A family is an exponential family: the densities centre(u)·exp(w·f(u)) up to a factor, with the
// features f and weights w of a Density. The centre is even in u.
type family struct {
	name      string
	fine      basis             // at the grid points
	coarse    basis             // at groups of them
	precision [features]float64 // prior precision of each weight relative to the first
	log       Curve             // log density of the centre at the grid points
	p         Curve             // probabilities of the grid points under the centre
}

// A centre is a density, given by its logarithm up to a constant.
type centre struct {
	name string
	// scale is the scale that gives the centre, on the grid, the mean absolute value √(2/π) of a
	// standard normal variable. It was found by bisection; TestScales checks it.
	scale float64
	log   func(u float64) float64
}

// centres are common densities of innovations, one for each family.
var centres = []centre{
	{"Gaussian", 1.0001387126491614, func(u float64) float64 { return -u * u / 2 }},
	{"logistic", 0.57562449974015539, func(u float64) float64 {
		return -2 * math.Log(math.Cosh(u/2))
	}},
	{"Laplace", 0.7900231068063888, func(u float64) float64 { return -math.Sqrt(0.01 + u*u) }},
	{"Student's t(4)", 0.7979880721262409, func(u float64) float64 {
		return -2.5 * math.Log(1+u*u/4)
	}},
	{"a peak with heavy tails", 3.5913570988178085, func(u float64) float64 {
		return -1.5 * math.Log(0.05+u*u)
	}},
	{"rounded", 1.578825234730774, func(u float64) float64 { return -math.Pow(math.Abs(u), 3) }},
	{"flat", 1.6582557313270014, func(u float64) float64 { return -math.Pow(u, 6) }},
	{"uniform", 1.6333477783855306, func(u float64) float64 { return -math.Pow(u, 20) }},
	{"two peaks", 0.9194113427400465, func(u float64) float64 { return 4*u*u - 2*math.Pow(u, 4) }},
}

// allFamilies returns the families of the centres. The first call computes them, in some
// milliseconds.
var allFamilies = sync.OnceValue(func() []*family {
	families := make([]*family, len(centres))
	for k, c := range centres {
		families[k] = newFamily(func(u float64) float64 { return math.Exp(c.log(u / c.scale)) })
		families[k].name = c.name
	}
	return families
})

// newFamily returns the family whose centre has the given density, up to a factor. A thousandth of
// a Laplace density is mixed in, so that no value is impossible.
func newFamily(density func(u float64) float64) *family {
	const share = 1e-3
	f := &family{}
	for g, u := range gridPoints {
		f.p[g] = density(u) * gridWidths[g]
	}
	floats.Scale((1-share)/floats.Sum(f.p[:]), f.p[:])
	for g, u := range gridPoints {
		f.p[g] += share / 2 * math.Exp(-math.Abs(u)) * gridWidths[g]
	}
	floats.Scale(1/floats.Sum(f.p[:]), f.p[:])
	var columns [features]Curve
	for g, u := range gridPoints {
		f.log[g] = math.Log(f.p[g] / gridWidths[g])
		v := math.Asinh(u)
		columns[0][g] = u * u / 2
		columns[1][g] = math.Sqrt(1 + u*u)
		columns[2][g] = v
		columns[3][g] = u
		for j := range knots - 2 {
			columns[numPlain+j][g] = naturalSpline(j, v)
		}
	}
	for k := range columns {
		orthonormalise(columns[:k+1], &f.p)
	}
	precision := [features]float64{1, 1, 1, 1}
	rotateByRoughness(columns[numPlain:], &f.p, precision[numPlain:])
	var values [features][]float64 // at u ≥ 0
	even, odd := 0, evens
	for k := range columns {
		to, sign := &even, 1.0
		if columns[k].isOdd(&f.p) {
			to, sign = &odd, -1
		}
		f.precision[*to] = precision[k]
		for g := range gridCentre + 1 {
			v := (columns[k][gridCentre+g] + sign*columns[k][gridCentre-g]) / 2
			values[*to] = append(values[*to], v)
		}
		*to++
	}
	f.fine = newBasis(values, f.p[gridCentre:])
	f.coarse = f.fine.grouped()
	return f
}

// isOdd reports whether c, which must be even or odd up to rounding, is odd.
func (c *Curve) isOdd(p *Curve) bool {
	product := 0.0
	for g := range c {
		product += p[g] * c[g] * c[len(c)-1-g]
	}
	return product < 0
}

// naturalSpline returns the value of the j-th natural cubic spline at v. It is linear beyond the
// knots, which gives a density power-law tails.
func naturalSpline(j int, v float64) float64 {
	knot := func(k int) float64 { return lastKnot * (2*float64(k)/(knots-1) - 1) }
	cube := func(x float64) float64 { return math.Pow(max(x, 0), 3) }
	truncated := func(k int) float64 {
		return (cube(v-knot(k)) - cube(v-knot(knots-1))) / (knot(knots-1) - knot(k))
	}
	return truncated(j) - truncated(knots-2)
}

// orthonormalise makes the last column orthonormal to 1 and to the columns before, under the
// probabilities p.
func orthonormalise(columns []Curve, p *Curve) {
	last := &columns[len(columns)-1]
	inner := func(a, b *Curve) (sum float64) {
		for g := range a {
			sum += p[g] * a[g] * b[g]
		}
		return sum
	}
	for range 2 { // the second pass removes rounding errors of the first
		floats.AddConst(-floats.Dot(p[:], last[:]), last[:])
		for k := range columns[:len(columns)-1] {
			floats.AddScaled(last[:], -inner(last, &columns[k]), columns[k][:])
		}
	}
	floats.Scale(1/math.Sqrt(inner(last, last)), last[:])
}

// rotateByRoughness rotates orthonormal curves so that their second derivatives in asinh u are
// uncorrelated, smoothest first. It sets precision to the mean squares of these derivatives,
// relative to the first: as with smoothing splines, the prior prefers smooth densities.
func rotateByRoughness(columns []Curve, p *Curve, precision []float64) {
	second := make([]Curve, len(columns))
	for k := range columns {
		var first Curve
		derivative(&columns[k], &first)
		derivative(&first, &second[k])
	}
	rough := mat.NewSymDense(len(columns), nil)
	for k := range columns {
		for l := range k + 1 {
			sum := 0.0
			for g := range p {
				sum += p[g] * second[k][g] * second[l][g]
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
	rotated := make([]Curve, len(columns))
	for k := range rotated {
		precision[k] = values[k] / values[0]
		for l := range columns {
			floats.AddScaled(rotated[k][:], vectors.At(l, k), columns[l][:])
		}
	}
	copy(columns, rotated)
}

// derivative sets d to the derivative of c with respect to asinh u.
func derivative(c, d *Curve) {
	c.Slope(d)
	for g, u := range gridPoints {
		d[g] *= math.Sqrt(1 + u*u)
	}
}
