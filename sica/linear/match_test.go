package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/lbfgs"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// The gradient of the spectral match is that of finite differences.
func TestMatchGradient(t *testing.T) {
	s := newCosine(gaussians(3, 3, 400), []int{400}).spectrum()
	added := []float64{0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.01}
	f := newMatchLoss(s, added, gaussians(4, 3, 3))
	x := make([]float64, 3*len(s.weights)+3)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range x {
		x[i] = 0.1 * rng.NormFloat64()
	}
	g := make([]float64, len(x))
	f.value(x, g)
	for i := range x {
		const h = 1e-5
		v := x[i]
		x[i] = v + h
		above := f.value(x, nil)
		x[i] = v - h
		below := f.value(x, nil)
		x[i] = v
		if want := (above - below) / (2 * h); math.Abs(g[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %g, want %g", i, g[i], want)
		}
	}
}

// Little noise lowers the loss, with all powers and noises fitted, by what the derivatives without it
// promise. Spectra without noise promise nothing.
func TestScoreGain(t *testing.T) {
	const d = 3
	b := mat.NewDense(d, d, []float64{1, 0.6, -0.3, -0.4, 1, 0.5, 0.2, -0.7, 1})
	var a mat.Dense
	if err := a.Inverse(b); err != nil {
		t.Fatal(err)
	}
	added := []float64{0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}
	for _, power := range []float64{0, 0.02, 0.05} {
		s := &spectrum{d: d}
		for k := range 20 {
			m := noiseModel{mixing: &a, noise: []float64{power, power, power}, added: added}
			var powers []float64
			for i := range d {
				powers = append(powers, 1+0.8*math.Sin(float64(k*(i+1))/3))
			}
			m.powers = [][]float64{powers}
			s.covariances = append(s.covariances, m.covariance(0).RawMatrix().Data)
			s.weights = append(s.weights, 500)
		}
		loss := newMatchLoss(s, added, b)
		noiseless := loss.noiseless()
		promised := loss.scoreGain(noiseless)
		if power == 0 {
			if math.Abs(promised) > 1e-6 {
				t.Errorf("without noise %g nats are promised", promised)
			}
			continue
		}
		x := lbfgs.Minimise(loss.value, loss.initial(), 1000, 1e-9)
		gain := loss.value(noiseless, nil) - loss.value(x, nil)
		if gain < 1 || math.Abs(promised-gain) > 0.25*gain {
			t.Errorf("noise of power %g: %g nats are promised, %g gained", power, promised, gain)
		}
	}
}

// The mixing nearest to the true one that a method can find which whitens the channels with their noise
// makes sources too strong in directions that are mostly noise. It is corrected to the true one.
func TestNoiseCorrected(t *testing.T) {
	const n, deviation = 20_000, 0.5
	s := laplaceAR(63, n, 0.8, 0.8, 0.8)
	for i := range 3 {
		floats.Scale(math.Sqrt(float64(n))/floats.Norm(s.RawRowView(i), 2), s.RawRowView(i))
	}
	a := mat.NewDense(3, 3, []float64{1, 0.8, 0.5, 0.3, 1, 0.9, 0.6, 0.2, 1})
	x := new(mat.Dense)
	x.Mul(a, s)
	x.Add(x, scaled(deviation, gaussians(64, 3, n)))
	white, err := pca.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	c := newChannels(&mixture{
		white: white, shape: []int{n}, power: newBandPower(white.White), cfg: Config{Seed: 1},
	})
	var standard mat.Dense // the mixing of channels of variance 1
	standard.Apply(func(i, _ int, v float64) float64 { return v / c.sd[i] }, a)
	root, inverseRoot, ok := roots(c.covariance)
	var near, whitened, textbook mat.Dense
	near.Mul(inverseRoot, &standard)
	u, found := rotation.Nearest(&near)
	if !ok || !found {
		t.Fatal("no whitening")
	}
	whitened.Mul(root, u)
	if err := textbook.Inverse(&whitened); err != nil {
		t.Fatal(err)
	}
	// The largest entry outside the diagonal, where the signals have the sources' amplitudes.
	leak := func(b *mat.Dense) (largest float64) {
		var g mat.Dense
		g.Mul(b, &standard)
		for i := range 3 {
			for j := range 3 {
				if i != j {
					largest = max(largest, math.Abs(g.At(i, j)/g.At(i, i)))
				}
			}
		}
		return largest
	}
	e := &explanation{name: "textbook", b: c.unit(&textbook)}
	corrected := c.noiseCorrected(e)
	if corrected == nil {
		t.Fatal("it implies no noise")
	}
	if before, after := leak(e.b), leak(corrected.b); before < 0.08 || after > 0.02 {
		t.Errorf("leak %.3f before, %.3f after; want more than 0.08 and next to none", before, after)
	}
}

// The noise of a mixture of processes with different spectra is estimated, as 0 where there is
// none.
func TestNoiseIsEstimated(t *testing.T) {
	const n = 8000
	for _, deviation := range []float64{0, 0.1, 0.3} {
		z := gaussians(6, 4, n) // two sources' innovations, two channels' noise
		for i, weight := range []float64{0.95, -0.6} {
			row := z.RawRowView(i)
			for k := range row[1:] {
				row[k+1] += weight * row[k]
			}
			floats.Scale(math.Sqrt(1-weight*weight), row)
		}
		a := mat.NewDense(2, 2, []float64{1, 0.9, 0.2, 1})
		x := new(mat.Dense)
		x.Mul(a, z.Slice(0, 2, 0, n))
		for i := range 2 {
			floats.AddScaled(x.RawRowView(i), deviation, z.RawRowView(2+i))
		}
		var b mat.Dense
		if err := b.Inverse(a); err != nil {
			t.Fatal(err)
		}
		m := matchSpectra(newCosine(x, []int{n}).spectrum(), make([]float64, 4), &b)
		if m == nil {
			t.Fatal("no model")
		}
		if got := math.Sqrt(m.noise[0]); math.Abs(got-deviation) > 0.05 {
			t.Errorf("noise of %g: %g was found", deviation, got)
		}
	}
}

// The product of a matrix and its inverse is the identity.
func TestInvertSymmetric(t *testing.T) {
	for d := 1; d < 6; d++ {
		z := gaussians(uint64(d), d, 20)
		var a, product mat.Dense
		a.Mul(z, z.T())
		inverse := make([]float64, d*d)
		logDet, ok := invertSymmetric(inverse, a.RawMatrix().Data, d)
		want, _ := mat.LogDet(&a)
		product.Mul(&a, mat.NewDense(d, d, inverse))
		for i := range d {
			product.Set(i, i, product.At(i, i)-1)
		}
		if !ok || math.Abs(logDet-want) > 1e-9 || mat.Norm(&product, 1) > 1e-9 {
			t.Errorf("d = %d: %v, log det %g, want %g", d, mat.Formatted(&product), logDet, want)
		}
	}
}

// With the noise that a separator adds, the noise of the channels is isotropic: no rotation changes
// it.
func TestAddedNoiseMakesNoiseIsotropic(t *testing.T) {
	z := gaussians(7, 3, 50)
	var cov mat.SymDense
	cov.SymOuterK(1.0/50, z)
	power := []float64{0.2, 0.01, 0.1}
	whitening, inverse, ok := signalWhitening(&cov, power)
	if !ok {
		t.Fatal("no whitening")
	}
	var identity, spread, total, added mat.Dense
	identity.Mul(whitening, inverse)
	spread.Product(whitening, diagonal(power), whitening)
	blur := complement(whitenedNoise(whitening, power))
	added.Mul(blur, blur.T())
	total.Add(&spread, &added)
	for i := range 3 {
		for j := range 3 {
			want, sphere := 0.0, 0.0
			if i == j {
				want, sphere = 1, total.At(0, 0)
			}
			if math.Abs(identity.At(i, j)-want) > 1e-9 || math.Abs(total.At(i, j)-sphere) > 1e-9 {
				t.Fatalf("noise %v, whitening by its inverse %v", mat.Formatted(&total), mat.Formatted(&identity))
			}
		}
	}
}
