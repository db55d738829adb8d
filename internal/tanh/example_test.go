package tanh_test

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/internal/tanh"
)

func ExampleInPlace() {
	values := []float64{0, 0.5, -30}
	tanh.InPlace(values)
	fmt.Printf("%.3f\n", values)
	// Output: [0.000 0.462 -1.000]
}
