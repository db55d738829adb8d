package jade_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	s := mat.NewDense(2, 1000, nil)
	for t := range 1000 {
		s.Set(0, t, math.Sin(float64(t)/20))
		s.Set(1, t, datasets.Laplace(rng))
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{2, 1, -1, 1}), s)
	if err != nil {
		log.Fatal(err)
	}

	m, err := ica.Separate(context.Background(), jade.Default(), x)
	if err != nil {
		log.Fatal(err)
	}
	if c := m.Convergence; !c.Converged {
		log.Print(c.Warning)
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
