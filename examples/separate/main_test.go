package main

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// The program, which is README.md's, separates two autoregressive signals with different
// spectra, mixed by a matrix.
func TestSeparate(t *testing.T) {
	t.Chdir(t.TempDir())
	sources, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
		datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1, Innovation: datasets.Normal},
		datasets.ARProcess{Coefficients: []float64{-0.5, 0.2}, Scale: 1, Innovation: datasets.Normal})
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := datasets.Mix(sources, datasets.MixOptions{Steps: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := datasets.WriteFile("mixed.csv", mixed); err != nil {
		t.Fatal(err)
	}
	main()
	recovered, err := datasets.ReadFile("recovered.csv")
	if err != nil {
		t.Fatal(err)
	}
	match, err := metric.MCC(recovered, sources)
	if err != nil || match.MCC < .99 {
		t.Errorf("MCC %.3f, %v; want .99 or more", match.MCC, err)
	}
}
