package experiment

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica"
)

// Each case is there once, and another number of seeds keeps the first.
func TestCases(t *testing.T) {
	for _, part := range []string{"A", "B"} {
		all, err := Cases(part, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[CaseID]bool)
		for _, c := range all {
			if seen[c.CaseID] {
				t.Errorf("%v is there twice", c.CaseID)
			}
			seen[c.CaseID] = true
		}
		few, err := Cases(part, 2, "")
		if err != nil || len(few) >= len(all) {
			t.Fatalf("%d and %d cases, error %v", len(few), len(all), err)
		}
		for _, c := range few {
			if !seen[c.CaseID] {
				t.Errorf("%v isn't among all", c.CaseID)
			}
		}
	}
	for name, err := range map[string]error{
		"part": second(Cases("C", 0, "")), "seeds": second(Cases("A", -1, "")),
		"only": second(Cases("A", 0, "magic")), "set": second(Cases("A", 0, "", "magic")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Each case can be drawn.
func TestCasesAreDrawn(t *testing.T) {
	sets := []string{"normal", "linear", "filtered", "nonlinear"}
	if !testing.Short() {
		sets = nil
	}
	cases, err := Cases("A", 1, "", sets...)
	if err != nil {
		t.Fatal(err)
	}
	drawn := make(map[string]bool) // of each mixture the first seed
	for _, c := range cases {
		if name := c.Set + c.Mixture; !drawn[name] {
			drawn[name] = true
			if _, _, err := c.draw(c.Seed); err != nil {
				t.Errorf("%v: %v", c.CaseID, err)
			}
		}
	}
}

// The score is that of the signals, and without identified signals nothing is wrong.
func TestSeparateScores(t *testing.T) {
	cases, err := Cases("A", 1, "uniform, d=2", "linear")
	if err != nil {
		t.Fatal(err)
	}
	score, err := cases[0].Separate(t.Context(), nil)
	if err != nil || score.Error != "" {
		t.Fatalf("%v, %+v", err, score)
	}
	if score.Signals != 2 || score.MCC < 0.98 || !score.IsRight() || score.Lowest > score.MCC ||
		score.WrongSignals != 0 || score.Why == "" || score.Candidate == "" {
		t.Errorf("%+v", score)
	}
	for _, change := range []string{OtherSeed, OtherUnits} {
		changed := cases[0]
		changed.Change = change
		other, err := changed.Separate(t.Context(), nil)
		if err != nil || other.MCC == score.MCC || math.Abs(other.MCC-score.MCC) > 0.01 {
			t.Errorf("%s: %v, MCC %g became %g", change, err, score.MCC, other.MCC)
		}
	}
	result := &sica.Result{Z: mat.NewDense(2, 4, []float64{1, 2, 4, 3, 5, 4, 1, 7})}
	again := Score{}
	sources := mat.NewDense(3, 4, []float64{0, 1, 0, 0, -5, -4, -1, -7, 1, 2, 4, 3})
	if err := again.compare(result, sources); err != nil || math.Abs(again.Lowest-1) > 1e-8 ||
		again.Identified {
		t.Errorf("%v, %+v", err, again)
	}
}

// The sources of part B have mean 0 and variance 1.
func TestSealedSourcesAreStandardised(t *testing.T) {
	for _, k := range sealedKinds() {
		if testing.Short() && k.positions > 10_000 {
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		s, shape, err := standardised(k.sources)(rng, k.positions)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		d, n := s.Dims()
		if d < k.signals || n != k.positions || shape != nil && shape[0]*shape[1] != n {
			t.Errorf("%s: %d×%d, shape %v", k.name, d, n, shape)
		}
		for i := range d {
			mean, sd := stat.PopMeanStdDev(s.RawRowView(i), nil)
			if math.Abs(mean) > 1e-9 || math.Abs(sd-1) > 1e-9 {
				t.Errorf("%s, source %d: mean %g, standard deviation %g", k.name, i, mean, sd)
			}
		}
	}
}

// drawn returns n values of a signal.
func drawn(s signal, seed uint64, n int) []float64 {
	value := s(rand.New(rand.NewPCG(seed, 3)), 0, n)
	z := make([]float64, n)
	for t := range z {
		z[t] = value(t)
	}
	return z
}

// autocorrelation returns that of z at a lag.
func autocorrelation(z []float64, lag int) float64 {
	return stat.Correlation(z[lag:], z[:len(z)-lag], nil)
}

// The processes have the autocorrelations of their formulas.
func TestSealedSpectra(t *testing.T) {
	const n = 200_000
	average := drawn(movingAverage(datasets.Normal, 1, -0.3, 0.3), 1, n)
	squares := 1 + 0.09 + 0.09
	swings := drawn(stochasticVolatility(0.95, 0.4), 2, n)
	logSquares := make([]float64, n) // h + log e²; the second has variance π²/2
	for t, v := range swings {
		logSquares[t] = math.Log(v * v)
	}
	variance := 0.4 * 0.4 / (1 - 0.95*0.95)
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"moving average, lag 1", autocorrelation(average, 1), (-0.3 - 0.3*0.3) / squares},
		{"moving average, lag 2", autocorrelation(average, 2), 0.3 / squares},
		{"moving average, lag 3", autocorrelation(average, 3), 0},
		{"stochastic volatility", autocorrelation(swings, 1), 0},
		{"its log-variance", autocorrelation(logSquares, 1),
			0.95 * variance / (variance + math.Pi*math.Pi/2)},
		{"hidden Markov chain, white", autocorrelation(drawn(hiddenMarkov, 3, n), 1), 0},
	} {
		if math.Abs(test.got-test.want) > 0.015 {
			t.Errorf("%s: autocorrelation %.3f; want %.3f", test.name, test.got, test.want)
		}
	}
}

// Of a power spectrum of 1/f each octave has the same power: the variance of the differences
// between means of neighbouring blocks hardly depends on the blocks' length.
func TestInverseFrequency(t *testing.T) {
	z := drawn(inverseFrequency, 4, 1<<18)
	var powers []float64
	for _, length := range []int{4, 16, 64, 256} {
		sum, count := 0.0, 0
		for at := 0; at+2*length <= len(z); at += 2 * length {
			d := stat.Mean(z[at:at+length], nil) - stat.Mean(z[at+length:at+2*length], nil)
			sum += d * d
			count++
		}
		powers = append(powers, sum/float64(count))
	}
	if slices.Max(powers) > 1.3*slices.Min(powers) {
		t.Errorf("powers of octaves: %.3f", powers)
	}
}

// The kurtosis of a generalised Gaussian density has a closed form: 6 of Laplace, 3 of a Gaussian.
func TestGeneralisedGaussian(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []float64{1, 2, 6} {
		want := math.Gamma(5/shape) * math.Gamma(1/shape) / math.Pow(math.Gamma(3/shape), 2)
		z := make([]float64, 200_000)
		for t := range z {
			z[t] = generalised(shape)(rng)
		}
		if got := stat.ExKurtosis(z, nil) + 3; math.Abs(got-want) > 0.05*want {
			t.Errorf("shape %g: kurtosis %.2f; want %.2f", shape, got, want)
		}
	}
}

// Random fields have the exponential covariance, in the mean over fields.
func TestFieldsHaveTheirCovariance(t *testing.T) {
	const side, count = 16, 60
	covariances := slices.Repeat([]matern{{0.5, 1}}, count)
	s, _, err := fields(side, covariances...)(rand.New(rand.NewPCG(7, 8)), side*side)
	if err != nil {
		t.Fatal(err)
	}
	for _, lag := range []int{0, 1, 3} {
		sum := 0.0
		for i := range count {
			for row := range side {
				for column := range side - lag {
					at := row*side + column
					sum += s.At(i, at) * s.At(i, at+lag) / float64(count*side*(side-lag))
				}
			}
		}
		if want := math.Exp(-float64(lag) * 10 / side); math.Abs(sum-want) > 0.08 {
			t.Errorf("lag %d: covariance %.3f; want %.3f", lag, sum, want)
		}
	}
}

// Confounding noise is a tenth of the mean variance of the channels. Its covariance is the same
// within groups only.
func TestConfoundedMixing(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	s, _, err := standardised(several(5, randomBlocks(100)))(rng, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	again := rand.New(rand.NewPCG(11, 12))
	clean, err := packageMixing(again, s)
	if err != nil {
		t.Fatal(err)
	}
	x, err := confoundedMixing(rand.New(rand.NewPCG(11, 12)), s)
	if err != nil {
		t.Fatal(err)
	}
	var noise mat.Dense
	noise.Sub(x, clean)
	signal, added := 0.0, 0.0
	for i := range 5 {
		signal += stat.Variance(clean.RawRowView(i), nil)
		added += stat.Variance(noise.RawRowView(i), nil)
	}
	if share := added / signal; share < 0.05 || share > 0.15 {
		t.Errorf("noise has a share of %.3f", share)
	}
	first := stat.Correlation(noise.RawRowView(0)[:1000], noise.RawRowView(1)[:1000], nil)
	half := stat.Correlation(noise.RawRowView(0)[:500], noise.RawRowView(1)[:500], nil)
	later := stat.Correlation(noise.RawRowView(0)[1000:2000], noise.RawRowView(1)[1000:2000], nil)
	if math.Abs(first-half) > 0.15 || math.Abs(first-later) < 0.15 {
		t.Errorf("correlations: %.2f, of half a group %.2f, of another %.2f", first, half, later)
	}
}

// Default runs on a mixture of each kind of part B. How well is not looked at.
func TestSealedKindsRun(t *testing.T) {
	if os.Getenv("SICA_LONG_TESTS") == "" {
		t.Skip("minutes; SICA_LONG_TESTS=1")
	}
	b := backendtest.Open(t, backend.Auto)
	cases, err := Cases("B", 1, "", "rivals", "nonlinear rivals")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Seed != boardSeed {
			continue
		}
		c.Seed = 7 // not one of the scoreboard
		if score, err := c.Separate(t.Context(), b); err != nil || score.Error != "" {
			t.Errorf("%s: %v %s", c.Mixture, err, score.Error)
		}
	}
}
