package source

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
)

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
	scores, varies := ScoresOf(z, lags, train, held, 4, Autoregressive, Varying, Jumping)
	got := -stat.Mean(scores, nil)
	want := -p*math.Log(p) - (1-p)*math.Log(1-p) + .5*math.Log(2*math.Pi*math.E*sigma*sigma)
	// A jump is worth log((1−p)/p) nats more than none.
	se := math.Sqrt((p*(1-p)*math.Pow(math.Log((1-p)/p), 2) + .5) / float64(len(held)))
	if math.Abs(got-want) > 4*se || varies {
		t.Errorf("code length %.4f ± %.4f, entropy rate %.4f", got, se, want)
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
	got, varies := ScoresOf(s, lags, train, held, 4, Autoregressive, Varying, Jumping)
	want := Scores(s, lags, train, held, 4)
	if varies {
		t.Error("of varying strength")
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("position %d: %g, want %g", held[i], got[i], want[i])
		}
	}
}
