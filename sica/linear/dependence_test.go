package linear_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/linear"
)

// laplaceProcesses are AR(1) with the given weights and Laplace innovations.
func laplaceProcesses(seed uint64, n int, weights ...float64) *mat.Dense {
	s := laplace(seed, len(weights), n)
	for i, w := range weights {
		for t := range n - 1 {
			s.Set(i, t+1, s.At(i, t+1)+w*s.At(i, t))
		}
	}
	return s
}

// The probability of the recovered signals' dependence is uniform if the sources are as many as the
// channels and independent. So of 40 mixtures 4 are expected below 0.1, and 20 below one half; by
// chance it is more than 10, and less than 10 or more than 30, once in a thousand times.
func TestIndependenceIsUniform(t *testing.T) {
	const mixtures = 40
	below, half := 0, 0
	for seed := range uint64(mixtures) {
		s := laplaceProcesses(seed, 1000, 0.9, 0.5, -0.4)
		sol := separate(t, mixed(seed, s), linear.Config{})
		if sol.Independence < 0.1 {
			below++
		}
		if sol.Independence < 0.5 {
			half++
		}
		if (sol.Reason == linear.Dependence) != (sol.Independence < 0.01) {
			t.Errorf("seed %d: %v at a probability of %.3g", seed, sol.Reason, sol.Independence)
		}
	}
	if below > 10 || half < 10 || half > 30 {
		t.Errorf("of %d mixtures %d are below 0.1 and %d below 0.5", mixtures, below, half)
	}
}

// With seven sources in five channels no demixing has independent signals, which the recovered ones
// show as a rule. Then none is identified.
func TestSurplusSourcesAreDependent(t *testing.T) {
	const mixtures, d = 6, 5
	dependent := 0
	for seed := range uint64(mixtures) {
		s := laplaceProcesses(seed, 3000, 0.9, 0.8, 0.7, 0.5, 0.2, -0.4, 0.6)
		rng := rand.New(rand.NewPCG(seed, 3))
		a, x := mat.NewDense(d, 7, nil), new(mat.Dense)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		x.Mul(a, s)
		sol := separate(t, x, linear.Config{})
		if sol.Independence < 0.01 {
			dependent++
			if len(sol.Groups) != 1 {
				t.Errorf("seed %d: dependent signals are in groups %v: %s", seed, sol.Groups, sol.Why)
			}
		}
	}
	if dependent < 4 {
		t.Errorf("of %d mixtures the signals of %d are dependent, want at least 4", mixtures, dependent)
	}
}
