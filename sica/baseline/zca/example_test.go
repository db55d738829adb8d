package zca_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
)

func Example() {
	x := mat.NewDense(2, 4, []float64{
		3, 1, -1, -3,
		3, -1, 1, -3,
	})
	m, err := zca.Whitening{}.Fit(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n\n", mat.Formatted(m.Signals()))
	fmt.Printf("%.2f\n", mat.Formatted(m.(*baseline.LinearModel).Mixing))
	// Output:
	// ⎡ 1.00   1.00  -1.00  -1.00⎤
	// ⎣ 1.00  -1.00   1.00  -1.00⎦
	//
	// ⎡2.00  1.00⎤
	// ⎣1.00  2.00⎦
}
