package linear_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
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

	signals, err := ica.New(x)
	if err != nil {
		log.Fatal(err)
	}
	model, err := linear.Default().Fit(context.Background(), signals)
	if err != nil {
		log.Fatal(err)
	}
	match, err := metric.MCC(model.Signals, s)
	if err != nil {
		log.Fatal(err)
	}
	found := model.Details.(*linear.Solution)
	fmt.Printf("MCC %.2f, the pair is identified: %v\n", match.MCC, found.Pairs[0].Identified)
	// Output: MCC 1.00, the pair is identified: true
}

// The model maps new signals there and back. All of it is a matrix and a mean, which can be saved.
func ExampleConfig_Fit() {
	s, err := datasets.AR7(rand.New(rand.NewPCG(1, 2)), 2, 2000)
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, 0.8, 0.3, 1}), s)
	if err != nil {
		log.Fatal(err)
	}
	model, err := ica.Separate(context.Background(), linear.Default(), x)
	if err != nil {
		log.Fatal(err)
	}
	later := mat.NewDense(2, 3, []float64{1, 2, 3, 3, 1, 2})
	z, err := model.Transform(later)
	if err != nil {
		log.Fatal(err)
	}
	d, err := model.Demixing() // z = Unmixing·(x − Mean)
	if err != nil {
		log.Fatal(err)
	}
	loaded := preprocess.LinearMap(d.Unmixing, d.Mean)
	again, err := loaded.Apply(later)
	if err != nil {
		log.Fatal(err)
	}
	back, err := model.InverseTransform(z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.EqualApprox(again, z, 1e-12), mat.EqualApprox(back, later, 1e-12))
	// Output: true true
}

// Two sensors that saturate: the curves that straighten them, and what the rule recovers without and
// with these.
func ExampleStraighten() {
	ctx := context.Background()
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 2)), 5000,
		datasets.ARProcess{Coefficients: []float64{0.5}, Scale: 1, Innovation: datasets.Laplace},
		datasets.ARProcess{Coefficients: []float64{0.8}, Scale: 1, Innovation: datasets.Laplace})
	if err != nil {
		log.Fatal(err)
	}
	mixed, err := datasets.PostNonlinearMix(rand.New(rand.NewPCG(3, 4)), s, math.Tanh)
	if err != nil {
		log.Fatal(err)
	}
	x, err := ica.New(mixed)
	if err != nil {
		log.Fatal(err)
	}
	before, err := linear.Separate(ctx, x, linear.Default())
	if err != nil {
		log.Fatal(err)
	}
	curves, err := linear.Straighten(ctx, x, before.Demixing, 0.1, linear.Default())
	if err != nil {
		log.Fatal(err)
	}
	if curves == nil {
		fmt.Println("the channels ask for no curves")
		return
	}
	straight, err := curves.Apply(mixed)
	if err != nil {
		log.Fatal(err)
	}
	for _, channels := range []*mat.Dense{mixed, straight} {
		model, err := ica.Separate(ctx, linear.Default(), channels)
		if err != nil {
			log.Fatal(err)
		}
		match, err := metric.MCC(model.Signals, s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("MCC %.2f\n", match.MCC)
	}
	// Output:
	// MCC 0.95
	// MCC 1.00
}
