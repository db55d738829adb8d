package preprocess_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

func Example() {
	x := mat.NewDense(2, 4, []float64{
		3, 1, -1, -3,
		3, -1, 1, -3,
	})
	z, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		log.Fatal(err)
	}
	var covariance mat.Dense
	covariance.Mul(z, z.T())
	covariance.Scale(1.0/4, &covariance)
	fmt.Printf("%.2f\n\n", mat.Formatted(z))
	fmt.Printf("%.2f\n", mat.Formatted(&covariance))
	// Output:
	// ⎡ 1.00   1.00  -1.00  -1.00⎤
	// ⎣ 1.00  -1.00   1.00  -1.00⎦
	//
	// ⎡1.00  0.00⎤
	// ⎣0.00  1.00⎦
}
