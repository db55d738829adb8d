package plot_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"
	"math"
	"slices"

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
	// Output: plot: curve: series "ZCA": there are 3 x, 2 y and 0 standard errors; there must be as many of each, or no standard errors
}

// Logarithmic axes, one panel a problem.
func ExampleCurves() {
	lengths := []float64{256, 1024, 4096}
	x, y := plot.Axis{Label: "positions T", Log: true}, plot.Axis{Label: "ms", Log: true}
	picture, err := plot.Curves(
		plot.Panel{Title: "training", X: x, Y: y, Series: []plot.Series{
			{Method: plot.SICA, Label: "one run", X: lengths, Y: []float64{4.8, 20, 86}},
			{Method: "four", Label: "four runs", X: lengths, Y: []float64{19, 89, 350}},
		}},
		plot.Panel{Title: "moving", X: x, Y: y, Series: []plot.Series{
			{Method: plot.SICA, Label: "one run", X: lengths, Y: []float64{6, 83, 1774}},
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
		plot.DotAxis{
			Axis:  plot.Axis{Label: "dependence", Log: true},
			Least: 0.01,
			Marks: []plot.Mark{{At: 0.06, Label: "settled"}},
		},
		[]string{"heart", "three digits"},
		plot.DotSeries{Method: plot.ZCA, Values: [][]float64{{0.003, 0}, {3.7, 3.1}}},
		plot.DotSeries{Method: plot.Conditional, Values: [][]float64{nil, {4.4, 4.7}}},
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

// The graphical models of ICA, ICA with an auxiliary variable and SICA, and what
// SICA assumes of sequences: given the rest of its own sequence, a value is
// independent of the others (figure 2 of the article).
func ExampleDiagram() {
	signals := []plot.Node{
		{Name: "s1", Label: "$s_1$", X: 0, Y: 1},
		{Name: "s2", Label: "$s_2$", X: 1, Y: 1},
		{Name: "x1", Label: "$x_1$", X: 0, Y: 2, Observed: true},
		{Name: "x2", Label: "$x_2$", X: 1, Y: 2, Observed: true},
	}
	mixing := []plot.Edge{
		{From: "s1", To: "x1"}, {From: "s1", To: "x2"},
		{From: "s2", To: "x1"}, {From: "s2", To: "x2"},
	}
	ica := plot.Graph{
		Title: "ICA", Caption: "$s_1$ and $s_2$\nindependent",
		Nodes: signals, Edges: mixing,
	}
	auxiliary := plot.Graph{
		Title: "Auxiliary-variable ICA", Caption: "$s_1$ and $s_2$ independent\ngiven the observed $u$",
		Nodes: slices.Concat(signals, []plot.Node{{Name: "u", Label: "$u$", X: 0.5, Y: 0, Observed: true}}),
		Edges: slices.Concat(mixing, []plot.Edge{{From: "u", To: "s1"}, {From: "u", To: "s2"}}),
	}
	sica := plot.Graph{
		Title: "SICA", Caption: "$s_i$ independent of the other\nsignals given its own $u_i$",
		Nodes: slices.Concat(signals, []plot.Node{
			{Name: "u1", Label: "$u_1$", X: 0, Y: 0},
			{Name: "u2", Label: "$u_2$", X: 1, Y: 0},
		}),
		Edges: slices.Concat(mixing, []plot.Edge{
			{From: "u1", To: "s1"}, {From: "u2", To: "s2"},
			{From: "u1", To: "u2", Undirected: true, Dashed: true}, // may depend
		}),
	}

	sequences := plot.Graph{
		Title:   "SICA on sequences",
		Caption: "given the rest of its own sequence, $s_{1,t}$ is\nindependent of the other sequence at all times",
		Frames:  []plot.Frame{{Label: "the other sequence", Nodes: []string{"2t-2", "2t+2"}}},
	}
	bends := []float64{0.25, 0, 0, 0, -0.25}
	for k, t := range []string{"t-2", "t-1", "t", "t+1", "t+2"} {
		own := plot.Node{Name: "1" + t, Label: "$s_{1," + t + "}$", X: float64(k), Y: 0, Observed: t != "t"}
		other := plot.Node{Name: "2" + t, Label: "$s_{2," + t + "}$", X: float64(k), Y: 1.6}
		sequences.Nodes = append(sequences.Nodes, own, other)
		if t != "t" {
			sequences.Edges = append(sequences.Edges, plot.Edge{From: own.Name, To: "1t", Bend: bends[k]})
		}
		sequences.Edges = append(sequences.Edges, plot.Edge{From: other.Name, To: "1t", Cut: true})
	}

	picture, err := plot.Diagram(ica, auxiliary, sica, sequences)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sizeOf(picture))
	// Output: 898 × 328 pixels
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
