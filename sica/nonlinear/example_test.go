package nonlinear_test

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// The mean and the standard error of how much shorter one code is, position by position.
func ExampleNewDifference() {
	longer, shorter := make([]float64, 160), make([]float64, 160)
	for t := range longer {
		longer[t] = 2 + float64(t/16%2)
		shorter[t] = 1
	}
	d := nonlinear.NewDifference(longer, shorter)
	fmt.Printf("%.2f ± %.2f nats per position, significant: %v\n", d.Mean, d.SE, d.Significant())
	// Output:
	// 1.50 ± 0.17 nats per position, significant: true
}
