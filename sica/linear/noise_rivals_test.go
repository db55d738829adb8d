package linear_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// instruments are a sine, a square wave and a sawtooth with drawn frequencies, of variance 1.
func instruments(rng *rand.Rand, n int) *mat.Dense {
	s := mat.NewDense(3, n, nil)
	var w [3]float64
	for i := range w {
		w[i] = 1.5 + 3.5*rng.Float64()
	}
	for t := range n {
		x := 9 * float64(t) / float64(n-1)
		turns := (0.8 + 0.1*w[2]) * x
		s.Set(0, t, math.Sin(w[0]*x))
		s.Set(1, t, math.Copysign(1, math.Sin(w[1]*x+0.4)))
		s.Set(2, t, 2*(turns-math.Floor(turns))-1)
	}
	return standard(s)
}

// symbols are d signals of a radio of variance 1: symbols of ±1, 8 positions each, low-passed. At each
// position they look Gaussian.
func symbols(rng *rand.Rand, d, n int) *mat.Dense {
	const rate, half, cutoff = 8, 32, 0.065
	var filter []float64 // a sinc with Hamming's window
	for k := -half; k <= half; k++ {
		h, x := 0.54+0.46*math.Cos(math.Pi*float64(k)/half), 2*math.Pi*cutoff*float64(k)
		if k != 0 {
			h *= math.Sin(x) / x
		}
		filter = append(filter, h)
	}
	s := mat.NewDense(d, n, nil)
	for i := range d {
		row := s.RawRowView(i)
		for at := rng.IntN(rate); at < n; at += rate {
			floats.AddScaled(row[at:min(at+len(filter), n)], float64(1-2*rng.IntN(2)),
				filter[:min(len(filter), n-at)])
		}
	}
	return standard(s)
}

func standard(s *mat.Dense) *mat.Dense {
	d, _ := s.Dims()
	for i := range d {
		mean, sd := stat.PopMeanStdDev(s.RawRowView(i), nil)
		floats.AddConst(-mean, s.RawRowView(i))
		floats.Scale(1/sd, s.RawRowView(i))
	}
	return s
}

// unitColumns draws a matrix with columns of length 1, of condition below 20 if it is square.
func unitColumns(rng *rand.Rand, d, k int) *mat.Dense {
	for {
		a := mat.NewDense(d, k, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		for j := range k {
			column := mat.Col(nil, j, a)
			floats.Scale(1/floats.Norm(column, 2), column)
			a.SetCol(j, column)
		}
		if d != k || mat.Cond(a, 2) < 20 {
			return a
		}
	}
}

// noisy is a·s with white noise of so many standard deviations in each channel.
func noisy(rng *rand.Rand, a, s *mat.Dense, deviation float64) *mat.Dense {
	x := new(mat.Dense)
	x.Mul(a, s)
	x.Apply(func(_, _ int, v float64) float64 { return v + deviation*rng.NormFloat64() }, x)
	return x
}

// With noise in the channels the rule is at least as good as FastICA: on three instruments
// (scikit-learn's example of blind source separation), on smooth AR(2) processes, whose
// innovations are far below the noise, on bursts of white noise, whose spectra are those of the noise,
// and on AR(1) processes of one spectrum. With spectra P the covariance of the channels is
// P(f)·A·Aᵀ + N·I then, so that their principal components explain the spectra without noise.
func TestNoiseIsNoWorseThanForFastICA(t *testing.T) {
	const mixtures = 12 // of four, three instruments can be behind by chance
	for name, draw := range map[string]func(*rand.Rand) (s *mat.Dense, noise float64){
		"instruments": func(rng *rand.Rand) (*mat.Dense, float64) { return instruments(rng, 2000), 0.05 },
		"AR(1) of one spectrum": func(rng *rand.Rand) (*mat.Dense, float64) {
			return standard(laplaceProcesses(rng.Uint64(), 2500, 0.7, 0.7, 0.7)), 0.2
		},
		"bursts": func(rng *rand.Rand) (*mat.Dense, float64) {
			s := mat.NewDense(2, 2500, nil)
			s.Apply(func(i, t int, _ float64) float64 {
				rate := []float64{0.005, 0.0083}[i]
				return math.Exp(1.5*math.Sin(2*math.Pi*rate*float64(t))) * rng.NormFloat64()
			}, s)
			return standard(s), 0.25
		},
		"AR(2)": func(rng *rand.Rand) (*mat.Dense, float64) {
			s := mat.NewDense(3, 2000, nil)
			for i, q := range []float64{0.95, 0.9, 0.8} {
				row := s.RawRowView(i)
				for k := range row {
					row[k] = rng.ExpFloat64() - rng.ExpFloat64()
					if k > 1 {
						row[k] += 1.8*q*row[k-1] - 0.9*q*q*row[k-2]
					}
				}
			}
			return standard(s), 0.05
		},
		"symbols": func(rng *rand.Rand) (*mat.Dense, float64) { return symbols(rng, 4, 4000), 0.1 },
	} {
		var ours, theirs []float64
		for seed := range uint64(mixtures) {
			rng := rand.New(rand.NewPCG(seed, 42))
			s, noise := draw(rng)
			d, _ := s.Dims()
			x := noisy(rng, unitColumns(rng, d, d), s, noise)
			sol := separate(t, x, linear.Config{})
			ours = append(ours, mcc(t, recovered(sol, x), s))
			f, err := ica.Separate(t.Context(), fastica.Default(), x)
			if err != nil {
				t.Fatal(err)
			}
			theirs = append(theirs, mcc(t, f.Signals, s))
			t.Logf("%s, seed %d: MCC %.3f, FastICA %.3f, scale %d (%s)", name, seed,
				ours[seed], theirs[seed], sol.Scale, sol.Start)
		}
		if a, b := stat.Mean(ours, nil), stat.Mean(theirs, nil); a < b-0.005 {
			t.Errorf("%s: MCC %.3f, FastICA %.3f", name, a, b)
		}
	}
}

// Eight sources in four channels: pulses are recovered as well as by FastICA, and no mixture is
// called identified if more sources are detected.
func TestMoreSourcesThanChannels(t *testing.T) {
	const n = 3000
	mixtures := uint64(4)
	if testing.Short() {
		mixtures = 2
	}
	var ours, theirs []float64
	for seed := range uint64(mixtures) {
		rng := rand.New(rand.NewPCG(seed, 43))
		s := mat.NewDense(8, n, nil)
		for at := 100; at < n-40; at += 300 + rng.IntN(500) { // blinks
			for k := range 40 {
				s.Set(0, at+k, 0.5-0.5*math.Cos(2*math.Pi*float64(k)/39))
			}
		}
		for i := 1; i < 8; i++ {
			weight := 0.3 + 0.65*rng.Float64()
			row := s.RawRowView(i)
			for k := range row {
				row[k] = rng.ExpFloat64() - rng.ExpFloat64()
				if k > 0 {
					row[k] += weight * row[k-1]
				}
			}
		}
		standard(s)
		a := unitColumns(rng, 4, 8)
		for i := range 4 {
			a.Set(i, 0, 4*a.At(i, 0))
		}
		x := noisy(rng, a, s, 0.05)
		sol := separate(t, x, linear.Config{})
		best := func(z mat.Matrix) float64 {
			largest := 0.0
			for i := range 4 {
				r := stat.Correlation(mat.Row(nil, i, z), s.RawRowView(0), nil)
				largest = max(largest, math.Abs(r))
			}
			return largest
		}
		ours = append(ours, best(recovered(sol, x)))
		f, err := ica.Separate(t.Context(), fastica.Default(), x)
		if err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, best(f.Signals))
		if sol.Reason == linear.MoreSources && len(sol.Groups) > 1 {
			t.Errorf("seed %d: %d groups with surplus sources", seed, len(sol.Groups))
		}
		t.Logf("seed %d: blinks %.3f, FastICA %.3f, scale %d, %v (%s)", seed, ours[seed], theirs[seed],
			sol.Scale, sol.Reason, sol.Start)
	}
	if a, b := stat.Mean(ours, nil), stat.Mean(theirs, nil); a < b-0.01 {
		t.Errorf("correlation with blinks %.3f, FastICA %.3f", a, b)
	}
}

