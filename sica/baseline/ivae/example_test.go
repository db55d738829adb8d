package ivae_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/ivae"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Each of 20 segments has a random loudness of each signal, and u is the segment of a position.
func Example() {
	const segments, length = 20, 100
	rng := rand.New(rand.NewPCG(1, 2))
	s := mat.NewDense(2, segments*length, nil)
	u := mat.NewDense(segments, segments*length, nil)
	for t := range segments * length {
		u.Set(t/length, t, 1)
	}
	for i := range 2 {
		loudness := 1.0
		for t := range segments * length {
			if t%length == 0 {
				loudness = 0.2 + 3*rng.Float64()
			}
			s.Set(i, t, loudness*rng.NormFloat64())
		}
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), s)
	if err != nil {
		log.Fatal(err)
	}

	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	cfg := ivae.Default()
	cfg.Backend, cfg.U, cfg.Iterations = b, u, 2000
	m, err := ica.Separate(context.Background(), cfg, x)
	if err != nil {
		log.Fatal(err)
	}
	match, err := metric.MCC(m.Signals, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MCC above 0.85: %t\n", match.MCC > 0.85)
	// Output: MCC above 0.85: true
}
