package iterate

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

func noise(d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return 3 + rng.NormFloat64() }, z)
	return z
}

// The matrices of a chain equal its maps one after another, and their inverse.
func TestMatricesEqualMaps(t *testing.T) {
	x := noise(3, 200)
	reduction, err := mapping.Reduce(x, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := reduction.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	_, white, err := mapping.Fit(t.Context(), reduced, []preprocess.Transform{preprocess.ZCA})
	if err != nil {
		t.Fatal(err)
	}
	affine := &mapping.Affine{Centre: []float64{1, -2}, Matrix: []float64{2, 1, -1, 3}, Offset: []float64{.5, 4}}
	c := NewChain(append([]mapping.Map{reduction}, white[0], affine))
	want, err := mapping.ApplyAll(x, c.Maps(nil))
	if err != nil {
		t.Fatal(err)
	}
	w, a, mean, err := c.Matrices(3)
	if err != nil {
		t.Fatal(err)
	}
	_, n := x.Dims()
	for k := range n {
		at := mat.NewVecDense(3, nil)
		at.SubVec(x.ColView(k), mat.NewVecDense(3, mean))
		var z mat.VecDense
		z.MulVec(w, at)
		if !mat.EqualApprox(&z, want.ColView(k), 1e-12) {
			t.Fatalf("position %d: w·(x − mean) is %v, the maps make %v", k, z.RawVector().Data, mat.Col(nil, k, want))
		}
	}
	var one mat.Dense
	one.Mul(w, a)
	if !mat.EqualApprox(&one, rotation.Identity(2), 1e-12) {
		t.Errorf("w·a = %v", mat.Formatted(&one))
	}
	// A stage of several maps has those of the maps one by one.
	sequence := NewChain([]mapping.Map{mapping.Sequence{reduction, white[0], affine}})
	sameW, sameA, sameMean, err := sequence.Matrices(3)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(sameW, w, 1e-12) || !mat.EqualApprox(sameA, a, 1e-12) ||
		!floats.EqualApprox(sameMean, mean, 1e-12) {
		t.Errorf("of a sequence w is %v, a %v and the mean %v", sameW, sameA, sameMean)
	}
}

// A chain with a nonlinear map has no matrices, and one with a learned step is not pointwise.
func TestNonlinearChainsHaveNoMatrices(t *testing.T) {
	_, bent, err := mapping.Fit(t.Context(), noise(2, 50), []preprocess.Transform{preprocess.Gaussianise})
	if err != nil {
		t.Fatal(err)
	}
	step := new(Step)
	learned := Chain{step.Stage(.5)}
	if learned[0].Learned.Size != .5 || step.Size != 0 {
		t.Errorf("a step of size %g of one of %g", learned[0].Learned.Size, step.Size)
	}
	for name, c := range map[string]struct {
		chain     Chain
		pointwise bool
	}{"gaussianised": {NewChain(bent), true}, "learned": {learned, false}} {
		if _, _, _, err := c.chain.Matrices(2); !errors.Is(err, ica.ErrNotLinear) {
			t.Errorf("%s: matrices: %v", name, err)
		}
		if err := c.chain.CheckPointwise(); errors.Is(err, ErrNotPointwise) == c.pointwise {
			t.Errorf("%s: pointwise: %v", name, err)
		}
	}
}
