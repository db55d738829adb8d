package fastica_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
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

	m, err := ica.Separate(context.Background(), fastica.Default(), x)
	if err != nil {
		log.Fatal(err)
	}
	if c := m.Convergence; !c.Converged {
		log.Print(c.Warning)
	}
	match, err := metric.MCC(m.Signals, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MCC %.2f\n", match.MCC)
	// Output: MCC 1.00
}
