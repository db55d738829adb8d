package report_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// Gaussian signals with different spectra can be separated, ones with equal
// spectra can't: any rotation of them is as good. The report tells them apart
// without knowing the sources.
func Example() {
	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	for _, second := range [][]float64{{-0.5, 0.2}, {1.6, -0.8}} {
		s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 512,
			datasets.ARProcess{Coefficients: []float64{1.6, -0.8}, Scale: 1,
				Innovation: datasets.Normal},
			datasets.ARProcess{Coefficients: second, Scale: 1, Innovation: datasets.Normal})
		if err != nil {
			log.Fatal(err)
		}
		x, err := datasets.Mix(s, datasets.MixOptions{Steps: 2}) // 2×512
		if err != nil {
			log.Fatal(err)
		}
		result, err := sica.Fit(context.Background(), x, sica.Default().On(b))
		if err != nil {
			log.Fatal(err)
		}
		opts := report.Config{Backend: b, Refits: 2}
		found, err := report.New(context.Background(), result, x, opts)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(found.Verdict)
	}
	// Output:
	// separated
	// not identifiable
}
