package main

import (
	"fmt"
	"io"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// shown are the mixtures in the picture, in plain words.
var shown = []struct{ problem, words string }{
	{"AR(7), linear, J=5", "autoregressive, 5 linear mixing steps"},
	{"AR(7), linear, J=20", "autoregressive, 20 linear mixing steps"},
	{"AR(7), GELU, J=5", "autoregressive, 5 nonlinear mixing steps"},
	{"AR(7), GELU, J=20", "autoregressive, 20 nonlinear mixing steps"},
	{"MNIST d=3, linear, J=5", "3 digits, 5 linear mixing steps"},
	{"MNIST d=3, linear, J=20", "3 digits, 20 linear mixing steps"},
	{"MNIST d=3, GELU, J=5", "3 digits, 5 nonlinear mixing steps"},
	{"MNIST d=3, GELU, J=20", "3 digits, 20 nonlinear mixing steps"},
	{"heart, u ordered", "heart, the paper's matrix"},
	{"Gaussian AR, two spectra, random A", "2 Gaussian spectra, random matrix"},
	{"Laplace d=2, random A", "2 Laplace signals, random matrix"},
	{"Laplace d=3, random A", "3 Laplace signals, random matrix"},
	{"Laplace d=8, random A", "8 Laplace signals, random matrix"},
	{"uniform d=2, random A", "2 uniform signals, random matrix"},
	{"uniform d=3, random A", "3 uniform signals, random matrix"},
	{"sine+square+sawtooth, random A", "sine, square, sawtooth, random matrix"},
}

// starts are the starts that Default compares, as sica.Candidate calls them.
var starts = []struct{ name, method, words string }{
	{"zca", plot.ZCA, "whitening (ZCA)"},
	{"zca, rotated", plot.FastICA, "whitening, then the rotation of least entropy"},
	{"conditional", plot.SICARF, "conditional normalisation"},
}

// drawChoice draws the dependence that each start leaves of each problem's runs,
// and below which Default doesn't move the signals.
func drawChoice(rows []row, path string) error {
	series := make([]plot.DotSeries, len(starts))
	for k, start := range starts {
		series[k] = plot.DotSeries{Method: start.method, Label: start.words, Values: make([][]float64, len(shown))}
	}
	names := make([]string, len(shown))
	for i, s := range shown {
		names[i] = s.words
		found := 0
		for k, start := range starts {
			values := dependences(rows, s.problem, start.name)
			series[k].Values[i] = values
			found += len(values)
		}
		if found == 0 {
			return fmt.Errorf("no run of %q says what a start left", s.problem)
		}
	}
	settled := sica.Default().Settled
	p, err := plot.Dots(plot.DotAxis{
		Axis:  plot.Axis{Label: "dependence that a start leaves between the signals", Log: true},
		Least: 0.01,
		Marks: []plot.Mark{{At: settled, Label: fmt.Sprintf("below %g the signals aren't moved", settled)}},
	}, names, series...)
	if err != nil {
		return err
	}
	return datasets.WriteAtomic(path, func(w io.Writer) error { return p.Write(w, plot.PNG) })
}

// dependences are what a start left of a mixture's runs, of those that it was
// tried on.
func dependences(rows []row, problem, start string) []float64 {
	var values []float64
	for _, r := range rows {
		if r.Problem != problem {
			continue
		}
		for _, left := range r.Left {
			if v, tried := left[start]; tried {
				values = append(values, v)
			}
		}
	}
	return values
}
