package notebook_test

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/laboratory/notebook"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// What a cell shows, below its %%. Outside a notebook the table is printed, in Markdown,
// and pictures are left out.
func Example() {
	sources := mat.NewDense(2, 4, []float64{
		1, -1, 1, -1,
		1, 1, -1, -1,
	})
	mixed := mat.NewDense(2, 4, []float64{
		2, 0, 0, -2, // the sum
		0, -2, 2, 0, // the difference
	})
	table := notebook.NewTable("| signals | MCC |")
	table.Row("| mixed | %.3f |", notebook.Must(metric.MCC(mixed, sources)).MCC)
	table.Row("| the sources | %.3f |", notebook.Must(metric.MCC(sources, sources)).MCC)
	table.Show()
	notebook.Show(plot.Scatter(0, 1, plot.Group{Method: plot.Mixed, Signals: mixed}))

	var slider notebook.Slider
	for k := 1; k <= 2; k++ {
		picture, err := plot.Flow(0, 1, plot.Trajectory{Method: plot.Default, Steps: []*mat.Dense{mixed, sources}, Drawn: k})
		slider.Add("a step of two", picture, err)
	}
	slider.Show()
	// Output:
	// | signals | MCC |
	// | --- | ---: |
	// | mixed | 0.707 |
	// | the sources | 1.000 |
}
