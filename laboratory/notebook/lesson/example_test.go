package lesson_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/laboratory/notebook/lesson"
)

// One iteration, on two signals of correlation 0.8.
func Example() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	gaussian := lesson.Gaussian{Variances: [2]float64{1, 1}, Correlation: 0.8}
	z, err := gaussian.Draw(rng, 2000)
	if err != nil {
		log.Fatal(err)
	}

	product, err := lesson.Product(rng, z)
	if err != nil {
		log.Fatal(err)
	}
	ratio, err := lesson.LearnRatio(context.Background(), b, rng, z, product,
		lesson.DefaultTraining())
	if err != nil {
		log.Fatal(err)
	}
	defer ratio.Close()
	moved, err := ratio.Step(z, 0.2)
	if err != nil {
		log.Fatal(err)
	}

	before, err := lesson.GaussianOf(z)
	if err != nil {
		log.Fatal(err)
	}
	after, err := lesson.GaussianOf(moved)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("divergence %.1f nats\n", before.KL())
	fmt.Println("less than a third is left:", after.KL() < before.KL()/3)
	// Output:
	// divergence 0.5 nats
	// less than a third is left: true
}
