package density

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// A value lies between the two points that place says, in the given shares.
func TestPlace(t *testing.T) {
	for _, u := range []float64{0, 1e-9, 0.01, 1. / 32, 0.5, 0.99, 1, 1.01, 3, 7.3, 126.9} {
		for _, v := range []float64{u, -u} {
			near, far, share := Place(v)
			got := gridPoints[near] + share*(gridPoints[far]-gridPoints[near])
			if math.Abs(got-v) > 1e-12*math.Abs(v)+4e-16 || share < 0 || share >= 1 {
				t.Errorf("%g lies %g from point %d to point %d: at %g", v, share, near, far, got)
			}
		}
	}
	for _, v := range []float64{127, 1e9, -1e300, math.Inf(1)} {
		near, far, _ := Place(v)
		if edge := gridPoints[far]; math.Abs(edge) != 127 || math.Signbit(edge) != math.Signbit(v) {
			t.Errorf("%g is between points %d and %d", v, near, far)
		}
	}
}

// mass is the integral of the density over the grid, by the trapezium rule.
func mass(log *Curve) (sum float64) {
	for g, l := range log {
		sum += math.Exp(l) * gridWidths[g]
	}
	return sum
}

// at is feature k at point g of the grid.
func (f *family) at(k, g int) float64 {
	if g >= gridCentre {
		return f.fine.f[k][g-gridCentre]
	}
	if k < evens {
		return f.fine.f[k][gridCentre-g]
	}
	return -f.fine.f[k][gridCentre-g]
}

// At its scale every centre has the mean absolute value of a standard normal variable.
func TestScales(t *testing.T) {
	for _, c := range centres {
		absolute, total := 0.0, 0.0
		for g, u := range gridPoints {
			p := math.Exp(c.log(u/c.scale)) * gridWidths[g]
			absolute += math.Abs(u) * p
			total += p
		}
		if off := absolute/total - math.Sqrt(2/math.Pi); math.Abs(off) > 1e-13 {
			t.Errorf("%s: the mean absolute value is %g too large", c.name, off)
		}
	}
}

// Of every family the centre integrates to 1, and the features have mean 0 and are
// orthonormal under it.
func TestFamilies(t *testing.T) {
	for _, f := range allFamilies() {
		if m := mass(&f.log); math.Abs(m-1) > 1e-12 {
			t.Errorf("%s: mass %g", f.name, m)
		}
		absolute := 0.0
		for g, u := range gridPoints {
			absolute += math.Abs(u) * f.p[g]
		}
		if math.Abs(absolute-math.Sqrt(2/math.Pi)) > 2e-3 { // the share of the Laplace density
			t.Errorf("%s: mean |u| %g, want √(2/π)", f.name, absolute)
		}
		for k := range features {
			mean := 0.0
			for g := range gridPoints {
				mean += f.p[g] * f.at(k, g)
			}
			if math.Abs(mean) > 1e-8 {
				t.Errorf("%s: feature %d has mean %g", f.name, k, mean)
			}
			for l := range k + 1 {
				inner := 0.0
				for g := range gridPoints {
					inner += f.p[g] * f.at(k, g) * f.at(l, g)
				}
				want := 0.0
				if k == l {
					want = 1
				}
				if math.Abs(inner-want) > 1e-6 {
					t.Errorf("%s: features %d and %d have product %g, want %g", f.name, k, l, inner, want)
				}
			}
		}
	}
}

// draws are of densities with known entropies at mean |u| = √(2/π), in nats.
var draws = []struct {
	name    string
	draw    func(*rand.Rand) float64
	entropy float64
	bias    float64 // of a density that smooths edges or peaks
}{
	{"Laplace", func(r *rand.Rand) float64 {
		return math.Copysign(r.ExpFloat64(), r.Float64()-0.5)
	}, 1 + math.Log(2), 0.004},
	{"uniform", func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }, math.Log(2), 0.06},
	{"exponential", func(r *rand.Rand) float64 { return r.ExpFloat64() }, 1, 0.08},
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }, math.Log(2*math.Pi*math.E) / 2, 0.002},
}

