package dependence_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/dependence"
)

// Independent signals and rotations of them are all white. The measure distinguishes them.
func ExampleMeasure() {
	rng := rand.New(rand.NewPCG(1, 0))
	sources := mat.NewDense(2, 2000, nil)
	sources.Apply(func(_, _ int, _ float64) float64 { return datasets.Laplace(rng) }, sources)
	for _, degrees := range []float64{0, 10, 45} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		var z mat.Dense
		z.Mul(mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}), sources)
		d, err := dependence.Measure(&z)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("rotated by %2g°: %.2f\n", degrees, d.Total())
	}
	// Output:
	// rotated by  0°: 0.00
	// rotated by 10°: 0.02
	// rotated by 45°: 0.43
}
