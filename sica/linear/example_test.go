package linear_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Two Gaussian signals that only their spectra tell apart.
func Example() {
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 2)), 5000,
		datasets.ARProcess{Coefficients: []float64{0.5}, Scale: 1},
		datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1})
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, 0.8, 0.3, 1}), s)
	if err != nil {
		log.Fatal(err)
	}

	sol, err := linear.Separate(context.Background(), x, linear.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var z mat.Dense
	z.Mul(sol.Demixing, x)
	match, err := metric.MCC(&z, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MCC %.2f, the pair is identified: %v\n", match.MCC, sol.Pairs[0].Identified)
	// Output: MCC 1.00, the pair is identified: true
}

// A nonlinear demixing competes with a linear one: the code length of its signals
// less the mean of log|det ∂g/∂x|.
func ExampleFitSources() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(1, 5000, nil)
	x.Apply(func(int, int, float64) float64 { return math.Exp(rng.NormFloat64()) }, x)

	length := func(z *mat.Dense, logDet float64) float64 {
		m, err := linear.FitSources(context.Background(), z, linear.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return m.CodeLength - logDet
	}
	var z mat.Dense
	z.Apply(func(_, _ int, v float64) float64 { return math.Log(v) }, x)
	logDet := -mat.Sum(&z) / 5000 // mean of log 1/x
	fmt.Println("the logarithm is shorter:", length(&z, logDet) < length(x, 0))
	// Output: the logarithm is shorter: true
}
