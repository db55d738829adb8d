package past

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for t := range v {
		v[t] = rng.NormFloat64()
	}
	return v
}

// ⟨Adjoint(ψ), y⟩ = ⟨ψ, PredictionError(y)⟩ for any ψ and y, and the prediction error equals its
// definition.
func TestAdjointOfPredictionError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range shapes {
		p := New(shape, Nearest(shape, 18))
		weights := normals(rng, len(p.Lags))
		y, psi := normals(rng, grid.Product(shape)), normals(rng, p.N)
		r, a := make([]float64, p.N), normals(rng, len(y)) // a is overwritten
		p.PredictionError(r, y, weights)
		p.Adjoint(a, psi, weights)
		if got, want := floats.Dot(a, y), floats.Dot(psi, r); math.Abs(got-want) > 1e-9 {
			t.Errorf("shape %v: %g, want %g", shape, got, want)
		}
		at := 0
		for _, run := range p.Runs {
			for position := run.First; position < run.End; position++ {
				want := y[position]
				for k, w := range weights {
					want -= w * y[position-p.Lags[k]]
				}
				if math.Abs(r[at]-want) > 1e-12 {
					t.Fatalf("shape %v: prediction error %g at %d, want %g", shape, r[at], position, want)
				}
				at++
			}
		}
	}
}

// The moments of a linear mixture, from those of the signals, are those of its values.
func TestMomentsOfMixtures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, shape := range shapes {
		const d = 3
		p := New(shape, Nearest(shape, 18))
		z := mat.NewDense(d, grid.Product(shape), normals(rng, d*grid.Product(shape)))
		m, err := NewMoments(t.Context(), p, z)
		if err != nil {
			t.Fatal(err)
		}
		b := []float64{1, -0.5, 0.3}
		var y mat.VecDense
		y.MulVec(z.T(), mat.NewVecDense(d, b))
		size := len(p.Lags) + 1
		q := make([]float64, size*size)
		m.Mixture(q, b, y.RawVector().Data)
		lags := append([]int{0}, p.Lags...)
		for k, before := range lags {
			for l, after := range lags {
				want := 0.0
				for _, run := range p.Runs {
					for t := run.First; t < run.End; t++ {
						want += y.AtVec(t-before) * y.AtVec(t-after) / float64(p.N)
					}
				}
				if got := q[k*size+l]; math.Abs(got-want) > 1e-10 {
					t.Fatalf("shape %v: moment (%d, %d) %g, want %g", shape, k, l, got, want)
				}
			}
		}
		// They are the same from the moments of other mixtures, of which y is one.
		others := mat.NewDense(3, d, normals(rng, 3*d))
		weights := []float64{0.8, -0.3}
		var mixed mat.VecDense
		mixed.MulVec(others.Slice(0, 2, 0, d).T(), mat.NewVecDense(2, weights))
		y.MulVec(z.T(), &mixed)
		m.Mixture(q, mixed.RawVector().Data, y.RawVector().Data)
		again := make([]float64, size*size)
		m.Mixed(others).Pair(0, 1).Mixture(again, weights, y.RawVector().Data)
		if !floats.EqualApprox(again, q, 1e-10) {
			t.Errorf("shape %v: moments of mixtures %v, want %v", shape, again, q)
		}
	}
}

// The weights solve the normal equations, and the order has the minimum description length.
func TestPredictorSolvesNormalEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	y := normals(rng, 2000)
	for t := 2; t < len(y); t++ {
		y[t] += 1.2*y[t-1] - 0.6*y[t-2]
	}
	p := New([]int{len(y)}, Nearest([]int{len(y)}, 24))
	q, err := SelfMoments(t.Context(), p, y)
	if err != nil {
		t.Fatal(err)
	}
	fit := ar.NewPredictor(p.Distance)
	r := make([]float64, p.N)
	least, order := math.Inf(1), 0
	for k := range len(p.Lags) + 1 {
		w := fit.Fit(q, p.N, k)
		p.PredictionError(r, y, w)
		power := floats.Dot(r, r) / float64(p.N)
		if got := ar.ErrorPower(q, w, len(p.Lags)+1); math.Abs(got-power) > 1e-9 {
			t.Errorf("order %d: power %g, want %g", k, got, power)
		}
		for lag := 1; lag <= k; lag++ { // uncorrelated with what it was predicted from
			if c := floats.Dot(r, y[p.Runs[0].First-lag:len(y)-lag]) / float64(p.N); math.Abs(c) > 1e-4 {
				t.Errorf("order %d: the error has covariance %g with lag %d", k, c, lag)
			}
		}
		if length := float64(p.N)*math.Log(power)/2 + float64(k)*math.Log(float64(p.N))/2; length < least {
			least, order = length, k
		}
	}
	w := fit.Fit(q, p.N, -1)
	if len(w) != order || order != 2 {
		t.Errorf("order %d, want %d and 2", len(w), order)
	}
	for k, want := range []float64{1.2, -0.6} {
		if math.Abs(w[k]-want) > 0.06 { // three standard errors, √((1−.36)/2000) each
			t.Errorf("weight %d is %.3f, want %.1f", k+1, w[k], want)
		}
	}
}
