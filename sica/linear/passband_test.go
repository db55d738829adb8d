package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dct"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// laplaceAR returns Laplace AR(1) processes with the given weights.
func laplaceAR(seed uint64, n int, weights ...float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := mat.NewDense(len(weights), n, nil)
	for i, w := range weights {
		value := 0.0
		for t := range n {
			value = w*value + rng.ExpFloat64() - rng.ExpFloat64()
			s.Set(i, t, value)
		}
	}
	return s
}

// oversampled returns z, d×n, at a rate that is a number of times as high: the cosine series of its
// coefficients, which has nothing above the old frequencies.
func oversampled(z *mat.Dense, times int) *mat.Dense {
	d, n := z.Dims()
	out := mat.NewDense(d, times*n, nil)
	c := newCosine(z, []int{n}).coefficients
	for i := range d {
		copy(out.RawRowView(i), c.RawRowView(i))
	}
	transformLines(out, []int{times * n}, (*dct.Transform).Inverse)
	return out
}

// White noise has the same power in each band. A sine has all of it in its own, and Hann's window
// keeps it from the others but the two next to it.
func TestBandPower(t *testing.T) {
	const n = 40_000
	p := newBandPower(gaussians(5, 3, n))
	if len(p) != powerBands {
		t.Fatalf("%d bands, want %d", len(p), powerBands)
	}
	for k, v := range p {
		if math.Abs(v-3) > 0.9 { // about 300 coefficients of 3 signals in overlapping blocks: 5 standard errors
			t.Errorf("band %d of white noise: power %.2f, want 3", k, v)
		}
	}
	sine := mat.NewDense(1, n, nil)
	for t := range n { // in the middle of band 64
		sine.Set(0, t, math.Sqrt2*math.Sin(math.Pi*64.5/powerBands*float64(t)))
	}
	p = newBandPower(sine)
	if share := floats.Sum(p[63:66]) / floats.Sum(p); share < 1-1e-6 {
		t.Errorf("share of a sine's power in its band and the next ones = %.9f, want 1", share)
	}
	if mean := floats.Sum(p) / powerBands; math.Abs(mean-1) > 0.02 {
		t.Errorf("mean power of a sine of variance 1 = %.3f, want 1", mean)
	}
}

// Signals at k times the rate that they need have power in a k-th of the frequencies, and an
// inaudible floor doesn't hide that.
func TestOccupiedShare(t *testing.T) {
	z := laplaceAR(3, 3000, 0.5, 0.9)
	if got := newBandPower(z).occupiedShare(); got != 1 {
		t.Errorf("at its own rate %.3f, want 1", got)
	}
	for _, times := range []int{2, 4, 12} {
		up := oversampled(z, times)
		up.Add(up, scaled(1e-3, gaussians(7, 2, 3000*times)))
		got, want := newBandPower(up).occupiedShare(), 1/float64(times)
		if got > want || got < want-2./powerBands {
			t.Errorf("at %d times the rate %.4f, want %.4f or up to two bands less", times, got, want)
		}
	}
}

func scaled(factor float64, z *mat.Dense) *mat.Dense {
	z.Scale(factor, z)
	return z
}

// A filter's edge is seen, whatever the sources' own spectra, and none is seen where noise goes on
// to the highest frequency or the sources only become weaker.
func TestPassedShare(t *testing.T) {
	const n, rate = 6000, 250.
	for _, weights := range [][]float64{{0.1, 0.4}, {0.7, 0.9}, {0.95, -0.5}} {
		s := laplaceAR(11, n, weights...)
		noisy := mat.DenseCopyOf(s)
		noisy.Add(noisy, scaled(0.3, gaussians(12, 2, n)))
		for name, z := range map[string]*mat.Dense{"sources": s, "with noise": noisy} {
			if got := newBandPower(z).passedShare(); got != 1 {
				t.Errorf("%s %v: a filter at %.2f of the frequencies, want none", name, weights, got)
			}
			for _, edge := range []float64{20, 40, 60} {
				low := mat.DenseCopyOf(z)
				for i := range 2 {
					filter.Filter{Lowpass: edge}.Apply(low.RawRowView(i), rate)
				}
				// Below the edge where sources fall, above it as the level is a quarter.
				got := newBandPower(low).passedShare() * rate / 2
				if got < 0.65*edge || got > 1.5*edge {
					t.Errorf("%s %v, low-pass at %g Hz: seen at %.1f", name, weights, edge, got)
				}
			}
		}
	}
}

