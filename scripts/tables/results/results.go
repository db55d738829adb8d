// Package results has the outcomes of the tables that the documentation quotes, made by
// scripts/tables, as files of the program that imports it.
package results

import (
	"embed"

	"github.com/seed-47b1e431/gosica/sica/experiment"
)

//go:embed *.jsonl
var files embed.FS

// Read returns the outcomes of a table: quality, verdicts or iterates.
func Read(table string) (*experiment.Results, error) { return experiment.ReadFS(files, table) }
