package jointdiag_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// diagonal by one rotation, with noise on top.
func matrices(rng *rand.Rand, q *mat.Dense, count int, noise float64) []*mat.SymDense {
	d, _ := q.Dims()
	all := make([]*mat.SymDense, count)
	for k := range all {
		values := mat.NewDiagDense(d, nil)
		for i := range d {
			values.SetDiag(i, rng.NormFloat64())
		}
		var m mat.Dense
		m.Product(q, values, q.T())
		all[k] = mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				all[k].SetSym(i, j, (m.At(i, j)+m.At(j, i))/2+noise*rng.NormFloat64())
			}
		}
	}
	return all
}

func off(v *mat.Dense, all []*mat.SymDense) (sum float64) {
	for _, c := range all {
		var rotated mat.Dense
		rotated.Product(v.T(), c, v)
		d, _ := v.Dims()
		for i := range d {
			for j := range d {
				if i != j {
					sum += rotated.At(i, j) * rotated.At(i, j)
				}
			}
		}
	}
	return sum
}

func run(t *testing.T, all []*mat.SymDense) *mat.Dense {
	t.Helper()
	r, err := jointdiag.Orthogonal(t.Context(), all, 1e-8, 100)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged {
		t.Errorf("not converged in %d sweeps", r.Sweeps)
	}
	d, _ := r.V.Dims()
	var gram mat.Dense
	gram.Mul(r.V.T(), r.V)
	for i := range d {
		gram.Set(i, i, gram.At(i, i)-1)
	}
	if worst := mat.Norm(&gram, 2); worst > 1e-12 {
		t.Errorf("VᵀV is %g from the identity", worst)
	}
	return r.V
}

// Matrices with common eigenvectors are diagonalised, and the rotation is recovered up to order and
// sign.
func TestCommonEigenvectorsAreRecovered(t *testing.T) {
	for _, d := range []int{1, 2, 3, 8, 20} {
		rng := rand.New(rand.NewPCG(1, uint64(d)))
		q := rotation.Random(rng, d)
		all := matrices(rng, q, 5, 0)
		v := run(t, all)
		// No angle is left that is larger than the tolerance, 1e-8, so that no
		// entry is larger than that times a difference of diagonal values.
		if sum := off(v, all); sum > 1e-16*16*float64(d*d*len(all)) {
			t.Errorf("d=%d: off the diagonals %g is left", d, sum)
		}
		var p mat.Dense
		p.Mul(v.T(), q)
		for i := range d {
			largest := 0.0
			for j := range d {
				largest = max(largest, math.Abs(p.At(i, j)))
			}
			if math.Abs(largest-1) > 1e-10 {
				t.Errorf("d=%d: column %d has cosine %g with the nearest true axis", d, i, largest)
			}
		}
	}
}

// For one matrix the result is gonum's eigenvalues.
func TestOneMatrixIsEigenvalueProblem(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	all := matrices(rng, rotation.Random(rng, 6), 1, 1)
	v := run(t, all)
	var rotated mat.Dense
	rotated.Product(v.T(), all[0], v)
	var eigen mat.EigenSym
	eigen.Factorize(all[0], false)
	for _, want := range eigen.Values(nil) {
		nearest := math.Inf(1)
		for i := range 6 {
			nearest = min(nearest, math.Abs(rotated.At(i, i)-want))
		}
		if nearest > 1e-12 {
			t.Errorf("no diagonal value is within %g of the eigenvalue %g", nearest, want)
		}
	}
}

// Where no rotation diagonalises all matrices, no small rotation of two axes lowers the criterion.
func TestResultIsLocalMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	all := matrices(rng, rotation.Random(rng, 5), 7, 0.2)
	v := run(t, all)
	least := off(v, all)
	for p := range 5 {
		for q := range p {
			for _, angle := range []float64{-1e-3, 1e-3} {
				rotation := mat.NewDense(5, 5, nil)
				for i := range 5 {
					rotation.Set(i, i, 1)
				}
				sin, cos := math.Sincos(angle)
				rotation.Set(p, p, cos)
				rotation.Set(q, q, cos)
				rotation.Set(p, q, sin)
				rotation.Set(q, p, -sin)
				var rotated mat.Dense
				rotated.Mul(v, rotation)
				if sum := off(&rotated, all); sum <= least {
					t.Errorf("turning axes %d and %d by %g lowers %g by %g", p, q, angle, least, least-sum)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	two, three := mat.NewSymDense(2, nil), mat.NewSymDense(3, nil)
	bad := mat.NewSymDense(2, []float64{1, 0, 0, math.NaN()})
	for _, c := range []struct {
		all  []*mat.SymDense
		want string
	}{
		{nil, "are none"},
		{[]*mat.SymDense{two, three}, "3×3"},
		{[]*mat.SymDense{bad}, "finite"},
	} {
		if _, err := jointdiag.Orthogonal(t.Context(), c.all, 1e-8, 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := jointdiag.Orthogonal(ctx, []*mat.SymDense{two}, 1e-8, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func ExampleOrthogonal() {
	// Two matrices with the axes (1, 1) and (1, −1).
	all := []*mat.SymDense{
		mat.NewSymDense(2, []float64{2, 1, 1, 2}),
		mat.NewSymDense(2, []float64{5, -2, -2, 5}),
	}
	r, err := jointdiag.Orthogonal(context.Background(), all, 1e-8, 100)
	if err != nil {
		log.Fatal(err)
	}
	var rotated mat.Dense
	rotated.Product(r.V.T(), all[1], r.V)
	fmt.Printf("%.3f %.3f\n", rotated.At(0, 0), rotated.At(1, 1))
	// Output: 3.000 7.000
}
