package network

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// Two autoregressive sources behind a layer of leaky ReLUs, undone in a short
// fit. (A whole one, with the defaults, comes to .99.)
func ExampleFit() {
	rng := rand.New(rand.NewPCG(1, 0))
	s, err := datasets.LaplaceAR(rng, 2, 600, .7)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := datasets.LayeredMix(rng, s, 1, datasets.LeakyReLU(.2))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := Options{Backend: b, Seed: 1, restarts: 2, layers: 3, Steps: 600, batch: 256}
	m, err := Fit(context.Background(), x, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := m.Map.Apply(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, err := metric.MCC(x, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := metric.MCC(z, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mixed: %.2f\n", before.MCC)
	fmt.Println("recovered to .95:", after.MCC > .95)
	// Output:
	// mixed: 0.92
	// recovered to .95: true
}
