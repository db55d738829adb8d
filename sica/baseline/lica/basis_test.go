package lica

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/pca"
)

// white returns d white signals at n positions. The first is a mixture with cubes, so that the
// dependence changes with the rotation.
func white(t *testing.T, d, n int, seed uint64) *mat.Dense {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(d, n, nil)
	x.Apply(func(i, _ int, _ float64) float64 {
		v := rng.NormFloat64()
		if i%2 == 0 {
			return v * v * v
		}
		return v
	}, x)
	var mixed mat.Dense
	mixed.Mul(randomRotation(d, rng), x)
	w, err := pca.Whiten(&mixed)
	if err != nil {
		t.Fatal(err)
	}
	return w.White
}

func random(rows, columns int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// phi returns φ_l of the values y, with the values at its centre.
func phi(y, centre []float64, sigma float64) float64 {
	distance := 0.0
	for m, v := range y {
		distance += (v - centre[m]) * (v - centre[m])
	}
	return math.Exp(-distance / (2 * sigma * sigma))
}

// bruteGram returns Ĥ of the signals y by definition: the mean of φ_l·φ_l' over all n^d
// combinations of their values.
func bruteGram(y mat.Matrix, centres [][]float64, sigma float64) *mat.SymDense {
	d, n := y.Dims()
	h := mat.NewSymDense(len(centres), nil)
	combinations := int(math.Round(math.Pow(float64(n), float64(d))))
	values := make([]float64, d)
	for k := range combinations {
		for m := range d {
			values[m] = y.At(m, k%n)
			k /= n
		}
		for l := range centres {
			for r := l; r < len(centres); r++ {
				product := phi(values, centres[l], sigma) * phi(values, centres[r], sigma)
				h.SetSym(l, r, h.At(l, r)+product/float64(combinations))
			}
		}
	}
	return h
}

// bruteMean returns ĥ of the signals y.
func bruteMean(y mat.Matrix, centres [][]float64, sigma float64) *mat.VecDense {
	_, n := y.Dims()
	h := mat.NewVecDense(len(centres), nil)
	for l, centre := range centres {
		for i := range n {
			h.SetVec(l, h.AtVec(l)+phi(mat.Col(nil, i, y), centre, sigma)/float64(n))
		}
	}
	return h
}

// bruteSolve returns (Ĥ+λI)⁻¹ĥ by LU decomposition.
func bruteSolve(
	t *testing.T, gram *mat.SymDense, mean *mat.VecDense, lambda float64,
) *mat.VecDense {
	t.Helper()
	ridged := mat.DenseCopyOf(gram)
	for l := range mean.Len() {
		ridged.Set(l, l, ridged.At(l, l)+lambda)
	}
	alpha := new(mat.VecDense)
	if err := alpha.SolveVec(ridged, mean); err != nil {
		t.Fatal(err)
	}
	return alpha
}

// bruteSMI returns SMI-hat of the signals W·x.
func bruteSMI(t *testing.T, b *basis, w *mat.Dense, sigma, lambda float64) float64 {
	t.Helper()
	var y mat.Dense
	y.Mul(w, b.x)
	centres := b.values(&y)
	mean := bruteMean(&y, centres, sigma)
	return mat.Dot(mean, bruteSolve(t, bruteGram(&y, centres, sigma), mean, lambda))/2 - 0.5
}

// values returns the values of the signals y at the centres.
func (b *basis) values(y *mat.Dense) [][]float64 {
	var centres [][]float64
	for _, c := range b.centres {
		centres = append(centres, mat.Col(nil, c, y))
	}
	return centres
}

func TestAgainstBruteForce(t *testing.T) {
	for _, test := range []struct {
		name          string
		d, n, size    int
		sigma, lambda float64
	}{
		{"one signal", 1, 9, 4, 0.5, 0.1},
		{"two signals", 2, 12, 5, 0.5, 0.01},
		{"two signals, all centres", 2, 10, 99, 1, 1e-3},
		{"three signals", 3, 9, 4, 0.7, 0.01},
		{"four signals", 4, 7, 3, 1, 0.01},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBasis(white(t, test.d, test.n, 3), test.size)
			// Neither Ĥ nor ĥ needs W to be orthogonal.
			w := random(test.d, test.d, 4)
			b.evaluate(w, test.sigma)
			centres := b.values(b.y)
			gram, mean := b.gram(), b.mean(0, test.n)
			if want := bruteGram(b.y, centres, test.sigma); !mat.EqualApprox(gram, want, 1e-14) {
				t.Errorf("Ĥ is\n%v\nand over all combinations\n%v",
					mat.Formatted(gram), mat.Formatted(want))
			}
			if want := bruteMean(b.y, centres, test.sigma); !mat.EqualApprox(mean, want, 1e-14) {
				t.Errorf("ĥ is\n%v\nand over all positions\n%v",
					mat.Formatted(mean), mat.Formatted(want))
			}
			o := &objective{basis: b, sigma: test.sigma, lambda: test.lambda, mean: mean}
			got, alpha, err := o.smi(w)
			if err != nil {
				t.Fatal(err)
			}
			if want := bruteSMI(t, b, w, test.sigma, test.lambda); math.Abs(got-want) > 1e-11 {
				t.Errorf("SMI-hat is %.14f, by brute force %.14f", got, want)
			}
			want := bruteSolve(t, gram, mean, test.lambda)
			if !mat.EqualApprox(alpha, want, 1e-10) {
				t.Errorf("α is\n%v\nand by LU\n%v", mat.Formatted(alpha), mat.Formatted(want))
			}
		})
	}
}

