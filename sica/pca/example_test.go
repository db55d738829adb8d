package pca_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/pca"
)

func ExampleWhiten() {
	// The variance is 9 along (1, 1)/√2 and 4 along (1, −1)/√2.
	c, err := pca.Whiten(mat.NewDense(2, 4, []float64{
		3, -3, 2, -2,
		3, -3, -2, 2,
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(c.Matrix))
	// Output:
	// ⎡ 0.236   0.236⎤
	// ⎣ 0.354  -0.354⎦
}
