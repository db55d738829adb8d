package pcl_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/baseline/pcl"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

func Example() {
	process := datasets.ARProcess{
		Coefficients: []float64{0.7},
		Scale:        1,
		Innovation:   datasets.Laplace,
		BurnIn:       50,
	}
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 2)), 1000, process, process)
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 1, H: datasets.GELU})
	if err != nil {
		log.Fatal(err)
	}

	b, err := backend.Open(backend.Auto)
	if err != nil {
		log.Fatal(err)
	}
	cfg := pcl.Default()
	cfg.Backend, cfg.Epochs = b, 50
	m, err := ica.Separate(context.Background(), cfg, x)
	if err != nil {
		log.Fatal(err)
	}
	match, err := metric.MCC(m.Signals, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MCC above 0.9: %t\n", match.MCC > 0.9)
	// Output: MCC above 0.9: true
}
