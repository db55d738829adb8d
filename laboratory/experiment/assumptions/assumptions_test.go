package assumptions

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12g, want %.12g ± %g", what, got, want, tolerance)
	}
}

// The precision matrix of s_t = A·s_{t−1} + ε_t, away from the ends, has the blocks
// I + AᵀA at t, −A at t−1 and −Aᵀ at t+1. Its diagonal gives the variances given
// everything, and those of the first signal given itself are the same for A = a.
func TestVectorAutoregression(t *testing.T) {
	const a, c, b = 0.7, 0.9, 0.3
	A := mat.NewDense(2, 2, []float64{a, 0, c, b})
	unmixed := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	p := process{[]*mat.Dense{A}, unmixed}
	const n, at = 12, 5
	covariance := p.covariance(n)
	var diagonal mat.Dense
	diagonal.Mul(A.T(), A)
	diagonal.Add(&diagonal, unmixed)
	for i := range 2 {
		row := mat.NewVecDense(2*n, nil)
		for j := range 2 {
			row.SetVec(j*n+at, diagonal.At(i, j))
			row.SetVec(j*n+at-1, -A.At(i, j))
			row.SetVec(j*n+at+1, -A.At(j, i))
		}
		var product mat.VecDense
		product.MulVec(covariance, row)
		for k := range 2 * n {
			want := 0.0
			if k == i*n+at {
				want = 1
			}
			near(t, "precision times covariance", product.AtVec(k), want, 1e-12)
		}
	}

	own, all, err := p.variances(n)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the first signal's own", own[0], 1/(1+a*a), 1e-12)
	near(t, "the first signal's, given all", all[0], 1/(1+a*a+c*c), 1e-12)
	near(t, "the second signal's, given all", all[1], 1/(1+b*b), 1e-12)
}

// Kolmogorov's formula for the variance of a value given all others, at infinitely many positions:
// the harmonic mean of the spectral density, of one signal or, by its inverse, of both.
func TestVariancesBySpectra(t *testing.T) {
	const frequencies = 4096
	for _, example := range gaussianExamples() {
		own, all, err := example.process.variances(80)
		if err != nil {
			t.Fatal(err)
		}
		var inverseOwn, inverseAll [2]float64
		for k := range frequencies {
			f := spectrum(example.process, 2*math.Pi*float64(k)/frequencies)
			determinant := real(f[0][0]*f[1][1] - f[0][1]*f[1][0])
			for i := range 2 {
				inverseOwn[i] += 1 / real(f[i][i]) / frequencies
				inverseAll[i] += real(f[1-i][1-i]) / determinant / frequencies
			}
		}
		for i := range 2 {
			near(t, example.name+": own", own[i], 1/inverseOwn[i], 1e-6)
			near(t, example.name+": all", all[i], 1/inverseAll[i], 1e-6)
		}
	}
}

// spectrum is H·H* with H = M·(I − Σ Aₖ·e^{−ikω})⁻¹.
func spectrum(p process, frequency float64) (f [2][2]complex128) {
	inverse := [2][2]complex128{{1, 0}, {0, 1}}
	for k, lag := range p.lags {
		turn := cmplx.Exp(complex(0, -float64(k+1)*frequency))
		for i := range 2 {
			for j := range 2 {
				inverse[i][j] -= complex(lag.At(i, j), 0) * turn
			}
		}
	}
	determinant := inverse[0][0]*inverse[1][1] - inverse[0][1]*inverse[1][0]
	transfer := [2][2]complex128{
		{inverse[1][1] / determinant, -inverse[0][1] / determinant},
		{-inverse[1][0] / determinant, inverse[0][0] / determinant},
	}
	var h [2][2]complex128
	for i := range 2 {
		for j := range 2 {
			h[i][j] = complex(p.mixing.At(i, 0), 0)*transfer[0][j] +
				complex(p.mixing.At(i, 1), 0)*transfer[1][j]
		}
	}
	for i := range 2 {
		for j := range 2 {
			f[i][j] = h[i][0]*cmplx.Conj(h[j][0]) + h[i][1]*cmplx.Conj(h[j][1])
		}
	}
	return f
}

// A long sample has the covariances of its process.
func TestDrawsHaveTheirCovariances(t *testing.T) {
	const n, lags = 100_000, 3
	for k, example := range gaussianExamples()[1:3] {
		x := example.process.draw(rand.New(rand.NewPCG(1, uint64(k))), n)
		covariance := example.process.covariance(lags)
		for i := range 2 {
			for j := range 2 {
				for lag := range lags {
					got := floats.Dot(x.RawRowView(i)[lag:],
						x.RawRowView(j)[:n-lag]) / float64(n-lag)
					near(t, example.name, got, covariance.At(i*lags+lag, j*lags), 0.05)
				}
			}
		}
	}
}

func TestAssumptions(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		checked, err := Examples(seed)
		if err != nil {
			t.Fatal(err)
		}
		for k, a := range checked {
			gaussian := k < len(checked)-2
			if gaussian == math.IsNaN(a.Exact) || gaussian != (a.Own != nil) {
				t.Errorf("%s: exactly %v of %v and %v", a.Name, a.Exact, a.Own, a.All)
			}
			if gaussian {
				near(t, a.Name+": regression", a.Regression, a.Exact, 0.1*a.Exact+0.01)
				if a.Holds != (a.Exact < 1e-12) || a.Holds != (a.Measured.Total() < 0.05) {
					t.Errorf("%s holds: %v, but exactly %g, and measured %+v", a.Name, a.Holds,
						a.Exact, a.Measured)
				}
			}
			if d, n := a.Signals.Dims(); d != 2 || n < 1000 {
				t.Errorf("%s: %d×%d signals", a.Name, d, n)
			}
		}
		// The noise of the mixed heart has the correlation ρ = 0.8 of A·Aᵀ, which
		// is −½·log(1−ρ²) for who knows the rest, and nothing but that.
		heart, mixed := checked[len(checked)-2], checked[len(checked)-1]
		near(t, heart.Name, heart.Regression, 0, 0.02)
		near(t, mixed.Name, mixed.Regression, -math.Log(1-0.8*0.8)/2, 0.08)
		if !heart.Holds || mixed.Holds || heart.Measured.Total() > 0.05 ||
			mixed.Measured.Total() > 0.05 {
			t.Errorf("the heart: %+v, mixed %+v", heart, mixed)
		}
	}
}