// A fitted density integrates to 1, its likelihood is that of its own curve, and
// its description length is the entropy and its cost over the positions.
func TestFit(t *testing.T) {
	const n = 20000
	for _, c := range draws {
		rng := rand.New(rand.NewPCG(1, 1))
		u := make([]float64, n)
		for t := range u {
			u[t] = c.draw(rng)
		}
		scale := floats.Norm(u, 1) / n * math.Sqrt(math.Pi/2)
		floats.Scale(1/scale, u)
		var d Fitter
		d.Begin(u, 1)
		d.Choose()
		f, nats := d.Finish(Fine)
		if m := mass(&f.Log); math.Abs(m-1) > 1e-9 {
			t.Errorf("%s: mass %g", c.name, m)
		}
		likelihood := 0.0
		for _, v := range u {
			likelihood -= f.Log.At(v) / n
		}
		if got := nats - f.Cost/n; math.Abs(got-likelihood) > 1e-9 {
			t.Errorf("%s: %g nats without the cost, want %g", c.name, got, likelihood)
		}
		// The standard error of the mean log density is about 1/√n.
		if got := likelihood + math.Log(scale); got < c.entropy-4/math.Sqrt(n) || got > c.entropy+4/math.Sqrt(n)+c.bias {
			t.Errorf("%s: %.4f nats, want %.4f", c.name, got, c.entropy)
		}
		// Half the logarithm of the positions for each weight, and how far they are
		// from the centre.
		if f.Cost < 0 || f.Cost > features*math.Log(n)/2+20 {
			t.Errorf("%s: cost %g nats", c.name, f.Cost)
		}
		t.Logf("%s: %s, likelihood %.4f of %.4f, cost %.1f nats", c.name, f.String(),
			likelihood+math.Log(scale), c.entropy, f.Cost)
	}
}

// No small change of the weights lowers the objective, and fitting again from the
// weights changes nothing.
func TestFitIsMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	u := make([]float64, 500)
	for t := range u {
		u[t] = draws[0].draw(rng)
	}
	var d Fitter
	d.Begin(u, 1)
	d.Choose()
	f, nats := d.Finish(Fine)
	if _, again := d.Refit(&f); math.Abs(again-nats) > Fine/500 {
		t.Errorf("%g nats again, want %g", again, nats)
	}
	d.setFamily(f.family)
	scale := d.precision(f.width)
	objective := func(w [features]float64) float64 {
		d.setWeights(&d.fine, &f.family.fine, &w)
		return d.objective(d.fine.logZ, scale)
	}
	least := objective(f.weights)
	for k := range features {
		for _, by := range []float64{-0.05, 0.05} {
			w := f.weights
			w[k] += by
			if v := objective(w); v < least-Fine/500 {
				t.Errorf("weight %d by %g lowers the objective by %g nats", k, by, (least-v)*500)
			}
		}
	}
}

// standard returns n draws with the mean absolute value of a standard normal variable.
func standard(draw func(*rand.Rand) float64, seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	u := make([]float64, n)
	for t := range u {
		u[t] = draw(rng)
	}
	floats.Scale(math.Sqrt(2/math.Pi)*float64(n)/floats.Norm(u, 1), u)
	return u
}

// Finish ends at the prior with the most evidence of all three Widths, and which density Choose
// returned before, of which a comparison may begin, makes less difference than what it may cost.
func TestFinish(t *testing.T) {
	const n = 1000
	for seed, c := range draws {
		u := standard(c.draw, uint64(seed), n)
		var d, warm Fitter
		d.Begin(u, 1)
		d.Choose()
		_, nats := d.Finish(Fine)
		for k, width := range Widths {
			d.w = [features]float64{}
			d.approach(width, Fine)
			if _, other := d.fit(width, Fine); other < nats-0.1/n {
				t.Errorf("%s: %.3f nats in all, %.3f with the %d-th width", c.name, nats*n, other*n, k)
			}
		}
		warm.Begin(standard(c.draw, uint64(seed)+100, n), 1)
		warm.Choose()
		warm.Begin(u, 1)
		warm.Choose()
		if _, other := warm.Finish(Fine); math.Abs(other-nats) > 0.1/n {
			t.Errorf("%s: %.3f nats in all, %.3f after another comparison", c.name, nats*n, other*n)
		}
	}
}

