package assumptions

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-47b1e431/gosica/sica/plot"
)

// The picture of the models. The PNG has 96 pixels per inch of the SVG, and 8 colours to be small.
var (
	//go:embed models.png
	modelsPNG []byte
	//go:embed models.svg
	modelsSVG []byte
)

// Models returns the paper's second figure: the graphical models of ICA, of ICA with an
// auxiliary variable and of SICA, and SICA's assumption on sequences.
func Models() (*plot.Picture, error) { return plot.Encoded(modelsPNG, modelsSVG), nil }

// Write writes the checks of SICA's assumption as a Markdown table.
func Write(w io.Writer, examples []Example) error {
	var b strings.Builder
	b.WriteString("| two sequences | SICA's assumption | exactly, nats | by regression, nats | " +
		"measured dependence |\n" +
		"| --- | --- | ---: | ---: | ---: |\n")
	for _, a := range examples {
		holds, exact := "fails", "–"
		if a.Holds {
			holds = "holds"
		}
		if !math.IsNaN(a.Exact) {
			exact = fmt.Sprintf("%.3f", max(a.Exact, 0)) // not −0.000
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f | %.3f |\n", a.Name, holds, exact, a.Regression,
			a.Measured.Total())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
