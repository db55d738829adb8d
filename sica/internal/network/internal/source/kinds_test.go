package source

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/contexttest"
)

// loud is a signal of innovations e·σ, the logarithm of σ being .4 of that of their root mean
// square at the 4 positions before and .5 of that at the 16 before, after z_t = .6·z_{t−1};
// and those logarithms.
func loud(rng *rand.Rand, n int) (z *mat.Dense, logs []float64) {
	r := make([]float64, n)
	z, logs = mat.NewDense(1, n, nil), make([]float64, n)
	rms := func(t, horizon int) float64 {
		sum := 0.
		for _, v := range r[t-horizon : t] {
			sum += v * v
		}
		return math.Sqrt(sum / float64(horizon))
	}
	for t := range n {
		if t >= 16 {
			logs[t] = .4*math.Log(rms(t, 4)) + .5*math.Log(rms(t, 16))
		}
		r[t] = math.Exp(logs[t]) * rng.NormFloat64()
		z.Set(0, t, r[t])
		if t > 0 {
			z.Set(0, t, .6*z.At(0, t-1)+r[t])
		}
	}
	return z, logs
}

// The code of such a signal is as long as that of one who knows its σ, ½·log(2πe·σ²) on
// average, to a hundredth of a nat, and shorter than without their variation.
func TestScoresOfVarying(t *testing.T) {
	const n = 20000
	z, logs := loud(rand.New(rand.NewPCG(9, 0)), n)
	lags, train, held := halves(n, 2)
	constant, got, err := Scores(t.Context(), z, lags, train, held, Varying, Jumping)
	if want := scoresOf(t, z, lags, train, held); err != nil || !slices.Equal(constant, want) {
		t.Error("the scores of constant strength aren't those of an autoregression")
	}
	longer := make([]float64, len(held))
	for i, at := range held {
		r := z.At(0, at) - .6*z.At(0, at-1)
		known := -logs[at] - .5*math.Log(2*math.Pi) - r*r*math.Exp(-2*logs[at])/2
		longer[i] = known - got[i]
	}
	mean, sd := stat.MeanStdDev(longer, nil)
	se := stat.StdErr(sd, n/2)
	if mean < -4*se || mean > .01 {
		t.Errorf("%.4f ± %.4f nats per position more than with σ known", mean, se)
	}
	if gain := stat.Mean(got, nil) - stat.Mean(constant, nil); gain < .05 {
		t.Errorf("it saves %.3f nats per position", gain)
	} else {
		t.Logf("%.4f ± %.4f nats more than with σ known, %.3f fewer than without it", mean, se, gain)
	}
}

// A telegraph that jumps between −1 and 1 with probability p, with Gaussian noise so weak
// that its level is plain, has the entropy rate H(p) + ½·log(2πe·σ²).
func TestScoresOfTelegraph(t *testing.T) {
	const n, p, sigma = 20000, .1, .1
	rng := rand.New(rand.NewPCG(7, 0))
	z := mat.NewDense(1, n, nil)
	level := 1.
	for i := range n {
		if rng.Float64() < p {
			level = -level
		}
		z.Set(0, i, level+sigma*rng.NormFloat64())
	}
	lags, train, held := halves(n, 2)
	scores, varying, err := Scores(t.Context(), z, lags, train, held, Varying, Jumping)
	if err != nil {
		t.Fatal(err)
	}
	got := -stat.Mean(scores, nil)
	want := -p*math.Log(p) - (1-p)*math.Log(1-p) + .5*math.Log(2*math.Pi*math.E*sigma*sigma)
	// A jump is worth log((1−p)/p) nats more than none.
	se := math.Sqrt((p*(1-p)*math.Pow(math.Log((1-p)/p), 2) + .5) / float64(len(held)))
	if math.Abs(got-want) > 4*se || !slices.Equal(varying, scores) {
		t.Errorf("code length %.4f ± %.4f, entropy rate %.4f", got, se, want)
	}
}