// The curvature, of the coarse points, is the features' covariance under a fitted density, to a
// twentieth.
func TestMoments(t *testing.T) {
	for seed, c := range draws {
		var d Fitter
		d.Begin(standard(c.draw, uint64(seed), 1000), 1)
		d.Choose()
		d.curve(d.precision(Widths[middleWidth]))
		f := d.family
		d.fine.set(&f.fine, &d.w)
		var p Curve
		p.unfold(&d.fine.even, &d.fine.odd)
		for g := range p {
			p[g] = f.p[g] * math.Exp(p[g]-d.fine.logZ)
		}
		mean := func(value func(g int) float64) (sum float64) {
			for g, share := range p {
				sum += share * value(g)
			}
			return sum
		}
		for k := range features {
			a := mean(func(g int) float64 { return f.at(k, g) })
			for l := range k + 1 {
				b := mean(func(g int) float64 { return f.at(l, g) })
				want := mean(func(g int) float64 { return (f.at(k, g) - a) * (f.at(l, g) - b) })
				size := math.Sqrt(d.covariance[k][k] * d.covariance[l][l])
				if got := d.covariance[k][l]; math.Abs(got-want) > 0.05*size {
					t.Errorf("%s: features %d and %d have covariance %g, want %g", c.name, k, l, got, want)
				}
			}
		}
	}
}

// A step that is longer than maxLength gives some share more than it allows, and none gets more at
// maxLength itself.
func TestMaxLength(t *testing.T) {
	const slope = 0.01
	for seed, c := range draws {
		var d Fitter
		d.Begin(standard(c.draw, uint64(seed), 1000), 1)
		d.Choose()
		b := &d.family.coarse
		for k := range features {
			var step, w [features]float64
			step[k] = 3
			var before, after tilted
			before.set(b, &d.w)
			floats.AddTo(w[:], d.w[:], step[:])
			after.set(b, &w)
			length := after.maxLength(&step, before.logZ, slope, new([2]half))
			excess := func(length float64) float64 {
				largest := math.Inf(-1)
				for g := range b.logMass {
					for _, side := range []float64{1, -1} {
						change := after.even[g] - before.even[g] + side*(after.odd[g]-before.odd[g])
						if change <= 1 {
							continue
						}
						log := before.even[g] + side*before.odd[g] + b.logMass[g] - before.logZ
						allowed := max(1, math.Log(slope/2/change)-log)
						largest = max(largest, length*change-allowed)
					}
				}
				return largest
			}
			if length < 1 && math.Abs(excess(length)) > 1e-9 || excess(length) > 1e-9 {
				t.Errorf("%s: feature %d: %g of the step exceeds what is allowed by %g", c.name, k, length,
					excess(length))
			}
		}
	}
}

// Few values of a centre's density are coded by that centre alone: its code is longer than that of the
// true density by the name of the centre only, half of log n.
func TestCentreAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	const n = 400
	u := make([]float64, n)
	absolute := 0.0
	for i := range u {
		p := rng.Float64()
		u[i] = math.Log(p / (1 - p)) // logistic
		absolute += math.Abs(u[i]) / n
	}
	scale := math.Sqrt(2/math.Pi) / absolute
	var d Fitter
	d.Begin(u, scale)
	compared := d.Choose()
	f, nats := d.Finish(Fine)
	if f.String() != "logistic" || f.width != 0 || f.Cost != math.Log(n)/2 {
		t.Errorf("%v of width %g costs %g; want the logistic centre, %g", &f, f.width, f.Cost, math.Log(n)/2)
	}
	want := 0.0 // at mean |u| = √(2/π)
	for _, v := range u {
		b := centres[1].scale
		want += (2*math.Log(math.Cosh(v*scale/b/2)) + math.Log(4*b)) / n
	}
	if off := nats - want - f.Cost/n; math.Abs(off) > 2e-3 || math.Abs(compared-nats) > 1e-12 {
		t.Errorf("%.5f nats, compared as %.5f; the true density has %.5f", nats, compared, want)
	}
	again, length := d.Refit(&f)
	if again.width != 0 || math.Abs(length-nats) > 1e-12 {
		t.Errorf("refitted: width %g, %.5f nats", again.width, length)
	}
}
