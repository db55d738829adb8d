package rotation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// Q is orthogonal, and Qᵀ times the draws is upper triangular: Q is their factor. Only those d²
// draws are taken from the stream.
func TestRandomIsOrthogonalFactor(t *testing.T) {
	for d := 1; d <= 6; d++ {
		rng, same := rand.New(rand.NewPCG(1, uint64(d))), rand.New(rand.NewPCG(1, uint64(d)))
		q := rotation.Random(rng, d)
		normal := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				normal.Set(i, j, same.NormFloat64())
			}
		}
		if got, want := rng.Uint64(), same.Uint64(); got != want {
			t.Errorf("d=%d: the stream goes on with %d, want %d", d, got, want)
		}
		var gram, r mat.Dense
		gram.Mul(q.T(), q)
		r.Mul(q.T(), normal)
		for i := range d {
			for j := range d {
				unit := 0.0
				if i == j {
					unit = 1
				}
				if math.Abs(gram.At(i, j)-unit) > 1e-14 {
					t.Errorf("d=%d: (Qᵀ·Q)[%d,%d] = %g", d, i, j, gram.At(i, j))
				}
				if j < i && math.Abs(r.At(i, j)) > 1e-14 {
					t.Errorf("d=%d: R[%d,%d] = %g, want 0", d, i, j, r.At(i, j))
				}
			}
		}
	}
}

// The moments of Haar's measure that no sign of a column changes are, in closed
// form,
//
//	E q₁₁² = 1/d, E q₁₁⁴ = 3/(d(d+2)),
//	E q₁₁²q₂₂² = (d+1)/((d−1)d(d+2)), E q₁₁q₁₂q₂₁q₂₂ = −1/((d−1)d(d+2)).
//
// (B. Collins, P. Śniady, Commun. Math. Phys. 264, 2006.)
func TestRandomHasHaarMoments(t *testing.T) {
	const draws = 20000
	for d := 2; d <= 4; d++ {
		rng := rand.New(rand.NewPCG(2, uint64(d)))
		var square, fourth, diagonal, four float64
		for range draws {
			q := rotation.Random(rng, d)
			a, b, c, e := q.At(0, 0), q.At(0, 1), q.At(1, 0), q.At(1, 1)
			square += a * a / draws
			fourth += a * a * a * a / draws
			diagonal += a * a * e * e / draws
			four += a * b * c * e / draws
		}
		n := float64(d)
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"q₁₁²", square, 1 / n},
			{"q₁₁⁴", fourth, 3 / (n * (n + 2))},
			{"q₁₁²q₂₂²", diagonal, (n + 1) / ((n - 1) * n * (n + 2))},
			{"q₁₁q₁₂q₂₁q₂₂", four, -1 / ((n - 1) * n * (n + 2))},
		} {
			// Each moment is of a quantity within ±1, whose mean has a standard
			// error below ½/√draws.
			if math.Abs(m.got-m.want) > 2/math.Sqrt(draws) {
				t.Errorf("d=%d: the mean of %s is %.4f, want %.4f", d, m.name, m.got, m.want)
			}
		}
	}
}

func ExampleRandom() {
	q := rotation.Random(rand.New(rand.NewPCG(1, 2)), 3)
	fmt.Printf("%.3f\n", math.Abs(mat.Det(q)))
	// Output: 1.000
}

// The nearest orthogonal matrix is the orthogonal factor of the polar decomposition.
func TestNearestIsPolarFactor(t *testing.T) {
	for d := 1; d <= 6; d++ {
		rng := rand.New(rand.NewPCG(2, uint64(d)))
		q, axes := rotation.Random(rng, d), rotation.Random(rng, d)
		var positive, m mat.Dense // axes·diag·axesᵀ
		positive.Apply(func(_, j int, v float64) float64 { return v * float64(j+1) }, axes)
		positive.Mul(&positive, axes.T())
		m.Mul(q, &positive)
		if got, ok := rotation.Nearest(&m); !ok || !mat.EqualApprox(got, q, 1e-12) {
			t.Errorf("d=%d: it isn't the factor", d)
		}
	}
}
