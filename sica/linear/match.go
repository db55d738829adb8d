package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A noiseModel is a Gaussian model of mixed signals x with white noise in each channel,
//
//	cov x̂(f) = A·diag(P(f))·Aᵀ + diag(N) + F,
//
// x̂(f) being the cosine transform at frequency f, A = B⁻¹ the mixing and F the covariance of
// noise that was added for estimation. P and N maximise the likelihood of the covariances of
// frequency bands: spectral matching (J.-F. Cardoso, M. Le Jeune, J. Delabrouille, M. Betoule,
// G. Patanchon, IEEE J. Selected Topics in Signal Processing 2(5), 2008; P. Ablin, J.-F.
// Cardoso, A. Gramfort, J. Neuroscience Methods 357, 2021), with the mixing of a candidate.
type noiseModel struct {
	mixing *mat.Dense  // A, d×d
	powers [][]float64 // P of each band
	noise  []float64   // N of each channel
}

// matchSpectra returns the model of the bands s of mixed signals for the demixing b, nil if b is
// singular. added is F. The noise is 0 unless it shortens the code by more than the code length of
// its parameters, ½·log n each.
func matchSpectra(s *spectrum, added []float64, b *mat.Dense) *noiseModel {
	d, bands := s.d, len(s.weights)
	m := &noiseModel{mixing: new(mat.Dense)}
	if m.mixing.Inverse(b) != nil {
		return nil
	}
	loss := newMatchLoss(s, added, b)
	x := make([]float64, bands*d+d) // log P, log N
	for k, cov := range loss.s.covariances {
		for i := range d {
			x[k*d+i] = math.Log(max(cov[i*d+i], minPower))
		}
	}
	for i := range d {
		x[bands*d+i] = math.Log(initialNoise)
	}
	x = minimise(loss.at, x, matchSteps, matchTolerance)
	quiet := loss.quiet()
	significant := loss.at(quiet, nil)-loss.at(x, nil) > s.noiseCost()
	if !significant {
		x = quiet
	}
	for k := range bands {
		m.powers = append(m.powers, exponentials(make([]float64, d), x[k*d:(k+1)*d]))
	}
	m.noise = make([]float64, d)
	if significant {
		exponentials(m.noise, x[bands*d:])
	}
	return m
}

// noiseCost returns the code length in nats of the noise of all channels.
func (s *spectrum) noiseCost() float64 { return float64(s.d) / 2 * math.Log(floats.Sum(s.weights)) }

// quiet returns the parameters without noise of the channels: the powers are those of the signals
// B·x minus that of the added noise.
func (f *matchLoss) quiet() []float64 {
	d := f.s.d
	var x []float64
	for _, cov := range f.s.covariances {
		for i := range d {
			x = append(x, math.Log(max(cov[i*d+i]-f.added[i*d+i], minPower)))
		}
	}
	for range d {
		x = append(x, math.Log(minPower))
	}
	return x
}

// exponentials sets y to exp x, at most e⁴⁰, and returns it.
func exponentials(y, x []float64) []float64 {
	for i, v := range x {
		y[i] = math.Exp(min(v, 40))
	}
	return y
}

// A matchLoss is the negative log-likelihood of bands, of the signals B·x:
//
//	Σ_k w_k/2·(log det S_k + tr(S_k⁻¹·C_k)),  S_k = diag(P_k) + B·(diag(N) + F)·Bᵀ,
//
// plus what makes the channels' noise, as a share of their variance, similar.
type matchLoss struct {
	s                 *spectrum  // of B·x
	b                 *mat.Dense // B
	added             []float64  // B·F·Bᵀ
	noise, power      []float64
	spread            []float64 // B·(diag(N) + F)·Bᵀ
	cov, inv, product []float64
	slope             []float64 // of spread
}

func newMatchLoss(s *spectrum, added []float64, b *mat.Dense) *matchLoss {
	d := s.d
	var f mat.Dense
	f.Product(b, mat.NewDense(d, d, added), b.T())
	room := func() []float64 { return make([]float64, d*d) }
	return &matchLoss{
		s: s.transformed(b), b: b, added: f.RawMatrix().Data,
		noise: make([]float64, d), power: make([]float64, d),
		spread: room(), cov: room(), inv: room(), product: room(), slope: room(),
	}
}

