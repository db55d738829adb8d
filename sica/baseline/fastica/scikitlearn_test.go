package fastica_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	. "github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

// reference holds the results of scikit-learn, written by scripts/baselines/fastica_oracle.py.
type reference struct {
	AR7      []float64 // the MCC of seeds 1, 2, …
	Unmixing []struct {
		D          int
		Iterations int
		Components [][]float64
	}
}

func TestUnmixingIsScikitLearns(t *testing.T) {
	worst := 0.0
	cases := baselinetest.ReadJSON[reference](t, "testdata/scikit-learn.json").Unmixing
	if len(cases) != 3 {
		t.Fatalf("%d cases, want 3", len(cases))
	}
	for _, want := range cases {
		t.Run(fmt.Sprint(want.D), func(t *testing.T) {
			x, _ := mixed(want.D, 2000)
			cfg := Default()
			cfg.Start = baselinetest.Start(want.D, 0)
			if got := baselinetest.Fit(t, x, cfg).Convergence.Iterations; got != want.Iterations {
				t.Errorf("%d iterations, want %d", got, want.Iterations)
			}

			// With the same start the order and the signs are the same too.
			cfg.Tolerance, cfg.MaxIterations = 1e-14, 5000
			m := baselinetest.Fit(t, x, cfg)
			components := mat.NewDense(want.D, want.D, slices.Concat(want.Components...))
			var off mat.Dense
			unmixing := baselinetest.Unmixing(t, m)
			off.Sub(unmixing, components)
			// Relative to the largest entry.
			distance := mat.Norm(&off, math.Inf(1)) / mat.Max(components)
			if worst = max(worst, distance); !(distance < 1e-6) {
				t.Errorf("unmixing\n%v\noff by %g from\n%v",
					mat.Formatted(unmixing), distance, mat.Formatted(components))
			}
		})
	}
	t.Logf("off by %.1e at most", worst)
}

// unstableSeed is the seed of nearly Gaussian signals, with hundreds of iterations. Scikit-learn
// itself ends at an MCC of 0.963, 0.965 or 0.835 when the start changes in the 14th digit.
const unstableSeed = 1

func TestAR7LikeScikitLearn(t *testing.T) {
	var shared, own, scikitLearn []float64
	for i, want := range baselinetest.ReadJSON[reference](t, "testdata/scikit-learn.json").AR7 {
		seed := uint64(i + 1)
		if seed == unstableSeed {
			continue
		}
		s, err := datasets.AR7(rand.New(rand.NewPCG(seed, 0)), 2, 1024) // as sica generate
		if err != nil {
			t.Fatal(err)
		}
		x := baselinetest.Mixed(t, s, datasets.MixOptions{Steps: 5})
		run := func(start *mat.Dense) float64 {
			cfg := Paper()
			cfg.Seed, cfg.Start = seed, start
			return baselinetest.MCC(t, baselinetest.Fit(t, x, cfg).Signals, s)
		}
		got := run(baselinetest.Start(2, seed))
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("seed %d: MCC %.8f, want scikit-learn's %.8f", seed, got, want)
		}
		shared = append(shared, got)
		own = append(own, run(nil))
		scikitLearn = append(scikitLearn, want)
	}
	a, b, c := stat.Mean(shared, nil), stat.Mean(own, nil), stat.Mean(scikitLearn, nil)
	t.Logf("mean MCC over %d seeds %.4f, from own starts %.4f, scikit-learn's %.4f",
		len(own), a, b, c)
	if math.Abs(b-c) > 0.005 {
		t.Errorf("mean MCC from own starts %.4f, want scikit-learn's %.4f to two digits", b, c)
	}
}
