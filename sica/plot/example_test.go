package plot_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"
	"math"

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
	fmt.Println(sizeOf(picture))
	// Output: 900 × 410 pixels
}

func ExampleCurve() {
	_, err := plot.Curve("mixing steps J", "MCC",
		plot.Series{Method: plot.FastICA, X: []float64{5, 10, 20}, Y: []float64{.97, .96, .95}, SE: []float64{.01, .01, .02}},
		plot.Series{Method: plot.ZCA, X: []float64{5, 10, 20}, Y: []float64{.99, .99}},
	)
	fmt.Println(err)
	// Output: plot: curve: series "ZCA": 3 x, 2 y and 0 standard errors; must be as many of each, or no standard errors
}

// Logarithmic axes, one panel a problem.
func ExampleCurves() {
	lengths := []float64{256, 1024, 4096}
	x, y := plot.Axis{Label: "positions T", Log: true}, plot.Axis{Label: "ms", Log: true}
	picture, err := plot.Curves(
		plot.Panel{Title: "training", X: x, Y: y, Series: []plot.Series{
			{Method: plot.Default, Label: "one run", X: lengths, Y: []float64{4.8, 20, 86}},
			{Method: "four", Label: "four runs", X: lengths, Y: []float64{19, 89, 350}},
		}},
		plot.Panel{Title: "moving", X: x, Y: y, Series: []plot.Series{
			{Method: plot.Default, Label: "one run", X: lengths, Y: []float64{6, 83, 1774}},
		}},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizeOf(picture))
	// Output: 900 × 380 pixels
}

func ExampleDots() {
	picture, err := plot.Dots(
		plot.Axis{Label: "dependence", Log: true},
		[]string{"heart", "three digits"},
		[]plot.Mark{{At: 0.06, Label: "settled"}},
		plot.Series{Method: plot.ZCA, X: []float64{0.003, 3.7, 3.1}, Y: []float64{0, 1, 1}},
		plot.Series{Method: plot.Conditional, X: []float64{4.4, 4.7}, Y: []float64{1, 1}},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizeOf(picture))
	// Output: 900 × 174 pixels
}

// A rotation by a quarter turn, in steps.
func ExampleFlow() {
	var steps []*mat.Dense
	for k := range 10 {
		sin, cos := math.Sincos(math.Pi / 2 * float64(k) / 9)
		steps = append(steps, mat.NewDense(2, 3, []float64{
			cos, 2 * cos, 3 * cos,
			sin, 2 * sin, 3 * sin,
		}))
	}
	picture, err := plot.Flow(0, 1, plot.Trajectory{Method: plot.SICARF, Steps: steps})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizeOf(picture))
	// Output: 450 × 480 pixels
}

// sizeOf returns the size of the picture as PNG.
func sizeOf(picture *plot.Picture) string {
	data, err := picture.Bytes(plot.PNG)
	if err != nil {
		log.Fatal(err)
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		log.Fatal(err)
	}
	return fmt.Sprintf("%d × %d pixels", size.Width, size.Height)
}
