package jade

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// white returns white mixtures of uniform signals and signals with heavy tails.
func white(t *testing.T, d, n int) *mat.Dense {
	t.Helper()
	_, _, x := baselinetest.Problem(d, n, baselinetest.Odd)
	w, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	return w.White
}

// product returns all combinations of the values of independent sources with mean 0 and variance
// 1. Their cross-cumulants are 0.
func product(values ...[]float64) *mat.Dense {
	n := 1
	for _, v := range values {
		n *= len(v)
	}
	s := mat.NewDense(len(values), n, nil)
	every := 1
	for i, v := range values {
		for p := range n {
			s.Set(i, p, v[p/every%len(v)])
		}
		every *= len(v)
	}
	return s
}

var (
	signs = []float64{-1, 1}                                          // excess kurtosis −2
	three = []float64{-math.Sqrt(1.5), 0, math.Sqrt(1.5)}             // −1.5
	heavy = []float64{-2, 0, 0, 0, 0, 0, 0, 2}                        // 1
	skew  = []float64{-math.Sqrt(0.5), -math.Sqrt(0.5), math.Sqrt(2)} // −1.5
)

// cumulant returns cum(zᵢ, zⱼ, zₖ, zₗ) by its definition for mean 0, in plain loops.
func cumulant(z *mat.Dense, i, j, k, l int) float64 {
	_, n := z.Dims()
	mean := func(of ...int) float64 {
		sum := 0.0
		for p := range n {
			v := 1.0
			for _, i := range of {
				v *= z.At(i, p)
			}
			sum += v
		}
		return sum / float64(n)
	}
	return mean(i, j, k, l) - mean(i, j)*mean(k, l) - mean(i, k)*mean(j, l) - mean(i, l)*mean(j, k)
}

func TestCumulantsByDefinition(t *testing.T) {
	const d = 3
	z := white(t, d, 2*blockWidth+17)
	all, err := cumulants(t.Context(), z)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for k := range d {
		for l := range k + 1 {
			want := mat.NewSymDense(d, nil)
			for i := range d {
				for j := range d {
					v := cumulant(z, i, j, k, l)
					if k != l {
						v *= math.Sqrt2
					}
					want.SetSym(i, j, v)
				}
			}
			if !mat.EqualApprox(all[at], want, 1e-12) {
				t.Errorf("pair %d, %d:\n%v, want\n%v",
					k, l, mat.Formatted(all[at]), mat.Formatted(want))
			}
			at++
		}
	}
	if at != len(all) {
		t.Errorf("%d matrices, want %d", len(all), at)
	}
}

// The cumulants of independent signals are 0 except the excess kurtosis of each.
func TestCumulantsOfIndependentSignals(t *testing.T) {
	all, err := cumulants(t.Context(), product(signs, three, heavy))
	if err != nil {
		t.Fatal(err)
	}
	kurtosis := []float64{-2, -1.5, 1}
	at := 0
	for k := range 3 {
		for l := range k + 1 {
			want := mat.NewSymDense(3, nil)
			if k == l {
				want.SetSym(k, k, kurtosis[k])
			}
			if !mat.EqualApprox(all[at], want, 1e-13) {
				t.Errorf("pair %d, %d:\n%v, want\n%v",
					k, l, mat.Formatted(all[at]), mat.Formatted(want))
			}
			at++
		}
	}
}

// squares returns the sum of the squared cumulants of all quadruples.
func squares(z *mat.Dense) (sum float64) {
	d, _ := z.Dims()
	for i := range d {
		for j := range d {
			for k := range d {
				for l := range d {
					sum += math.Pow(cumulant(z, i, j, k, l), 2)
				}
			}
		}
	}
	return sum
}

// The matrices hold all cumulants: the sum of their squares is that over all quadruples, which is
// invariant under rotations.
func TestSumOfSquares(t *testing.T) {
	const d = 3
	z := white(t, d, 500)
	want := squares(z)
	for seed := range uint64(3) {
		var rotated mat.Dense
		rotated.Mul(rotation.Random(rand.New(rand.NewPCG(seed, 1)), d), z)
		all, err := cumulants(t.Context(), &rotated)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, q := range all {
			got += math.Pow(mat.Norm(q, 2), 2)
		}
		if math.Abs(got-want) > 1e-10*want {
			t.Errorf("the sum of squares is %.12g, want %.12g", got, want)
		}
	}
}

// JADE's angle between two signals minimises the sum of the squares cum(yᵢ, yⱼ, yₖ, yₗ)² with
// i ≠ j over all angles.
func TestAngleIsTheBestOfAll(t *testing.T) {
	x := white(t, 2, 300)
	off := func(y *mat.Dense) float64 {
		sum := 0.0
		for k := range 2 {
			for l := range 2 {
				sum += 2 * math.Pow(cumulant(y, 0, 1, k, l), 2)
			}
		}
		return sum
	}
	m, err := ica.Separate(t.Context(), Default(), x)
	if err != nil {
		t.Fatal(err)
	}
	reached := off(m.Signals)
	best := math.Inf(1)
	const steps = 500
	for k := range steps {
		sin, cos := math.Sincos(math.Pi / 2 * float64(k) / steps)
		var y mat.Dense
		y.Mul(mat.NewDense(2, 2, []float64{cos, sin, -sin, cos}), x)
		v := off(&y)
		best = min(best, v)
		if v < reached {
			t.Errorf("at %d/%d of a right angle the sum is %g, less than JADE's %g",
				k, steps, v, reached)
		}
	}
	// The sum is a trigonometric polynomial of degree 8 in the angle, bounded by the sum of all
	// squares. By Bernstein's inequality its second derivative is at most 64 times that bound.
	// An angle of the grid is within half a step of JADE's.
	half := math.Pi / 2 / steps / 2
	if bound := reached + 64*squares(x)*half*half/2; best > bound {
		t.Errorf("the smallest sum on a grid of angles is %g, want at most %g with JADE's %g",
			best, bound, reached)
	}
}

// Sources whose empirical distribution is exactly a product are recovered up to rounding.
func TestSeparatesExactly(t *testing.T) {
	s := product(signs, three, heavy, skew)
	a := mat.NewDense(4, 4, []float64{1, 2, 3, 0, -1, 0, 1, 1, 2, 1, 1, 0, 0, 0, 1, 3})
	var x mat.Dense
	x.Mul(a, s)
	cfg := Default()
	cfg.Tolerance = 1e-13
	m, err := ica.Separate(t.Context(), cfg, &x)
	if err != nil {
		t.Fatal(err)
	}
	if distance := baselinetest.Distance(m.Signals, s); !(distance < 1e-12) {
		t.Errorf("the signals are off by %g", distance)
	}
}
