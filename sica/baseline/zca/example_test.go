package zca_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/zca"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

func Example() {
	x := mat.NewDense(2, 4, []float64{
		3, 1, -1, -3,
		3, -1, 1, -3,
	})
	m, err := ica.Separate(context.Background(), zca.Whitening{}, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n\n", mat.Formatted(m.Signals))
	demixing, err := m.Demixing()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(demixing.Unmixing))
	// Output:
	// ⎡ 1.00   1.00  -1.00  -1.00⎤
	// ⎣ 1.00  -1.00   1.00  -1.00⎦
	//
	// ⎡ 0.67  -0.33⎤
	// ⎣-0.33   0.67⎦
}
