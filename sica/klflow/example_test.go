package klflow_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// A preset's flow with fewer iterations, watched.
func ExampleConfig() {
	rng := rand.New(rand.NewPCG(1, 0))
	s, err := datasets.LaplaceAR(rng, 2, 512, 0.7)
	if err != nil {
		log.Fatal(err)
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: 5})
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	cfg := sica.FastWGF()
	cfg.Flow.Iterations = 2
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) { fmt.Println("iteration", it.J) }
	result, err := sica.Fit(context.Background(), x, cfg.On(b))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Stopped == klflow.StoppedIterations)
	// Output:
	// iteration 1
	// iteration 2
	// true
}
