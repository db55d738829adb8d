package outlier_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

func Example() {
	x := mat.NewDense(2, 1000, nil)
	for t := range 1000 {
		x.Set(0, t, math.Sin(float64(t*t)))
		x.Set(1, t, math.Cos(float64(t)*math.Sqrt2*float64(t)))
	}
	x.Set(0, 400, 100) // a click
	g, err := grid.New(nil, 1000)
	if err != nil {
		log.Fatal(err)
	}
	found := outlier.Find(x, g)
	mended := outlier.Mend(x, found)
	fmt.Println(found)
	fmt.Printf("%.3f %.3f %.3f\n", mended.At(0, 399), mended.At(0, 400), mended.At(0, 401))
	// Output:
	// [400]
	// -0.712 0.138 0.989
}