// The lowest frequencies are left out up to about the edge of a high-pass filter. None are without
// one, and where signals are as weak at other frequencies as the filter made them at the lowest.
func TestHighPassEdge(t *testing.T) {
	const n, rate = 10_000, 250.
	seen := func(z *mat.Dense) float64 { // in Hz
		c := newCosine(z, []int{n})
		cov := mat.NewSymDense(2, nil)
		cov.SymOuterK(1./n, z)
		if first := c.highPassEdge(inverseRoot(cov)); first > c.first {
			return float64(first) / n * rate / 2
		}
		return 0
	}
	for _, weights := range [][]float64{{0.1, 0.4}, {0.3, -0.5}, {0.2, 0.5}, {0.7, 0.95}} {
		s := laplaceAR(13, n, weights...)
		noisy := mat.DenseCopyOf(s)
		noisy.Add(noisy, scaled(0.3, gaussians(14, 2, n)))
		for name, z := range map[string]*mat.Dense{"sources": s, "with noise": noisy} {
			if got := seen(z); got != 0 {
				t.Errorf("%s %v: a high-pass at %.2f Hz, want none", name, weights, got)
			}
			for _, edge := range []float64{1, 4} {
				high := mat.DenseCopyOf(z)
				for i := range 2 {
					filter.Filter{Highpass: edge}.Apply(high.RawRowView(i), rate)
				}
				weak := weights[0] > 0.5 && edge == 1 // at the highest frequencies
				if got := seen(high); weak && got != 0 || !weak && (got < 0.4*edge || got > 3*edge) {
					t.Errorf("%s %v, high-pass at %g Hz: seen at %.2f", name, weights, edge, got)
				}
			}
		}
	}
}

// A recording at four times the rate that its signals need is separated as well as at that rate,
// with noise in the channels, too.
func TestOversampledRecording(t *testing.T) {
	for _, noise := range []float64{0, 0.2} {
		s := laplaceAR(21, 2500, 0.9, 0.7, 0.2)
		x := mat.NewDense(3, 2500, nil)
		x.Mul(mat.NewDense(3, 3, []float64{1, 0.6, -0.4, 0.5, -1, 0.7, 0.3, 0.8, 1}), s)
		x.Add(x, scaled(noise, gaussians(22, 3, 2500)))
		at := func(x, s *mat.Dense) (*Solution, float64) {
			signals, err := ica.New(x)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := Separate(t.Context(), signals, Config{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var z mat.Dense
			z.Mul(sol.Demixing, x)
			m, err := metric.MCC(&z, s)
			if err != nil {
				t.Fatal(err)
			}
			return sol, m.MCC
		}
		plain, want := at(x, s)
		lowered, got := at(oversampled(x, 4), oversampled(s, 4))
		if plain.Bandwidth != 1 || math.Abs(lowered.Bandwidth-0.25) > 0.01 {
			t.Errorf("bandwidths %.3f and %.3f, want 1 and 0.25", plain.Bandwidth, lowered.Bandwidth)
		}
		if math.Abs(got-want) > 0.003 {
			t.Errorf("noise %g: MCC %.4f at four times the rate, %.4f at its own", noise, got, want)
		}
	}
}

// The noise of a low-passed or band-passed recording is found between the edges of the filter. In a
// model with noise at all frequencies there is none, as there is none outside of them.
func TestFilteredNoise(t *testing.T) {
	const n, rate, noise = 20_000, 250., 0.2
	s := laplaceAR(31, n, 0.95, 0.8)
	for i := range 2 {
		floats.Scale(1/floats.Norm(s.RawRowView(i), 2)*math.Sqrt(n), s.RawRowView(i))
	}
	a := mat.NewDense(2, 2, []float64{1, 0.9, 0.2, 1})
	mixed := mat.NewDense(2, n, nil)
	mixed.Mul(a, s)
	mixed.Add(mixed, scaled(noise, gaussians(41, 2, n)))
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		filter filter.Filter
		least  float64 // share of the noise that is found: the edges of a narrow band weaken much of it
	}{
		{filter.Filter{Lowpass: 40}, 0.7}, {filter.Filter{Highpass: 1, Lowpass: 40}, 0.7},
		{filter.Filter{Highpass: 8, Lowpass: 30}, 0.5},
	} {
		f := test.filter
		x := mat.DenseCopyOf(mixed)
		for i := range 2 {
			f.Apply(x.RawRowView(i), rate)
		}
		white, err := pca.Whiten(x)
		if err != nil {
			t.Fatal(err)
		}
		c := newChannels(&mixture{
			white: white, shape: []int{n}, power: newBandPower(white.White), cfg: Config{Seed: 1},
		})
		b := c.demixing(&inverse)
		found := matchSpectra(c.spectrum, c.added, b).noise
		var standard mat.Dense
		standard.Apply(func(i, _ int, v float64) float64 { return v / c.sd[i] }, x)
		all := matchSpectra(newCosine(&standard, []int{n}).spectrum(), make([]float64, 4), b).noise
		for i, sd := range c.sd {
			// A filter of order 4 lets π/8/sin(π/8) of the power up to its edge through.
			want := noise * noise * f.Lowpass / (rate / 2) * 1.026 / (sd * sd)
			if found[i] < test.least*want || found[i] > 1.3*want || all[i] > want/10 {
				t.Errorf("%+v, channel %d: noise %.4f between the edges, %.4f at all frequencies; want "+
					"%.4f and 0", f, i, found[i], all[i], want)
			}
		}
	}
}
