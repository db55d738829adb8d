package metric_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/metric"
)

func ExampleMCC() {
	s := mat.NewDense(2, 4, []float64{
		1, -1, 1, -1,
		1, 1, -1, -1,
	})
	// The second source upside down and larger, the first with a little of
	// the second.
	z := mat.NewDense(2, 4, []float64{
		-3, -3, 3, 3,
		1.75, -0.25, 0.25, -1.75,
	})
	m, err := metric.MCC(z, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MCC %.2f\n", m.MCC)
	for i, j := range m.Assignment {
		fmt.Printf("source %d is recovered signal %d with correlation %.1f\n", i, j,
			m.Correlation[i])
	}
	// Output:
	// MCC 0.90
	// source 0 is recovered signal 1 with correlation 0.8
	// source 1 is recovered signal 0 with correlation -1.0
}

func ExampleAlign() {
	s := mat.NewDense(2, 3, []float64{
		1, 2, 4,
		3, 1, 3,
	})
	z := mat.NewDense(2, 3, []float64{
		5, 6, 5,
		-10, -20, -40,
	})
	aligned, err := metric.Align(z, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", mat.Formatted(aligned))
	// Output:
	// ⎡1.0  2.0  4.0⎤
	// ⎣3.0  1.0  3.0⎦
}

func ExampleAmari() {
	a := mat.NewDense(2, 2, []float64{
		2.0, 0.7,
		0.7, 2.0,
	})
	var w mat.Dense
	if err := w.Inverse(a); err != nil {
		log.Fatal(err)
	}
	perfect, err := metric.Amari(&w, a)
	if err != nil {
		log.Fatal(err)
	}
	none, err := metric.Amari(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("demixed %.2f, mixed %.2f\n", perfect, none)
	// Output: demixed 0.00, mixed 0.35
}
