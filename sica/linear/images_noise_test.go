package linear_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// TestImagesWithNoise separates photographs from channels with noise. With noise in its models the
// rule loses less of them than without.
func TestImagesWithNoise(t *testing.T) {
	photographs, shape, err := datasets.Photographs()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := preprocess.Apply(photographs, preprocess.Standardise)
	if err != nil {
		t.Fatal(err)
	}
	const noise = 0.15
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		mixing, x := mat.NewDense(3, 3, nil), new(mat.Dense)
		mixing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, mixing)
		x.Mul(mixing, sources)
		x.Apply(func(_, _ int, v float64) float64 { return v + noise*rng.NormFloat64() }, x)
		mixed, err := ica.New(x, shape...)
		if err != nil {
			t.Fatal(err)
		}
		var scores [2]float64
		for k, noiseless := range []bool{false, true} {
			s, err := linear.Separate(context.Background(), mixed, linear.Config{Noiseless: noiseless})
			if err != nil {
				t.Fatal(err)
			}
			var z mat.Dense
			z.Mul(s.Demixing, x)
			m, err := metric.MCC(&z, sources)
			if err != nil {
				t.Fatal(err)
			}
			scores[k] = m.MCC
		}
		t.Logf("seed %d: %.3f with noise in the models, %.3f without", seed, scores[0], scores[1])
		if scores[0] < 0.9 || scores[0] < scores[1] {
			t.Errorf("seed %d: MCC %.3f with noise in the models, %.3f without", seed, scores[0], scores[1])
		}
	}
}
