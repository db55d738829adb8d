package assumptions

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// Models draws the paper's second figure: the graphical models of ICA, of ICA with
// an auxiliary variable and of SICA, and SICA's assumption on sequences.
func Models() (*plot.Picture, error) {
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
	return plot.Diagram(ica, auxiliary, sica, sequenceModel())
}

// sequenceModel is a value of a sequence, which the rest of the sequence tells of
// and the other sequence doesn't.
func sequenceModel() plot.Graph {
	g := plot.Graph{
		Title:   "SICA on sequences",
		Caption: "given the rest of its own sequence, $s_{1,t}$ is\nindependent of the other sequence at all times",
		Frames:  []plot.Frame{{Label: "the other sequence", Nodes: []string{"2t-2", "2t+2"}}},
	}
	bends := []float64{0.25, 0, 0, 0, -0.25}
	for k, t := range []string{"t-2", "t-1", "t", "t+1", "t+2"} {
		own := plot.Node{Name: "1" + t, Label: "$s_{1," + t + "}$", X: float64(k), Y: 0, Observed: t != "t"}
		other := plot.Node{Name: "2" + t, Label: "$s_{2," + t + "}$", X: float64(k), Y: 1.6}
		g.Nodes = append(g.Nodes, own, other)
		if t != "t" {
			g.Edges = append(g.Edges, plot.Edge{From: own.Name, To: "1t", Bend: bends[k]})
		}
		g.Edges = append(g.Edges, plot.Edge{From: other.Name, To: "1t", Cut: true})
	}
	return g
}

// Write writes the checks of SICA's assumption as a Markdown table.
func Write(w io.Writer, examples []Example) error {
	var b strings.Builder
	b.WriteString("| two sequences | SICA's assumption | exactly, nats | by regression, nats | measured dependence |\n" +
		"| --- | --- | ---: | ---: | ---: |\n")
	for _, a := range examples {
		holds, exact := "fails", "–"
		if a.Holds {
			holds = "holds"
		}
		if !math.IsNaN(a.Exact) {
			exact = fmt.Sprintf("%.3f", max(a.Exact, 0)) // not −0.000
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f | %.3f |\n", a.Name, holds, exact, a.Regression, a.Measured.Total())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
