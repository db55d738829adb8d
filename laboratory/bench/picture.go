package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// costPanels are the cases in the picture, with the titles of their panels.
var costPanels = []struct{ kind, title string }{
	{rfTrainStep, "one training step"},
	{refine, "one Euler step of every position"},
	{fastIteration, "one iteration of FastWGF"},
}

// costLines are the implementations in the picture, in the order of the legend. A line has the
// style of a method of package plot.
var costLines = []struct{ impl, style, label string }{
	{"gosica", plot.Default, "gosica"},
	{"gosica_literal", plot.SICARF, "gosica, as the paper writes it"},
	{"torch_eager", plot.FastICA, "PyTorch"},
	{"torch_compile", plot.LICA, "PyTorch, compiled"},
	{"jax_jit", plot.PCL, "JAX, a step at a time"},
	{"jax_scan", plot.IVAE, "JAX, ten steps at a time"},
}

// drawCost draws the cost of two signals on the CPU against their length, on
// logarithmic axes, with a panel for each case. Without a line it draws nothing.
func drawCost(file string, rows []row) error {
	cores := minCores(rows)
	y := plot.Axis{Label: fmt.Sprintf("time in ms, on %d cores", cores), Log: true}
	if cores == 1 {
		y.Label = "time in ms, on one core"
	}
	var panels []plot.Panel
	for _, c := range costPanels {
		panel := plot.Panel{Title: c.title, X: plot.Axis{Label: "positions T", Log: true}, Y: y}
		for _, line := range costLines {
			s := costSeries(rows, c.kind, line.impl, cores)
			if len(s.X) < 2 {
				continue
			}
			s.Method, s.Label = line.style, line.label
			panel.Series = append(panel.Series, s)
		}
		if panel.Series != nil {
			panels = append(panels, panel)
		}
	}
	if panels == nil {
		return nil
	}
	p, err := plot.Curves(panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, func(w io.Writer) error { return p.Write(w, plot.PNG) })
}

// minCores returns the smallest number of cores that rows of the CPU have.
func minCores(rows []row) int {
	cores := 0
	for _, r := range rows {
		if onCPU(r) && (cores == 0 || r.Cores < cores) {
			cores = r.Cores
		}
	}
	return cores
}

// onCPU reports whether a row is of the CPU, but not of the pure-Go backend.
func onCPU(r row) bool { return r.Backend == "xla:cpu" || r.Backend == "cpu" }

// costSeries returns the medians of an implementation for two signals in sequence,
// one run, in the order of their length.
func costSeries(rows []row, kind, impl string, cores int) plot.Series {
	var selected []row
	for _, r := range rows {
		if r.Case == kind && r.Impl == impl && r.Cores == cores && r.D == 2 && len(r.Shape) == 1 &&
			r.Runs == 1 && onCPU(r) {
			selected = append(selected, r)
		}
	}
	slices.SortFunc(selected, func(a, b row) int { return a.T - b.T })
	var s plot.Series
	for _, r := range selected {
		s.X = append(s.X, float64(r.T))
		s.Y = append(s.Y, r.Median)
	}
	return s
}