// at returns the loss at x = (log P, log N), and sets its gradient g unless that is nil.
func (f *matchLoss) at(x, g []float64) float64 {
	d, bands := f.s.d, len(f.s.weights)
	exponentials(f.noise, x[bands*d:])
	copy(f.spread, f.added)
	for i := range d {
		for j := range d {
			for l, v := range f.noise {
				f.spread[i*d+j] += f.b.At(i, l) * v * f.b.At(j, l)
			}
		}
	}
	clear(f.slope)
	logNoise := x[bands*d:]
	mean := floats.Sum(logNoise) / float64(d)
	loss := 0.0
	for _, v := range logNoise {
		loss += noiseSimilarity / 2 * (v - mean) * (v - mean)
	}
	for k, w := range f.s.weights {
		exponentials(f.power, x[k*d:(k+1)*d])
		copy(f.cov, f.spread)
		for i, p := range f.power {
			f.cov[i*d+i] += p
		}
		logDet, ok := invertSymmetric(f.inv, f.cov, d)
		if !ok {
			return math.Inf(1)
		}
		c := f.s.covariances[k]
		loss += w / 2 * (logDet + floats.Dot(f.inv, c))
		if g == nil {
			continue
		}
		// The derivative with respect to S is w/2·(S⁻¹ − S⁻¹·C·S⁻¹).
		multiply(f.product, f.inv, c, d)
		multiply(f.cov, f.product, f.inv, d)
		for i, v := range f.inv {
			f.cov[i] = w / 2 * (v - f.cov[i])
		}
		floats.Add(f.slope, f.cov)
		for i, p := range f.power {
			g[k*d+i] = f.cov[i*d+i] * p
		}
	}
	if g == nil {
		return loss
	}
	for l, v := range f.noise {
		sum := 0.0
		for i := range d {
			for j := range d {
				sum += f.b.At(i, l) * f.slope[i*d+j] * f.b.At(j, l)
			}
		}
		g[bands*d+l] = sum*v + noiseSimilarity*(logNoise[l]-mean)
	}
	return loss
}

// multiply sets c to a·b, all d×d.
func multiply(c, a, b []float64, d int) {
	for i := range d {
		row := c[i*d : (i+1)*d]
		clear(row)
		for l := range d {
			v := a[i*d+l]
			for j, w := range b[l*d : (l+1)*d] {
				row[j] += v * w
			}
		}
	}
}

// invertSymmetric sets inv to the inverse of the positive definite a, d×d, by Cholesky's
// factor, and returns the logarithm of a's determinant. It allocates nothing, which matters
// for small d. ok is false if a isn't positive definite.
func invertSymmetric(inv, a []float64, d int) (logDet float64, ok bool) {
	copy(inv, a)
	for j := range d { // L in the lower triangle
		for i := j; i < d; i++ {
			v := inv[i*d+j]
			for l := range j {
				v -= inv[i*d+l] * inv[j*d+l]
			}
			if i > j {
				inv[i*d+j] = v / inv[j*d+j]
				continue
			}
			if !(v > 0) {
				return 0, false
			}
			inv[j*d+j] = math.Sqrt(v)
			logDet += math.Log(v)
		}
	}
	for j := range d { // L⁻¹ in place
		inv[j*d+j] = 1 / inv[j*d+j]
		for i := j + 1; i < d; i++ {
			v := 0.0
			for l := j; l < i; l++ {
				v -= inv[i*d+l] * inv[l*d+j]
			}
			inv[i*d+j] = v / inv[i*d+i]
		}
	}
	for i := range d { // L⁻ᵀ·L⁻¹: entry (i, j), i ≤ j, needs rows from j on only
		for j := i; j < d; j++ {
			v := 0.0
			for l := j; l < d; l++ {
				v += inv[l*d+i] * inv[l*d+j]
			}
			inv[i*d+j] = v
		}
	}
	for i := range d {
		for j := range i {
			inv[i*d+j] = inv[j*d+i]
		}
	}
	return logDet, true
}
