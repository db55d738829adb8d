package ica_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Methods with their default settings, on a sine and noise in one mixture.
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

	signals, err := ica.New(x)
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range []ica.Method{
		zca.Whitening{}, fastica.Default(), jade.Default(), sobi.Default(),
	} {
		m, err := method.Fit(context.Background(), signals)
		if err != nil {
			log.Fatal(err)
		}
		match, err := metric.MCC(m.Signals, s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.2f\n", method.Name(), match.MCC)
	}
	// Output:
	// zca: 0.82
	// fastica: 1.00
	// jade: 1.00
	// sobi: 1.00
}

// Symmetric whitening is a demixing by the principal axes: its signals are uncorrelated, and the
// nearest to the mixed signals of all that are.
func ExampleDemix() {
	x := mat.NewDense(2, 4, []float64{
		3, -3, 2, -2,
		3, -3, -2, 2,
	})
	signals, err := ica.New(x)
	if err != nil {
		log.Fatal(err)
	}
	white, err := signals.Whitening()
	if err != nil {
		log.Fatal(err)
	}
	m, err := ica.Demix(signals, white.Axes().T(), ica.Convergence{Converged: true})
	if err != nil {
		log.Fatal(err)
	}
	demixing, err := m.Demixing()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(demixing.Unmixing))
	// Output:
	// ⎡ 0.417  -0.083⎤
	// ⎣-0.083   0.417⎦
}
