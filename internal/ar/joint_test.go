package ar

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The residuals of two signals that predict each other are their innovations, with the order of the
// process.
func TestJointResidualsAreInnovations(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(5, 0))
	z, innovations := mat.NewDense(2, n, nil), mat.NewDense(2, n, nil)
	innovations.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, innovations)
	for k := 2; k < n; k++ {
		z.Set(0, k, 0.5*z.At(0, k-1)+0.3*z.At(1, k-2)+innovations.At(0, k))
		z.Set(1, k, 0.3*z.At(1, k-1)+innovations.At(1, k))
	}
	got, order := JointResiduals(z, []int{1, 2, 3, 4})
	if order != 2 {
		t.Fatalf("order %d, want 2", order)
	}
	if r, c := got.Dims(); r != 2 || c != n-2 {
		t.Fatalf("%d×%d residuals, want 2×%d", r, c, n-2)
	}
	for i := range 2 {
		// Six coefficients, each with an error of about 1/√n.
		difference := floats.Distance(got.RawRowView(i), innovations.RawRowView(i)[2:], 2)
		if difference/math.Sqrt(n) > 0.1 {
			t.Errorf("signal %d: the residuals differ from the innovations by %g", i, difference)
		}
	}
}

// With too few positions there are no residuals.
func TestNoJointResidualsOfFewPositions(t *testing.T) {
	if r, order := JointResiduals(mat.NewDense(3, 20, nil), []int{1, 4}); r != nil || order != 0 {
		t.Errorf("residuals %v of order %d, want none", r, order)
	}
}

// The weights of the joint prediction are those of the normal equations, with the order of the
// process: the errors of higher orders are hardly smaller.
func TestJointPrediction(t *testing.T) {
	const d, n, limit = 3, 4000, 6
	rng := rand.New(rand.NewPCG(5, 1))
	z := mat.NewDense(d, n, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	for k := 2; k < n; k++ {
		z.Set(0, k, z.At(0, k)+0.5*z.At(1, k-2))
		z.Set(2, k, z.At(2, k)+0.4*z.At(2, k-1))
	}
	products := lagProducts(z, limit)
	products.ScaleSym(1./n, products)
	moments := func(first, size int) (gram *mat.SymDense, cross *mat.Dense) {
		gram = mat.NewSymDense(size, nil)
		gram.CopySym(products.SliceSym(first, first+size))
		return gram, mat.DenseCopyOf(mat.DenseCopyOf(products).Slice(first, first+size, 0, d))
	}
	gram, cross := moments(d, limit*d)
	power := mat.DenseCopyOf(products.SliceSym(0, d))
	got := JointPrediction(gram, cross, power, n)
	if size, _ := got.Dims(); size != 2*d {
		t.Fatalf("%d values of the past, want %d", size, 2*d)
	}
	gram, cross = moments(d, 2*d)
	if want := Solve(gram, cross, MomentRidge); !mat.EqualApprox(got, want, 1e-9) {
		t.Errorf("weights %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	white := mat.NewDense(d*limit, d, nil)
	gram, _ = moments(d, limit*d)
	if w := JointPrediction(gram, white, power, n); w != nil {
		t.Errorf("weights %v from a past that has no correlation with the signals", w)
	}
}

// Moments give the regression on some of their lags: the deviation is that of its errors, whose
// products with the values that predict are those of the ridge. The positions have gaps.
func TestMomentsRegressOnSomeLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	z := make([]float64, 3000)
	var positions []int
	for k := range z {
		if z[k] = rng.NormFloat64() + 0.1; k > 3 {
			z[k] += 0.5*z[k-1] - 0.3*z[k-2]
			if k < 1500 || k%3 == 0 {
				positions = append(positions, k)
			}
		}
	}
	m := NewMoments(z, []int{-4, -3, -2, -1}, positions)
	for _, lags := range [][]int{nil, {-1}, {-1, -3}, {-4, -3, -2, -1}} {
		weights, deviation := m.Regress(lags)
		errors, products := make([]float64, len(positions)), make([]float64, len(lags))
		for i, at := range positions {
			errors[i] = Residual(weights, z, lags, at)
			for k, lag := range lags {
				products[k] += errors[i] * z[at+lag]
			}
		}
		floats.AddScaled(products, -Ridge*m.n, weights)
		if floats.Norm(products, 2) > 1e-9 || math.Abs(deviation-stat.PopStdDev(errors, nil)) > 1e-12 {
			t.Errorf("lags %v: deviation %g, products %g beyond the ridge", lags, deviation, products)
		}
	}
}
