package dipole

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
)

// layers are the outer radii and the conductivities of a sphere's layers, from the innermost.
type layers struct{ radii, conductivities []float64 }

// factor returns the factor of the term n of the series, 1 for a homogeneous sphere of the
// outermost layer's conductivity. In a layer the potential of term n is a·r^n + b·r^−(n+1). A
// dipole of the innermost layer makes b = 1/σ there. Potential and current are continuous at each
// border, and no current leaves the head.
func (l layers) factor(n float64) float64 {
	last := len(l.radii) - 1
	// outermost returns the outermost layer's a and b from those of the innermost.
	outermost := func(a, b float64) (float64, float64) {
		for k := range last {
			up, down := math.Pow(l.radii[k], n), math.Pow(l.radii[k], -n-1)
			v := a*up + b*down
			current := (n*a*up - (n+1)*b*down) * l.conductivities[k] / l.conductivities[k+1]
			a = ((n+1)*v + current) / (2*n + 1) / up
			b = (n*v - current) / (2*n + 1) / down
		}
		return a, b
	}
	// At the surface, r = 1, n·a − (n+1)·b = 0.
	a0, b0 := outermost(1, 0)
	a1, b1 := outermost(0, 1/l.conductivities[0])
	x := -(n*a1 - (n+1)*b1) / (n*a0 - (n+1)*b0)
	return (x*(a0+b0) + a1 + b1) * l.conductivities[last] * n / (2*n + 1)
}

// potential returns the potential of a dipole at a place on the surface, by the exact series: the
// source of the term n is the dipole's gradient of |q|^n·P_n(cos γ).
func (l layers) potential(e, q, moment r3.Vec) float64 {
	b, radial := r3.Norm(q)/HeadRadius, r3.Unit(q)
	cosine := r3.Dot(r3.Unit(e), radial)
	tangent := r3.Sub(r3.Unit(e), r3.Scale(cosine, radial)) // |q| times the gradient of cos γ
	sum, before, legendre := 0.0, 1.0, cosine
	derivative := 1.0 // of P_n
	for k := 1; k < 120; k++ {
		n := float64(k)
		source := n*legendre*r3.Dot(moment, radial) + derivative*r3.Dot(moment, tangent)
		sum += l.factor(n) * (2*n + 1) / n * math.Pow(b, n-1) * source
		before, legendre = legendre, ((2*n+1)*cosine*legendre-n*before)/(n+1)
		derivative = cosine*derivative + (n+1)*before
	}
	return sum / (4 * math.Pi * conductivity * HeadRadius * HeadRadius)
}

// The potential of a dipole in the middle is 3·p·cos θ/(4πσR²).
func TestCentralDipole(t *testing.T) {
	for _, theta := range []float64{0, 0.5, 2, math.Pi} {
		e := r3.Scale(HeadRadius, r3.Vec{X: math.Sin(theta), Z: math.Cos(theta)})
		want := 3 * math.Cos(theta) / (4 * math.Pi * conductivity * HeadRadius * HeadRadius)
		if got := leadVector(e, r3.Vec{}).Z; math.Abs(got-want) > 1e-9 {
			t.Errorf("at %g rad: %g V, want %g", theta, got, want)
		}
	}
}

// random returns a vector of that length.
func random(rng *rand.Rand, length float64) r3.Vec {
	v := r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
	return r3.Scale(length, r3.Unit(v))
}

// The closed form is the sum of the series.
func TestClosedFormIsTheSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	one := layers{[]float64{1}, []float64{conductivity}}
	for range 20 {
		e, q := random(rng, HeadRadius), random(rng, 0.8*rng.Float64()*HeadRadius)
		moment := random(rng, 1)
		want := one.potential(e, q, moment)
		lead := leadVector(e, q)
		if got := r3.Dot(lead, moment); math.Abs(got-want) > 1e-6*r3.Norm(lead) {
			t.Errorf("%g V, want %g", got, want)
		}
	}
}

// The three dipoles have the potentials of the four layers.
func TestShellsAreTheLayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	head := layers{[]float64{0.90, 0.92, 0.97, 1}, []float64{0.33, 1, 0.004, 0.33}}
	m := NewMontage(allNames)
	for range 20 {
		q, moment := random(rng, 0.85*rng.Float64()*HeadRadius), random(rng, 1)
		want := make([]float64, len(m.places))
		for i, e := range m.places {
			want[i] = head.potential(e, q, moment)
		}
		floats.AddConst(-floats.Sum(want)/float64(len(want)), want)
		got := m.Potentials(q, moment)
		if off := floats.Distance(got, want, 2) / floats.Norm(want, 2); off > 0.01 {
			t.Errorf("at %.3f m the potentials are off by %.4f", r3.Norm(q), off)
		}
	}
}

var allNames = []string{
	"Fp1", "Fp2", "F7", "F3", "Fz", "F4", "F8", "EOG1", "T7", "C3", "Cz", "C4", "T8", "P7", "P3", "Pz",
	"P4", "P8", "O1", "Oz", "O2", "T3",
}

// A dipole leaves nothing over of its own potentials at a place of the grid, little between places,
// and of noise most of it. A constant has none.
func TestResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	m := NewMontage(allNames)
	if len(m.Channels) != len(allNames)-2 {
		t.Fatalf("%d electrodes; want all but EOG1 and T3, which is T7", len(m.Channels))
	}
	patterns := mat.NewDense(len(allNames), 5, nil)
	places := []r3.Vec{{}, r3.Scale(gridStep, r3.Vec{X: 5, Y: -7, Z: 4}), random(rng, 0.06)}
	for j, place := range places {
		for i, v := range m.Potentials(place, random(rng, 1e-8)) {
			patterns.Set(m.Channels[i], j, v)
		}
	}
	for i := range allNames {
		patterns.Set(i, 3, rng.NormFloat64())
		patterns.Set(i, 4, 7)
	}
	got := m.Residuals(patterns)
	if got[0] > 1e-9 || got[1] > 1e-9 || got[2] > 0.01 || got[3] < 0.3 || got[4] != 1 {
		t.Errorf("residuals %.3g; want 0, 0, nearly 0, large, 1", got)
	}
}
