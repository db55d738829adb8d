package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// The matrix and its change from the first position to the last, in the tests on drift.
var (
	driftingMatrix = mat.NewDense(3, 3, []float64{1, 0.5, -0.4, -0.3, 1, 0.6, 0.4, -0.5, 1})
	driftDirection = mat.NewDense(3, 3, []float64{0.2, -0.9, 0.5, 0.7, 0.1, 0.8, -0.6, 0.4, 0.3})
)

// drifting returns the mixtures of the sources s by a matrix that changes by size·driftDirection.
func drifting(s *mat.Dense, size float64) *mat.Dense {
	d, n := s.Dims()
	x := mat.NewDense(d, n, nil)
	for t := range n {
		share := size * (float64(t)/float64(n-1) - 0.5)
		for i := range d {
			for j := range d {
				x.Set(i, t, x.At(i, t)+(driftingMatrix.At(i, j)+share*driftDirection.At(i, j))*s.At(j, t))
			}
		}
	}
	return x
}

// Of a constant mixing the probability is uniform: its mean is ½. It is so for white sources, for others,
// and for sources that come and go, whose slopes have another variance in each block.
func TestNoDrift(t *testing.T) {
	const n, runs = 1600, 60
	for name, c := range map[string]struct {
		weights []float64
		comeGo  bool
	}{
		"white":              {[]float64{0, 0, 0}, false},
		"predictable":        {[]float64{0.8, 0.5, -0.3}, false},
		"come and go":        {[]float64{0.8, 0.5, -0.3}, true},
		"white, come and go": {[]float64{0, 0, 0}, true},
	} {
		mean, rare := 0., 0
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 91))
			s := processes(rng, "Laplace", n, c.weights...)
			if c.comeGo {
				s.Apply(func(i, t int, v float64) float64 {
					return v * (1 + 0.9*math.Sin(float64(i)+6*math.Pi*float64(t)/n))
				}, s)
			}
			sol := separated(t, drifting(s, 0))
			mean += sol.drift.probability / runs
			if sol.drift.probability < minDriftProbability {
				rare++
			}
		}
		// The standard error of the mean is 1/√(12·60) = 0.04.
		if math.Abs(mean-0.5) > 0.15 || rare > 1 {
			t.Errorf("%s: the mean probability is %.2f, want 0.50; %d of %d are below %g", name, mean, rare, runs,
				minDriftProbability)
		}
	}
}

func separated(t *testing.T, x *mat.Dense) *draft {
	t.Helper()
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := separate(t.Context(), signals, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// A mixing that drifts is found, and the ExpectedError contains what it does to the correlations, within a
// factor of two. Sampling alone is less than a third of it.
func TestDrift(t *testing.T) {
	for _, n := range []int{3000, 24_000} { // all positions at once, and by a part of them
		expected, sampling, actual := 0., 0., 0.
		const runs = 6
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 92))
			s := processes(rng, "Laplace", n, 0.8, 0.5, -0.3)
			x := drifting(s, 0.25)
			sol := separated(t, x)
			if sol.drift.probability > 1e-6 || sol.Drift == nil {
				t.Errorf("n = %d, seed %d: a drift has the probability %.2g", n, seed, sol.drift.probability)
				continue
			}
			note := notes.ExpectedError(sol.ExpectedError, sol.Groups, sol.Noise, sol.Drift)
			if note != "" && !strings.HasSuffix(note, "the change with time") {
				t.Errorf("the expected error is %q", note)
			}
			if note := notes.Drift(sol.Drift); !strings.Contains(note, fmt.Sprint("signal ", floats.MaxIdx(sol.Drift)+1)) {
				t.Errorf("the drift is %q, want the signal of the largest of %g", note, sol.Drift)
			}
			var y mat.Dense
			y.Mul(sol.Demixing, x)
			for i, e := range sol.ExpectedError {
				if !sol.Identified(i) {
					continue
				}
				expected += e
				sampling += e - sol.Drift[i]
				largest := 0.
				for j := range 3 {
					largest = max(largest, math.Abs(stat.Correlation(y.RawRowView(i), s.RawRowView(j), nil)))
				}
				actual += 1 - largest
			}
		}
		if ratio := expected / actual; ratio < 0.5 || ratio > 2 || sampling > actual/3 {
			t.Errorf("n = %d: errors of %.4f are expected, %.4f of them by sampling; they are %.4f", n,
				expected/(3*runs), sampling/(3*runs), actual/(3*runs))
		}
	}
}
