package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var jointMixing = mat.NewDense(2, 2, []float64{1, .5, -.4, 1})

// taking returns Gaussian signals that are loud in turns of 256 positions, and their mixture.
func taking() (s, x *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, x = mat.NewDense(2, 8192, nil), new(mat.Dense)
	s.Apply(func(i, t int, _ float64) float64 {
		return rng.NormFloat64() * (.1 + float64((t/256+i)%2))
	}, s)
	x.Mul(jointMixing, s)
	return s, x
}

// Signals that are loud in turns are found by their variances.
func TestVarianceDemixing(t *testing.T) {
	_, x := taking()
	b, err := varianceDemixing(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	var left mat.Dense // a permutation, scaled
	left.Mul(b, jointMixing)
	for i := range 2 {
		row := left.RawRowView(i)
		if small, large := min(math.Abs(row[0]), math.Abs(row[1])), floats.Norm(row, 2); small > .03*large {
			t.Errorf("row %d is %v", i, row)
		}
	}
}

// The covariance of what is added is shape·shapeᵀ, and the same seed adds the same.
func TestAddNoise(t *testing.T) {
	const n = 100000
	shape := mat.NewDense(2, 2, []float64{.3, .1, 0, .2})
	z := mat.NewDense(2, n, nil)
	addNoise(z, shape, 1)
	var got, want mat.Dense
	got.Mul(z, z.T())
	got.Scale(1./n, &got)
	want.Mul(shape, shape.T())
	for i := range 2 {
		for j := range 2 {
			// Four standard errors, √((C_ii·C_jj + C_ij²)/n), of at most .1·√(2/n).
			if g, w := got.At(i, j), want.At(i, j); math.Abs(g-w) > 4*.1*math.Sqrt(2./n) {
				t.Errorf("covariance (%d, %d) is %.5f, want %.5f", i, j, g, w)
			}
		}
	}
	again := mat.NewDense(2, n, nil)
	addNoise(again, shape, 1)
	if !mat.Equal(z, again) {
		t.Error("the same seed adds other noise")
	}
	if s := sphericalNoise(3, .5); !mat.Equal(s, mat.NewDiagDense(3, []float64{.5, .5, .5})) {
		t.Errorf("spherical noise is made by %v", s)
	}
}

// By blocks and Fourier transforms the covariances are those of all positions.
func TestLaggedCovariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{50, 412, 1000, 2313} {
		z := mat.NewDense(3, n, nil)
		z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
		for _, lags := range [][]int{{1}, {1, 2, 5}, {3, 16, 48}, {1, 10, 300}} {
			if lags[len(lags)-1] >= n {
				continue
			}
			for l, got := range laggedCovariances(z, lags) {
				want := covariance(z, 0, lags[l], n-lags[l])
				if !mat.EqualApprox(got, want, 1e-13) {
					t.Errorf("%d positions, lag %d: %v, want %v", n, lags[l], mat.Formatted(got),
						mat.Formatted(want))
				}
			}
		}
	}
}

// Innovations are predicted from as many values of the past as the process has, and more are tried as
// long as the order is large.
func TestJointPredictionTriesMoreValues(t *testing.T) {
	const d, n = 2, 4000
	for _, lag := range []int{1, firstValues - 1, firstValues + 3} {
		rng := rand.New(rand.NewPCG(4, uint64(lag)))
		z := mat.NewDense(d, n, nil)
		for i := range d {
			row := z.RawRowView(i)
			for k := range row {
				row[k] = rng.NormFloat64()
				for _, l := range []int{lag, (lag + 1) / 2} {
					if k >= l {
						row[k] += 0.4 * row[k-l]
					}
				}
			}
		}
		s, err := newSeparator(t.Context(), z, newPast([]int{n}, d))
		if err != nil {
			t.Fatal(err)
		}
		size, _ := s.jointPrediction().Dims()
		all, _ := s.predictionFrom(maxLags).Dims()
		if size < lag*d || size != all {
			t.Errorf("lag %d: %d values predict, with all lags %d", lag, size/d, all/d)
		}
	}
}
