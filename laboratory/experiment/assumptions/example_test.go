package assumptions_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"

	"github.com/seed-47b1e431/gosica/laboratory/experiment/assumptions"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

func ExampleExamples() {
	examples, err := assumptions.Examples(1)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range examples {
		fmt.Printf("%-27s %-5v %5.2f %5.2f\n", a.Name, a.Holds, a.Exact, a.Regression)
	}
	// Output:
	// independent, of two spectra true   0.00  0.00
	// rotated, of two spectra     false  1.20  1.17
	// one drives the other        false  0.22  0.21
	// rotated, of one spectrum    true   0.00  0.00
	// the paper's heart           true    NaN  0.00
	// the paper's heart, mixed    false   NaN  0.48
}

// Figure 2 is wide enough for a page.
func ExampleModels() {
	picture, err := assumptions.Models()
	if err != nil {
		log.Fatal(err)
	}
	data, err := picture.Bytes(plot.PNG)
	if err != nil {
		log.Fatal(err)
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.Width, "pixels wide")
	// Output: 898 pixels wide
}
