// Package results has the outcomes of the paper's figures that the notebooks show, made
// by "go run ./laboratory/paper figure", as files of the program that imports it: notebooks run without a
// checkout.
package results

import (
	"embed"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
)

//go:embed outcomes.jsonl signals
var files embed.FS

// Read returns the outcomes, with the signals that are shown.
func Read() (*experiment.Results, error) {
	return experiment.ReadFS(files,
		experiment.OutcomesFile)
}