func TestMeanIsTheSameForAllRotations(t *testing.T) {
	const d, n = 3, 40
	b := newBasis(white(t, d, n, 5), 10)
	first := newObjective(b, randomRotation(d, rand.New(rand.NewPCG(1, 1))), 0.5, 0.1).mean
	second := newObjective(b, randomRotation(d, rand.New(rand.NewPCG(2, 2))), 0.5, 0.1).mean
	if !mat.EqualApprox(first, second, 1e-14) {
		t.Error("ĥ differs between two rotations")
	}
}

func TestGradient(t *testing.T) {
	// In any direction, with constant ĥ and a W that isn't orthogonal.
	const d, n, sigma, lambda, step = 3, 60, 0.7, 0.01, 1e-5
	b := newBasis(white(t, d, n, 6), 15)
	w := random(d, d, 7)
	o := newObjective(b, w, sigma, lambda)
	_, alpha, err := o.smi(w)
	if err != nil {
		t.Fatal(err)
	}
	gradient := b.gradient(alpha)
	for i := range d {
		for j := range d {
			at := func(by float64) float64 {
				moved := mat.DenseCopyOf(w)
				moved.Set(i, j, w.At(i, j)+by)
				v, _, err := o.smi(moved)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			want := (at(step) - at(-step)) / (2 * step)
			if got := gradient.At(i, j); math.Abs(got-want) > 1e-8 {
				t.Errorf("∂/∂W_%d%d is %.10f, by differences %.10f", i, j, got, want)
			}
		}
	}
}

func TestSlope(t *testing.T) {
	// Along the rotations, for SMI-hat by definition, with ĥ recomputed.
	for _, d := range []int{2, 3} {
		const n, sigma, lambda, step = 14, 0.7, 0.01, 1e-4
		b := newBasis(white(t, d, n, 8), 6)
		w := randomRotation(d, rand.New(rand.NewPCG(3, 3)))
		o := newObjective(b, w, sigma, lambda)
		_, alpha, err := o.smi(w)
		if err != nil {
			t.Fatal(err)
		}
		s := o.slope(w, alpha)
		derivative := func(skew *mat.Dense) float64 {
			high := bruteSMI(t, b, rotate(w, skew, step), sigma, lambda)
			low := bruteSMI(t, b, rotate(w, skew, -step), sigma, lambda)
			return (high - low) / (2 * step)
		}
		for i := range d {
			for j := range i {
				skew := mat.NewDense(d, d, nil)
				skew.Set(i, j, 1)
				skew.Set(j, i, -1)
				// turn goes along −skew, and the two entries of S count.
				if got, want := -s.At(i, j), derivative(skew); math.Abs(got-want) > 1e-7 {
					t.Errorf(
						"d=%d: rotating signals %d and %d changes SMI-hat by %.9f, not %.9f",
						d, i, j, got, want,
					)
				}
			}
		}
		if got, want := -inner(s, s)/2, derivative(s); math.Abs(got-want) > 1e-7 {
			t.Errorf("d=%d: the steepest descent begins with %.9f, by differences %.9f",
				d, got, want)
		}
	}
}

func TestLosses(t *testing.T) {
	const d, n, folds, sigma = 2, 13, 3, 0.7
	lambdas := []float64{1e-2, 0.1, 1}
	b := newBasis(white(t, d, n, 9), 5)
	b.evaluate(random(d, d, 10), sigma)
	centres := b.values(b.y)
	got := b.losses(lambdas, folds)
	for k, lambda := range lambdas {
		want := 0.0
		for f := range folds {
			lo, hi := f*n/folds, (f+1)*n/folds
			in := b.y.Slice(0, d, lo, hi)
			out := mat.NewDense(d, n-(hi-lo), nil)
			for i, column := 0, 0; i < n; i++ {
				if i < lo || i >= hi {
					out.SetCol(column, mat.Col(nil, i, b.y))
					column++
				}
			}
			alpha := bruteSolve(t, bruteGram(out, centres, sigma), bruteMean(out, centres, sigma),
				lambda)
			gram, mean := bruteGram(in, centres, sigma), bruteMean(in, centres, sigma)
			want += (mat.Inner(alpha, gram, alpha)/2 - mat.Dot(mean, alpha)) / folds
		}
		if math.Abs(got[k]-want) > 1e-12 {
			t.Errorf("λ=%g: the cross-validated loss is %.14f, by brute force %.14f",
				lambda, got[k], want)
		}
	}
}

// No product of two factors is subnormal, at any distance from a centre, and factors near a centre
// equal the exponentials.
func TestFactorsAreNotSubnormal(t *testing.T) {
	const n, sigma, step = 2000, 0.1, 0.003
	x := mat.NewDense(1, n, nil)
	for k := range n { // the farthest from a centre at 0 has an exponent of −1,800
		x.Set(0, k, step*float64(k))
	}
	b := newBasis(x, 1)
	b.evaluate(mat.NewDense(1, 1, []float64{1}), sigma)
	zeros := 0
	for k, f := range b.factors[0].RawRowView(0) {
		exponent := -math.Pow(step*float64(k), 2) / (2 * sigma * sigma)
		switch {
		case f == 0:
			zeros++
			if exponent > -354 {
				t.Errorf("the factor of the exponent %.1f is 0", exponent)
			}
		case f*f < 0x1p-1022:
			t.Errorf("the factor of the exponent %.1f has a square of %g", exponent, f*f)
		case math.Abs(f/math.Exp(exponent)-1) > 1e-12:
			t.Errorf("the factor of the exponent %.1f is %g", exponent, f)
		}
	}
	if zeros == 0 || zeros == n {
		t.Errorf("%d of %d factors are 0", zeros, n)
	}
}
