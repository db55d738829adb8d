package start_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/start"
)

// The linear rule takes the demixing by which the fewest nats describe the signals. Without
// networks no backend is needed.
func ExampleChoose() {
	s, err := datasets.AR(rand.New(rand.NewPCG(1, 0)), 1024,
		datasets.ARProcess{Coefficients: []float64{.9}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100},
		datasets.ARProcess{Coefficients: []float64{-.5}, Scale: 1, Innovation: datasets.Normal, BurnIn: 100})
	if err != nil {
		log.Fatal(err)
	}
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, .8, -.4, 1}), s)
	chosen, err := start.Choose(context.Background(), nil, &x, start.Options{Rule: start.LinearRule})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chosen.Taken)
	fmt.Println("signals 1 and 2 are told apart:", chosen.Linear.Pairs[0].Identified)
	// Output:
	// zca, linear rule
	// signals 1 and 2 are told apart: true
}