// Twelve sources in eight channels: a rhythm, which has a spectrum of its own, is recovered better than
// by FastICA. Sparse signals, such as blinks and heartbeats, aren't: 0.72 and 0.80 here. More
// sources are found in eight of these ten mixtures, and in 17 of 20.
func TestRhythmAmongSurplusSources(t *testing.T) {
	const d, k, n = 8, 12, 3000
	const rhythm, mixtures = 3, 10 // the fourth source is the rhythm
	surplus := 0
	var ours, theirs []float64
	for seed := range uint64(mixtures) {
		rng := rand.New(rand.NewPCG(seed, 44))
		s := mat.NewDense(k, n, nil)
		s.SetRow(0, pulses(rng, n, 38, 384, 900))
		s.SetRow(1, pulses(rng, n, 15, 200, 40))
		s.SetRow(2, pulses(rng, n, 20, 150, 300))
		strength, phase := 0.0, 0.0
		for at := range n {
			strength = 0.995*strength + 0.1*rng.NormFloat64()
			phase += 0.25 + 0.01*rng.NormFloat64()
			s.Set(rhythm, at, strength*math.Sin(phase))
		}
		for i := rhythm + 1; i < k; i++ {
			weight, row := 0.3+0.65*rng.Float64(), s.RawRowView(i)
			for at := range row {
				row[at] = rng.ExpFloat64() - rng.ExpFloat64()
				if at > 0 {
					row[at] += weight * row[at-1]
				}
			}
		}
		x := noisy(rng, unitColumns(rng, d, k), standard(s), 0.05)
		nearest := func(z mat.Matrix) float64 {
			largest := 0.0
			for i := range d {
				r := stat.Correlation(mat.Row(nil, i, z), s.RawRowView(rhythm), nil)
				largest = max(largest, math.Abs(r))
			}
			return largest
		}
		sol := separate(t, x, linear.Config{})
		f, err := ica.Separate(t.Context(), fastica.Default(), x)
		if err != nil {
			t.Fatal(err)
		}
		ours = append(ours, nearest(recovered(sol, x)))
		theirs = append(theirs, nearest(f.Signals))
		if sol.Reason == linear.MoreSources {
			surplus++
		}
	}
	a, b := stat.Mean(ours, nil), stat.Mean(theirs, nil)
	t.Logf("rhythm %.3f, FastICA %.3f", a, b)
	if surplus < 8 {
		t.Errorf("surplus sources are found in %d of %d mixtures", surplus, mixtures)
	}
	if a < b+0.05 { // 0.79 and 0.72 here
		t.Errorf("rhythm %.3f, FastICA %.3f", a, b)
	}
}

// pulses are pulses of the given width every least to least+more positions.
func pulses(rng *rand.Rand, n, width, least, more int) []float64 {
	row := make([]float64, n)
	for at := rng.IntN(least); at < n-width; at += least + rng.IntN(more) {
		for k := range width {
			row[at+k] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(k)/float64(width-1))
		}
	}
	return row
}
