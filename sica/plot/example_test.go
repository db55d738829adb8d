package plot_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

func Example() {
	mixed := mat.NewDense(2, 4, []float64{
		1, 2, 1, 0,
		2, 3, 0, 1,
	})
	truth := mat.NewDense(2, 4, []float64{
		0, 1, 2, -1,
		2, 2, -1, 1,
	})
	picture, err := plot.Traces(0, 4,
		plot.Group{Method: plot.Mixed, Signals: mixed},
		plot.Group{Method: plot.Truth, Signals: truth},
	)
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
	fmt.Printf("%d × %d pixels\n", size.Width, size.Height)
	// Output: 900 × 410 pixels
}

func ExampleCurve() {
	_, err := plot.Curve("mixing steps J", "MCC",
		plot.Series{Method: plot.FastICA, X: []float64{5, 10, 20}, Y: []float64{.97, .96, .95}, SE: []float64{.01, .01, .02}},
		plot.Series{Method: plot.ZCA, X: []float64{5, 10, 20}, Y: []float64{.99, .99}},
	)
	fmt.Println(err)
	// Output: plot: curve: series "ZCA": there are 3 x, 2 y and 0 standard errors; there must be as many of each, or no standard errors
}