// The innovations of a telegraph are uniform and don't depend on its level before, which is what
// predicts it. An autoregression has none.
func TestJumpInnovations(t *testing.T) {
	const n, p, sigma = 20000, .1, .1
	rng := rand.New(rand.NewPCG(7, 1))
	z, level := make([]float64, n), 1.
	var lagged []float64 // the values before
	var at []int
	for i := range n {
		if rng.Float64() < p {
			level = -level
		}
		if z[i] = level + sigma*rng.NormFloat64(); i > 1 {
			at, lagged = append(at, i), append(lagged, z[i-1])
		}
	}
	e, predictions := JumpInnovations(t.Context(), z, []int{-2, -1}, at)
	if d := stat.Correlation(predictions, lagged, nil); d < .99 {
		t.Errorf("the predictions correlate by %.3f with the values before", d)
	}
	square := make([]float64, len(e))
	for i, v := range e {
		square[i] = (v - .5) * (v - .5)
	}
	for name, v := range map[string][]float64{"innovations": e, "their squares": square} {
		if r := stat.Correlation(v, lagged, nil); math.Abs(r) > 4/math.Sqrt(n) {
			t.Errorf("%s correlate by %.3f with the values before", name, r)
		}
	}
	slices.Sort(e)
	for _, q := range []float64{.02, .25, .5, .75, .98} {
		if got := e[int(q*float64(len(e)))]; math.Abs(got-q) > 4*math.Sqrt(q*(1-q)/n)+.005 {
			t.Errorf("quantile %g of the innovations is %.4f", q, got)
		}
	}
	s, err := datasets.LaplaceAR(rng, 1, n, .7)
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := JumpInnovations(t.Context(), s.RawRowView(0), []int{-2, -1}, at); e != nil {
		t.Error("an autoregression jumps")
	}
}

// A fit ends soon after its context, in the middle of EM.
func TestScoresStopped(t *testing.T) {
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(8, 0)), 1, 400, .7)
	if err != nil {
		t.Fatal(err)
	}
	lags, train, held := halves(400, 2)
	counted, calls := contexttest.Counted(t.Context())
	if _, _, err := Scores(counted, s, lags, train, held, Varying, Jumping); err != nil {
		t.Fatal(err)
	}
	all := calls()
	if all < 2*emSteps { // one at least for each step of two models; jumps are given up
		t.Errorf("ctx was checked %d times", all)
	}
	for after := range all {
		ctx := contexttest.EndsAfter(t.Context(), after)
		_, _, err := Scores(ctx, s, lags, train, held, Varying, Jumping)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d checks: error %v", after, err)
		}
	}
}

// Signals that an autoregression made are scored as such.
func TestScoresOfAutoregression(t *testing.T) {
	const n = 4000
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(8, 0)), 2, n, .7)
	if err != nil {
		t.Fatal(err)
	}
	lags, train, held := halves(n, 2)
	got, varying, err := Scores(t.Context(), s, lags, train, held, Varying, Jumping)
	if err != nil {
		t.Fatal(err)
	}
	want := scoresOf(t, s, lags, train, held)
	if !slices.Equal(varying, got) {
		t.Error("of varying strength")
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("position %d: %g, want %g", held[i], got[i], want[i])
		}
	}
}

// Jumps are given up where an autoregression has the shorter code in the end.
func TestHopelessJumpsAreGivenUp(t *testing.T) {
	z, _ := loud(rand.New(rand.NewPCG(9, 0)), 2000)
	row := z.RawRowView(0)
	lags, at, _ := halves(2000, 2)
	fitted := Fit(t.Context(), row, lags, at)
	length := codeLength(fitted, autoregressionParameters(lags), row, lags, at)
	code := func(limit float64) float64 {
		return codeLength(fitJumps(t.Context(), row, lags, at, limit), jumpParameters, row, lags, at)
	}
	end := code(math.Inf(1))
	if end < length || code(length) == end {
		t.Errorf("jumps take %g nats, %g in the end, an autoregression %g", code(length), end, length)
	}
}
