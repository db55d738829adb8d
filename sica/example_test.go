package sica_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
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
	result, err := sica.Fit(context.Background(), x, sica.FastWGF().On(b))
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

// A fit beside a rival, as methods of one kind.
func ExampleAsMethod() {
	s, err := datasets.AR(rand.New(rand.NewPCG(2, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{0.9}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5}, Scale: 1, Innovation: datasets.Normal})
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.LinearMix(mat.NewDense(2, 2, []float64{1, 0.6, -0.4, 1}), s)
	if err != nil {
		log.Fatal(err)
	}
	signals, err := ica.New(x)
	if err != nil {
		log.Fatal(err)
	}
	cfg := sica.Default()
	cfg.Mode = sica.LinearOnly
	for _, method := range []ica.Method{sica.AsMethod(cfg), zca.Whitening{}} {
		model, err := method.Fit(context.Background(), signals)
		if err != nil {
			log.Fatal(err)
		}
		match, err := metric.MCC(model.Signals, s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", method.Name(), match.MCC)
	}
	// Output:
	// sica 1.00
	// zca 0.90
}

// A linear result as matrices: z = W·(x − Mean).
func ExampleResult_Demixing() {
	x := mat.NewDense(2, 16, nil)
	for t := range 16 {
		x.Set(0, t, 10+float64(t%2))
		x.Set(1, t, float64(t/2%2))
	}
	cfg := sica.Config{Mode: sica.TransformsOnly, Transforms: []preprocess.Transform{preprocess.Standardise}}
	result, err := sica.Fit(context.Background(), x, cfg)
	if err != nil {
		log.Fatal(err)
	}
	demixing, err := result.Demixing()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(demixing)
	// Output:
	// Unmixing = ⎡2  0⎤
	//            ⎣0  2⎦
	// Mixing   = ⎡0.5    0⎤
	//            ⎣  0  0.5⎦
	// Mean     = [10.5 0.5]
}
