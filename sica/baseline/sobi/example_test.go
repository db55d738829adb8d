package sobi_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

func Example() {
	// Two Gaussian sources, distinguishable by their spectra only.
	rng := rand.New(rand.NewPCG(1, 2))
	s := mat.NewDense(2, 1000, nil)
	for t := 1; t < 1000; t++ {
		s.Set(0, t, 0.9*s.At(0, t-1)+rng.NormFloat64())
		s.Set(1, t, -0.5*s.At(1, t-1)+rng.NormFloat64())
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), s)
	if err != nil {
		log.Fatal(err)
	}

	m, err := ica.Separate(context.Background(), sobi.Default(), x)
	if err != nil {
		log.Fatal(err)
	}
	// Each source is recovered up to its sign and position among the signals.
	for i := range 2 {
		best := 0.0
		for j := range 2 {
			best = max(best,
				math.Abs(stat.Correlation(s.RawRowView(i), m.Signals.RawRowView(j), nil)))
		}
		fmt.Printf("correlation %.2f\n", best)
	}
	// Output:
	// correlation 1.00
	// correlation 1.00
}
