package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func gaussians(seed uint64, d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 44))
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	return z
}

// The cosine transform keeps inner products and is inverted; scaling commutes with a mixing.
func TestCosineTransformIsOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{48}, {6, 8}, {2, 4, 6}} {
		z := gaussians(1, 3, 48)
		c := newCosine(z, shape)
		var before, after mat.Dense
		before.Mul(z, z.T())
		after.Mul(c.coefficients, c.coefficients.T())
		if !mat.EqualApprox(&before, &after, 1e-10) {
			t.Errorf("shape %v: inner products %v, want %v", shape, mat.Formatted(&after), mat.Formatted(&before))
		}
		if !mat.EqualApprox(c.scaled(shape), z, 1e-12) {
			t.Errorf("shape %v: the transform doesn't come back", shape)
		}
		small := scaledShape(shape, 2)
		a := gaussians(2, 3, 3)
		var x, mixed mat.Dense
		x.Mul(a, z)
		mixed.Mul(a, c.scaled(small))
		if !mat.EqualApprox(newCosine(&x, shape).scaled(small), &mixed, 1e-12) {
			t.Errorf("shape %v: scaling doesn't commute with a mixing", shape)
		}
	}
}

// A constant stays constant, multiplied by √k: half of the positions have the same energy.
func TestScaledConstant(t *testing.T) {
	z := mat.NewDense(1, 40, nil)
	floats.AddConst(1, z.RawRowView(0))
	for _, v := range newCosine(z, []int{40}).scaled([]int{20}).RawRowView(0) {
		if math.Abs(v-math.Sqrt2) > 1e-12 {
			t.Fatalf("%g, want √2", v)
		}
	}
}

func TestSmoothLength(t *testing.T) {
	for n, want := range map[int]int{5: 5, 8: 8, 2000: 2000, 2003: 2000, 20011: 20000, 1024: 1024} {
		if got := smoothLength(n); got != want {
			t.Errorf("smoothLength(%d) = %d, want %d", n, got, want)
		}
	}
	for n := 200; n < 30000; n += 37 {
		if got := smoothLength(n); got > n || float64(got) < 0.9*float64(n) {
			t.Errorf("smoothLength(%d) = %d", n, got)
		}
	}
}

// Powers that vary as much as chance lets those of a white signal gain nothing: their code length is what
// they save over one power. Powers that vary more cost less than they save, and more so the more they vary.
func TestPowersLength(t *testing.T) {
	const bands, weight = 30, 100.
	s := &spectrum{d: 1}
	rng := rand.New(rand.NewPCG(4, 0))
	white, coloured := make([][]float64, bands), make([][]float64, bands)
	for k := range white {
		s.weights = append(s.weights, weight)
		z := rng.NormFloat64()
		white[k] = []float64{math.Exp(0.8 * z * math.Sqrt(2/weight))}
		coloured[k] = []float64{math.Exp(z)}
	}
	// saved is by how many nats the powers shorten the Gaussian code of a signal.
	saved := func(powers [][]float64) float64 {
		mean, logs := 0.0, 0.0
		for _, p := range powers {
			mean += p[0] / bands
			logs += math.Log(p[0]) / bands
		}
		return bands * weight / 2 * (math.Log(mean) - logs)
	}
	if got, want := s.powersLength(white, 1), saved(white); math.Abs(got-want) > 1e-9 {
		t.Errorf("white: a code of %g nats, want the %g that it saves", got, want)
	}
	got, most := s.powersLength(coloured, 1), saved(coloured)
	const degrees = bands - 1
	if want := degrees / 2. * (1 + math.Log(2*most/degrees)); math.Abs(got-want) > 1e-9 || got > most/5 {
		t.Errorf("coloured: a code of %g nats, want %g; it saves %g", got, want, most)
	}
	// The length doesn't jump where chance ends.
	flat := func(spread float64) float64 {
		all := make([][]float64, bands)
		for k := range all {
			all[k] = []float64{math.Exp(spread * math.Sqrt(2/weight) * math.Cos(float64(k)))}
		}
		return s.powersLength(all, 1)
	}
	for spread := 0.5; spread < 3; spread += 0.01 {
		if step := flat(spread+0.01) - flat(spread); step < 0 || step > 0.5 {
			t.Errorf("at a spread of %.2f the length jumps by %g", spread, step)
		}
	}
}
