package source_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
)

// The coefficient of an autoregression of the first order, and what its model makes of the
// positions after those that it was fitted to.
func Example() {
	const n = 4000
	z, err := datasets.LaplaceAR(rand.New(rand.NewPCG(1, 0)), 1, n, .8)
	if err != nil {
		panic(err)
	}
	var train, held []int
	for t := 1; t < n; t++ {
		if t < n/2 {
			train = append(train, t)
		} else {
			held = append(held, t)
		}
	}
	lags := []int{-1}
	coefficients, _ := ar.Regress(z.RawRowView(0), lags, train)
	fmt.Printf("%.1f\n", coefficients[0])
	sum := 0.0
	scores, _, err := source.Scores(context.Background(), z, lags, train, held)
	if err != nil {
		panic(err)
	}
	for _, score := range scores {
		sum += score
	}
	fmt.Println("nats per position below 2:", -sum/float64(len(held)) < 2)
	// Output:
	// 0.8
	// nats per position below 2: true
}
