package sica_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Two autoregressive signals with different spectra, mixed by a matrix, are
// told apart by their time structure alone.
func ExampleFit() {
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal})
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 2}) // 2×512
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	result, err := sica.Fit(context.Background(), b, x, sica.FastWGF())
	if err != nil {
		log.Fatal(err)
	}
	match, err := metric.MCC(result.Z, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("separated:", match.MCC > 0.99)
	// Output: separated: true
}
