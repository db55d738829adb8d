package source

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/ar"
)

// halves are the lags of a past of reach values, the farthest first, and the halves of
// the n positions that have one.
func halves(n, reach int) (lags, train, held []int) {
	for k := range reach {
		lags = append(lags, k-reach)
	}
	for t := reach; t < n; t++ {
		if t < n/2 {
			train = append(train, t)
		} else {
			held = append(held, t)
		}
	}
	return lags, train, held
}

// scoresOf returns the log-likelihoods of the signals under models of Fit.
func scoresOf(t *testing.T, z *mat.Dense, lags, train, held []int) []float64 {
	t.Helper()
	scores := make([]float64, len(held))
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		Fit(t.Context(), row, lags, train).LogDensities(row, lags, held, scores)
	}
	return scores
}

// Of Gaussian AR(2) innovations the model finds the coefficients and the
// entropy ½·log(2πe·σ²), to a few standard errors.
func TestFit(t *testing.T) {
	const n, sigma = 20000, .5
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), n, datasets.ARProcess{Coefficients: []float64{.6, -.3}, Scale: sigma, BurnIn: 100})
	if err != nil {
		t.Fatal(err)
	}
	lags, train, held := halves(n, 2)
	source := Fit(t.Context(), s.RawRowView(0), lags, train)
	for i, want := range []float64{-.3, .6} { // the farthest first
		if math.Abs(source.coefficients[i]-want) > 4/math.Sqrt(n) {
			t.Errorf("coefficient %d: %g, want %g", i, source.coefficients[i], want)
		}
	}
	score := stat.Mean(scoresOf(t, s, lags, train, held), nil)
	entropy := .5 * math.Log(2*math.Pi*math.E*sigma*sigma)
	if se := math.Sqrt(.5 / float64(len(held))); math.Abs(score+entropy) > 4*se {
		t.Errorf("code length %g, entropy %g ± %g", -score, entropy, se)
	}
}

// A mixture beats a Gaussian on Laplace innovations by nearly the difference of the entropies, ½·log(2πe) − 1 − ½·log 2.
func TestFitLaplace(t *testing.T) {
	const n = 20000
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(2, 0)), 1, n, .5)
	if err != nil {
		t.Fatal(err)
	}
	lags, train, held := halves(n, 1)
	_, std := ar.Regress(s.RawRowView(0), lags, train)
	gain := stat.Mean(scoresOf(t, s, lags, train, held), nil) + math.Log(std) + .5*math.Log(2*math.Pi*math.E)
	if want := .5*math.Log(2*math.Pi*math.E) - 1 - .5*math.Log(2); math.Abs(gain-want) > .02 {
		t.Errorf("a mixture gains %g, the entropies differ by %g", gain, want)
	}
}

// The densities are those of the formula, at more values than a block has and far from all components.
// The shares of the components sum to 1.
func TestMixtureDensities(t *testing.T) {
	m := mixture{{mean: -1, precision: 2, logPeak: -0.5}, {mean: 0.5, precision: 0.7, logPeak: -2}}
	values := floats.Span(make([]float64, 3*blockLength+7), -300, 500)
	scores := make([]float64, len(values))
	m.addLogDensities(values, scores)
	b, logs := newBlock(len(m)), make([][]float64, len(m))
	for k, g := range m {
		logs[k] = make([]float64, len(values))
		g.logDensities(logs[k], values)
	}
	for i, v := range values {
		want := floats.LogSumExp([]float64{logs[0][i], logs[1][i]})
		b.evaluate(m, values[i:i+1])
		b.normalise()
		share := b.terms[0][0] + b.terms[1][0]
		if math.Abs(scores[i]-want) > 1e-13*(1+math.Abs(want)) || math.Abs(share-1) > 1e-15 {
			t.Errorf("log density at %g is %.16g, want %.16g; shares sum to %g", v, scores[i], want, share)
		}
	}
}

func TestExponentiateAgainstMath(t *testing.T) {
	values := []float64{0, -1e-300}
	for x := 1e-3; x < 745; x *= 1.000913 { // not in step with the table
		values = append(values, -x)
	}
	for _, v := range values {
		got, want := []float64{v}, math.Exp(v)
		exponentiate(got)
		if !(math.Abs(got[0]-want) <= 3e-16*(1-v)*want+1e-299) {
			t.Errorf("exp(%g) = %.17g, want %.17g", v, got[0], want)
		}
	}
}
