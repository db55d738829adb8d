package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ar7 returns d sources of the paper's autoregressive process, after a burn-in.
func ar7(rng *rand.Rand, d, n int) *mat.Dense {
	beta := []float64{.4, .3, .2, .1, -.05, .03, -.02}
	s := mat.NewDense(d, n, nil)
	for i := range d {
		row := s.RawRowView(i)
		for t := range row {
			if t < len(beta) {
				row[t] = rng.NormFloat64()
				continue
			}
			for k, b := range beta {
				row[t] += b * row[t-1-k]
			}
			row[t] += 0.1 * rng.NormFloat64()
		}
	}
	return s
}

// mixGELU returns s after the given number of the paper's nonlinear updates
// x ← x + GELU(W·x), where W is 1 on the diagonal and .7 off it.
func mixGELU(s *mat.Dense, steps int) *mat.Dense {
	return mix(s, steps, func(v float64) float64 { return v / 2 * math.Erfc(-v/math.Sqrt2) })
}

// mixLinear returns s after the given number of updates x ← x + W·x.
func mixLinear(s *mat.Dense, steps int) *mat.Dense {
	return mix(s, steps, func(v float64) float64 { return v })
}

func mix(s *mat.Dense, steps int, h func(float64) float64) *mat.Dense {
	d, n := s.Dims()
	w := mat.NewDense(d, d, nil)
	w.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 1
		}
		return 0.7
	}, w)
	x := mat.DenseCopyOf(s)
	wx := mat.NewDense(d, n, nil)
	for range steps {
		wx.Mul(w, x)
		wx.Apply(func(_, _ int, v float64) float64 { return h(v) }, wx)
		x.Add(x, wx)
	}
	return x
}

// meanMCC returns the mean, over seeds, of the mean correlation of x after the steps
// with the sources.
func meanMCC(t *testing.T, d, n, seeds, mixing int, mixer func(*mat.Dense, int) *mat.Dense, steps ...string) float64 {
	t.Helper()
	scores := make([]float64, seeds)
	for seed := range seeds {
		s := ar7(rand.New(rand.NewPCG(uint64(seed), 1)), d, n)
		z, err := apply(mixer(s, mixing), steps...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d { // the maps keep the order of the signals
			scores[seed] += math.Abs(stat.Correlation(z.RawRowView(i), s.RawRowView(i), nil)) / float64(d)
		}
	}
	return stat.Mean(scores, nil)
}

func TestConditionalUndoesMonotoneMixing(t *testing.T) {
	// The means over 20 seeds are .966 and .946, those of ZCA .838 and .732.
	for _, test := range []struct {
		mixing  int
		atLeast float64
	}{
		{5, 0.95},
		{20, 0.93},
	} {
		if got := meanMCC(t, 2, 1024, 8, test.mixing, mixGELU, Conditional); got < test.atLeast {
			t.Errorf("mean MCC after %d GELU updates = %.3f, want at least %g", test.mixing, got, test.atLeast)
		}
	}
}

func TestConditionalOfThreeSignals(t *testing.T) {
	// The mean over 10 seeds is .94, that of ZCA .85.
	if got := meanMCC(t, 3, 1024, 2, 5, mixGELU, Conditional); got < 0.88 {
		t.Errorf("mean MCC = %.3f, want at least .88", got)
	}
}

func TestConditionalOfOneSignal(t *testing.T) {
	x := ar7(rand.New(rand.NewPCG(1, 2)), 1, 300)
	got, err := apply(x, Conditional)
	if err != nil {
		t.Fatal(err)
	}
	// Of one signal there is nothing to condition on.
	want, err := apply(x, Gaussianise, Standardise)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Error("conditional of one signal differs from its normal quantiles, standardised")
	}
}

func TestConditionalKeepsEqualColumnsEqual(t *testing.T) {
	// As in an image, where the background is the same everywhere.
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(3, 500, nil)
	x.Apply(func(_, t int, _ float64) float64 {
		if t < 300 {
			return 0
		}
		return rng.Float64()
	}, x)
	z, err := apply(x, Conditional)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for column := range 300 {
			if got, want := z.At(i, column), z.At(i, 0); math.Abs(got-want) > 1e-9 {
				t.Fatalf("z[%d,%d] = %g and z[%d,0] = %g for equal columns of x", i, column, got, i, want)
			}
		}
	}
}

func TestNeighbourhood(t *testing.T) {
	for _, test := range []struct{ n, want int }{
		{2, 2}, {10, 2}, {400, 80}, {999, 199}, {1000, 200}, {100000, 200},
	} {
		if got := neighbourhood(test.n); got != test.want {
			t.Errorf("neighbourhood(%d) = %d, want %d", test.n, got, test.want)
		}
	}
}
