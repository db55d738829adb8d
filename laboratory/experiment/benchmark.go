package experiment

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// The field's benchmark of nonlinear ICA (A. Hyvärinen and H. Morioka, AISTATS 2017): Laplace AR(1)
// sources after layers of leaky ReLU, against the number of layers and of positions.

var (
	benchmarkSignals   = []int{2, 5, 10, 20}
	benchmarkLayers    = []int{1, 2, 3, 4, 5}
	benchmarkPositions = []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18}
)

// Layers vary at the length of the table many, and positions after the most layers after which its
// ten signals mostly come back.
const positionsOfLayers, layersOfPositions = manyPositions, 3

// benchmarkProblem is that of d signals after some layers.
func benchmarkProblem(d, layers, positions int) Problem {
	return Problem{Mixture: fmt.Sprintf("laplace-%d-leaky%d", d, layers), Positions: positions}
}

func benchmarkTable(o TableOptions) *Table {
	t := oracleTable(o)
	t.picture = benchmarkPicture
	for _, d := range benchmarkSignals {
		for _, l := range benchmarkLayers {
			t.problems = append(t.problems, benchmarkProblem(d, l, positionsOfLayers))
		}
		for _, n := range benchmarkPositions {
			if n != positionsOfLayers {
				t.problems = append(t.problems, benchmarkProblem(d, layersOfPositions, n))
			}
		}
	}
	positions := text("positions", "%d", func(r row) int { return r.problem.Positions })
	t.columns = slices.Insert(t.columns, 0, positions)
	return t
}

// benchmarkPicture draws the mean MCC of each method, above against the number of layers and below
// against that of positions, a column for each number of signals. A line more is the share of
// Default's fits that were called identified.
func benchmarkPicture(t *Table, r *Results) (*plot.Picture, error) {
	var above, below []plot.Panel
	for _, d := range benchmarkSignals {
		var problems []Problem
		for _, l := range benchmarkLayers {
			problems = append(problems, benchmarkProblem(d, l, positionsOfLayers))
		}
		above = append(above, plot.Panel{
			Title: fmt.Sprintf("%d signals, n = %d", d, positionsOfLayers),
			X:     plot.Axis{Label: "layers"}, Y: plot.Axis{Label: "MCC"},
			Series: t.lines(r, benchmarkLayers, problems),
		})
		problems = nil
		for _, n := range benchmarkPositions {
			problems = append(problems, benchmarkProblem(d, layersOfPositions, n))
		}
		below = append(below, plot.Panel{
			Title: fmt.Sprintf("%d signals, %d layers", d, layersOfPositions),
			X:     plot.Axis{Label: "positions n", Log: true}, Y: plot.Axis{Label: "MCC"},
			Series: t.lines(r, benchmarkPositions, problems),
		})
	}
	panels := slices.DeleteFunc(slices.Concat(above, below), func(p plot.Panel) bool {
		return len(p.Series) == 0
	})
	return plot.Curves(panels...)
}

// lines returns the mean MCC of each method at the problems, which x numbers, and the share of
// Default's fits that were called identified. Gaps are left where there is
// no outcome, and lines without any are left out.
func (t *Table) lines(r *Results, x []int, problems []Problem) []plot.Series {
	var all []plot.Series
	for _, c := range t.contenders {
		all = append(all, plot.Series{Method: labelOf(c.Method)})
	}
	all = append(all, plot.Series{Method: plot.Truth, Label: "Default, share identified"})
	for k, p := range problems {
		row := t.row(p, r)
		for i := range all {
			mean, se := stat.Mean(row.numbers(separated, networkIdentified), nil), math.NaN()
			if i < len(t.contenders) {
				mean, se = stats.MeanSE(row.mccs(t.contenders[i].Method))
			}
			all[i].X, all[i].Y = append(all[i].X, float64(x[k])), append(all[i].Y, mean)
			all[i].SE = append(all[i].SE, se)
		}
	}
	known := func(v float64) bool { return !math.IsNaN(v) }
	for i := range all {
		if !slices.ContainsFunc(all[i].SE, known) { // of one run: no bars to make room for
			all[i].SE = nil
		}
	}
	return slices.DeleteFunc(all, func(s plot.Series) bool {
		return !slices.ContainsFunc(s.Y, known)
	})
}
